"""Which entities a question names: the heads of the clues that it may be translated into (F.1)."""

import re
from collections.abc import Iterable, Iterator

from clew_cypher.training_passages import PassageEntity
from clew_ingest.entities import normalise_name

_WORD = re.compile(r"[^\W_]+")


def named_entities(question: str, entities: Iterable[PassageEntity]) -> dict[str, str]:
    """Return, by id, the entities that a question names, each as a clue has to write it.

    Case, accents and punctuation do not count. A name that is part of a longer one there
    ("Chicago" in "West Chicago") is not named. Written is the entity's name, or what the text calls
    it where the question does so too.
    """
    words = _words(question)
    places = [
        (start, start + len(name), entity.id, written)
        for entity in entities
        for name, written in _names(entity)
        for start in range(len(words) - len(name) + 1)
        if words[start : start + len(name)] == name
    ]
    places.sort(key=lambda place: place[0] - place[1])  # the longest first; else in order
    found: dict[str, str] = {}
    for start, end, id_, written in places:
        within = any(a <= start and end <= b and end - start < b - a for a, b, _, _ in places)
        if not within:
            found.setdefault(id_, written)
    return found


def is_called(entity: PassageEntity, names: Iterable[str]) -> bool:
    """Say whether an entity goes by one of ``names``."""
    keys = {_words(name) for name in names}
    return any(name in keys for name, _ in _names(entity))


def _names(entity: PassageEntity) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the words of each name of an entity, with how a clue writes it."""
    spelled = [(name, name) for name in (entity.name, *entity.surfaces)]
    spelled += [(alias, entity.name) for alias in entity.aliases]
    for name, written in spelled:
        if words := _words(name):
            yield words, written


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(normalise_name(text)))
