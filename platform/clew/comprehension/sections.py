"""What stands under a heading, or behind a question, that asks what is asked: the answers of a list
of frequent questions ("Can I …? No."), and the steps under "Adding a printer".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clew.comprehension.annotation import AnnotatedSentence
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lines import LABEL
from clew.comprehension.question_form import QuestionForm, content_words
from clew.comprehension.stems import family

LEAST_SAID = 0.75
"""The share of the words of either, question and heading, that the other has, the least."""
MOST_SENTENCES = 8
"""Sentences of a section that are told, the most."""
YES_OR_NO = re.compile(
    r"^(?:A(?:nswer)?[:.)] ?)?(yes|no)\b(?!\.? ?\d)(?=[\s,.;:!–—-]|$)", re.IGNORECASE
)
_HOW = re.compile(
    r"^(?:(?:and|so|please)\b,? )?how (?:to|do|does|can|could|should|would|must|may|shall)\b"
    r"|^what(?:['’]s| is| are) the (?:steps?|procedure|process|(?:best |right |proper )?way)"
    r" (?:to|for)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Section:
    """A heading, or a question, and the sentences that stand under it, by their numbers."""

    heading: int
    body: tuple[int, ...]


def asks_how(form: QuestionForm) -> bool:
    """Say whether a question wants to be told how something is done: "How do I add a printer?"."""
    return _HOW.search(form.text) is not None


def section_asked_for(
    form: QuestionForm, asked: AnnotatedSentence, view: EvidenceView
) -> Section | None:
    """Return the first section whose heading says what the question says; None without.

    Either has LEAST_SAID of the other's words that tell something, but for those of what the
    heading stands under, its document's title above all, which it need not say again.
    """
    wanted = content_words(asked.tokens)
    denied = _denies(asked)
    for at, sentence in enumerate(view.sentences):
        if not _heads(view, at) or _denies(sentence.parse) != denied:
            continue
        body = _body(view, at)
        own = content_words(sentence.parse.tokens)
        if not body or not own:
            continue
        above = view.context_lemmas[at]
        left = [word for word in wanted if _said(word, own) or not family(word) & above]
        if left and min(_share(left, own), _share(own, wanted)) >= LEAST_SAID:
            return Section(at, body)
    return None


def says_yes_or_no(section: Section, view: EvidenceView) -> str:
    """Return "yes" or "no", what a section begins with; "" for neither."""
    found = YES_OR_NO.match(view.sentences[section.body[0]].parse.text)
    return found.group(1).casefold() if found else ""


def steps_of(section: Section, view: EvidenceView) -> tuple[str, ...]:
    """Return the items of a section that is a list; none of one that is not."""
    texts = [view.sentences[at].parse.text for at in section.body]
    items = [text for text in texts if LABEL.match(text)]
    return tuple(LABEL.sub("", text).strip() for text in items) if len(items) > 1 else ()


def _heads(view: EvidenceView, at: int) -> bool:
    """Say whether a sentence is a heading, or a question that what follows may answer."""
    one = view.sentences[at]
    asks = one.parse.text.rstrip().endswith("?") and len(one.fields) < 2  # "Q: Do you …?"
    return asks or (one.heading and not one.fields)


def _body(view: EvidenceView, at: int) -> tuple[int, ...]:
    head, found = view.sentences[at], list[int]()
    for place in range(at + 1, len(view.sentences)):
        one = view.sentences[place]
        other = one.chunk != head.chunk or one.context_key != head.context_key
        if other or _heads(view, place) or len(found) == MOST_SENTENCES:
            break
        found.append(place)
    return tuple(found)


def _said(word: str, words: Sequence[str]) -> bool:
    return any(family(word) & family(other) for other in words)


def _share(words: Sequence[str], of: Sequence[str]) -> float:
    return sum(_said(word, of) for word in words) / len(words)


def _denies(parse: AnnotatedSentence) -> bool:
    return any(token.dep == "neg" for token in parse.tokens)
