"""Questions about what a passage's title names: what it is called, when it lived, its relations.

From what the first sentence calls the title: "Which 1990 film was directed by …?", and the bare
description, as it stands within longer questions. From the verb and its preposition: the
paraphrases of `relation_questions.toml`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from clew.strategies.learning.passage import (
    LONGEST_QUESTION,
    SUBJECTS,
    MadeQuestion,
    Passage,
    tidy,
)
from clew.strategies.learning.wordings import RelationQuestions, relation_questions

LIFESPAN = re.compile(
    r"\(\s*(?:born\s+|b\.\s*)?(?P<birth>[^()–;-]*?\d{3,4})?"
    r"(?:\s*[–-]\s*|\s*died\s+|\s*d\.\s*)?(?P<death>[^()–;-]*?\d{3,4})?\s*\)"
)
BIRTHS = ("When was {h} born?", "In what year was {h} born?", "What is {h}'s date of birth?")
DEATHS = ("When did {h} die?", "In what year did {h} die?", "What is {h}'s date of death?")


def life_questions(passage: Passage) -> Iterator[MadeQuestion]:
    """Yield when the person was born and died, from the years in brackets behind the name."""
    found = LIFESPAN.search(passage.document.text[:250])
    if found is None or not passage.person or not passage.name:
        return
    for end, forms in (("birth", BIRTHS), ("death", DEATHS)):
        if not found.group(end) or (end == "birth" and "died" in found.group()[:7]):
            continue
        low, high = found.span(end)
        low += len(found.group(end)) - len(found.group(end).lstrip(" ,"))
        form = passage.chance.choice(forms)
        if "year" in form:
            year = list(re.finditer(r"\d{3,4}", found.group(end)))[-1]
            low, high = (found.start(end) + place for place in year.span())
        yield from passage.made(form.format(h=passage.name), (low, high), "life")


def description_questions(passage: Passage, sentence: Any) -> Iterator[MadeQuestion]:
    """Yield questions for what the first sentence says that the title is."""
    verb = sentence.root
    if verb.lemma_ != "be" or not passage.name:
        return
    attribute = next((c for c in verb.children if c.dep_ == "attr"), None)
    subject = next((c for c in verb.children if c.dep_ in SUBJECTS), None)
    if attribute is None or subject is None:
        return
    own = sorted(token.i for token in attribute.subtree)
    described = passage.words(sentence, own[0], own[-1] + 1, set()).strip(" ,")
    described = re.sub(r"^(?:a|an|the|one of the)\s+", "", described, flags=re.IGNORECASE)
    parts = [part for part in re.split(r",| and (?=\w+ed )", described) if part.strip()]
    words = described.split()
    if len(words) < 4 or passage.name.casefold() in described.casefold():
        return
    verb_words = "was" if verb.text.casefold() == "was" else "is"
    noun = attribute.text
    start = _title_span(passage)
    forms = [f"Which {described}?", f"the {described}", f"What is the name of the {described}?"]
    forms.append(f"{'Who' if passage.person else 'What'} {verb_words} the {described}?")
    clause = [c for c in attribute.children if c.dep_ in {"acl", "relcl"}]
    if clause:
        low = min(token.i for token in clause[0].subtree)
        said = passage.words(sentence, low, own[-1] + 1, set())
        said = re.sub(r"^(?:who|which|that)\s+", "", said)
        lead = "" if clause[0].dep_ == "relcl" else f"{verb_words} "
        forms += [f"Which {noun} {lead}{said}?", f"the {noun} {said}"]
        if passage.person:
            forms.append(f"Who {lead}{said}?")
    if len(parts) > 1 and len(parts[0].split()) > 3:
        forms.append(f"the {parts[0]}")
    for form in passage.chance.sample(forms, min(2, len(forms))):
        asked = tidy(form) if form.endswith("?") else " ".join(form.split())
        if 3 <= len(asked.split()) <= LONGEST_QUESTION:
            in_text, low, high = start
            yield MadeQuestion(asked, passage.number, low, high, not in_text, "description")
    nations = [e for e in sentence.ents if e.label_ == "NORP" and e.start >= own[0]]
    for nation in nations[:1]:
        span = (nation.start_char, nation.end_char)
        asked = passage.chance.choice(
            (f"What is the nationality of {passage.name}?", f"What nationality is {passage.name}?")
        )
        if passage.person:
            yield from passage.made(asked, span, "nationality")
    if passage.person:
        chunk = next((c for c in sentence.noun_chunks if c.root == attribute), None)
        if chunk is not None:
            tail = [t for t in chunk if t.pos_ in {"NOUN", "ADJ"} and not t.ent_type_]
            if tail and tail[-1].i - tail[0].i == len(tail) - 1:
                span = (tail[0].idx, tail[-1].idx + len(tail[-1].text))
                asked = passage.chance.choice(
                    (
                        f"What is the occupation of {passage.name}?",
                        f"What is the profession of {passage.name}?",
                        f"What did {passage.name} do for a living?",
                    )
                )
                yield from passage.made(asked, span, "occupation")


def _title_span(passage: Passage) -> tuple[bool, int, int]:
    """The place of the title's name: in the text where it stands there, else in the title."""
    at = passage.document.text.find(passage.name)
    if 0 <= at < 80:
        return True, at, at + len(passage.name)
    return False, 0, len(passage.name)


def relation_paraphrases(passage: Passage, answer: Any) -> Iterator[MadeQuestion]:
    """Yield how people ask for a known relation of the title that has this answer."""
    head = answer.root.head
    while answer.root.dep_ in {"conj", "appos"} and head.dep_ in {"conj", "appos"}:
        head = head.head
    verb, preposition = head, ""
    if head.pos_ == "ADP":
        verb, preposition = head.head, head.text.casefold()
    if not _about_title(passage, verb):
        return
    predicate = f"{verb.lemma_} {preposition}".strip()
    relations = _relations().get(predicate, ()) or _relations().get(f"be {predicate}", ())
    fitting = [r for r in relations if answer.label_ in r.tails]
    fitting = [r for r in fitting if not r.heads or ("PERSON" in r.heads) == passage.person]
    if not fitting or not passage.name:
        return
    relation = passage.chance.choice(fitting)
    span = (answer.start_char, answer.end_char)
    asked = passage.chance.choice(relation.questions)
    yield from passage.made(asked.replace("{h}", passage.name), span, "relation")
    if relation.phrases and passage.chance.random() < 0.6:
        phrase = passage.chance.choice(relation.phrases).replace("{h}", passage.name)
        if answer.text.casefold() not in phrase.casefold():
            yield MadeQuestion(phrase, passage.number, *span, False, "phrase")


def _about_title(passage: Passage, verb: Any) -> bool:
    """The verb or noun says something of the passage's title."""
    for _ in range(3):
        subject = next((c for c in verb.children if c.dep_ in SUBJECTS), None)
        if subject is not None:
            text = subject.text.casefold()
            words = passage.name.casefold().split()
            return text in words or text in {"he", "she", "it", "they"}
        if verb.dep_ in {"acl", "attr", "conj", "ROOT", "advcl"} and verb.head != verb:
            verb = verb.head
        else:
            return False
    return False


@lru_cache(maxsize=1)
def _relations() -> dict[str, tuple[RelationQuestions, ...]]:
    found: dict[str, tuple[RelationQuestions, ...]] = {}
    for relation in relation_questions():
        for predicate in relation.predicates:
            found[predicate] = (*found.get(predicate, ()), relation)
    return found
