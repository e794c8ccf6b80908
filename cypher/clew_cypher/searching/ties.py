"""How the graph ties an entity to a chunk, and the sentences that say so: an explanation."""

from collections.abc import Collection
from dataclasses import dataclass

from clew_cypher.store import GraphStore


@dataclass(frozen=True)
class ToldSentence:
    """A sentence with its text and its chunk."""

    id: str
    chunk_id: str
    text: str


@dataclass(frozen=True)
class Naming:
    """A sentence that names a document by its title; ``chunk_id``: a chunk of that document."""

    sentence_id: str
    document_id: str
    chunk_id: str
    title: str


@dataclass(frozen=True)
class Tie:
    """An entity and a chunk. ``mentioned``: the chunk mentions it; ``naming``: a sentence of the
    chunk names a document that is titled by it."""

    name: str
    mentioned: bool
    naming: Naming | None


def entity_ties(
    store: GraphStore, corpus: str, pairs: Collection[tuple[str, str]]
) -> dict[tuple[str, str], Tie]:
    """Return the ties of pairs (entity id, chunk id); those that are gone are left out."""
    if not pairs:
        return {}
    rows = store.read("entity_ties", corpus=corpus, pairs=[list(pair) for pair in sorted(pairs)])
    return {
        (row["entity_id"], row["chunk_id"]): Tie(
            row["name"], row["mentioned"], Naming(*row["naming"]) if row["naming"] else None
        )
        for row in rows
    }


def sentences_by_id(
    store: GraphStore, corpus: str, ids: Collection[str]
) -> dict[str, ToldSentence]:
    """Return sentences by their ids; those that are gone are left out."""
    if not ids:
        return {}
    rows = store.read("sentences_by_id", corpus=corpus, ids=sorted(ids))
    return {row["id"]: ToldSentence(row["id"], row["chunk_id"], row["text"]) for row in rows}


@dataclass(frozen=True)
class Joint:
    """A relationship as it is directed in the graph; ``id`` and ``sentence_id``: of a triple."""

    source: str
    target: str
    kind: str
    id: str | None
    sentence_id: str | None


def joints_between(
    store: GraphStore,
    corpus: str,
    entity_pairs: Collection[tuple[str, str]],
    sentence_pairs: Collection[tuple[str, str]],
) -> dict[tuple[str, str], list[Joint]]:
    """Return the relationships that join pairs of nodes; pairs that nothing joins are left out.

    ``entity_pairs``: an entity, and an entity, a sentence or a chunk; ``sentence_pairs``: a
    sentence, and a sentence or a chunk. A sentence that names the document of a chunk is joined to
    it by two relationships, over the document.
    """
    found: dict[tuple[str, str], list[Joint]] = {}
    if not entity_pairs and not sentence_pairs:
        return found
    (row,) = store.read(
        "relationships_between",
        corpus=corpus,
        entity_pairs=[list(pair) for pair in sorted(entity_pairs)],
        sentence_pairs=[list(pair) for pair in sorted(sentence_pairs)],
    )
    for first, second, *joint in row["joints"]:
        found.setdefault((first, second), []).append(Joint(*joint))
    return found
