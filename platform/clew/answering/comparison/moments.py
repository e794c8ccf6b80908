"""When something was that a clause of a question tells of: "before the windows were replaced"."""

import re
from collections.abc import Sequence
from dataclasses import replace

from clew.answering.comparison.values import Value
from clew.comprehension.chains import parsed_question
from clew.comprehension.dates import moments_in
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.question_form import understand
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.scorer import Asked, rank_candidates

LIKELY = 20
"""Candidates that are looked at for a date."""
HELD = 0.5
"""The share of what is asked, by weight, that the sentence of its date, and what that stands under,
hold at least; set, not measured."""
SURE = 0.0
"""What the span model says of a date, below which it is a guess: of 17 pairs of an invented set 15
of 15 above it were right, of 2 below it one (looked at when it was set)."""


def moment_of(question: str, read: ReadEvidence) -> Value | None:
    """Return the day, month or year that answers "When …?"; None where the evidence has none, or
    what has one is about something else.
    """
    return next(iter(moments_of(question, read)), None)


def moments_of(question: str, read: ReadEvidence, about: str = "") -> list[Value]:
    """Return the days, months and years that may answer "When …?", the likeliest first; ``about``:
    what they are to be about, else all that is asked."""
    asked = replace(understand(parsed_question(question, read)), classes=frozenset({"DATE"}))
    part = Asked(asked, read.embedded([question])[0])
    words = understand(parsed_question(about, read)).words if about else asked.words
    copied = [word for word in asked.words if re.search(r"\d", word)]  # "4.1", of another release
    found: list[Value] = []
    for one in rank_candidates([part], read.view, LIKELY)[0]:
        text, place = one.candidate.text, one.candidate.sentence
        numbers = moment_in(text, place, read.view)
        if not numbers:
            continue
        if read.view.covered_by(words, place) >= HELD and _all(copied, place, read.view):
            found.append(Value(numbers, text, (place,), "", one.score, one.span))
        elif not found:
            break  # the likeliest is about something else
    return found


def _all(words: Sequence[str], place: int, view: EvidenceView) -> bool:
    """Whether a sentence, or what it stands under, holds all words."""
    return not words or view.covered_by(words, place) == 1


def moment_in(text: str, place: int, view: EvidenceView) -> tuple[float, ...]:
    """Return the first day, month or year that a text names; where it lacks the year, with that of
    its passage, if there is one: () where it names none, year 0 where none is known.
    """
    named = moments_in(text)
    if not named:
        return ()
    numbers = named[0][2]
    return numbers if numbers[0] else (_year_around(place, view), *numbers[1:])


def _year_around(place: int, view: EvidenceView) -> float:
    """Return the one year that a sentence's title names, else it, else its passage; 0 for none."""
    chunk = view.sentences[place].chunk
    own = [one for one in view.sentences if one.chunk == chunk]
    for texts in ([own[0].title], [view.sentences[place].parse.text], [s.parse.text for s in own]):
        years = {one[0] for text in texts for _, _, one in moments_in(text) if one[0]}
        if len(years) == 1:
            return years.pop()
    return 0.0


def when(clause: str, read: ReadEvidence) -> tuple[str, bool]:
    """Return how is asked when that was which a clause tells, or a phrase names, and whether it is
    a phrase."""
    text = clause.strip(" ,?.")
    (sentence, *_) = read.parsed([text])[0]
    tokens = sentence.tokens
    verb = next(
        (
            i
            for i, token in enumerate(tokens)
            if token.pos in {"VERB", "AUX"} and (token.head == i or token.dep in {"ROOT", "conj"})
        ),
        None,
    )
    if verb is None or tokens[verb].text.casefold().endswith("ing"):
        return f"When was {text}?", True
    own = tokens[verb]
    aux = next(
        (i for i in sentence.children[verb] if tokens[i].dep in {"aux", "auxpass"} and i < verb),
        verb if own.lemma == "be" else None,
    )
    if aux is not None:
        rest = _without(text, tokens[aux].start, tokens[aux].end)
        return f"When {tokens[aux].text} {rest}?", False
    return f"When did {text[: own.start]}{own.lemma}{text[own.end :]}?", False


def _without(text: str, start: int, end: int) -> str:
    return re.sub(r"\s+", " ", f"{text[:start]} {text[end:]}").strip()
