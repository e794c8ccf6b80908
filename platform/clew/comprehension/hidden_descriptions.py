"""Descriptions that a question's parse hides: whose clause stands apart from its noun, ends the
question, or takes in the verb that the question is about."""

import re
from dataclasses import replace

from clew.comprehension.annotation import AnnotatedSentence, Token
from clew.comprehension.asked_noun import is_plural
from clew.comprehension.inner_phrase import (
    PREPOSITIONS,
    InnerPhrase,
    only_asks_what,
    phrase_of,
    without_punctuation,
)
from clew.comprehension.lexicon import WH

RELATIVES = frozenset({"who", "whose", "that", "which", "where"})
"""With which a clause about a thing begins."""
SUPPORTS = frozenset({"do", "will", "would", "can", "could", "may", "might", "must", "should"})
"""Auxiliaries that a verb's base form goes with: "When did … close?"."""
_YEAR = re.compile(r"\d{4}")


def extraposed(
    sentence: AnnotatedSentence, wh: int | None
) -> tuple[InnerPhrase | None, int | None]:
    """Where was the chemist born who isolated …: the clause stands apart from its noun.

    Also returns where the clause begins.
    """
    tokens = sentence.tokens
    for index in range(3, len(tokens)):
        if index == wh or tokens[index].text.casefold() not in RELATIVES:
            continue
        start = index
        if tokens[index - 1].pos == "ADP" and tokens[index].text in {"which", "whose"}:
            start -= 1
        if not _stands_apart(sentence, start):
            continue
        for phrase in reversed(sentence.noun_chunks):
            first, last = phrase.first, phrase.last
            if last < start and first > 0 and tokens[first].pos == "DET":
                if tokens[first].text.casefold() in WH:
                    break
                head = sentence.phrase_head(first, last)
                if only_asks_what([*tokens[:first], *tokens[last:start]]):
                    return None, start
                end = without_punctuation(sentence, len(tokens))
                found = InnerPhrase(
                    text=f"{sentence.slice(first, last)} {sentence.slice(start, end)}",
                    head=tokens[head].lemma,
                    before=sentence.text[: tokens[first].start].strip(),
                    after=f"{sentence.slice(last, start)}?",
                )
                return found, start
        return None, None
    return None, None


def _stands_apart(sentence: AnnotatedSentence, start: int) -> bool:
    """Whether a clause that begins with a token follows no noun that it could describe: a verb,
    which a parse may take for a noun behind its subject ("does the colleague | work | who …"), or
    what a verb left behind ("is the boy in | who …").
    """
    before = sentence.tokens[start - 1]
    if before.pos in {"VERB", "AUX", "ADJ", "ADV"}:
        return True
    if before.pos == "ADP":
        return sentence.tokens[start].text == "who"
    within = any(one.first < start <= one.last for one in sentence.noun_chunks)
    return before.pos == "NOUN" and not within and sentence.tokens[start - 2].pos == "NOUN"


def whoever(sentence: AnnotatedSentence) -> InnerPhrase | None:
    """Return who is described without a noun at a question's end: "… of | whoever was on duty"."""
    tokens, end = sentence.tokens, without_punctuation(sentence, len(sentence.tokens))
    for index in range(1, end - 1):
        if tokens[index].text.casefold() in {"whoever", "whomever"}:
            if only_asks_what([*tokens[:index], *tokens[end:]]):
                return None
            described = f"the person who {sentence.slice(index + 1, end)}"
            return replace(phrase_of(sentence, index, end, index), text=described, head="person")
    return None


