"""The blueprint of the pages, what every template may use, and how values are shown."""

from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from typing import Any
from urllib.parse import unquote
from zoneinfo import ZoneInfo

from flask import Blueprint
from markupsafe import Markup, escape

from clew.errors import PlatformError, without_commands
from clew_cypher.kinds import KIND_OF_TYPE
from clew_web.backend import backend, current_caller
from clew_web.callers import ANYONE_HERE
from clew_web.errors import code_of
from clew_web.guard import is_signed_in
from clew_web.wording import on_page

ui = Blueprint("ui", __name__)

KIND_NAMES = {type_: name.lower() for type_, name in KIND_OF_TYPE.items()}

MINUTE = "%d %b %Y, %H:%M"
SECOND = "%d %b %Y, %H:%M:%S"


@ui.app_context_processor
def shared_values() -> dict[str, Any]:
    """Return what the base template needs."""
    signed_in = is_signed_in(backend().access)
    caller = current_caller()
    return {
        "clew_version": version("clew"),
        "signed_in": signed_in,
        "can_log_out": signed_in and caller is not ANYONE_HERE,
        "caller": caller,
        "may_edit": caller.may("editor"),
        "may_make_corpora": caller.may("editor") and caller.corpora is None,
        # of their own: in a macro "caller" is what calls it
        "sees_corpus": caller.sees,
        "sees_some": bool(caller.corpora),
    }


@ui.app_template_filter("size")
def size(count: int | None) -> str:
    """Show a number of bytes: 1536 as 1.5 KiB."""
    if count is None:
        return "–"
    value = float(count)
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} GiB"


@ui.app_template_filter("kind")
def kind(type_: str | None) -> str:
    """Show the type of an entity as its kind: GPE as place; "" where it is not known."""
    return KIND_NAMES.get(type_ or "", (type_ or "").lower().replace("_", " "))


@ui.app_template_global("kind_names")
def kind_names() -> Mapping[str, str]:
    """Return the same for the pages' scripts."""
    return KIND_NAMES


@ui.app_template_filter("address")
def address(uri: str) -> str:
    """Show an address as it is read: with its blanks and letters, not percent-encoded."""
    return unquote(uri)


@ui.app_template_filter("count")
def count(number: int | None) -> str:
    """Show a count with thin spaces between thousands."""
    return "–" if number is None else f"{number:,}".replace(",", "\u202f")


@ui.app_template_filter("moment")
def moment(when: str | None, zone: str | None = None, *, seconds: bool = False) -> str:
    """Show a point in time to the minute, in ``zone`` or the server's time zone, which is named."""
    at = _point(when, zone)
    if at is None:
        return when or "–"
    return f"{at.strftime(SECOND if seconds else MINUTE)} {zone or at.tzname()}"


@ui.app_template_filter("time")
def time_element(when: str | None, zone: str | None = None, *, seconds: bool = False) -> Markup:
    """Return the same as an element of which the page makes the reader's own time; not so where a
    ``zone`` is given: it stays in that.
    """
    words = moment(when, zone, seconds=seconds)
    at = _point(when, zone)
    if at is None:
        return escape(words)
    kept = Markup(' data-zone="{}"').format(zone) if zone else ""
    shown = Markup(" data-seconds") if seconds else ""
    element = Markup('<time class="number" datetime="{}"{}{}>{}</time>')
    return element.format(at.isoformat(timespec="seconds"), kept, shown, words)


def _point(when: str | None, zone: str | None) -> datetime | None:
    try:
        # the database writes nanoseconds, of which Python reads six digits
        return datetime.fromisoformat(when or "").astimezone(ZoneInfo(zone) if zone else None)
    except ValueError:
        return None


@ui.app_template_filter("remedy")
def remedy(problem: PlatformError) -> str:
    """Return what to do about an error, for who reads a page."""
    return on_page(code_of(problem), problem.remedy)


ui.add_app_template_filter(without_commands, "without_commands")


@ui.app_template_filter("duration")
def duration(seconds: float) -> str:
    """Show a duration: 27.9 s, 3 min 05 s."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60:02d} s"


@ui.app_template_filter("badge")
def badge(state: str) -> str:
    """Return the badge class of the state of a document, a job or a delivery."""
    if state in ("ready", "done", "delivered"):
        return "badge-good"
    if state in ("failed", "set_aside"):
        return "badge-bad"
    return "badge-warn" if state in ("accepted", "running", "queued") else ""


@ui.app_template_filter("state")
def state_words(state: str) -> str:
    """Return the words for a status or state."""
    return {"accepted": "waiting", "set_aside": "set aside"}.get(state, state)
