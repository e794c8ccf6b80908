"""The noun of a question that its answer is an instance of."""

import re
from collections.abc import Sequence
from itertools import takewhile

from clew.comprehension.annotation import AnnotatedSentence, Token
from clew.comprehension.lexicon import CALLED, CHARGED, GIVEN, WH, classes_of
from clew.comprehension.stems import plurals

NOMINAL = frozenset({"NOUN", "PROPN", "ADJ"})
_ABBREVIATIONS = re.compile(r"[A-Z]{2,}s")
"""What a parser takes for a name: "PDFs"."""


def asked_noun(sentence: AnnotatedSentence, wh: int, word: str) -> int | None:
    """Return the noun that the answer is an instance of, "city" of "Which old city …"; None: the
    question has none. ``wh``: the token that asks, which is ``word``.
    """
    tokens = sentence.tokens
    if passive_verb(sentence, wh) is not None:
        return None
    counted = word == "how" and wh + 2 < len(tokens) and tokens[wh + 1].lemma in {"many", "much"}
    if counted and (noun := _noun_from(tokens, wh + 2)) is not None:
        return noun  # "How many hours does everybody work", where "work" may be parsed as a noun
    if word in {"what", "which"} and (noun := _mistaken_plural(tokens, wh)) is not None:
        return noun
    if word == "which" and (noun := _mistaken_verb(tokens, wh)) is not None:
        return noun
    if word in {"what", "which", "whose", "how"}:
        head = tokens[wh].head
        if (
            head > wh
            and tokens[head].pos in {"NOUN", "PROPN"}
            and tokens[wh].dep in {"det", "poss", "amod", "advmod", "nmod", "compound"}
        ):
            return head if word != "whose" else None
        for phrase in sentence.noun_chunks:
            if phrase.first == wh and phrase.last - phrase.first > 1 and word != "whose":
                return phrase.last - 1
        if word in {"what", "which"} and (noun := _noun_from(tokens, wh + 1)) is not None:
            return noun
    if word in {"what", "which", "who"}:
        # "What is the name of the river …", "Who was the first president of …"
        following = tokens[wh + 1] if wh + 1 < len(tokens) else None
        if following is not None and following.lemma == "be":
            for phrase in sentence.noun_chunks:
                if phrase.first >= wh + 2:
                    head = sentence.phrase_head(phrase.first, phrase.last)
                    if (deeper := _named(sentence, head)) != head:
                        return deeper
                    counted_name = is_counted(sentence, head)
                    return head if tokens[head].pos == "NOUN" or counted_name else None
    if counted:
        return next((i for i in range(wh + 2, len(tokens)) if tokens[i].pos == "NOUN"), None)
    return None


def _mistaken_plural(tokens: Sequence[Token], wh: int) -> int | None:
    """Return the plural that is asked for where the parser takes it for the verb, "Which films star
    Ann?", or its verb for a noun, "Which actors star in it?"; "What causes it?" asks for none.
    """
    following = tokens[wh + 1 : wh + 3]
    if len(following) == 2 and following[0].pos == "VERB" and is_plural(following[0]):
        named = tokens[wh].text.casefold() == "which" and classes_of(following[0].lemma)
        if following[1].pos in {"AUX", "CCONJ"} or named:
            return wh + 1
    if any(token.pos in {"VERB", "AUX"} for token in tokens):
        return None
    run = takewhile(lambda i: tokens[i].pos in NOMINAL, range(wh + 1, len(tokens)))
    return next((i for i in run if is_plural(tokens[i])), None)


def _mistaken_verb(tokens: Sequence[Token], wh: int) -> int | None:
    """Return the noun that is asked for where the parser takes it, or what stands before it, for a
    verb: "Which runbook belongs to it?", "In which charging bay does it stand?".
    """
    following = tokens[wh + 1 : wh + 4]
    if len(following) < 3 or following[0].pos != "VERB":
        return None
    first, second, third = following
    if first.text == first.lemma and second.pos in {"VERB", "AUX"}:
        return wh + 1
    of_noun = first.text.endswith("ing") and second.pos in {"NOUN", "PROPN"}
    return wh + 2 if of_noun and third.pos in {"VERB", "AUX"} else None


def _noun_from(tokens: Sequence[Token], start: int) -> int | None:
    """Return the last noun of the adjectives and nouns that stand together from ``start`` on."""
    run = list(takewhile(lambda i: tokens[i].pos in NOMINAL, range(start, len(tokens))))
    return next((i for i in reversed(run) if tokens[i].pos in {"NOUN", "PROPN"}), None)


def _of(sentence: AnnotatedSentence, head: int) -> int | None:
    for child in sentence.children[head]:
        if sentence.tokens[child].lemma == "of":
            for inner in sentence.children[child]:
                if sentence.tokens[inner].pos == "NOUN":
                    return inner
    return None


def first_noun(sentence: AnnotatedSentence) -> int | None:
    """The noun that the first phrase with one is about: "number" of "export control number"."""
    heads = (sentence.phrase_head(part.first, part.last) for part in sentence.noun_chunks)
    head = next((head for head in heads if sentence.tokens[head].pos == "NOUN"), None)
    return None if head is None else _named(sentence, head)


