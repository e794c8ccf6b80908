"""Sentences with names taken out of them: the material of questions made from the graph."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from clew_cypher.export.entity_chains import ChainEntity, ChainSentence
from clew_cypher.schema import VALUE_TYPES
from clew_ingest.parsing.entity_names import STOP_WORDS

GAP = "____"
"""Stands for the answer."""
STAND_IN = "X"
"""Stands for the bridge."""

_FOLLOWING = STOP_WORDS | frozenset(
    """
    along among around near since towards under upon whose across against including
    """.split()  # noqa: SIM905
)
"""Lower-case words after a name that do not make a compound of it; verbs may stand there too."""
_WORDS = (5, 35)
_PERSONAL = re.compile(r"\b(?:he|she|his|her|hers|him)\b", re.IGNORECASE)
_NEUTER = re.compile(r"\b(?:it|its)\b", re.IGNORECASE)
_POINTING = re.compile(
    r"\b(?:they|their|theirs|them|this|these|those|such|i|we|our|us|my|you|your)\b",
    re.IGNORECASE,
)
_UNKNOWN_SUBJECT = re.compile(r"(?:The|Another|Other|Both|There|Here) (?![a-z]+ [A-Z])(?=[a-z])")
"""Begins a sentence about something that an earlier one named: "The ship", "Another storm"."""
_DEBRIS = re.compile(r"\(\s*[;:,)\]]|[\[\]:;,]\s*\)|\bX\b|__|##|\n")
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|could|became|began|wrote|won|made|led|built|"
    r"held|went|took|gave|left|met|sold|[a-z]+ed|[a-z]{3,}s)\b"
)
VERB = re.compile(
    r"(?:also |later |originally |still |once |now |soon |first |then )?"
    r"(?:is|was|has|had|will|would|can|could|became|lies|began|won|wrote|made|led|built|held|"
    r"went|took|gave|left|ran|met|grew|sold|bought|found|kept|taught|fought|rose|sank|stood|"
    r"lived|died|sang|drew|came|brought|spent|cut|put|set|saw|knew|stands|plays|serves|has|"
    r"[a-z]+ed)\b"
)
"""A verb that follows a subject in the singular."""
_ARTICLE = r"(?:\b[Tt]he\s+)?"
_TOKEN = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Span:
    """The characters [start, end) of a sentence that name an entity, its article included."""

    start: int
    end: int
    entity: str


def spans_of(sentence: ChainSentence) -> list[Span] | None:
    """Return where a sentence names its entities; None where names overlap so that it is unclear.

    A name that is part of a longer one ("Stavanholm" in "Stavanholm Polytechnic") is not counted.
    """
    found: list[Span] = []
    names = sorted(
        ((name, entity.id) for entity in sentence.entities for name in spellings(entity)),
        key=lambda pair: (-len(pair[0]), pair),
    )
    for name, id_ in names:
        for match in re.finditer(rf"{_ARTICLE}(?<!\w){re.escape(name)}(?!\w)", sentence.text):
            span = Span(match.start(), match.end(), id_)
            clash = [s for s in found if s.start < span.end and span.start < s.end]
            if not clash:
                found.append(span)
            elif any(s.start > span.start or s.end < span.end for s in clash):
                return None
    return sorted(found, key=lambda span: span.start)


def masked(sentence: ChainSentence, spans: Iterable[Span], masks: dict[str, str]) -> str:
    """Return the sentence with the entities of ``masks`` (by id) replaced."""
    pieces, position = [], 0
    for span in spans:
        if span.entity in masks:
            pieces += [sentence.text[position : span.start], masks[span.entity]]
            position = span.end
    return "".join([*pieces, sentence.text[position:]])


def stands_alone(sentence: ChainSentence, spans: list[Span]) -> bool:
    """Say whether a sentence can be understood without those around it.

    It is a whole sentence of a usual length, about something that it names itself: what a pronoun
    may stand for comes before it.
    """
    text = sentence.text.strip()
    if not _WORDS[0] <= len(text.split()) <= _WORDS[1] or not _VERB.search(text):
        return False
    if text[-1] not in ".!" or not (text[0].isupper() or text[0].isdigit()):
        return False
    if text.count('"') % 2 or text.count("(") != text.count(")") or _DEBRIS.search(text):
        return False
    if _UNKNOWN_SUBJECT.match(text):
        return False
    types = {entity.id: entity.type for entity in sentence.entities}
    things = [span for span in spans if types[span.entity] not in VALUE_TYPES]
    people = [span for span in things if types[span.entity] == "PERSON"]
    others = [span for span in things if types[span.entity] != "PERSON"]
    return all(
        _comes_first(sentence.text, named, pronoun)
        for named, pronoun in ((things, _POINTING), (people, _PERSONAL), (others, _NEUTER))
    )


def is_apart(text: str, span: Span) -> bool:
    """Say whether a name stands for itself, and is no part of a compound or of an aside.

    Not so: "the Stavanholm Flood", "a Vietnam-based film", "(IATA: YVR)", "Moscow newspapers".
    """
    before, after = text[: span.start], text[span.end :]
    if re.search(r"[\w\-–/'’\"“:]$|\b[Aa]n? $", before) or before.count("(") > before.count(")"):
        return False
    # a full stop that is not the last is that of an abbreviation
    if re.match(r"[\w\-–/\"”]| [A-Z\"“]|\.(?=.)|['’](?!s\b)", after):
        return False
    following = re.match(r" ([a-z]+)", after)
    return following is None or following[1] in _FOLLOWING or bool(VERB.match(after, 1))


def _comes_first(text: str, spans: list[Span], pronoun: re.Pattern[str]) -> bool:
    found = pronoun.search(text)
    return found is None or bool(spans and spans[0].end <= found.start())


def spellings(entity: ChainEntity) -> list[str]:
    """Return every way an entity is written: its name, and what its chunk calls it."""
    return list(dict.fromkeys((entity.name, *entity.surfaces)))


def gives_away(text: str, entity: ChainEntity) -> bool:
    """Say whether a text holds a word of the entity's names, such as its surname alone."""
    named = " ".join((entity.key, *entity.aliases, *spellings(entity)))
    telling = {word for word in _words(named) if len(word) > 2 and word not in STOP_WORDS}
    return bool(telling & _words(text))


def holds(text: str, entity: ChainEntity) -> bool:
    """Say whether a text names the entity."""
    folded = _folded(text)
    return any(_folded(name) in folded for name in spellings(entity))


def _words(text: str) -> set[str]:
    return set(_TOKEN.findall(_folded(text)))


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))
