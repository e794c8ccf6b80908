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
from clew.comprehension.lexicon import SPANS_OF_TIME, WH

RELATIVES = frozenset({"who", "whose", "that", "which", "where"})
"""With which a clause about a thing begins."""
SUPPORTS = frozenset({"do", "will", "would", "can", "could", "may", "might", "must", "should"})
"""Auxiliaries that a verb's base form goes with: "When did … close?"."""
SUBJECTS = frozenset({"i", "we", "you", "he", "she", "it", "they", "somebody", "someone"})
"""Pronouns of who does something: "the firm | we hired"."""
BEFORE_NOUNS = frozenset({"DET", "ADJ", "ADP", "ADV", "AUX", "PART"})
"""Behind which no verb begins that an auxiliary further ahead goes with."""
UNLIKELY = 4
"""Rank of what is no verb, whatever a parse says."""
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
    for first in range(2, end - 3):
        if wh is None or first - 1 <= wh or tokens[first - 1].lemma not in SUPPORTS:
            continue
        head = _noun_of(sentence, first, end)
        clause = None if head is None else _description(sentence, head, end)
        last = None if clause is None else _verb_left(sentence, clause, end)
        return None if head is None or last is None else (first, last, head)
    return None


def at_the_end(sentence: AnnotatedSentence, wh: int | None) -> tuple[int, int, int] | None:
    """Return [first, last) and the noun of what is described at a question's end without a pronoun
    that says so: "What is the address of | the company repairing the roof?", "Who stood in | the
    room the lost key belongs to?".
    """
    tokens, end = sentence.tokens, without_punctuation(sentence, len(sentence.tokens))
    for first in range(end - 4, 1, -1):
        head = _noun_of(sentence, first, end)
        if head is None or not _is_whole(sentence, wh, first):
            continue
        clause = _description(sentence, head, end)
        if clause != head + 1 or tokens[clause].text.casefold() in RELATIVES:
            continue
        asked_how = tokens[first - 1].pos == "AUX"  # "How fast was the river | going up?"
        if asked_how and not _has_subject(sentence, head, end):
            continue
        if only_asks_what([*tokens[:first], *tokens[end:]]):
            return None
        return first, end, head
    return None


def _noun_of(sentence: AnnotatedSentence, first: int, end: int) -> int | None:
    """Return the one thing that a phrase with "the" is about; None where it begins no such."""
    tokens, head = sentence.tokens, first + 1
    if tokens[first].text.casefold() != "the":
        return None
    while head + 1 < end and tokens[head].pos == "ADJ":
        head += 1
    while head + 2 < end and tokens[head].pos == "NOUN" == tokens[head + 1].pos:
        head += 1
    return head if tokens[head].pos == "NOUN" and not is_plural(tokens[head]) else None


def _is_whole(sentence: AnnotatedSentence, wh: int | None, first: int) -> bool:
    """Say whether what stands before a phrase is a question but for its end: with a verb that is no
    auxiliary of one still to come, or "How old is …"."""
    tokens, before = sentence.tokens, sentence.tokens[first - 1]
    if wh is None or wh >= first:
        return False
    if before.pos == "AUX":
        return tokens[wh].text.casefold() == "how" and before.lemma == "be"
    verbs = [token for token in tokens[wh + 1 : first] if token.pos in {"VERB", "AUX"}]
    stands = before.pos == "ADP" or (before.pos == "VERB" and not before.text.endswith("ing"))
    return stands and bool(verbs) and verbs[-1].lemma not in SUPPORTS


def _description(sentence: AnnotatedSentence, head: int, end: int) -> int | None:
    """Return where begins what describes a noun behind it, with a verb or as an adjective: a
    relative pronoun, somebody who does something with it, what it does or is.
    """
    tokens, at = sentence.tokens, head + 1
    following = tokens[at + 1] if at + 1 < end else None
    if at >= end or following is None:
        return None
    if tokens[at].pos == "VERB" and tokens[at].text.endswith("ing"):
        # "the week beginning 3 May", "is the chair | going to cost?"
        dated = tokens[head].lemma in SPANS_OF_TIME
        return None if dated or (tokens[at].lemma, following.lemma) == ("go", "to") else at
    if tokens[at].pos == "ADJ" and following.pos == "ADP":
        return at
    if " ".join(token.text for token in tokens[at : at + 3]) == "in charge of":
        return at
    if _has_subject(sentence, head, end):
        return at
    for index in range(at, end):
        if tokens[index].text.casefold() in RELATIVES:
            return index
        if tokens[index].pos in {"VERB", "AUX", "PUNCT"}:
            return None
    return None


def _has_subject(sentence: AnnotatedSentence, head: int, end: int) -> bool:
    """Say whether somebody follows a noun who does something with it: "the room | the key belongs
    to"; "the ship | Aurelia sank" may be one name, unless the parse has it otherwise.
    """
    tokens, at = sentence.tokens, head + 1
    named = tokens[at].pos == "PROPN"
    if tokens[at].text.casefold() not in SUBJECTS and tokens[at].pos != "DET" and not named:
        return False
    verb = next((i for i in range(at, end) if tokens[i].pos in {"VERB", "AUX"}), None)
    if verb is None or verb == at or any(t.pos in {"ADP", "PUNCT"} for t in tokens[at:verb]):
        return False
    if tokens[verb].text[:1].isupper():
        return False  # of a title
    if not named:
        return True
    if tokens[verb].text == f"{tokens[verb].lemma}s":
        return True
    # "was the captain of the ship Aurelia | born?"
    return tokens[verb].dep == "relcl" and tokens[verb].head == head and verb < end - 1


def is_base_form(token: Token) -> bool:
    """Whether a word is said as dictionaries have it, as a verb is behind an auxiliary."""
    return token.text.casefold() == token.lemma.casefold()


def _verb_left(sentence: AnnotatedSentence, clause: int, end: int) -> int | None:
    """Return the base form behind a clause with a verb of its own, the last that can be one."""
    tokens = sentence.tokens
    likely: list[tuple[int, int]] = []
    own = tokens[clause].pos in {"VERB", "ADJ", "ADP"}  # "repairing", "responsible", "in charge"
    verb = next((i for i in range(clause + 1, end) if tokens[i].pos in {"VERB", "AUX"}), end)
    for index in range(clause + 3 if own else max(clause + 3, verb + 1), end):
        token, before = tokens[index], tokens[index - 1]
        if not is_base_form(token) or before.dep == "poss":
            continue
        number = before.pos == "NUM" and _YEAR.fullmatch(before.text) is None
        if (number and token.pos == "NOUN") or before.pos in BEFORE_NOUNS:
            continue
        after = tokens[index + 1] if index + 1 < end else None
        goes_on = after is not None and (
            after.pos in {"ADP", "PRON", "DET"} or after.text in PREPOSITIONS
        )
        if token.pos == "VERB" or token.lemma in {"be", "have"}:
            rank = 0
        elif token.pos == "NOUN" and before.pos == "NOUN" and before.dep == "compound":
            rank = 1 if goes_on else 3 if after is None else UNLIKELY  # "the price list"
        elif token.pos == "NOUN":
            rank = 0 if after is None or goes_on or after.pos in {"ADJ", "NUM"} else UNLIKELY
        else:
            rank = 2 if token.pos in {"ADV", "ADJ"} else UNLIKELY
        if rank < UNLIKELY:
            likely.append((rank, -index))
    return -min(likely)[1] if likely else None