def closing(sentence: AnnotatedSentence, wh: int | None) -> tuple[int, int, int] | None:
    """Return [first, last) and the noun of a description that a question ends with, whatever a
    parse makes of it: "How many animals are on | the farm whose road the county no longer grits?";
    "the lady from the builders who …" is no builders.
    """
    tokens = sentence.tokens
    end = without_punctuation(sentence, len(tokens))
    for index in range(3, end - 1):
        if index == wh or tokens[index].text.casefold() not in RELATIVES:
            continue
        chunk = next((one for one in sentence.noun_chunks if one.last == index), None)
        if chunk is None or tokens[chunk.first].text.casefold() != "the":
            continue
        first, head = chunk.first, sentence.phrase_head(chunk.first, chunk.last)
        if is_plural(tokens[head]):
            outer = next((one for one in sentence.noun_chunks if one.last == first - 1), None)
            joined = tokens[first - 1].pos == "ADP" and outer is not None
            if not joined or outer is None or tokens[outer.first].text.casefold() != "the":
                continue
            first, head = outer.first, sentence.phrase_head(outer.first, outer.last)
        verb = tokens[first - 1]
        # "did the man who … | leave?": the clause ends before the verb; "what is the …": is asked
        asked = verb.pos == "AUX" and (verb.lemma != "be" or first - 2 == wh)
        if first == 0 or asked or is_plural(tokens[head]) or tokens[head].pos == "PROPN":
            continue
        if not only_asks_what([*tokens[:first], *tokens[end:]]):
            return first, end, head
    return None


def before_its_verb(sentence: AnnotatedSentence, wh: int | None) -> tuple[int, int, int] | None:
    """Return [first, last) and the noun of what is described between an auxiliary and its verb,
    which a parse may take into the description: "When did | the company that made the blue pump |
    close?".
    """
    tokens, end = sentence.tokens, without_punctuation(sentence, len(sentence.tokens))
    for first in range(2, end - 4):
        auxiliary = tokens[first - 1]
        if wh is None or first - 1 <= wh or auxiliary.lemma not in SUPPORTS:
            continue
        if tokens[first].text.casefold() != "the":
            continue
        head = first + 1
        while tokens[head + 1].pos in {"NOUN", "PROPN"} and head + 2 < end:
            head += 1
        if tokens[head].pos != "NOUN" or is_plural(tokens[head]):
            return None
        clause = _clause_after(sentence, head, end)
        last = None if clause is None else _verb_left(sentence, clause, end)
        return None if last is None else (first, last, head)
    return None


def is_base_form(token: Token) -> bool:
    """Whether a word is said as dictionaries have it, as a verb is behind an auxiliary."""
    return token.text.casefold() == token.lemma.casefold()


def _clause_after(sentence: AnnotatedSentence, head: int, end: int) -> int | None:
    """Return the relative pronoun that follows a noun, or a place behind it: "the pump at Seld
    that …"."""
    for index in range(head + 1, end):
        token = sentence.tokens[index]
        if token.text.casefold() in RELATIVES:
            return index
        if token.pos in {"VERB", "AUX", "PUNCT"}:
            return None
    return None


def _verb_left(sentence: AnnotatedSentence, clause: int, end: int) -> int | None:
    """Return the base form behind a clause with a verb of its own, the last that can be one."""
    tokens = sentence.tokens
    likely: list[tuple[int, int]] = []
    for index in range(clause + 3, end):
        token, before = tokens[index], tokens[index - 1]
        if not is_base_form(token) or before.dep == "poss":
            continue
        number = before.pos == "NUM" and _YEAR.fullmatch(before.text) is None
        if number or before.pos in {"DET", "ADJ", "ADP", "ADV", "AUX", "PART"}:
            continue
        after = tokens[index + 1] if index + 1 < end else None
        goes_on = after is not None and (
            after.pos in {"ADP", "PRON", "DET"} or after.text in PREPOSITIONS
        )
        if token.pos == "VERB" or token.lemma in {"be", "have"}:
            rank = 0
        elif token.pos == "NOUN" and before.pos == "NOUN" and before.dep == "compound":
            rank = 1 if goes_on else 3  # "the price list"
        elif token.pos == "NOUN":
            rank = 0 if after is None or goes_on or after.pos in {"ADJ", "NUM"} else 3
        else:
            rank = 2 if token.pos in {"ADV", "ADJ"} else 3
        if rank < 3 and any(one.pos in {"VERB", "AUX"} for one in tokens[clause + 1 : index]):
            likely.append((rank, -index))
    return -min(likely)[1] if likely else None
