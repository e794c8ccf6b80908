"""Yes or no, as a sentence with those beside it tells it: what the span model makes of them, which
sentence is meant by one weight a reason, in ``verdicts.json``.

The file says what the weights were fitted to; ``tests/benchmarks/help_pages.py`` makes it.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.features import SPAN_RANGE, told_apart
from clew.comprehension.fitted import fitted_weights
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.section_ranking import likeliest
from clew.comprehension.sections import goes_on, is_heading, yes_or_no
from clew.comprehension.yes_no import turns

TELLING = ("told", "span", "sentence_near", "heading_near", "words_covered", "chunk_rank")
"""Reasons why a sentence is the one that tells, each between about -1 and 1."""
CONFIDENCE = (*TELLING, "score", "ahead", "certain", "agreed")
"""What the confidence is computed from: those of the likeliest sentence, their weighted sum, by how
much that is ahead of the others', a tenth of the log-odds of what it tells against the opposite,
and what the others tell, from -1, all of them the opposite, to 1."""
READ = 6
"""Passages that the span model reads, those of the nearest sentences."""
TRIED = 8
"""Sentences that are tried: those that it marks a likely span in, and the nearest."""
SPANS = 3
"""Likely spans of a passage."""


class Stretch(NamedTuple):
    """A sentence, by its number, with those beside it, as the span model reads them: their numbers,
    the heading that they stand under, and their text; ``span``: the log-odds of the sentence's
    likeliest span; ``begun``: "yes" or "no", where that answers a question that they stand under
    and what follows does not turn it, else "".
    """

    place: int
    places: tuple[int, ...]
    heading: str
    text: str
    span: float
    begun: str


class Verdict(NamedTuple):
    """What a stretch tells: a tenth of the log-odds of yes against no, and its TELLING."""

    stretch: Stretch
    yes: float
    reasons: tuple[float, ...]


@lru_cache(maxsize=1)
def weights() -> NDArray[np.float64]:
    """Return the weights [T] that were fitted."""
    return fitted_weights("verdicts.json", TELLING)


def stretch_of(view: EvidenceView, at: int, span: float = SPAN_RANGE[0]) -> Stretch:
    """Return a sentence with the one before it and the one behind it under the same heading."""
    sentences = view.sentences
    places = [at]
    if goes_on(view, at) and not is_heading(view, at - 1):
        places.insert(0, at - 1)
    if goes_on(view, at + 1):
        places.append(at + 1)
    own = sentences[at]
    heading = own.above or own.title
    above = next((n for n in range(at, -1, -1) if not goes_on(view, n)), at)
    if above < at and is_heading(view, above):
        heading = sentences[above].parse.text  # "Q: May I …?" of plain text
    parses = [sentences[n].parse for n in places]
    text = " ".join(parse.text for parse in parses)
    begun = ""
    if heading.rstrip().endswith("?"):
        told = ((yes_or_no(parse.text), parse) for parse in parses)
        begun = next((said for said, parse in told if said and not turns(said, parse)), "")
    return Stretch(at, tuple(places), heading, text, span, begun)


def stretches(question: str, read: ReadEvidence) -> list[Stretch]:
    """Return the stretches that may tell what a question for yes or no asks."""
    view = read.view
    (vector,) = read.embedded([question])
    near = np.array([float(one.vector @ vector) for one in view.sentences])
    order = np.argsort(-near, kind="stable").tolist()
    passages = list(dict.fromkeys(view.sentences[n].chunk for n in order))[:READ]
    read.page_marks.read([(question, passages)])
    best = read.page_marks.best(question, view.sentences, SPANS)
    marked = sorted(best, key=lambda n: -best[n])[: TRIED // 2]
    tried = [n for n in dict.fromkeys((*marked, *order)) if not is_heading(view, n)][:TRIED]
    return [stretch_of(view, n, best.get(n, SPAN_RANGE[0])) for n in tried]


def verdicts(
    question: str, form: QuestionForm, found: Sequence[Stretch], read: ReadEvidence
) -> list[Verdict]:
    """Return what each stretch tells."""
    view = read.view
    (vector,) = read.embedded([question])
    told = read.page_marks.told(question, [(one.heading, one.text) for one in found])
    headings = read.embedded([one.heading for one in found])
    return [
        Verdict(
            one,
            yes / 10,
            (
                told_apart(tells),
                told_apart(one.span),
                float(view.sentences[one.place].vector @ vector),
                float(heading @ vector),
                view.covered(form.words, [one.place]),
                1 / (1 + view.sentences[one.place].chunk),
            ),
        )
        for one, heading, (tells, yes) in zip(found, headings, told, strict=True)
    ]


def likeliest_verdict(
    question: str, form: QuestionForm, read: ReadEvidence
) -> tuple[Verdict, dict[str, float]] | None:
    """Return what the sentence tells that is likeliest to tell yes or no, with the values of
    CONFIDENCE; None where there is no sentence.
    """
    found = verdicts(question, form, stretches(question, read), read)
    if not found:
        return None
    best, score, ahead = likeliest(np.array([one.reasons for one in found]) @ weights())
    values = (*found[best].reasons, score, ahead, *certainty(best, found))
    return found[best], dict(zip(CONFIDENCE, values, strict=True))


def certainty(chosen: int, found: Sequence[Verdict]) -> tuple[float, float]:
    """Return "certain" and "agreed" of the verdict of that number."""
    said = found[chosen].yes > 0
    others = [
        1 if (one.yes > 0) == said else -1
        for number, one in enumerate(found)
        if number != chosen and one.reasons[0] > 0
    ]
    return abs(found[chosen].yes), sum(others) / len(others) if others else 0.0
