"""When a schedule ticks: by a cron expression in a time zone, or every so many seconds.

Where clocks change, cron is as Debian's: a job of a fixed time whose hour is left out runs right
after the change, one whose hour comes twice runs once; jobs of every hour or minute follow the
time that really passes. An interval always does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from clew.errors import InvalidRequest

SHORTEST_S = 60
MISSED_LIMIT = 1000
"""So many missed ticks are counted; more would take long to count and tell no more."""


@dataclass(frozen=True)
class Timing:
    """Either ``cron`` (five fields, in ``zone``) or ``every_s``, counted from ``start_s``."""

    cron: str | None
    every_s: int | None
    zone: str
    start_s: int

    def after(self, moment_s: float) -> Iterator[int]:
        """Yield the ticks after a moment, in seconds since 1970, strictly rising."""
        if self.every_s is not None:
            tick = self.start_s + self.every_s * (int(moment_s - self.start_s) // self.every_s + 1)
            while True:
                yield tick
                tick += self.every_s
        assert self.cron is not None
        last = moment_s
        start = datetime.fromtimestamp(moment_s, ZoneInfo(self.zone))
        for found in CronSim(self.cron, start):
            # within an hour that comes twice, one that is over may be found again
            if (tick := int(found.astimezone(UTC).timestamp())) > last:
                last = tick
                yield tick

    def next(self, moment_s: float) -> int:
        """Return the first tick after a moment. Raises InvalidRequest where there is none."""
        for tick in self.after(moment_s):
            return tick
        raise InvalidRequest(
            f"{self.cron!r} never comes to pass.", remedy="Name a day that its month has."
        )

    def upcoming(self, moment_s: float, count: int) -> list[int]:
        """Return the first ticks after a moment."""
        return list(islice(self.after(moment_s), count))

    def missed(self, tick_s: int, now_s: float) -> int:
        """Return how many ticks after ``tick_s`` are over at ``now_s``, at most MISSED_LIMIT."""
        count = 0
        for tick in self.after(tick_s):
            if tick > now_s or count == MISSED_LIMIT:
                break
            count += 1
        return count


def checked_timing(cron: str | None, every_s: int | None, zone: str, start_s: int) -> Timing:
    """Return the timing; raises InvalidRequest, which says what is wrong and shows a right one."""
    if (cron is None) == (every_s is None):
        raise InvalidRequest(
            "A schedule ticks either by a cron expression or at an interval.",
            remedy="Give one of both: cron '0 3 * * *' is every day at 3:00.",
        )
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidRequest(
            f"There is no time zone {zone!r}.", remedy="Name one such as Europe/Berlin or UTC."
        ) from error
    if every_s is not None and every_s < SHORTEST_S:
        raise InvalidRequest(
            f"An interval of {every_s} s is too short.", remedy=f"At least {SHORTEST_S} s."
        )
    if cron is not None:
        if len(cron.split()) != 5:
            raise InvalidRequest(
                f"{cron!r} is no cron expression of five fields.",
                remedy="minute, hour, day, month, weekday: '30 2 * * 1-5' is 2:30 on weekdays.",
            )
        try:
            CronSim(cron, datetime.now(UTC))
        except CronSimError as error:
            raise InvalidRequest(
                f"{cron!r} is no cron expression: {error}.",
                remedy="minute, hour, day, month, weekday: '30 2 * * 1-5' is 2:30 on weekdays.",
            ) from error
    timing = Timing(cron, every_s, zone, start_s)
    timing.next(start_s)
    return timing
