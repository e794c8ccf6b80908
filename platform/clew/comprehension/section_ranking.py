"""Which section tells how something is done: one weight a reason, each of which lies between about
-1 and 1, in ``sections.json``.

The file says what the weights were fitted to; ``tests/benchmarks/help_pages.py`` makes it.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from clew.comprehension.annotation import AnnotatedSentence
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.features import SPAN_RANGE, told_apart
from clew.comprehension.fitted import fitted_weights
from clew.comprehension.lines import LABEL
from clew.comprehension.passage_memory import titled
from clew.comprehension.question_form import QuestionForm, content_words
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.sections import Section, sections, share_said

REASONS = (
    *("heading_near", "sentence_near", "sentences_near", "heading_asked", "heading_said"),
    *("words_covered", "span", "span_gap", "steps", "chunk_rank"),
)
CONFIDENCE = (*REASONS, "score", "ahead")
"""What the confidence is computed from: those of the likeliest section, their weighted sum, and by
how much that is ahead of the others'."""
FURTHEST = 5.0
READ = 6
"""Sections whose passages the span model reads, the nearest to the question."""
SPANS = 4
"""Spans of a passage that are looked at."""
NEAREST = 3
"""Sentences whose mean cosine says how near a section is as a whole."""


@lru_cache(maxsize=1)
def weights() -> NDArray[np.float64]:
    """Return the weights [R] that were fitted."""
    return fitted_weights("sections.json", REASONS)


def likeliest_section(
    question: str, parse: AnnotatedSentence, form: QuestionForm, read: ReadEvidence
) -> tuple[Section, dict[str, float]] | None:
    """Return the section of the evidence that is likeliest to tell what is asked, with the values
    of CONFIDENCE; None where there is none.
    """
    found = sections(read.view)
    if not found:
        return None
    reasons = reasons_of(question, parse, form, found, read)
    best, score, ahead = likeliest(reasons @ weights())
    return found[best], dict(zip(CONFIDENCE, (*reasons[best].tolist(), score, ahead), strict=True))


def likeliest(scores: NDArray[np.float64]) -> tuple[int, float, float]:
    """Return the number of the highest of scores [N], that, and by how much it is ahead of the
    others, FURTHEST at most.
    """
    best = int(np.argmax(scores))
    others = np.delete(scores, best)
    ahead = min(float(scores[best] - others.max()), FURTHEST) if len(others) else FURTHEST
    return best, float(scores[best]), ahead


def reasons_of(
    question: str,
    parse: AnnotatedSentence,
    form: QuestionForm,
    found: Sequence[Section],
    read: ReadEvidence,
) -> NDArray[np.float64]:
    """Return [S, R]: the REASONS of each section."""
    view = read.view
    (vector,) = read.embedded([question])
    wanted = content_words(parse.tokens)
    first = [view.sentences[section.body[0]] for section in found]
    headings = read.embedded([titled(one.title, one.above) for one in first])
    rows = []
    for section, heading in zip(found, headings, strict=True):
        own = view.sentences[section.heading] if section.heading >= 0 else None
        named = content_words(own.parse.tokens) if own is not None else ()
        near = sorted(
            (float(view.sentences[at].vector @ vector) for at in section.body), reverse=True
        )
        above = own.vector if own is not None else heading
        rows.append(
            [
                float(above @ vector),
                near[0],
                float(np.mean(near[:NEAREST])),
                share_said(named, wanted),
                share_said(wanted, named),
                view.covered(form.words, section.whole),
                0.0,
                0.0,
                _acting(section, view),
                1 / (1 + view.sentences[section.body[0]].chunk),
            ]
        )
    reasons = np.array(rows)
    spans = _spans(question, found, reasons, read)
    reasons[:, REASONS.index("span")] = spans
    reasons[:, REASONS.index("span_gap")] = spans - spans.max()
    return reasons


def _spans(
    question: str, found: Sequence[Section], reasons: NDArray[np.float64], read: ReadEvidence
) -> NDArray[np.float64]:
    """Return [S]: a tenth of the log-odds of the likeliest span of each section; the lowest there
    are where its passage is not read, or has none of its likeliest there.
    """
    view, near = read.view, reasons[:, 0] + reasons[:, 1]
    likely = [found[n] for n in np.argsort(-near, kind="stable")[:READ].tolist()]
    passages = dict.fromkeys(view.sentences[section.body[0]].chunk for section in likely)
    read.page_marks.read([(question, list(passages))])
    best = read.page_marks.best(question, view.sentences, SPANS)
    lowest = SPAN_RANGE[0]
    return np.array(
        [told_apart(max(best.get(at, lowest) for at in section.whole)) for section in found]
    )


def _acting(section: Section, view: EvidenceView) -> float:
    """Return the share of a section's sentences that tell to do something: "Open the page."."""
    tells = [_tells_to(view.sentences[at].parse) for at in section.body]
    return sum(tells) / len(tells)


def _tells_to(parse: AnnotatedSentence) -> bool:
    label = LABEL.match(parse.text)
    begins = label.end() if label else 0
    first = next((t for t in parse.tokens if t.start >= begins and t.text.isalpha()), None)
    if first is None or first.pos != "VERB":
        return False
    return first.text.casefold() == first.lemma
