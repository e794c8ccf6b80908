"""Questions with titles in them, each of which the parser reads as one name.

"When did Louis Of Nassau, Lord Of De Lek's mother die?" is about the mother of one person, and
"Tabitha, Stand Up" is one film; a parser that knows no titles cuts them. What the evidence's
documents are called is known, so that each title in a question is parsed as a name of one word,
and then stands in the parse as it was written.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from clew.comprehension.annotation import AnnotatedSentence, Phrase, Token
from clew.comprehension.dates import DAYS
from clew.comprehension.lexicon import classes_of
from clew_cypher.titles.matching import words_of

NAMED = "TITLE"
"""The label of a title of the evidence in a question."""

_STANDS_IN = ("Oslo", "Carmen", "Mary", "Jaws")
QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")
"""What tells a title from others like it, "(1931 film)"."""
_WORD = re.compile(r"\w+")
_KIND_BEFORE = re.compile(r"\b([a-z]+)\s+$")
_KINDS = frozenset({"WORK", "ORG", "PLACE"})

Annotate = Callable[[Sequence[str]], list[list[AnnotatedSentence]]]
"""What parses texts, an Annotator's or a memory's."""
Span = tuple[int, int, str]
"""Characters [start, end) of a question, and the name that they are."""


def annotate_named(
    annotate: Annotate, texts: Sequence[str], titles: Iterable[str]
) -> list[list[AnnotatedSentence]]:
    """Return the sentences of each text, as ``annotate`` returns them, every one of ``titles`` in
    it one token whose ``lemma`` is the title's words that are written with a capital, with what it
    is called before it, "film Spione".
    """
    known = list(dict.fromkeys(titles))
    spans = [_spans(text, known) for text in texts]
    masked = [_masked(text, own) for text, own in zip(texts, spans, strict=True)]
    found = annotate([text for text, _ in masked])
    result = []
    for text, (_, places), own, sentences in zip(texts, masked, spans, found, strict=True):
        whole = [_unmasked(one, text, places, own) for one in sentences]
        if None in whole:  # a stand-in was cut or joined with what is beside it
            (sentences,) = annotate([text])
            result.append(sentences)
        else:
            result.append([one for one in whole if one is not None])
    return result


def bare(written: str) -> str:
    """Return a title as it stands in a question without what it is called before it and without
    what tells it from others, "film Summer Skin (Film)"."""
    return without_kind(QUALIFIER.sub("", written))


def without_kind(written: str) -> str:
    """Return a name without what it is called before it: of "film Spione" the last word, of
    "iPhone 4" both."""
    kind, _, rest = written.partition(" ")
    return rest if rest and kind[0].islower() and _KINDS & classes_of(kind) else written


_ADDRESSES = frozenset({"mr", "mrs", "ms", "miss", "dr", "prof", "professor", "sir"})


def initialled(name: str, text: str) -> bool:
    """Say whether a text, padded and normalised, has a person's name with the first one's letter
    for it, "S. Aaltonen" for "Sven Aaltonen", or the other way round; ``name``: its key."""
    return any(
        re.search(rf" {_written_otherwise(first)} {re.escape(last)} ", text)
        for first, last in pairwise(name.split())
    )


def as_a_day(name: str, text: str) -> bool:
    """Say whether a text, padded and normalised, has a day of the week in another number, "Fridays"
    for "Friday", or the other way round; ``name``: its key."""
    day = name.removesuffix("s")
    return day in DAYS and (f" {day} " in text or f" {day}s " in text)


def as_addressed(name: str, text: str) -> bool:
    """Say whether a text, padded and normalised, has a person's name without the form of address,
    "trask" for "Mrs Trask"; ``name``: its key."""
    title, _, rest = name.partition(" ")
    return bool(rest) and title.rstrip(".") in _ADDRESSES and f" {rest} " in text


def _written_otherwise(first: str) -> str:
    """Return the pattern of a first name's initial, or of the names that an initial stands for."""
    rest = r"\w+" if len(first.rstrip(".")) == 1 else r"\.?"
    return re.escape(first[0]) + rest


