"""What a sentence says that something is: after "is", or beside a name ("Adler, the singer, …")."""

from collections.abc import Iterator

from clew.comprehension.annotation import AnnotatedSentence, Phrase
from clew.comprehension.lexicon import DEFINITION
from clew_ingest.parsing.entity_names import normalise_name

NAMES = {"NOUN", "PROPN"}


def definitions(parse: AnnotatedSentence) -> Iterator[tuple[Phrase, str]]:
    """Yield each definition, whole, "our invoice, accounting, and identity system", with the
    normalised words for what it is of; "" for a pronoun.
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
            yield Phrase(*parse.subtree(index), DEFINITION), _words(parse, subject)


def defined_by_question(sentence: AnnotatedSentence, wh: int) -> str:
    """Return the normalised words for what a question wants to be told what it is, "What is a
    cycle?", "Who was Irene Adler?"; "" where it asks for more.
    """
    tokens = sentence.tokens
    if tokens[wh].lemma not in {"what", "who"} or wh + 2 >= len(tokens):
        return ""
    if tokens[wh + 1].lemma != "be":
        return ""
    rest = [i for i in range(wh + 2, len(tokens)) if tokens[i].pos != "PUNCT"]
    for phrase in sentence.noun_chunks:
        if phrase.first == wh + 2 and rest and phrase.last == rest[-1] + 1:
            named = tokens[phrase.last - 1].pos == "PROPN"
            if named or tokens[phrase.first].lemma in {"a", "an"}:
                return normalise_name(sentence.slice(phrase.first, phrase.last))
    return ""


def _words(parse: AnnotatedSentence, token: int) -> str:
    if parse.tokens[token].pos == "PRON":
        return ""
    chunk = next((c for c in parse.noun_chunks if c.first <= token < c.last), None)
    first, last = (token, token + 1) if chunk is None else (chunk.first, chunk.last)
    return normalise_name(parse.slice(first, last))
