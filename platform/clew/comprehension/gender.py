"""What sentences say of people that family ties depend on: who is a man or a woman, and whose
parents are named. A mother is no king; of "the son of Rotrou IV and Matilda" the second is the
mother; "Hawise, daughter of Walter" names no parent of Hawise's son.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from clew.comprehension.candidates import Candidate, EvidenceSentence, without_marks
from clew.comprehension.lexicon import words
from clew_ingest.parsing.entity_names import normalise_name

Gender = Literal["female", "male"]

_CALLED: dict[Gender, frozenset[str]] = {
    "female": words(
        "mother wife daughter sister queen princess duchess countess empress baroness lady dame "
        "grandmother aunt niece widow woman girl actress mrs miss ms madame infanta archduchess "
        "marchioness heiress goddess nun stepmother granddaughter"
    ),
    "male": words(
        "father husband son brother king prince duke count emperor baron lord sir earl grandfather "
        "uncle nephew widower man boy actor mr monsieur infante archduke marquess margrave "
        "landgrave sultan shah god monk stepfather grandson viscount baronet"
    ),
}
_PRONOUNS: dict[str, Gender] = {
    **dict.fromkeys(("he", "him", "his", "himself"), "male"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "female"),
}
_CHILD_OF = re.compile(
    r"\b(?:sons?|daughters?|child|children|born)(?: and (?:\w+ )?\w+)? (?:of|to)\s", re.IGNORECASE
)
_BETWEEN = re.compile(r",? (?:and|by|with) ")
_MARRIED = re.compile(r"\b(?:married|wed|wife|husband|widow)\b", re.IGNORECASE)
_NAME = re.compile(
    r"[^\W\d_a-z][\w'’.-]*(?: (?:(?:of|de|du|da|di|del|la|le|van|von|der|den|bin|ibn|al|the|née) )*"
    r"(?:[^\W\d_a-z][\w'’.-]*|I|[IVX]+))*"
)
_SECOND = re.compile(
    r"(?:(?!heir|brother|sister|nephew|niece|grand|half|successor)[a-zé]+,? ){0,6}[^\W\d_a-z]"
)
_WORD = re.compile(r"[^\W\d_]+")
_TITLED = re.compile(r" (?:of\b|[^\W\d_a-z])")
_END = re.compile(
    r";|\.(?= [A-Z]|$)|,? (?=(?:he|she|who|whom|whose|which|they|it|but|in|on|at|was|is|as)\b)"
)
_AS_OFTEN = 2
"""Times as often as the other that one pronoun stands in the passage about somebody."""
PARENTS = frozenset({"father", "mother", "parent"})


@dataclass(frozen=True)
class Parent:
    """Characters [start, end) of a sentence that name a parent of whom it is about.

    ``gender``: what is told of it; None: nothing.
    """

    start: int
    end: int
    gender: Gender | None


def asked_gender(noun: str) -> Gender | None:
    """Return what the noun (lemma) that is asked for says: a "wife" is a woman; None: nothing."""
    return next((gender for gender, nouns in _CALLED.items() if noun in nouns), None)


def parents(text: str) -> list[Parent]:
    """Return the one or two parents that a sentence names of whom it is about."""
    children = list(_CHILD_OF.finditer(text))
    if not children or _MARRIED.search(text[: children[0].start()]):
        return []
    start = children[0].end()
    end = children[1].start() if len(children) > 1 else len(text)
    stop = _END.search(text, start)
    end = min(end, stop.start()) if stop else end
    breaks = [*(found.span() for found in _BETWEEN.finditer(text, start, end)), (end, end)]
    spans = [(start, breaks[0][0])]
    if len(breaks) > 1 and _SECOND.match(text[breaks[0][1] : breaks[1][0]]):
        spans.append((breaks[0][1], breaks[1][0]))
    return [Parent(*span, _called_in(text[slice(*span)])) for span in spans]


class Genders:
    """What an evidence says of the people that it names."""

    def __init__(self, sentences: Sequence[EvidenceSentence]) -> None:
        self._sentences = sentences
        self._subjects: dict[str, Gender | None] = {}
        self._parents: dict[int, list[Parent]] = {}

    def among(self, candidates: Sequence[Candidate], gender: Gender) -> list[Candidate]:
        """Return those that are not of the other one, anywhere; all of them where none is left."""
        others = {one.key for one in candidates if self.of(one) == _other(gender)}
        kept = [one for one in candidates if one.key not in others]
        return kept or list(candidates)

    def of(self, candidate: Candidate) -> Gender | None:
        """Return what a candidate is: by what it is called, by its place among parents, or by the
        passage about it; None where nothing tells.
        """
        parse = self._sentences[candidate.sentence].parse
        called = _called_in(candidate.text)
        if called is None and not candidate.implicit:
            before = parse.tokens[candidate.first - 1] if candidate.first else None
            called = asked_gender(before.lemma) if before is not None else None
            at = parse.tokens[candidate.first].start
            told = (p.gender for p in self._told(candidate.sentence) if p.start <= at < p.end)
            called = called or next(told, None)
        return called or self._of_subject(candidate.key)

    def spouse_of(self, key: str) -> str | None:
        """Return what who has the passage with such a title may be married to: "wife" or "husband";
        None where nothing tells.
        """
        gender = self._of_subject(key)
        return None if gender is None else "wife" if gender == "male" else "husband"

    def parents_among(
        self, candidates: Sequence[Candidate], noun: str, names: Sequence[str]
    ) -> list[Candidate]:
        """Return those that a sentence about one of ``names`` calls its parent, of the gender that
        ``noun`` asks for; without any, all of them.
        """
        gender, found = asked_gender(noun), list[tuple[Candidate, Parent]]()
        for candidate in candidates:
            if candidate.implicit or not self._tells_of(candidate.sentence, names):
                continue
            parse = self._sentences[candidate.sentence].parse
            at, end = parse.tokens[candidate.first].start, parse.tokens[candidate.last - 1].end
            for parent in self._told(candidate.sentence):
                begins = parent.start <= at <= _name_begins(parse.text, parent)
                if (
                    begins
                    and end <= parent.end
                    and parent.gender in {None, gender or parent.gender}
                ):
                    found.append((candidate, parent))
        longest: dict[tuple[int, int], int] = {}  # "Prince Harald of Denmark", not "Prince Harald"
        for candidate, parent in found:
            place = candidate.sentence, parent.start
            longest[place] = max(longest.get(place, 0), candidate.last)
        kept = [c for c, parent in found if c.last == longest[c.sentence, parent.start]]
        return kept or list(candidates)

    def named_parents(self, names: Sequence[str]) -> list[Candidate]:
        """Return the whole names of the parents that sentences about one of ``names`` tell."""
        return [
            candidate
            for index in range(len(self._sentences))
            if self._tells_of(index, names)
            for parent in self._told(index)
            if (candidate := self._whole(index, parent)) is not None
        ]

    def _whole(self, index: int, parent: Parent) -> Candidate | None:
        parse = self._sentences[index].parse
        part = parse.text[parent.start : parent.end]
        named = _NAME.search(part)
        if named is None:
            return None
        start, end = parent.start + named.start(), parent.start + named.end()
        inside = [i for i, t in enumerate(parse.tokens) if t.start < end and t.end > start]
        text = named.group()
        return Candidate(text, normalise_name(text), "PERSON", index, inside[0], inside[-1] + 1)

    def _tells_of(self, index: int, names: Sequence[str]) -> bool:
        """Say whether a sentence is about who has one of these names, and names parents of them,
        not children.
        """
        sentence = self._sentences[index]
        about = f" {sentence.context_key} {sentence.key} "
        if not any(f" {name} " in about for name in names) or not self._told(index):
            return False
        begins = sentence.parse.tokens[0]
        title = sentence.title_key.split()
        if begins.pos == "PROPN" and normalise_name(begins.text) not in title:
            return any(sentence.key.startswith(name) for name in names)
        text = sentence.parse.text
        keys = [without_marks(normalise_name(text[p.start : p.end])) for p in self._told(index)]
        return not any(f" {name} " in f" {key} " for name in names for key in keys)

    def _told(self, index: int) -> list[Parent]:
        """Return the parents that a sentence names; of two of whom it says nothing more, the father
        first, as is usual, if the passages about them say no other.
        """
        if index not in self._parents:
            text = self._sentences[index].parse.text
            found = [
                replace(p, gender=p.gender or self._of_subject(_bare(text[p.start : p.end])))
                for p in parents(text)
            ]
            if len(found) == 2:
                one, other = found
                first = one.gender or (_other(other.gender) if other.gender else "male")
                found = [replace(one, gender=first)]
                found.append(replace(other, gender=other.gender or _other(first)))
            self._parents[index] = found
        return self._parents[index]

    def _of_subject(self, key: str) -> Gender | None:
        """Return what the pronouns of the passage with such a title say."""
        if key not in self._subjects:
            own = [one for one in self._sentences if one.title_key.split(",")[0] == key]
            words = (token.text.casefold() for one in own for token in one.parse.tokens)
            counts = Counter(_PRONOUNS[word] for word in words if word in _PRONOUNS)
            found = counts.most_common(1)[0][0] if counts else None
            if found and _AS_OFTEN * (counts.total() - counts[found]) > counts[found]:
                found = None
            self._subjects[key] = found
        return self._subjects[key]


def _name_begins(text: str, parent: Parent) -> int:
    """Return the last character at which a parent's name may begin: behind "Count", not within
    "Bern of Perrow".
    """
    named = _NAME.search(text, parent.start, parent.end)
    if named is None:
        return parent.start
    at = named.start()
    for word in named.group().split()[:-1]:
        if not (asked_gender(word.casefold()) or word.isupper()):
            break
        at += len(word) + 1
    return at


def _bare(part: str) -> str:
    """Return the key of the name in a part of a sentence that names a parent."""
    named = _NAME.search(part)
    return normalise_name(named.group()) if named else ""


def _called_in(text: str) -> Gender | None:
    """Return what a name, or what stands with it, says: "his wife Maud", "King Bern", "Duke of
    Selm"; no surname, "Tabitha King", says anything.
    """
    for word in _WORD.finditer(text):
        gender = asked_gender(word.group().casefold())
        if gender and (word.group().islower() or _TITLED.match(text, word.end())):
            return gender
    return None


def _other(gender: Gender) -> Gender:
    return "male" if gender == "female" else "female"
