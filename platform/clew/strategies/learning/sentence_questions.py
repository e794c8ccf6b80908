"""A sentence turned into questions, by its dependency parse.

What is asked for, its subject, object or time, goes to the front, in the order of words that
English questions have, or stays in its place. Source: Heilman and Smith, "Good Question!" (NAACL
2010), section 2, much reduced.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from clew.strategies.learning.passage import SUBJECTS, MadeQuestion, Passage

AUXILIARIES = frozenset({"aux", "auxpass"})
LONGEST_ANSWER = 10
YEAR = re.compile(r"\b(1[0-9]{3}|20[0-9]{2})\b")
_KINDS_OF_NAMES = """
university college school company party club band river lake mountain church museum award prize
festival league war battle county district province island street bridge hospital newspaper magazine
station railway society academy institute association council court army orchestra theatre theater
park castle cathedral championship cup records act
"""
KINDS_OF_NAMES = frozenset(_KINDS_OF_NAMES.split())
"""Last words of names that say what the named thing is."""


def answers(passage: Passage, sentence: Any) -> list[Any]:
    """Return entities, and noun phrases that hold none."""
    found = [entity for entity in sentence.ents if len(entity) <= LONGEST_ANSWER]
    taken = {token.i for entity in found for token in entity}
    for chunk in sentence.noun_chunks:
        if chunk.root.pos_ == "NOUN" and not any(token.i in taken for token in chunk):
            first = chunk.start + (chunk[0].pos_ == "DET")
            if first < chunk.end and chunk.end - first <= 6:
                found.append(passage.document[first : chunk.end])
    return found


def sentence_questions(passage: Passage, sentence: Any, answer: Any) -> Iterator[MadeQuestion]:
    """Yield the questions that an answer within a sentence has, not all of them worth asking."""
    verb = sentence.root
    subject = next((c for c in verb.children if c.dep_ in SUBJECTS), None)
    if subject is None:
        return
    inside = {token.i for token in answer}
    own = {token.i for token in subject.subtree}
    span = (answer.start_char, answer.end_char)
    if subject.i in inside and inside >= {t for t in own if passage.document[t].pos_ != "DET"}:
        asking = _asking(passage, answer, True)
        asking = [words for words in asking if words not in {"when", "where"}] or ["what"]
        rest = passage.words(sentence, max(own) + 1, sentence.end, set())
        yield from passage.made(f"{passage.chance.choice(asking)} {rest}?", span, "subject")
        return
    asking = _asking(passage, answer, False)
    within = [a for a in answer.root.ancestors if a.dep_ in {"attr", "conj"}]
    if within and verb.lemma_ == "be" and answer.root.head.pos_ != "ADP":
        return
    if not asking or inside & own:
        if asking and passage.chance.random() < 0.3:
            yield from _in_place(passage, sentence, answer, asking)
        return
    if passage.chance.random() < 0.2:
        yield from _in_place(passage, sentence, answer, asking)
    words = passage.chance.choice(asking)
    gone = set(inside)
    preposition = answer.root.head
    while preposition.dep_ in {"compound", "nmod", "appos", "conj"}:
        preposition = preposition.head
    stranded = ""
    if preposition.pos_ == "ADP" and preposition.i > subject.i:
        gone.add(preposition.i)
        place = words.split()[0] in {"when", "where", "in", "on", "at"}
        usual = preposition.text in {"in", "on", "at", "from", "near", "during", "to"}
        if not (place and usual):
            words = re.sub(r"^(?:in|on|at) ", "", words)
            words = "which place" if words == "where" else words
            words = "what year" if words == "when" else words
            stranded = f" {preposition.text}"
    elif words.split()[0] in {"in", "on", "at"} or words in {"where"}:
        words = {"where": "what place"}.get(words, words.split(" ", 1)[-1])
    if words.startswith("how many"):
        gone.add(answer.end)
    gone |= {token.i for token in answer.root.subtree if token.i > max(inside)}
    for child in verb.children:
        clause = {token.i for token in child.subtree}
        if child.dep_ in {"conj", "cc", "advcl"} and child.i > verb.i:
            if clause & inside:
                return
            gone |= clause
    rest = _inverted(passage, sentence, verb, subject, own, gone)
    if rest:
        yield from passage.made(f"{words} {rest}{stranded}?", span, "inverted")


def _asking(passage: Passage, answer: Any, subject: bool) -> list[str]:
    label, text = answer.label_, answer.text
    last = answer[-1].text.casefold()
    if label == "PERSON":
        return ["who"] if subject else ["who", "whom", "which person"]
    if label in {"DATE", "TIME"}:
        if YEAR.fullmatch(text):
            return ["when", "in what year", "in which year"]
        return ["when", "on what date"] if YEAR.search(text) else []
    if label == "GPE":
        return ["where", "in which place"]  # a parse does not tell cities from countries
    if label in {"LOC", "FAC"}:
        return ["where", "at what place"]
    if last in KINDS_OF_NAMES:
        return [f"which {last}", f"what {last}"]
    if label == "ORG":
        return ["which organization", "what", "which company", "what group"]
    if label == "NORP":
        return ["what nationality", "which people"]
    if label == "PERCENT":
        return ["what percentage"]
    if label == "MONEY":
        return ["how much money"]
    if label == "EVENT":
        return ["which event", "what"]
    if label == "WORK_OF_ART":
        return ["which work", "what"]
    if label == "CARDINAL" and answer.end < len(passage.document):
        following = passage.document[answer.end]
        if following.pos_ == "NOUN":
            return [f"how many {following.text}"]
        return []
    if label in {"QUANTITY", "ORDINAL", "LANGUAGE", "LAW", "PRODUCT", "CARDINAL"}:
        return ["what"]
    head = answer.root
    if head.pos_ == "NOUN" and len(answer) > 1 and passage.chance.random() < 0.5:
        return [f"what {head.text}", f"what kind of {head.text}"]
    return ["what"]


def _inverted(
    passage: Passage, sentence: Any, verb: Any, subject: Any, own: set[int], gone: set[int]
) -> str:
    auxiliary = next((c for c in verb.children if c.dep_ in AUXILIARIES), None)
    who = passage.words(sentence, min(own), max(own) + 1, set())
    gone = gone | own
    if auxiliary is not None:
        gone.add(auxiliary.i)
        rest = passage.words(sentence, min(own), sentence.end, gone)
        return f"{auxiliary.text.casefold()} {who} {rest}"
    if verb.lemma_ == "be":
        gone.add(verb.i)
        rest = passage.words(sentence, min(own), sentence.end, gone)
        return f"{verb.text.casefold()} {who} {rest}"
    do = {"VBD": "did", "VBZ": "does", "VBP": "do"}.get(verb.tag_)
    if do is None:
        return ""
    before = passage.words(sentence, max(own) + 1, verb.i, gone)
    rest = passage.words(sentence, verb.i + 1, sentence.end, gone)
    return f"{do} {who} {before} {verb.lemma_} {rest}"


def _in_place(
    passage: Passage, sentence: Any, answer: Any, asking: Sequence[str]
) -> Iterator[MadeQuestion]:
    words = passage.chance.choice(asking)
    if answer.start > sentence.start and passage.document[answer.start - 1].pos_ == "ADP":
        words = re.sub(r"^(?:in|on|at) ", "", words)
        words = {"when": "what year", "where": "what place"}.get(words, words)
    skipped = 1 if words.startswith("how many") else 0
    before = passage.words(sentence, sentence.start, answer.start, set())
    after = passage.words(sentence, answer.end + skipped, sentence.end, set())
    after = re.split(r"[,;]", after)[0]
    span = (answer.start_char, answer.end_char)
    yield from passage.made(f"{before} {words} {after}?", span, "in place")
