"""The settings as administrators see them: the source of each is true, and no secret is told."""

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from clew.settings import Settings
from clew.settings.listing import MASK
from clew_web.app import create_app

from .drawing import fits

SECRET = "hunter2-of-the-broker"


@pytest.fixture
def mixed(clew: Any, questions: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An app whose settings come from everywhere."""
    (tmp_path / "clew.toml").write_text("web_threads = 7\nhybrid_pool = 33\n")
    monkeypatch.setenv("CLEW_BROKER_URL", f"redis://:{SECRET}@127.0.0.1:1/0")
    monkeypatch.setenv("CLEW_LLM_BASE_URL", f"http://ada:{SECRET}@[::1]:9/v1")
    monkeypatch.delenv("CLEW_HOME", raising=False)
    return create_app(clew, Settings.load(home=tmp_path, corpus="letters"), questions)


def test_where_each_comes_from_is_true_and_no_secret_is_told(mixed: Any) -> None:
    answer = mixed.test_client().get("/api/v1/settings")
    by_name = {one["name"]: one for one in answer.json["settings"]}
    told = {
        name: (by_name[name]["value"], by_name[name]["source"])
        for name in ("web_threads", "hybrid_pool", "corpus", "job_attempts", "broker_url")
    }
    assert told == {
        "web_threads": ("7", "file"),
        "hybrid_pool": ("33", "file"),
        "corpus": ("letters", "argument"),
        "job_attempts": ("3", "default"),
        "broker_url": (MASK, "environment"),
    }
    assert by_name["llm_base_url"]["value"] == f"http://{MASK}@[::1]:9/v1"
    assert by_name["hybrid_pool"]["group"] == "hybrid"
    assert by_name["broker_url"]["secret"] is by_name["llm_api_key"]["secret"] is True
    assert by_name["web_threads"]["secret"] is False
    assert SECRET not in answer.text
    assert SECRET not in mixed.test_client().get("/settings").text


def test_settings_are_found(mixed: Any, serve: Any, open_page: Any) -> None:
    page = open_page(serve(mixed), "/settings")
    expect(page.get_by_role("link", name="Settings")).to_have_attribute("aria-current", "page")
    page.get_by_label("Where it comes from").select_option("file")
    expect(page.locator(".settings tbody tr")).to_have_count(2)
    page.get_by_label("Name or meaning").fill("pool")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".settings tbody tr")).to_have_count(1)
    expect(page.locator(".settings")).to_contain_text("CLEW_HYBRID_POOL")
    page.get_by_label("Name or meaning").fill("no such setting")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No setting fits")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_axe_finds_nothing(
    mixed: Any, serve: Any, open_page: Any, scheme: str
) -> None:
    page = open_page(serve(mixed), "/settings", color_scheme=scheme, bypass_csp=True)
    expect(page.get_by_role("heading", name="hybrid", exact=True)).to_be_visible()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        fits(page, width)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
