"""What stands under a heading, or behind a question, that asks what is asked: the answers of a list
of frequent questions ("Can I …? No."), and the steps under "Adding a printer".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.comprehension.annotation import AnnotatedSentence
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lines import LABEL
from clew.comprehension.question_form import QuestionForm, content_words
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.stems import family

LEAST_SAID = 0.75
"""The share of the words of either, question and heading, that the other has, the least."""
MOST_SENTENCES = 12
"""Sentences of a section that are told, the most."""
_YES_OR_NO = re.compile(
    r"^(?:A(?:nswer)?[:.)] ?)?(yes|no)\b(?!\.? ?\d)(?=[\s,.;:!–—-]|$)", re.IGNORECASE
)
_HOW = re.compile(
    r"^(?:(?:and|so|please)\b,? )?how (?:to|do|does|can|could|should|would|must|may|shall)\b"
    r"|\bhow (?:to|(?:do|can|could|should|would|must|may|shall) (?:i|we|you|one))\b|, how\??$"
    r"|\bwhat (?:now\b|(?:do|can|could|should|must|shall) (?:i|we|you|one)"
    r" (?:have to |need to )?(?:do|try)\b|(?:has to|should|must) be done\b)"
    r"|(?:^|, )what(?:['’]?s| is| are) the"
    r" (?:steps?|procedure|process|(?:best |right |proper )?way)(?: (?:to|for|into)\b|\??$)",
    re.IGNORECASE,
)
_OTHER = re.compile(r"^(?:who|whom|whose|which|when|where|why)\b", re.IGNORECASE)
"""How a question begins that asks for something else, "Which guide tells how to …?"."""
_TITLE = re.compile(r"\b[Hh]ow to [A-Z]\w*\b.*\b(?!with\b|from\b|into\b|your\b|this\b)[a-z]{4,}\b")
"""A title in a question that is not written like one: "How to Eat, released in which year, …"."""


@dataclass(frozen=True)
class Section:
    """A heading, or a question, and the sentences that stand under it, by their numbers.

    ``heading``: -1 where the passage begins below it.
    """

    heading: int
    body: tuple[int, ...]

    @property
    def whole(self) -> tuple[int, ...]:
        """Its sentences, the heading before them."""
        return self.body if self.heading < 0 else (self.heading, *self.body)


def asks_how(form: QuestionForm) -> bool:
    """Say whether a question wants to be told how something is done: "How do I add a printer?"."""
    other = _OTHER.match(form.text) or _TITLE.search(form.text)
    return _HOW.search(form.text) is not None and not other


def section_asked_for(asked: AnnotatedSentence, view: EvidenceView) -> Section | None:
    """Return the first section whose heading says what the question says; None without.

    Either has LEAST_SAID of the other's words that tell something, but for those of what the
    heading stands under, its document's title above all, which it need not say again.
    """
    wanted = content_words(asked.tokens)
    denied = denies(asked)
    for section in sections(view):
        heading = view.sentences[section.heading]
        if section.heading < 0 or denies(heading.parse) != denied:
            continue
        own, above = content_words(heading.parse.tokens), view.context_lemmas[section.heading]
        left = [word for word in wanted if _said(word, own) or not family(word) & above]
        if own and left and min(share_said(left, own), share_said(own, wanted)) >= LEAST_SAID:
            return section
    return None


def sections(view: EvidenceView) -> list[Section]:
    """Return all sections of passages that have a sentence, with their first MOST_SENTENCES."""
    return list(_sections(view))


def continued(section: Section, read: ReadEvidence) -> Section:
    """Return a section with what stands under its heading in the passages before and behind its
    own, MOST_SENTENCES in all."""
    body = list(section.body)
    for step in (-1, 1):
        whole = section.heading < 0 or step > 0
        while whole and len(body) < MOST_SENTENCES:
            more, whole = _beside(body[0 if step < 0 else -1], step, read)
            more = more[: MOST_SENTENCES - len(body)]
            body = [*reversed(more), *body] if step < 0 else [*body, *more]
    return Section(section.heading, tuple(body))


def _beside(at: int, step: int, read: ReadEvidence) -> tuple[list[int], bool]:
    """Return the sentences that follow sentence ``at`` in the next passage (``step`` 1), or stand
    before it in the one before (-1), under the same heading, the nearest first; and whether they
    are all of that passage.
    """
    sentences = read.view.sentences
    own, next_to = sentences[at], at + step
    if 0 <= next_to < len(sentences) and sentences[next_to].chunk == own.chunk:
        return [], False
    passage = read.beside(own.chunk, step)
    view = read.view
    there = [n for n, one in enumerate(view.sentences) if one.chunk == passage][::step]
    stops = (
        place
        for place, n in enumerate(there)
        if is_heading(view, n) or view.sentences[n].context_key != own.context_key
    )
    end = next(stops, len(there))
    return there[:end], bool(there) and end == len(there)


def _sections(view: EvidenceView) -> Iterator[Section]:
    heading, body = -1, list[int]()
    for at in range(len(view.sentences)):
        heads = is_heading(view, at)
        if not goes_on(view, at):
            if body:
                yield Section(heading, tuple(body[:MOST_SENTENCES]))
            heading, body = (at if heads else -1), []
        if not heads:
            body.append(at)
    if body:
        yield Section(heading, tuple(body[:MOST_SENTENCES]))


def goes_on(view: EvidenceView, at: int) -> bool:
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
    return (at, at + 1) if bare and goes_on(view, at + 1) else (at,)


def steps_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the items of the sentences of a section that is a list; none of one that is not."""
    items = [text for text in texts if LABEL.match(text)]
    return tuple(LABEL.sub("", text).strip() for text in items) if len(items) > 1 else ()


def is_heading(view: EvidenceView, at: int) -> bool:
    """Say whether a sentence is a heading, or a question that what follows may answer."""
    one = view.sentences[at]
    asks = one.parse.text.rstrip().endswith("?") and len(one.fields) < 2  # "Q: Do you …?"
    return asks or (one.heading and not one.fields)


def _said(word: str, words: Sequence[str]) -> bool:
    return any(family(word) & family(other) for other in words)


def share_said(words: Sequence[str], by: Sequence[str]) -> float:
    """Return the share of words that others say, in any form; 0 of none."""
    return sum(_said(word, by) for word in words) / max(1, len(words))


def denies(parse: AnnotatedSentence) -> bool:
    """Say whether a sentence has a negation."""
    return any(token.dep == "neg" for token in parse.tokens)
