"""What is told of another thing than the question names: its namesake of another number, a line for
another, and a sentence that says the same of another.
"""

import re
from collections.abc import Sequence
from functools import cached_property

from clew.comprehension.candidates import PRONOUNS, YEAR
from clew.comprehension.dates import MONTHS
from clew.comprehension.evidence_view import EvidenceView

_MONTHS = frozenset(map(str.casefold, MONTHS))
_NUMBERED = re.compile(r"\d+(?:\.\d+)*(?:st|nd|rd|th)?")
"""The number in a name: of "kitebox 4.2", "26th golden heron awards"."""
PARALLEL = 0.6
"""The share of the words of the shorter of two sentences, the least, that the other says, too,
where both say the same of two things; set, not measured."""
FEWEST = 5
"""Words of either, the fewest: "Tuesday, too." says nothing of its own."""


class OtherThings:
    """The evidence's sentences that tell of other things; ``names``: keys of what the question
    names.
    """

    def __init__(self, names: Sequence[str], view: EvidenceView) -> None:
        self._names = names
        self._view = view

    def told_in(self, index: int) -> bool:
        """Say whether sentence ``index`` of the evidence tells of another thing."""
        return bool(self._names) and (
            self._is_of_namesake(index) or self._is_of_sibling(index) or self._is_of_parallel(index)
        )

    def _is_of_namesake(self, index: int) -> bool:
        """Say whether a sentence, or what it stands under, names a thing of another number than one
        that is asked about, "Kitebox 4.1", and its passage does not name that, "Kitebox 4.2", or
        what that is a part of, "Kitebox 4".
        """
        sentence = self._view.sentences[index]
        own = f" {sentence.context_key} {sentence.key} "
        return any(
            f" {name} " not in self._view.passages[sentence.chunk]
            and any(not _is_part(found, name) for found in of_any.findall(own))
            for name, of_any in self._numbered_names
        )

    def _is_of_sibling(self, index: int) -> bool:
        """Say whether a sentence is a line for another thing, "Ferry: Ada Thorne", where a line of
        its passage is for a thing that the question names, "Crane: Ben Oduya".
        """
        one = self._view.sentences[index]
        named = self._named_lines.get(one.chunk)
        return named is not None and len(one.fields) == 1 and one.fields[0].key not in named

    def _is_of_parallel(self, index: int) -> bool:
        """Say whether a sentence says of another thing what one of its passage says, in nearly the
        same words, of a thing that the question names: "From Selm you can take a cab (20 euros)."
        """
        one, own = self._view.sentences[index], self._view.lemmas[index]
        beside = self._named_sentences.get(one.chunk, ())
        here = f" {one.key} {one.context_key} "
        if not beside or any(f" {name} " in here for name in self._names):
            return False
        if any(token.text.casefold() in PRONOUNS for token in one.parse.tokens):
            return False  # "She was a singer in Selm, too."
        says = one.parse.stems[one.parse.root]
        pairs = ((len(own & other), min(len(own), len(other))) for other in beside if says in other)
        return any(least >= FEWEST and same >= PARALLEL * least for same, least in pairs)

    @cached_property
    def _named_sentences(self) -> dict[int, list[frozenset[str]]]:
        """The stems of the sentences that have a name of the question, by their passage."""
        found: dict[int, list[frozenset[str]]] = {}
        for index, one in enumerate(self._view.sentences):
            if not one.fields and any(f" {name} " in f" {one.key} " for name in self._names):
                found.setdefault(one.chunk, []).append(self._view.lemmas[index])
        return found

    @cached_property
    def _named_lines(self) -> dict[int, set[str]]:
        """What lines of one field are for that the question names, by their passage."""
        found: dict[int, set[str]] = {}
        for one in self._view.sentences:
            if len(one.fields) == 1 and one.fields[0].key in self._names:
                found.setdefault(one.chunk, set()).add(one.fields[0].key)
        return found

    @cached_property
    def _numbered_names(self) -> list[tuple[str, re.Pattern[str]]]:
        """The names in the question that have a number, each with the pattern of its namesakes; of
        October 27 no other day of October is one, nor of "1988 Telugu" what is of another year."""
        found = []
        for name in self._names:
            if YEAR.search(name):
                continue
            around = _NUMBERED.split(name)
            words = set(re.findall(r"[^\W\d_]+", "".join(around)))
            if len(around) > 1 and words and words.isdisjoint(_MONTHS):
                any_number = _NUMBERED.pattern.join(map(re.escape, around))
                found.append((name, re.compile(rf"(?<!\w){any_number}(?!\w)")))
        return found


def _is_part(one: str, other: str) -> bool:
    """Say whether one of two names with a number is a part of the other: 4.2 of 4."""
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")
