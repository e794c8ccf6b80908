"""Which time a sentence tells an amount for: "1,240 in 2016, 44 floods (2015: 19)"."""

import re
from collections.abc import Sequence

from clew.comprehension.amounts import DIGITS
from clew.comprehension.dates import MONTHS, moments_in

Time = tuple[float, ...]
"""Year and month, as far as they are told; the year is 0 of a month alone."""

_BRACKETS = re.compile(r"\([^()]*\)")
_APART = re.compile(
    r";|,?\s(?=(?:against|compared (?:with|to)|up from|down from|instead of|after|whereas|while)\s)"
)
"""What sets the parts of a sentence apart, which each have a time of their own."""
YEAR_BEFORE = re.compile(
    r"\b(?:last year|(?:a|one|the) year (?:ago|earlier|before)|the previous year|previously)\b",
    re.IGNORECASE,
)
"""Says that something was so a year before the time of a text."""


def times_in(text: str, like: Time) -> list[Time]:
    """Return the times that a text names: of years, or of months where ``like`` is one alone."""
    return [one for _, _, one in moments_in(text) if one[0] or not like[0]]


def is_at(wanted: Time, own: Time) -> bool:
    """Whether a time is the one that is wanted, as far as that is told."""
    if not wanted[0]:
        return own[1:2] == wanted[1:2]
    return own[: len(wanted)] == wanted


def time_of(amount: str, sentence: str, like: Time, base: Time | None) -> Time | None:
    """Return the time that a sentence tells an amount for; ``base``, of what it stands under, where
    its part of the sentence names none; a time as ``like``, of a year or a month alone.

    Where a part has as many times as amounts, they go in their order, else it is the nearest one.
    """
    times = [one for one in moments_in(sentence) if one[2][0] or not like[0]]
    years = {one[2][0] for one in times}
    year = years.pop() if len(years) == 1 else base[0] if base else 0.0
    if year:
        times += [(*one.span(), (year - 1,)) for one in YEAR_BEFORE.finditer(sentence)]
        times.sort()
    at = sentence.find(amount)
    amounts = [
        found.start()
        for found in re.finditer(DIGITS, sentence)
        if not any(start <= found.start() < last for start, last, _ in times)
    ]
    start, end = _part(max(at, 0), sentence, amounts)
    own = [one for one in times if start <= one[0] < end]
    if not own:
        return base
    beside = [place for place in amounts if start <= place < end]
    if len(own) == len(beside):
        return own[max(sum(place < at + len(amount) for place in beside) - 1, 0)][2]
    close = at + len(amount)
    return min(own, key=lambda one: min(abs(one[0] - close), abs(at - one[1])))[2]


def _part(at: int, sentence: str, amounts: Sequence[int]) -> tuple[int, int]:
    """Return the part of a sentence around a place: brackets are one where they hold an amount."""
    apart = [
        one.span()
        for one in _BRACKETS.finditer(sentence)
        if any(one.start() < place < one.end() for place in amounts)
    ]
    for start, end in apart:
        if start < at < end:
            return start, end
    cuts = [start for start, _ in apart] + [end for _, end in apart]
    cuts += [one.start() for one in _APART.finditer(sentence)]
    first = max((cut for cut in cuts if cut <= at), default=0)
    return first, min((cut for cut in cuts if cut > at), default=len(sentence))


def written(time: Time) -> str:
    """Return a time as people write it."""
    if len(time) == 1:
        return str(int(time[0]))
    month = f"{MONTHS[int(time[1]) - 1]} {int(time[0])}"
    return f"{int(time[2])} {month}" if len(time) > 2 else month
