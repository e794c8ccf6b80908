"""What a sentence says that something is: after "is", or beside a name ("Adler, the singer, …")."""

from collections.abc import Iterator

from clew.comprehension.annotation import AnnotatedSentence, Phrase
from clew.comprehension.lexicon import DEFINITION
from clew_ingest.parsing.entity_names import normalise_name

NAMES = {"NOUN", "PROPN"}
LONGEST = 12
"""Words of an answer."""
_PARTS = {"DET", "ADJ", "NOUN", "PROPN", "NUM"}
"""What a name or a kind of things is called by, and no more is asked of it."""
_FURTHER = {"prep", "relcl", "acl", "advcl", "appos"}
"""How what only adds to a definition hangs on it."""


def definitions(parse: AnnotatedSentence) -> Iterator[tuple[Phrase, str]]:
    """Yield each definition, "our invoice, accounting, and identity system", with the normalised
    words for what it is of; "" for a pronoun. One of more than LONGEST words ends before what only
    adds to it: "a tool" of "a tool for storing, searching, …".
    """
    for index, token in enumerate(parse.tokens):
        if token.pos not in NAMES or not token.text[:1].isalpha():
            continue
        if token.dep == "appos" and parse.tokens[token.head].pos == "PROPN":
            subject: int | None = token.head
        elif token.dep == "attr" and parse.tokens[token.head].lemma == "be":
            subject = next(
                (i for i in parse.children[token.head] if parse.tokens[i].dep == "nsubj"), None
            )
        else:
            continue
        if subject is not None:
            yield Phrase(*_extent(parse, index), DEFINITION), _words(parse, subject)
    yield from _spelt_out(parse)


def _spelt_out(parse: AnnotatedSentence) -> Iterator[tuple[Phrase, str]]:
    """Yield what short forms in brackets stand for, "Leave Without Pay (LWOP)": the shortest words
    before it that have its letters in order and begin with its first (Schwartz and Hearst 2003).
    """
    tokens = parse.tokens
    for at in range(1, len(tokens) - 2):
        short = tokens[at + 1].text
        bracketed = tokens[at].text == "(" and tokens[at + 2].text == ")"
        if not (bracketed and short.isalpha() and short.isupper() and len(short) > 1):
            continue
        begin = _long_form(parse, at, short)
        if begin is not None:
            yield Phrase(begin, at, DEFINITION), normalise_name(short)


def _long_form(parse: AnnotatedSentence, end: int, short: str) -> int | None:
    """Return the token from which those before ``end`` are the long form; None where none are."""
    tokens, left = parse.tokens, list(short)
    for index in range(end - 1, max(-1, end - 1 - min(len(short) + 5, 2 * len(short))), -1):
        token = tokens[index]
        begins = token.pos in {*NAMES, "ADJ", "VERB"} or token.text[:1].isupper()
        for place in range(len(token.text) - 1, -1, -1):
            if token.text[place].upper() == left[-1] and (len(left) > 1 or (begins and place == 0)):
                left.pop()
                if not left:
                    return index
    return None


def _extent(parse: AnnotatedSentence, head: int) -> tuple[int, int]:
    first, last = parse.subtree(head)
    if last - first <= LONGEST:
        return first, last
    further = [
        parse.subtree(child)[0]
        for child in parse.children[head]
        if child > head
        and parse.tokens[child].dep in _FURTHER
        and parse.tokens[child].lemma != "of"
    ]
    cut = min((place for place in further if place > head), default=last)
    while cut > head + 1 and parse.tokens[cut - 1].pos in {"PUNCT", "CCONJ"}:
        cut -= 1
    return first, cut


def defined_by_question(sentence: AnnotatedSentence, wh: int) -> str:
    """Return the normalised words for what a question wants to be told what it is, "What is a
    cycle?", "Who was Irene Adler?"; "" where it asks for more.
    """
    tokens = sentence.tokens
    if tokens[wh].lemma not in {"what", "who"} or wh + 2 >= len(tokens):
        return ""
    if tokens[wh + 1].lemma != "be":
        return ""
    named = [token for token in tokens[wh + 2 :] if token.pos != "PUNCT"]
    if not named or not all(token.pos in _PARTS or token.text[:1].isupper() for token in named):
        return ""
    kind = named[0].lemma in {"a", "an"} or named[0].pos != "DET"
    if kind or named[-1].text[:1].isupper():
        return normalise_name(sentence.text[named[0].start : named[-1].end])
    return ""


def _words(parse: AnnotatedSentence, token: int) -> str:
    if parse.tokens[token].pos == "PRON":
        return ""
    chunk = next((c for c in parse.noun_chunks if c.first <= token < c.last), None)
    first, last = (token, token + 1) if chunk is None else (chunk.first, chunk.last)
    return normalise_name(parse.slice(first, last))
