"""Calendars: what their events are, when, where and with whom."""

import time

import pytest

from clew_ingest.errors import UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.calendar_events import read_calendar
from clew_ingest.reading.media_types import CALENDAR
from clew_ingest.reading.read_document import Place, PlaceFrom
from clew_ingest.reading.readers import read

MEETING = """\
BEGIN:VEVENT
SUMMARY:Launch of the tug\\, at last
DTSTART;TZID=Europe/Oslo:20260503T140000
DTEND:20260503T133000Z
LOCATION:Seld Shipyard\\; hall 2
ORGANIZER;CN="Raman, Priya":mailto:priya@b.example
ATTENDEE;ROLE=REQ-PARTICIPANT;CN=Ada Love
 lace;RSVP=TRUE:mailto:ada@a.example
ATTENDEE:MAILTO:bo@a.example
DESCRIPTION:Bring a coat.\\n\\nThe speech is at three.
BEGIN:VALARM
DESCRIPTION:REMINDER
END:VALARM
END:VEVENT
"""
FAIR = """\
BEGIN:VEVENT
SUMMARY:Fair
DTSTART;VALUE=DATE:20260530
DTEND;VALUE=DATE:20260601
STATUS:CANCELLED
END:VEVENT
"""


def calendar(*events: str, head: str = "") -> bytes:
    zone = "BEGIN:VTIMEZONE\nTZID:Europe/Oslo\nBEGIN:STANDARD\nDTSTART:19701025T030000\n"
    zone += "END:STANDARD\nEND:VTIMEZONE\n"
    lines = f"BEGIN:VCALENDAR\nVERSION:2.0\n{head}{zone}{''.join(events)}END:VCALENDAR\n"
    return lines.replace("\n", "\r\n").encode()


def test_an_event_is_a_sentence_and_what_is_said_of_it(limits: IngestLimits) -> None:
    result = read(calendar(MEETING), "x.ics", limits)
    (document,) = result.documents
    assert (result.media_type, document.title) == (CALENDAR, "Launch of the tug, at last")
    assert document.text.split("\n\n") == [
        "Event: Launch of the tug, at last; Begins: 3 May 2026, 14:00 (Europe/Oslo); "
        "Ends: 3 May 2026, 13:30 (UTC); Where: Seld Shipyard; hall 2; Organizer: Raman, Priya; "
        "Attendees: Ada Lovelace, bo@a.example.",
        "Bring a coat.",
        "The speech is at three.",
    ]


def test_events_of_a_calendar_stand_under_their_names(limits: IngestLimits) -> None:
    (document,) = read(
        calendar(MEETING, FAIR, head="X-WR-CALNAME:Yard\n"), "x.ics", limits
    ).documents
    assert document.title == "Yard"
    assert document.text.endswith(
        "\n\nEvent: Fair; Begins: 30 May 2026; Ends: 31 May 2026; Status: cancelled."
    )
    assert document.places[-1] == PlaceFrom(3, Place(heading="Fair"))


def test_a_calendar_that_calls_its_events_off_says_so() -> None:
    _, (event,) = read_calendar(calendar(MEETING, head="METHOD:CANCEL\n").decode())
    assert event.line.endswith("Status: cancelled.")


@pytest.mark.parametrize("when", ["20261399T250000", "soon", ""])
def test_a_time_that_is_none_does_no_harm(when: str) -> None:
    _, (event,) = read_calendar(f"BEGIN:VEVENT\nSUMMARY:Fair\nDTSTART:{when}\nEND:VEVENT\n")
    assert event.line.startswith("Event: Fair")


def test_a_calendar_of_no_event_is_said_to_hold_no_text(limits: IngestLimits) -> None:
    with pytest.raises(UnreadableSource, match="No text was found"):
        read(calendar(), "x.ics", limits)


def test_a_line_that_never_ends_takes_no_minutes() -> None:
    begun = time.process_time()
    read_calendar(f"BEGIN:VEVENT\nX;A={',a' * 50_000}\nEND:VEVENT\n")
    assert time.process_time() - begun < 5
