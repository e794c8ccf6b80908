"""Events of calendars (iCalendar, RFC 5545): what, when, where and with whom, as sentences."""

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import NamedTuple

from clew_ingest.reading.markdown_text import row_text
from clew_ingest.reading.text_decoding import clean_line

_FOLD = re.compile(r"\r?\n[ \t]")
_VALUE = r'(?:"[^"]*"|[^";:,]*)'
_LINE = re.compile(
    rf"(?:[\w-]+\.)?([\w-]+)((?:;[\w-]+(?:={_VALUE}(?:,{_VALUE})*)?)*):(.*)", re.DOTALL
)
_PARAMETER = re.compile(rf";([\w-]+)=({_VALUE})")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_TIME = re.compile(r"(\d{8})(?:T(\d{6})(Z?))?")
_EVENTS = ("VEVENT", "VTODO", "VJOURNAL")
_ALARMS = ("VALARM", "VTIMEZONE")
"""Parts within a calendar that tell nobody anything."""


class ContentLine(NamedTuple):
    """A line of a calendar, or of a file of contacts, which are written alike."""

    name: str
    parameters: dict[str, str]
    value: str


class Event(NamedTuple):
    """An event: what it is called ("" for nothing), a sentence of its data, what is said of it."""

    name: str
    line: str
    description: str


def read_calendar(text: str) -> tuple[str, list[Event]]:
    """Return what a calendar is called, "" for nothing, and its events."""
    lines = list(content_lines(text))
    name = next((unescaped(one.value) for one in lines if one.name == "X-WR-CALNAME"), "")
    cancelled = any(one.name == "METHOD" and one.value.upper() == "CANCEL" for one in lines)
    return clean_line(name), [_event(found, cancelled) for found in _events(lines)]


def content_lines(text: str) -> Iterator[ContentLine]:
    """Yield the lines, each put together where it was folded."""
    for line in _FOLD.sub("", text).splitlines():
        if found := _LINE.fullmatch(line):
            given = _PARAMETER.findall(found[2])
            yield ContentLine(
                found[1].upper(),
                {name.upper(): value.strip('"') for name, value in given},
                found[3].strip(),
            )


def _events(lines: list[ContentLine]) -> Iterator[list[ContentLine]]:
    event: list[ContentLine] | None = None
    within = ""
    for line in lines:
        kind = line.value.upper()
        if within:
            within = "" if line.name == "END" and kind == within else within
        elif line.name == "BEGIN" and kind in _ALARMS:
            within = kind
        elif line.name == "BEGIN" and kind in _EVENTS:
            event = []
        elif line.name == "END" and kind in _EVENTS and event is not None:
            yield event
            event = None
        elif event is not None:
            event.append(line)


def _event(lines: list[ContentLine], cancelled: bool) -> Event:
    first = {line.name: line for line in reversed(lines)}

    def text(name: str) -> str:
        return clean_line(unescaped(first[name].value)) if name in first else ""

    people = [_person(line) for line in lines if line.name == "ATTENDEE"]
    organizer = _person(first["ORGANIZER"]) if "ORGANIZER" in first else ""
    status = text("STATUS").lower()
    told = {
        "Event": text("SUMMARY"),
        "Begins": _moment(first.get("DTSTART")),
        "Ends": _moment(first.get("DTEND"), end=True),
        "Due": _moment(first.get("DUE")),
        "Where": text("LOCATION"),
        "Organizer": organizer,
        "Attendees": ", ".join(dict.fromkeys(filter(None, people))),
        "Repeats": text("RRULE"),
        "Status": "cancelled" if cancelled or status == "cancelled" else "",
    }
    description = unescaped(first["DESCRIPTION"].value) if "DESCRIPTION" in first else ""
    return Event(told["Event"], row_text(list(told), list(told.values())), description)


def unescaped(value: str) -> str:
    """Return a value as it is meant: "\\n" ends a line, "\\," is a comma."""
    return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], value)


def _person(line: ContentLine) -> str:
    address = re.sub("^mailto:", "", line.value, flags=re.IGNORECASE)
    return clean_line(line.parameters.get("CN", "") or address)


def _moment(line: ContentLine | None, *, end: bool = False) -> str:
    """Return a day, or a time as it is where the event takes place; of days the last is told, and
    not the one after it.
    """
    found = _TIME.match(line.value) if line else None
    if line is None or found is None:
        return ""
    try:
        day = date.fromisoformat(found[1])
        if not found[2]:
            day -= timedelta(days=end)
            return f"{day.day} {day:%B %Y}"
        time = datetime.strptime(found[2], "%H%M%S")
    except (ValueError, OverflowError):
        return clean_line(line.value)
    zone = "UTC" if found[3] else line.parameters.get("TZID", "")
    return f"{day.day} {day:%B %Y}, {time:%H:%M}{f' ({zone})' if zone else ''}"
