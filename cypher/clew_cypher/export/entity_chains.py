"""Chains over a shared entity: two sentences of two documents that name the same thing (QS-5).

Source: QSGNN §3.3: from (sbj i, verb i, ent) in document i and (ent, verb j, obj j) in document j
follows the chain (sbj i, verb i, ent, verb j, obj j). Here a sentence with its entities stands for
the triple. Only what is asked for is kept in memory, whatever the size of the corpus.
"""

import hashlib
import heapq
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew_cypher.schema import VALUE_TYPES
from clew_cypher.store import GraphStore, Row

HUB_CHUNKS = 20
"""An entity in more chunks is too common to be asked about, or to lead from one to another."""
SENTENCES = 16
"""Sentences of one entity that are looked at."""
BATCH = 50
"""Entities read at a time."""


@dataclass(frozen=True)
class ChainEntity:
    """An entity as a sentence names it; ``surfaces``: how its chunk spells it, ``aliases``: other
    keys it goes by, ``chunk_count``: how many chunks hold it, more than ``HUB_CHUNKS`` of a hub."""

    id: str
    key: str
    name: str
    type: str
    aliases: tuple[str, ...]
    surfaces: tuple[str, ...]
    chunk_count: int


@dataclass(frozen=True)
class ChainSentence:
    """A sentence with its entities, in a chunk that mentions the entities ``mentioned`` (ids)."""

    text: str
    entities: tuple[ChainEntity, ...]
    chunk_id: str
    document_id: str
    title: str
    chunk_text: str
    mentioned: frozenset[str]

    def entity(self, id_: str) -> ChainEntity:
        """Return the entity of that id as this sentence names it."""
        return next(entity for entity in self.entities if entity.id == id_)


@dataclass(frozen=True)
class SharedEntity:
    """An entity of two chunks or more, and sentences that name it, of any of its documents."""

    id: str
    sentences: tuple[ChainSentence, ...]


@dataclass(frozen=True)
class EntityChain:
    """``first`` names the bridge; ``second``, in another document, names the bridge and the end.

    The chunk of ``first`` does not mention the end, so both are needed to get there.
    """

    first: ChainSentence
    bridge: str
    second: ChainSentence
    end: ChainEntity


def shared_entities(
    store: GraphStore, corpus: str, limit: int, seed: int
) -> Iterator[SharedEntity]:
    """Yield at most ``limit`` entities that several chunks name, drawn by ``seed``.

    The draw depends on the seed and the entities' names alone, not on the corpus' name nor on the
    order of its documents. Hubs and values are left out.
    """
    rows = store.stream(
        "shared_entity_keys",
        corpus=corpus,
        value_types=list(VALUE_TYPES),
        hub_chunks=HUB_CHUNKS,
    )
    drawn = heapq.nsmallest(limit, ((draw(seed, row["key"]), row["id"]) for row in rows))
    ids = [id_ for _, id_ in drawn]
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        sentences = _sentences(
            store.read("sentences_of_entities", corpus=corpus, ids=batch, hub_chunks=HUB_CHUNKS)
        )
        for id_ in batch:
            found = sorted(sentences.get(id_, ()), key=lambda s: draw(seed, f"{s.title}\n{s.text}"))
            yield SharedEntity(id_, tuple(found[:SENTENCES]))


def chains_over(shared: SharedEntity) -> Iterator[EntityChain]:
    """Yield the chains that turn on an entity.

    The end is no value and no hub, and is not named in the first sentence's chunk.
    """
    for first in shared.sentences:
        for second in shared.sentences:
            if second.document_id == first.document_id:
                continue
            for end in ends(second, shared.id):
                if end.id not in first.mentioned:
                    yield EntityChain(first, shared.id, second, end)


def ends(sentence: ChainSentence, bridge: str) -> list[ChainEntity]:
    """Return what a sentence names beside the bridge, without values and hubs."""
    return [
        entity
        for entity in sentence.entities
        if entity.id != bridge
        and entity.type not in VALUE_TYPES
        and entity.chunk_count <= HUB_CHUNKS
    ]


def draw(seed: int, text: str) -> bytes:
    """Return what a seeded draw orders ``text`` by: the same everywhere and always."""
    return hashlib.sha256(f"{seed}\n{text}".encode()).digest()


def _sentences(rows: Sequence[Row]) -> dict[str, list[ChainSentence]]:
    found: dict[str, list[ChainSentence]] = defaultdict(list)
    for row in rows:
        for text, entities in row["sentences"]:
            found[row["entity_id"]].append(
                ChainSentence(
                    text=text,
                    entities=tuple(_entity(*entity) for entity in entities),
                    chunk_id=row["chunk_id"],
                    document_id=row["document_id"],
                    title=row["title"],
                    chunk_text=row["text"],
                    mentioned=frozenset(row["mentioned"]),
                )
            )
    return found


def _entity(
    id_: str,
    key: str,
    name: str,
    type_: str,
    aliases: Sequence[str],
    surfaces: Sequence[str],
    chunk_count: int,
) -> ChainEntity:
    spelled = tuple(dict.fromkeys(surface for surface in surfaces if surface))
    return ChainEntity(id_, key, name, type_, tuple(aliases), spelled, chunk_count)
