"""What a worker does again and again goes on after whatever fails, and says so once."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from clew.jobs import periodic
from clew.jobs.periodic import Periodic
from clew_cypher.errors import GraphUnavailable

if TYPE_CHECKING:
    from .conftest import Eventually


class Looking(Periodic):
    """Calls ``look``, and counts."""

    name = "looking"

    def __init__(self, look: Callable[[int], object]) -> None:
        super().__init__(0.001)
        self.looked = self.cleaned = 0
        self._look = look

    def look(self) -> None:
        self.looked += 1
        self._look(self.looked)

    def clean(self) -> None:
        self.cleaned += 1


def test_what_fails_is_tried_again_and_told_once_until_it_goes_well_or_fails_otherwise(
    caplog: pytest.LogCaptureFixture, eventually: "Eventually"
) -> None:
    def failing(time: int) -> None:
        if time <= 3 or time == 6:
            raise GraphUnavailable("Neo4j is away.", remedy="Wait.")
        if time in (4, 7):
            raise ZeroDivisionError(time)

    looking = Looking(failing)
    looking.start()
    eventually(lambda: looking.looked > 8)
    looking.stop()
    told = [(one.levelno, one.exc_info is not None) for one in caplog.records]
    away, broken = (logging.WARNING, False), (logging.ERROR, True)
    assert told == [away, broken, away, broken]
    assert "Neo4j is away." in caplog.messages[0]


def test_it_cleans_at_its_first_look_that_goes_well_and_then_each_hour(
    monkeypatch: pytest.MonkeyPatch, eventually: "Eventually"
) -> None:
    looking = Looking(lambda time: 1 / (time - 1))
    looking.start()
    eventually(lambda: looking.looked > 5)
    assert looking.cleaned == 1
    monkeypatch.setattr(periodic, "CLEAN_EVERY_S", 0.0)
    eventually(lambda: looking.cleaned > 3)
    looking.stop()
    over = looking.looked
    assert not looking._thread.is_alive()
    assert looking.looked == over


def test_one_that_was_never_started_is_stopped(caplog: pytest.LogCaptureFixture) -> None:
    Looking(lambda time: time).stop()
    assert caplog.messages == []