def _spans(text: str, titles: Sequence[str]) -> list[Span]:
    """Return where titles stand in a text, no two over each other, the longest first of all."""
    found: list[Span] = []
    shorter = [title.split(",")[0] for title in titles if "," in title]  # "Hermann II" alone
    for title in [*titles, *(name for name in shorter if " " in name)]:
        words = _WORD.findall(QUALIFIER.sub("", title))
        if not words:
            continue
        pattern = r"\W{1,3}".join(map(re.escape, words)) + r"(?!\w)[!?]?(?:\s*\([^()]*\))?"
        for match in re.finditer(rf"(?<!\w){pattern}", text, re.IGNORECASE):
            start, end = match.span()
            if text[start].islower():
                continue
            if match.group().endswith("?") and not text[end:].strip():
                end -= 1  # the question's own
            kind = _KIND_BEFORE.search(text[:start])
            if kind and _KINDS & classes_of(kind.group(1)):
                start = kind.start(1)
            if start or len(words) > 1:  # a word that begins a question asks
                found.append((start, end, title))
    kept: list[Span] = []
    for start, end, title in sorted(found, key=lambda span: span[0] - span[1]):
        if all(end <= first or last <= start for first, last, _ in kept):
            kept.append((start, end, title))
    return sorted(kept)[: len(_STANDS_IN)]


def _masked(text: str, spans: Sequence[Span]) -> tuple[str, list[tuple[int, int]]]:
    """Return the text with names of one word in the spans, and where these stand."""
    parts, places, at, length = [], [], 0, 0
    for (start, end, _), name in zip(spans, _STANDS_IN, strict=False):
        parts += [text[at:start], name]
        length += start - at
        places.append((length, length + len(name)))
        length += len(name)
        at = end
    return "".join([*parts, text[at:]]), places


def _unmasked(
    sentence: AnnotatedSentence,
    text: str,
    places: Sequence[tuple[int, int]],
    spans: Sequence[Span],
) -> AnnotatedSentence | None:
    """Return a sentence of the masked text as one of ``text``; None where a name in it is not
    one token.
    """

    def original(at: int) -> int:
        """Where a character of the masked text, outside of the names, stands in ``text``."""
        moved = 0
        for (_, last), (_, end, _) in zip(places, spans, strict=True):
            if last <= at:
                moved = end - last
        return at + moved

    begin = original(sentence.start)
    starts = {first: number for number, (first, _) in enumerate(places)}
    tokens: list[Token] = []
    names: list[int] = []
    for token in sentence.tokens:
        first, last = sentence.start + token.start, sentence.start + token.end
        number = starts.get(first)
        if number is None:
            if any(one < last and first < other for one, other in places):
                return None
            start, end = original(first), original(first) + last - first
            tokens.append(replace(token, start=start - begin, end=end - begin))
        elif places[number][1] != last:
            return None
        else:
            start, end, title = spans[number]
            names.append(len(tokens))
            tokens.append(
                replace(
                    token,
                    text=text[start:end],
                    lemma=_telling(text[start:end], title),
                    pos="PROPN",
                    start=start - begin,
                    end=end - begin,
                )
            )
    tokens = [_of_no_verb(tokens, i) for i in range(len(tokens))]
    others = [e for e in sentence.entities if not any(e.first <= i < e.last for i in names)]
    return AnnotatedSentence(
        text=text[begin : begin + tokens[-1].end],
        start=begin,
        tokens=tuple(tokens),
        entities=(*others, *(Phrase(i, i + 1, NAMED) for i in names)),
        noun_chunks=sentence.noun_chunks,
    )


def _of_no_verb(tokens: Sequence[Token], index: int) -> Token:
    """Return a token as it is, but for a verb after a title, which is taken for a noun that the
    title is part of: "Where did the director of Spione study?".
    """
    token = tokens[index]
    at = index - 1 if token.pos == "NOUN" else index
    verb = at + 1
    if at < 1 or verb >= len(tokens) or tokens[at].dep != "compound" or tokens[at].head != verb:
        return token
    asked = any(one.lemma == "do" and one.dep == "aux" and one.head == verb for one in tokens)
    if not asked or tokens[at - 1].pos != "ADP":
        return token
    if index == verb:
        return replace(token, pos="VERB")
    return replace(token, dep="pobj", head=at - 1)


def _telling(written: str, title: str) -> str:
    """Return the words of a title that say something, and what it is called before it."""
    before = written.split()[0]
    kind = [before] if before[0].islower() else []
    words = [word for word in _WORD.findall(title) if not word[0].islower()]
    return " ".join([*kind, *words]).casefold()


def calls_document(name: str, title: str) -> bool:
    """Say whether a name is a document's title, or the number that it begins with: "PEP 8"."""
    called, whole = folded(name), folded(title)
    return called == whole or (called[-1:].isdigit() and whole.startswith(f"{called} "))


def folded(text: str) -> str:
    """Return the words of a title or name, PEP 8, pep-0008 and "PEP: 8" alike."""
    return " ".join(word.folded for word in words_of(text))
