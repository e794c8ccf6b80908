"""Things that a question compares and that have no names: "Is the new boiler dearer than the old
one was?"."""

import re

from clew.answering.comparison.sides import Side, options
from clew.comprehension.annotation import AnnotatedSentence
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.lexicon import LEAST_NUMBER, MOST_NUMBER
from clew.comprehension.question_form import QuestionForm
from clew.comprehension.stems import stem
from clew_ingest.parsing.entity_names import STOP_WORDS, normalise_name

_NOUNS = {"NOUN", "PROPN"}
_ONE = re.compile(r"\bones?\b", re.IGNORECASE)
_THAT = re.compile(r"^(?:that|those)\b", re.IGNORECASE)
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj"})
_NAMED_BY = frozenset({"DET", "NOUN", "PROPN", "ADJ", "NUM", "PRON"})


def described_sides(form: QuestionForm, parse: AnnotatedSentence, view: EvidenceView) -> list[Side]:
    """Return the two things that a question compares by phrases, each with the sentences about it;
    none where there are not two, or the evidence has nothing of one.
    """
    phrases = options(form.text) if form.kind == "choice" else _beside_than(parse)
    if len(phrases) != 2 or not all(phrases):
        return []
    one, other = phrases
    head = _head(one, parse)
    if head:
        other = _ONE.sub(lambda _: head, _THAT.sub(lambda _: f"the {head}", other))
    words = [_content(phrase) for phrase in (one, other)]
    apart = [words[0] - words[1], words[1] - words[0]]
    if not all(apart):
        return []
    sides = [
        Side(phrase, normalise_name(phrase), _about(own, whole, view), 0.0, answer, described=True)
        for phrase, own, whole, answer in zip((one, other), apart, words, phrases, strict=True)
    ]
    return sides if all(side.sentences for side in sides) else []


def _beside_than(parse: AnnotatedSentence) -> tuple[str, ...]:
    """Return what is compared with what stands behind "than": what a preposition before it governs
    where one stands behind it, too, else the subject; none without both.
    """
    tokens = parse.tokens
    than = next((i for i, token in enumerate(tokens) if token.text.casefold() == "than"), 0)
    begin, end = than + 1, len(tokens)
    while end > begin and tokens[end - 1].pos in {"PUNCT", "AUX", "VERB"}:
        end -= 1
    if not than or begin >= end:
        return ()
    if tokens[begin].pos == "ADP":
        before = next((i for i in range(than - 1, 0, -1) if tokens[i].pos == "ADP"), than)
        first, last, begin = before + 1, _before_comparative(parse, before + 1, than), begin + 1
    else:
        subject = next((i for i in range(than) if tokens[i].dep in _SUBJECTS), -1)
        first, last = parse.subtree(subject) if subject >= 0 else (0, 0)
        last = _before_comparative(parse, max(subject, first), min(last, than))
    pronoun = tokens[begin].pos == "PRON" and not _THAT.match(tokens[begin].text)
    if first >= last or begin >= end or pronoun or tokens[begin].pos not in _NAMED_BY:
        return ()
    return _text(parse, first, last), _text(parse, begin, end)


def _before_comparative(parse: AnnotatedSentence, first: int, last: int) -> int:
    """Return where the word of tokens [first, last) stands that compares, else their end."""
    compares = LEAST_NUMBER | MOST_NUMBER
    for at in range(first, last):
        word = parse.tokens[at].text.casefold()
        if word in compares or (parse.tokens[at].pos == "ADJ" and word.endswith("er")):
            return at
    return last


def _text(parse: AnnotatedSentence, first: int, last: int) -> str:
    return parse.text[parse.tokens[first].start : parse.tokens[last - 1].end]


def _head(phrase: str, parse: AnnotatedSentence) -> str:
    """Return the noun that a phrase of a question is about, "boiler" of "the new boiler"."""
    at = parse.text.find(phrase)
    inside = [
        token for token in parse.tokens if at <= token.start and token.end <= at + len(phrase)
    ]
    nouns = [token for token in inside if token.pos in _NOUNS and token.dep != "compound"]
    return nouns[0].text if nouns else ""


def _content(phrase: str) -> frozenset[str]:
    """Return the stems of the words of a phrase that tell something."""
    words = re.findall(r"\w+", phrase.casefold())
    return frozenset(stem(word) for word in words if word not in STOP_WORDS)


def _about(own: frozenset[str], whole: frozenset[str], view: EvidenceView) -> tuple[int, ...]:
    """Return the sentences of the passages that hold most of what sets a thing apart, and then of
    its whole phrase; none where no passage holds any of it.
    """
    chunks: dict[int, set[str]] = {}
    for place, sentence in enumerate(view.sentences):
        chunks.setdefault(sentence.chunk, set()).update(
            view.lemmas[place], view.context_lemmas[place]
        )
    rated = {chunk: (len(own & words), len(whole & words)) for chunk, words in chunks.items()}
    best = max(rated.values(), default=(0, 0))
    if not best[0]:
        return ()
    return tuple(place for place, one in enumerate(view.sentences) if rated[one.chunk] == best)
