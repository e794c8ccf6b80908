"""Users, keys and the log in a real browser: from the first administrator to a revoked key."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .drawing import fits, whole_groups

PASSWORD = "three words of it"


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is remembered of users: a test does not wait a second for what it changed."""
    monkeypatch.setattr("clew_web.access.REMEMBERED_S", 0.0)


def log_in(page: Page, name: str, password: str = PASSWORD) -> None:
    # before the page has focused it by itself, Chromium may drop what is filled in
    expect(page.get_by_label("Name")).to_be_focused()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


@pytest.mark.usefixtures("at_once")
def test_from_the_first_administrator_to_a_revoked_key(
    app: Any, clew: Any, serve: Any, open_page: Any
) -> None:
    address = serve(app)
    page = open_page(address, "/users")
    expect(page.get_by_text("Nobody has to log in yet")).to_be_visible()
    page.get_by_role("button", name="New user").click()
    page.get_by_label("Name", exact=True).fill("root")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    expect(page.get_by_label("Role")).to_have_value("admin")
    expect(page.get_by_label("Role").locator("option:enabled")).to_have_count(1)
    expect(page.get_by_text("Without one only keys act")).to_have_count(0)
    page.get_by_role("button", name="Create").click()
    # now everybody has to log in, who made the first user too
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    log_in(page, "root", "not the password")
    expect(page.get_by_role("alert")).to_contain_text("do not fit")
    log_in(page, "root")
    expect(page.get_by_role("button", name="Log out")).to_be_visible()  # else goto cancels it
    page.goto(f"{address}/users")

    page.get_by_role("button", name="New user").click()
    page.get_by_label("Name", exact=True).fill("ada")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("sample", exact=True).check()
    page.get_by_role("button", name="Create").click()
    row = page.locator("#users tr", has_text="ada")
    expect(row).to_contain_text("reader")
    assert clew.accounts["ada"].corpora == {"sample"}

    page.get_by_role("button", name="Change ada").click()
    expect(page.get_by_label("sample", exact=True)).to_be_checked()
    page.get_by_label("Role").select_option("editor")
    page.get_by_label("sample", exact=True).uncheck()
    page.get_by_label("default", exact=True).check()
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("editor")
    expect(row).to_contain_text("default")
    expect(row).not_to_contain_text("sample")  # a corpus is one request: the row may be midway
    assert clew.accounts["ada"].corpora == {"default"}

    page.get_by_role("button", name="New key").click()
    page.get_by_label("What it is for").fill("nightly crawler")
    page.get_by_label("Acts for").select_option("ada")
    page.get_by_label("ingest: add and change").check()
    page.get_by_role("button", name="Create").dblclick()
    key = page.get_by_role("textbox", name="The key").input_value()
    assert clew.account_of_key(key).scopes == ("query", "ingest")
    page.get_by_role("button", name="I have kept it").click()
    expect(page.get_by_role("row", name="nightly crawler")).to_contain_text("valid")
    assert key not in page.content()
    assert len(clew.keys) == 1
    page.get_by_role("button", name="Revoke nightly crawler").click()
    page.get_by_role("button", name="Revoke", exact=True).click()
    expect(page.get_by_role("row", name="nightly crawler")).to_contain_text("revoked")
    assert clew.account_of_key(key) is None

    page.get_by_role("button", name="Change ada").click()
    page.get_by_label("Disabled").check()
    page.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("disabled")

    page.get_by_role("navigation", name="Admin").get_by_role("link", name="Audit log").click()
    expect(page.get_by_role("row", name="access.revoke_key")).to_contain_text("done")
    assert PASSWORD not in page.content()
    page.get_by_label("Action begins with").fill("ui.log_in")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("row")).to_have_count(3)  # with the heading
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()


@pytest.mark.usefixtures("at_once")
def test_a_reader_sees_what_readers_may(app: Any, clew: Any, serve: Any, open_page: Any) -> None:
    clew.create_user("root", "admin", password=PASSWORD)
    clew.create_user("ada", "reader", password=PASSWORD, corpora=["sample"])
    address = serve(app)
    page = open_page(address, "/documents")
    log_in(page, "ada")
    expect(page.get_by_role("link", name="Seld Shipyard").first).to_be_visible()
    for offered in ("New corpus", "Delete Aurelia", "Choose files"):
        expect(page.get_by_text(offered)).to_have_count(0)
    assert page.get_by_label("Corpus", exact=True).locator("option").all_inner_texts() == ["sample"]
    expect(page.get_by_role("link", name="Users")).to_have_count(0)
    page.goto(f"{address}/users")
    expect(page.get_by_text("This needs the role admin.")).to_be_visible()
    page.goto(f"{address}/models")
    expect(page.get_by_role("heading", name="Models")).to_be_visible()
    page.goto(f"{address}/ask?q=Who+founded+it%3F&corpus=sample")
    expect(page.get_by_text("High confidence")).to_be_visible()


def test_who_may_add_no_documents_is_not_told_to_add_some(app: Any, clew: Any) -> None:
    clew.create_user("root", "admin", password=PASSWORD)
    clew.create_user("ada", "reader", password=PASSWORD)
    client = app.test_client()
    client.post("/login", data={"name": "ada", "password": PASSWORD})
    for path in ("/", "/ask", "/graph"):
        shown = client.get(path).text.split("<main")[1]
        assert "an administrator can grant you a corpus" in shown, path
        for refused in ("Add documents", "Load the sample", "The graph is empty"):
            assert refused not in shown, path


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", ["ada", "anna.hintermaier@example.org".rjust(64, "a")])
def test_a_phone_shows_all_groups_to_who_is_logged_in(
    app: Any, clew: Any, serve: Any, open_page: Any, name: str
) -> None:
    clew.create_user(name, "admin", password=PASSWORD)
    page = open_page(serve(app), "/documents?corpus=sample")
    log_in(page, name)
    expect(page.get_by_role("link", name="Seld Shipyard").first).to_be_visible()
    for width in (360, 760, 1280):
        page.set_viewport_size({"width": width, "height": 740})
        fits(page, width)
        whole_groups(page)
        expect(page.get_by_role("link", name=name)).to_be_in_viewport(ratio=1)
        expect(page.get_by_role("button", name="Log out")).to_be_in_viewport(ratio=1)


@pytest.mark.usefixtures("at_once")
def test_what_one_asked_is_not_kept_for_who_logs_in_next(
    app: Any, clew: Any, serve: Any, open_page: Any
) -> None:
    clew.create_user("root", "admin", password=PASSWORD)
    for name in ("ada", "bob"):
        clew.create_user(name, "reader", password=PASSWORD, corpora=["sample"])
    address = serve(app)
    page = open_page(address, "/ask?corpus=sample&q=Who+founded+it%3F")
    log_in(page, "ada")
    expect(page.get_by_text("High confidence")).to_be_visible()
    expect(page.locator("#asked-here")).to_be_visible()
    kept = "Object.keys(sessionStorage).length"
    assert page.evaluate(kept) == 1
    # in another tab somebody else logs in
    page.context.request.post(f"{address}/login", form={"name": "bob", "password": PASSWORD})
    page.goto(f"{address}/ask")
    expect(page.get_by_role("link", name="bob")).to_be_visible()
    expect(page.locator("#asked-here")).to_be_hidden()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_label("Name")).to_be_focused()
    assert page.evaluate(kept) == 0
