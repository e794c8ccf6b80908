"""Points in time: the server names its zone, the page shows the reader's, a cron its own."""

import re
from typing import Any

from playwright.sync_api import expect

from clew.results.schedule import NewSchedule, Reindexing
from clew_web.ui.blueprint import moment, time_element

WHEN = "2026-11-29T02:00:00.123456789Z"


def test_a_time_zone_is_always_named() -> None:
    assert moment(WHEN, "Europe/Berlin") == "29 Nov 2026, 03:00 Europe/Berlin"
    assert re.fullmatch(r"\d\d \w{3} 2026, \d\d:00:00 \S+", moment(WHEN, seconds=True))
    assert moment(None) == "–"
    assert time_element("<b>") == "&lt;b&gt;"
    kept = str(time_element(WHEN, "Europe/Berlin"))
    assert 'datetime="2026-11-29T03:00:00+01:00" data-zone="Europe/Berlin"' in kept


def test_the_page_shows_the_readers_own_time_and_a_cron_in_its_zone(
    app: Any, clew: Any, serve: Any, open_page: Any
) -> None:
    reading = Reindexing(sources=("https://example.org/a",))
    for name, when in (("Nightly", {"cron": "0 3 * * *"}), ("Often", {"every_s": 3600})):
        clew.add_schedule(
            NewSchedule(name=name, corpus="sample", zone="Europe/Berlin", reindex=reading, **when)
        )
    page = open_page(serve(app), "/documents?corpus=sample", timezone_id="Asia/Tokyo")
    added = page.locator("#list time").first
    expect(added).to_have_text("21 Nov 2026, 12:00")  # 03:00 UTC
    expect(added).to_have_attribute("title", re.compile(r"21 Nov 2026, \d\d:00 \w+"))
    page.goto(f"{page.url.split('/documents')[0]}/schedules")
    nightly, often = (page.get_by_role("article", name=name) for name in ("Nightly", "Often"))
    expect(nightly.get_by_role("time").first).to_have_text("21 Nov 2026, 04:00 Europe/Berlin")
    expect(often.get_by_role("time").first).to_have_text("21 Nov 2026, 12:00")
