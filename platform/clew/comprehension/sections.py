"""What stands under a heading, or behind a question, that asks what is asked: the answers of a list
of frequent questions ("Can I …? No."), and the steps under "Adding a printer".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.comprehension.annotation import AnnotatedSentence
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lines import LABEL
from clew.comprehension.question_form import QuestionForm, content_words
from clew.comprehension.stems import family

LEAST_SAID = 0.75
"""The share of the words of either, question and heading, that the other has, the least."""
MOST_SENTENCES = 8
"""Sentences of a section that are told, the most."""
_YES_OR_NO = re.compile(
    r"^(?:A(?:nswer)?[:.)] ?)?(yes|no)\b(?!\.? ?\d)(?=[\s,.;:!–—-]|$)", re.IGNORECASE
)
_HOW = re.compile(
    r"^(?:(?:and|so|please)\b,? )?how (?:to|do|does|can|could|should|would|must|may|shall)\b"
    r"|\bhow (?:to|(?:do|can|could|should|would|must|may) (?:i|we|you|one))\b"
    r"|\bwhat (?:now\b|(?:do|can|could|should|must) (?:i|we|you|one) (?:have to |need to )?do\b)"
    r"|^what(?:['’]s| is| are) the (?:steps?|procedure|process|(?:best |right |proper )?way)"
    r" (?:to|for)\b",
    re.IGNORECASE,
)
_OTHER = re.compile(r"^(?:who|whom|whose|which|when|where|why)\b", re.IGNORECASE)
"""How a question begins that asks for something else, "Which guide tells how to …?"."""


@dataclass(frozen=True)
class Section:
    """A heading, or a question, and the sentences that stand under it, by their numbers.

    ``heading``: -1 where the passage begins below it.
    """

    heading: int
    body: tuple[int, ...]


def asks_how(form: QuestionForm) -> bool:
    """Say whether a question wants to be told how something is done: "How do I add a printer?"."""
    return _HOW.search(form.text) is not None and _OTHER.match(form.text) is None


def section_asked_for(asked: AnnotatedSentence, view: EvidenceView) -> Section | None:
    """Return the first section whose heading says what the question says; None without.

    Either has LEAST_SAID of the other's words that tell something, but for those of what the
    heading stands under, its document's title above all, which it need not say again.
    """
    wanted = content_words(asked.tokens)
    denied = _denies(asked)
    for section in _sections(view):
        heading = view.sentences[section.heading]
        if section.heading < 0 or _denies(heading.parse) != denied:
            continue
        own, above = content_words(heading.parse.tokens), view.context_lemmas[section.heading]
        left = [word for word in wanted if _said(word, own) or not family(word) & above]
        if own and left and min(_share(left, own), _share(own, wanted)) >= LEAST_SAID:
            return section
    return None


def nearest_section(vector: NDArray[np.float32], view: EvidenceView) -> Section | None:
    """Return the section that is nearest to a question: by the mean of its heading's cosine and
    that of its sentence nearest to it; None where nothing stands under headings.
    """
    found = [section for section in _sections(view) if section.heading >= 0]
    return max(found, key=lambda one: _likeness(one, vector, view), default=None)


def _likeness(section: Section, vector: NDArray[np.float32], view: EvidenceView) -> float:
    best = max(float(view.sentences[at].vector @ vector) for at in section.body)
    return (best + float(view.sentences[section.heading].vector @ vector)) / 2


def _sections(view: EvidenceView) -> Iterator[Section]:
    """Yield all sections that have a sentence, with their first MOST_SENTENCES."""
    heading, body = -1, list[int]()
    for at in range(len(view.sentences)):
        heads = is_heading(view, at)
        if not _goes_on(view, at):
            if body:
                yield Section(heading, tuple(body[:MOST_SENTENCES]))
            heading, body = (at if heads else -1), []
        if not heads:
            body.append(at)
    if body:
        yield Section(heading, tuple(body[:MOST_SENTENCES]))


def _goes_on(view: EvidenceView, at: int) -> bool:
    """Say whether a sentence stands under the same heading as the one before it."""
    if not 0 < at < len(view.sentences) or is_heading(view, at):
        return False
    before, one = view.sentences[at - 1], view.sentences[at]
    return (before.chunk, before.context_key) == (one.chunk, one.context_key)


def yes_or_no(text: str) -> str:
    """Return "yes" or "no", what a text begins with; "" for neither."""
    found = _YES_OR_NO.match(text)
    return found.group(1).casefold() if found else ""


def with_reason(at: int, view: EvidenceView) -> tuple[int, ...]:
    """Return a sentence, and the one behind it where it says no more than "No."."""
    bare = not _YES_OR_NO.sub("", view.sentences[at].parse.text).strip(" .,!")
    return (at, at + 1) if bare and _goes_on(view, at + 1) else (at,)


def steps_of(section: Section, view: EvidenceView) -> tuple[str, ...]:
    """Return the items of a section that is a list; none of one that is not."""
    texts = [view.sentences[at].parse.text for at in section.body]
    items = [text for text in texts if LABEL.match(text)]
    return tuple(LABEL.sub("", text).strip() for text in items) if len(items) > 1 else ()


def is_heading(view: EvidenceView, at: int) -> bool:
    """Say whether a sentence is a heading, or a question that what follows may answer."""
    one = view.sentences[at]
    asks = one.parse.text.rstrip().endswith("?") and len(one.fields) < 2  # "Q: Do you …?"
    return asks or (one.heading and not one.fields)


def _said(word: str, words: Sequence[str]) -> bool:
    return any(family(word) & family(other) for other in words)


def _share(words: Sequence[str], of: Sequence[str]) -> float:
    return sum(_said(word, of) for word in words) / len(words)


def _denies(parse: AnnotatedSentence) -> bool:
    return any(token.dep == "neg" for token in parse.tokens)