def _named(sentence: AnnotatedSentence, head: int) -> int:
    """Return the noun of what a name is asked of, "cat" of "the name of the cat", or the noun."""
    called = sentence.tokens[head].lemma in {"name", "title"}
    return (_of(sentence, head) if called else None) or head


def is_plural(token: Token) -> bool:
    """Say whether a token is a noun for several things, though it may be taken for a verb."""
    if token.lemma == "people" or _ABBREVIATIONS.fullmatch(token.text):
        return True
    return token.pos in {"NOUN", "VERB"} and token.text.casefold() in plurals(token.lemma)


def is_counted(sentence: AnnotatedSentence, index: int) -> bool:
    """A number stands before it: "the six Centers of Excellence"."""
    return any(sentence.tokens[child].dep == "nummod" for child in sentence.children[index])


def passive_verb(sentence: AnnotatedSentence, wh: int) -> int | None:
    """Return the verb that something is said to undergo, of which "what" or "who" is asked: "paid"
    of "What are members paid?", "used" of "What is the hall used for?"; None where it is asked what
    that something is, "What is the fee charged for it?", or is called.

    A parser takes such a verb for an attribute, as of "What are the rules made by the council?".
    """
    tokens = sentence.tokens
    if tokens[wh].text.casefold() not in {"what", "who", "whom"} or wh + 2 >= len(tokens):
        return None
    phrase = next((part for part in sentence.noun_chunks if part.first == wh + 2), None)
    if tokens[wh + 1].lemma != "be" or phrase is None:
        return None
    subject = sentence.phrase_head(phrase.first, phrase.last)
    classes = classes_of(tokens[subject].lemma)
    for index in range(subject + 1, len(tokens)):
        token = tokens[index]
        of_subject = token.head in {subject, wh + 1} and token.dep in {"acl", "advcl"}
        if token.pos != "VERB" or not (of_subject or tokens[wh + 1].head == index):
            continue
        paid = token.lemma in CHARGED and "NUMBER" not in classes
        given = token.lemma in GIVEN and "PERSON" in classes
        beside = index == subject + 1 and (paid or given)
        for to_do in sentence.children[index]:  # "What are they asked to bring?"
            objects = {"dobj", "ccomp", "xcomp"} & {
                tokens[i].dep for i in sentence.children[to_do] if i > to_do
            }
            if tokens[to_do].dep == "xcomp" and tokens[to_do].pos == "VERB" and not objects:
                return to_do
        on_what = wh > 0 and tokens[wh - 1].pos == "ADP"
        if beside or on_what or _leaves_open(sentence, index):
            return index
    return None


def _leaves_open(sentence: AnnotatedSentence, verb: int) -> bool:
    """Say whether a preposition behind a verb has nothing that it belongs to: "used for?"."""
    tokens = sentence.tokens
    for index in range(verb + 1, len(tokens)):
        if tokens[index].pos == "ADP" and not sentence.children[index]:
            last = index + 1 == len(tokens) or tokens[index + 1].pos == "PUNCT"
            if last or (tokens[index].head == verb and tokens[index + 1].pos == "ADP"):
                return True
    return False


def is_called(sentence: AnnotatedSentence, wh: int, noun: int) -> bool:
    """Say whether it is asked what a noun is called: one name is wanted of "baby kangaroos", and
    several of "the actors of the film called Gulls".
    """
    tokens = sentence.tokens
    if tokens[wh + 1].lemma != "be":
        return False
    for index in range(noun + 1, len(tokens)):
        if tokens[index].pos == "VERB" and tokens[index].lemma in CALLED:
            last = index + 1 == len(tokens) or tokens[index + 1].pos == "PUNCT"
            if last or tokens[index].dep != "acl" or tokens[index].head == noun:
                return True
    return False


def in_full(sentence: AnnotatedSentence) -> str:
    """Return a question, with what is left out where one asks for a thing by what it is called
    alone: "Price of the SB-12" is "What is the price of the SB-12?".
    """
    tokens, text = sentence.tokens, sentence.text
    chunk = next(iter(sentence.noun_chunks), None)
    if chunk is None or chunk.first > 1 or not chunk.first <= sentence.root < chunk.last:
        return text
    told = chunk.first == 0 or tokens[0].text.casefold() == "the"
    noun, behind = tokens[sentence.root], [t.text.casefold() for t in tokens[chunk.last :][:2]]
    asks = {tokens[0].text.casefold(), *behind[1:]} & WH  # "… of which painting"
    of_what = behind[:1] in (["of"], ["for"]) and not asks
    if not (told and of_what and (noun.pos == "NOUN" or classes_of(noun.text.casefold()))):
        return text
    called = text.removeprefix(tokens[0].text).lstrip() if tokens[0].pos == "DET" else text
    whole = called.split(" ", 1)[0]
    if whole[1:].islower():  # "ISO certificate of …" keeps its capitals
        called = called[:1].casefold() + called[1:]
    verb = "are" if is_plural(noun) else "is"
    called = called.rstrip(" ?.!").removesuffix(" please").rstrip(" ,")
    return f"What {verb} the {called}?"
