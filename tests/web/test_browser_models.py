"""The Models page in real Chromium: train, watch the curve grow, choose the version that serves."""

from typing import Any

import pytest
from playwright.sync_api import expect

from .drawing import fits
from .fake_bench import add_job
from .fake_models import METHOD, TRAINING, version

V1, V2 = "20261120-100000", "20261121-100000"


@pytest.fixture
def address(app: Any, serve: Any) -> str:
    return str(serve(app))


@pytest.fixture
def trained(clew: Any) -> Any:
    clew.versions = [
        version(V2, "sample", promotion="It does not serve: worse than version 1."),
        version(V1, "sample", serves=True, stale="Its corpus moved on: 3, it is at 5 now."),
        version("20261101-000000", None),
    ]
    return clew


def test_a_method_is_trained_by_the_form_of_its_options(
    address: str, clew: Any, open_page: Any
) -> None:
    page = open_page(address, "/models")
    region = page.get_by_role("region", name=METHOD)
    expect(region.get_by_text("No version has been trained yet")).to_be_visible()
    expect(page.get_by_role("link", name="Models")).to_have_attribute("aria-current", "page")
    page.get_by_text(f"Train {METHOD}", exact=True).click()
    for name, field in TRAINING.options.model_fields.items():
        box = region.locator(f"[name={name}]")
        expect(box).to_have_value(str(field.default))
        expect(region.get_by_text(field.description, exact=True)).to_be_visible()
    region.get_by_label("Corpus").select_option("sample")
    region.get_by_label("Seed").fill("7")
    region.get_by_role("button", name="Train", exact=True).click()
    expect(page.locator("#jobs .badge")).to_have_text("queued")
    ((_, method, corpus, data_set, options),) = clew.calls
    assert (method, corpus, data_set) == (METHOD, "sample", None)
    assert TRAINING.options.model_validate(options).model_dump()["seed"] == 7


def test_the_curve_grows_while_it_is_trained(address: str, clew: Any, open_page: Any) -> None:
    progress = {"method": METHOD, "version": V2, "stage": "learn", "total": 12}
    job = add_job(clew, "train", "sample", "running", {**progress, "done": 4, "loss": 0.75})
    page = open_page(address, "/models")
    jobs = page.locator("#jobs")
    expect(jobs).to_contain_text("Training, 4 of 12, loss 0.750")
    picture = jobs.get_by_role("img", name="Learning curve")
    expect(picture).to_be_visible()
    expect(picture).to_have_js_property("naturalWidth", 672, timeout=20_000)  # 7 inches
    first = picture.get_attribute("src")
    more = {**progress, "done": 9, "loss": 0.33, "held_out_loss": 0.58}
    clew.job_list = [job.model_copy(update={"progress": more})]
    expect(jobs).to_contain_text("9 of 12, loss 0.330, on held-out data 0.580")
    expect(picture).not_to_have_attribute("src", first)
    done = {**more, "stage": "done", "promotion": "It serves: no worse than the base model."}
    clew.job_list = [job.model_copy(update={"state": "done", "progress": done})]
    clew.versions = [version(V2, "sample", serves=True)]
    expect(jobs).to_contain_text("It serves: no worse than the base model.")
    expect(page.get_by_role("heading", name=V2)).to_be_visible()


def test_versions_tell_their_figures_and_another_one_is_chosen(
    address: str, trained: Any, open_page: Any
) -> None:
    page = open_page(address, "/models")
    new, old = page.locator(".version").nth(0), page.locator(".version").nth(1)
    expect(old.get_by_text("serves", exact=True)).to_be_visible()
    expect(old.get_by_text("stale", exact=True)).to_be_visible()
    expect(old).to_contain_text("it is at 5 now")
    expect(new).to_contain_text("It does not serve")
    row = new.get_by_role("row", name=TRAINING.deciding.words)
    expect(row.get_by_role("cell")).to_have_text(["48 %", "91 %"])
    new.get_by_text("How it was trained").click()
    expect(new.get_by_role("img", name="Learning curve")).to_be_visible()
    page.wait_for_timeout(6000)  # the page is looked at again meanwhile
    expect(new.get_by_role("img", name="Learning curve")).to_be_visible()
    new.get_by_role("button", name="Let it serve").click()
    expect(page.locator(".version").nth(0).get_by_text("serves", exact=True)).to_be_visible()
    assert ("promote", METHOD, V2, None) in trained.calls
    page.get_by_role("button", name="Roll back").click()
    expect(page.locator(".version").nth(1).get_by_text("serves", exact=True)).to_be_visible()
    assert ("roll_back", METHOD, "sample") in trained.calls


def test_versions_of_a_deleted_corpus_stand_apart_and_never_serve(
    address: str, clew: Any, open_page: Any
) -> None:
    gone = "Its corpus was deleted; this is another one of the same name."
    clew.versions = [
        version(V2, "sample", serves=True),
        version(V1, "sample", stale=gone, corpus_deleted=True),
    ]
    page = open_page(address, "/models")
    new, old = page.locator(".group").nth(0), page.locator(".group").nth(1)
    expect(new.get_by_role("button", name="Roll back")).to_be_visible()
    expect(old.get_by_role("heading", name="Corpus sample deleted")).to_be_visible()
    expect(old).to_contain_text(gone)
    expect(old).not_to_contain_text("Train again")
    expect(old.get_by_role("button")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(address: str, trained: Any, open_page: Any, scheme: str) -> None:
    page = open_page(address, "/models", color_scheme=scheme)
    page.set_viewport_size({"width": 375, "height": 800})
    page.get_by_text(f"Train {METHOD}", exact=True).click()
    fits(page, 375)
