"""The two things that a question compares, and what of the evidence is about each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.naming import bare
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.stems import stem
from clew_ingest.parsing.entity_names import normalise_name

SEVERAL = 3
_JOINTS = frozenset({"and", "or", "the"})
"""What may stand between things that are named in a row, beside commas."""


@dataclass(frozen=True)
class Side:
    """One of the compared things: its name and the sentences of the evidence about it.

    ``told``: 1 where a passage has its name for a title, 0.5 where a title holds the name or the
    name holds a title, 0 where sentences mention it. ``answer``: what the side is called where it
    is the answer; ``carriers``: the sentences that led to it from what the question names;
    ``described``: it has no name and is told by a phrase, which is ``name``; ``around``: where
    sentences mention it, these and those that follow them in their passages.
    """

    name: str
    key: str
    sentences: tuple[int, ...]
    told: float
    answer: str
    carriers: tuple[int, ...] = ()
    described: bool = False
    around: tuple[int, ...] = ()


def side_of(name: str, view: EvidenceView) -> Side | None:
    """Return what the evidence has about a name: the passage with such a title, else one whose
    title is close, else sentences that hold it; None where there is nothing.
    """
    key = normalise_name(bare(name))
    if not key:
        return None
    written = normalise_name(name)
    whole = tuple(i for i, s in enumerate(view.sentences) if normalise_name(s.title) == written)
    if whole:
        return Side(name, key, whole, 1.0, name)
    titles = {sentence.title_key for sentence in view.sentences}
    exact = [title for title in titles if title == key]
    close = exact or sorted(
        (t for t in titles if f" {t} " in f" {key} " or f" {key} " in f" {t} "),
        key=lambda title: (abs(len(title) - len(key)), title),
    )
    if close:
        title = close[0]
        about = tuple(i for i, s in enumerate(view.sentences) if s.title_key == title)
    else:
        about = tuple(i for i, s in enumerate(view.sentences) if f" {key} " in f" {s.key} ")
    told = 1.0 if exact else 0.5 if close else 0.0
    around = () if close else _behind(about, view)
    return Side(name, key, about, told, name, around=around) if about else None


def _behind(places: Sequence[int], view: EvidenceView) -> tuple[int, ...]:
    """Return sentences with those behind them in their passages, which go on about the same."""
    first: dict[int, int] = {}
    for place in places:
        first.setdefault(view.sentences[place].chunk, place)
    return tuple(
        place
        for place, one in enumerate(view.sentences)
        if place >= first.get(one.chunk, len(view.sentences))
    )


def options(question: str) -> tuple[str, ...]:
    """Return the two names of "…, A or B?", as they are written; none of another question."""
    found = re.search(r"^(.*)\bor\b(.*)$", question.rstrip(" ?"), re.IGNORECASE)
    if found is None:
        return ()
    left = re.split(r"[,:]|\bbetween\b|\b[Ff]irst\b|\bformed\b", found.group(1).strip(" ,"))[-1]
    return left.strip(), re.split(r",", found.group(2))[0].strip()


def named_sides(form: QuestionForm, view: EvidenceView) -> list[Side]:
    """Return the things that a question names, titles first, in their order."""
    places = _places(form, view)
    names = sorted(places, key=lambda name: places[name])
    return [side for name in names if (side := side_of(name, view))]


def in_a_row(form: QuestionForm, view: EvidenceView) -> list[Side]:
    """Return three things or more that a question names in a row, "A, B and C", as it writes them;
    none where it does not, or where the evidence has nothing of one.
    """
    question, places = _asked(form), _places(form, view)
    rows: list[list[str]] = []
    end = 0
    for name in sorted(places, key=lambda name: places[name]):
        between = question[end : places[name]].split()
        if not (rows and set(between) <= _JOINTS):
            rows.append([])
        rows[-1].append(name)
        end = places[name] + len(_plain(name)) + 1
    row = max(rows, key=len, default=[])
    sides = [side for name in row if (side := side_of(name, view))]
    known = len(row) >= SEVERAL and len(sides) == len(row)
    return [_as_written(side, form.text) for side in sides] if known else []


def _as_written(side: Side, text: str) -> Side:
    """Return a side that answers by its name as a question writes it."""
    found = re.search(re.escape(side.name), text, re.IGNORECASE)
    return replace(side, answer=found.group()) if found else side


def _asked(form: QuestionForm) -> str:
    return f" {_plain(normalise_name(re.sub('[?:]', ' ', form.text)))} "


def _places(form: QuestionForm, view: EvidenceView) -> dict[str, int]:
    """Return the keys of the things that a question names, each with its place; none that is part
    of the name of another one."""
    question = _asked(form)
    places: dict[str, int] = {}
    for sentence in view.sentences:
        at = question.find(f" {_plain(sentence.title_key)} ")
        if at >= 0 and sentence.title_key:
            places[sentence.title_key] = at
    for name in form.names:
        at = question.find(f" {_plain(name)} ")
        if at >= 0 and not any(name in title or title in name for title in places):
            places[name] = at
    ends = {name: at + len(_plain(name)) for name, at in places.items()}
    return {
        name: at
        for name, at in places.items()
        if not any(
            places[other] <= at and ends[name] <= ends[other]
            for other in places
            if len(_plain(other)) > len(_plain(name))
        )
    }


def _plain(key: str) -> str:
    """Return a key without commas, which a name may have and a question sets behind one."""
    return " ".join(key.replace(",", " ").split())


def names_of(sides: Sequence[Side]) -> set[str]:
    """Return the stems of the words that name the sides."""
    names = " ".join(f"{side.name} {side.key}" for side in sides).casefold()
    return set(map(stem, re.findall(r"\w+", names)))
