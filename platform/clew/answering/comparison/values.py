"""What the evidence says of a thing that is compared: when it was, and of which country it is."""

import re
from dataclasses import dataclass, replace

from clew.answering.comparison.sides import Side
from clew.comprehension.candidates import YEAR
from clew.comprehension.compared import Property
from clew.comprehension.dates import dates_in, life_dates
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.naming import bare
from clew.comprehension.nationalities import countries_told
from clew.comprehension.question_form import QuestionForm, understand
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.scorer import Asked, rank_candidates

_PARTICLES = "out|place|off|up|down|over|effect|part"
"""Words without which their verbs say something else: "came out", "takes place"."""


@dataclass(frozen=True)
class Value:
    """A date (year, month, day, as far as known), a span of life (years) or a number of ``unit``;
    as it was found, and the sentences that it stands in.

    ``score`` and ``span``: of the candidate, see `Scored`; None where no candidate was ranked.
    """

    numbers: tuple[float, ...]
    text: str
    sentences: tuple[int, ...]
    unit: str = ""
    score: float = 0.0
    span: float | None = None

    def compared(self, other: "Value") -> int:
        """Return -1, 0 or 1: smaller, not to be told apart, greater."""
        shared = min(len(self.numbers), len(other.numbers))
        own, its = self.numbers[:shared], other.numbers[:shared]
        return (own > its) - (own < its)


def value_of(of: Property, form: QuestionForm, side: Side, read: ReadEvidence) -> Value | None:
    """Return what the evidence gives for a side, None where it gives nothing."""
    if of == "life":
        born, died = (value_of(end, form, side, read) for end in ("birth", "death"))
        if born is None or died is None:
            return None
        known = min(len(born.numbers), len(died.numbers))  # years alone of one: of both
        years = round(_years(died.numbers[:known]) - _years(born.numbers[:known]), 6)
        text = f"{born.text} – {died.text}"
        return Value((years,), text, (*born.sentences, *died.sentences))
    view, name = read.view, bare(side.name)  # "(1962 Film)" is no answer that the question gives
    if of in {"birth", "death"}:
        for index in side.sentences:
            if view.sentences[index].position == 0:
                written = life_dates(view.sentences[index].parse.text)[of == "death"]
                if written and (numbers := _date(written)):
                    return Value(numbers, written, (index,))
        text = f"When was {name} born?" if of == "birth" else f"When did {name} die?"
    else:
        text = _when(form, name)
    asked = replace(understand(read.parsed([text])[0][0]), classes=frozenset({"DATE"}))
    if of == "date":
        asked = replace(asked, words=form.words, verb=form.verb)
    return _dated(asked, text, side, read)


def date_for(question: str, side: Side, read: ReadEvidence) -> Value | None:
    """Return the date that answers a question, of the sentences about a side; None without one."""
    asked = replace(understand(read.parsed([question])[0][0]), classes=frozenset({"DATE"}))
    return _dated(asked, question, side, read)


def _dated(asked: QuestionForm, text: str, side: Side, read: ReadEvidence) -> Value | None:
    part = read.view.restricted(side.sentences)
    for found in rank_candidates([Asked(asked, read.embedded([text])[0])], part, 20)[0]:
        written, index = found.candidate.text, found.candidate.sentence
        if numbers := _date(written):
            return Value(numbers, written, (index,), "", found.score, found.span)
    return None


def _date(text: str) -> tuple[float, ...]:
    """Return year, month and day of a text, as far as it names them."""
    named = dates_in(text)
    if named:
        return tuple(float(part) for part in named[0].split("-"))
    year = YEAR.search(text)
    return (float(year.group()),) if year else ()


def _years(date: tuple[float, ...]) -> float:
    year, month, day = (*date, 1.0, 1.0)[:3] if len(date) < 3 else date
    return year + (month - 1) / 12 + (day - 1) / 365


def _when(form: QuestionForm, name: str) -> str:
    """Return the question when something came to be, or when happened what is asked of it."""
    done = re.search(r"\b(\w+ed|born|built|begun|written|made)\b", form.text)
    if done:
        return f"When was {name} {done.group()}?"
    if form.verb in {"", "be", "have", "do"}:
        return f"When was {name} founded?"
    more = re.search(rf"\b{re.escape(form.verb[:3])}\w*\s+({_PARTICLES})\b", form.text, re.I)
    return f"When did {name} {form.verb} {more[1] if more else ''}".rstrip() + "?"


def countries_of(side: Side, view: EvidenceView) -> tuple[frozenset[str], int] | None:
    """Return the countries that the first sentence about a side names that names any, and it."""
    for index in side.sentences:
        text = view.sentences[index].parse.text
        found = countries_told(text.replace(view.sentences[index].title, " "))
        if found:
            return found, index
    return None
