"""Which entities are one thing: found here and now, and a person's say in it."""

from typing import TYPE_CHECKING, Any, get_args

from clew.errors import InvalidRequest
from clew.indexing.browsing import entity_info
from clew.results.resolution import (
    Decided,
    EntityDetail,
    EntityPassage,
    EntityTriple,
    Judgement,
    MergeInfo,
    NamedEntity,
    Resolution,
    ReviewInfo,
)
from clew_cypher.corpora import get_corpus
from clew_cypher.errors import UnknownEntity
from clew_cypher.resolution import merges as graph_merges
from clew_cypher.resolution.candidates import entity_groups
from clew_cypher.resolution.merges import MergeRow
from clew_cypher.resolution.reviews import (
    count_reviews,
    get_review,
    keep_apart,
    list_reviews,
    pair_id,
)
from clew_cypher.schema import ensure_schema
from clew_cypher.searching import entities as graph_entities
from clew_cypher.searching.entities import entities_by_id, find_entities
from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.resolution import resolving

if TYPE_CHECKING:
    from clew.resources.resources import Resources

ENTITY_PASSAGES = 50
ENTITY_TRIPLES = 200
"""How much of an entity its page shows."""


def resolve(resources: "Resources", corpus: str) -> Resolution:
    """Merge what is surely one thing, here and now; what is unsure waits for a person.

    Ingest does so at its end, unless the setting resolve_entities is off. Raises UnknownCorpus.
    """
    ensure_schema(resources.store, resources.embedder.dimension)
    found = resolving.resolve(resources.store, corpus, resources.embedder)
    return Resolution(
        documents=found.documents,
        entities=found.entities,
        merges=found.made,
        undone=found.undone,
        reviews=count_reviews(resources.store, corpus),
        seconds=found.seconds,
    )


def reviews(
    resources: "Resources", corpus: str, limit: int = 50, offset: int = 0
) -> list[ReviewInfo]:
    """Return a page of the pairs that wait for a person, likeliest first.

    Raises UnknownCorpus.
    """
    rows = list_reviews(resources.store, corpus, limit, offset)
    return [
        ReviewInfo(
            id=row["id"],
            a=_named(row["a"]),
            b=_named(row["b"]),
            score=row["score"],
            reasons=tuple(row["reasons"]),
        )
        for row in rows
    ]


def merges(
    resources: "Resources", corpus: str, limit: int = 50, offset: int = 0
) -> list[MergeInfo]:
    """Return a page of what was merged, newest first. Raises UnknownCorpus."""
    rows = graph_merges.list_merges(resources.store, corpus, limit, offset)
    return [_merge_info(row) for row in rows]


def count_merges(resources: "Resources", corpus: str) -> int:
    """Return how many merges there are. Raises UnknownCorpus."""
    get_corpus(resources.store, corpus)
    return graph_merges.count_merges(resources.store, corpus)


def count_waiting(resources: "Resources", corpus: str) -> int:
    """Return how many pairs wait for a person. Raises UnknownCorpus."""
    get_corpus(resources.store, corpus)
    return count_reviews(resources.store, corpus)


def entity(resources: "Resources", corpus: str, entity_id: str) -> EntityDetail:
    """Return an entity, or the one that it goes by, with its passages, triples and merges.

    Raises UnknownCorpus, UnknownEntity.
    """
    store = resources.store
    get_corpus(store, corpus)
    key = graph_entities.entity_under_id(store, corpus, entity_id)
    (row,) = graph_entities.entities_by_id(store, corpus, [key])
    return EntityDetail(
        entity=entity_info(row),
        aliases=tuple(row["aliases"]),
        passages=tuple(
            EntityPassage(**{**passage, "surfaces": tuple(passage["surfaces"])})
            for passage in graph_entities.entity_passages(store, corpus, key, ENTITY_PASSAGES)
        ),
        triples=tuple(
            EntityTriple(
                **{name: triple[name] for name in EntityTriple.model_fields if name != "text"},
                text=triple["ttr"],
            )
            for triple in graph_entities.entity_triples(store, corpus, key, ENTITY_TRIPLES)
        ),
        merges=tuple(_merge_info(row) for row in graph_merges.merges_of_entity(store, corpus, key)),
    )


def decide(resources: "Resources", corpus: str, review_id: str, verdict: Decided) -> Judgement:
    """Say of a pair that waits whether it is one thing.

    "same" merges, which can be undone; "different" keeps the two apart for good. What is sure by
    that is merged. Raises UnknownCorpus, UnknownReview, InvalidRequest.
    """
    if verdict not in get_args(Decided):
        raise InvalidRequest(
            f"{verdict!r} is no verdict.", remedy=f"There are: {', '.join(get_args(Decided))}."
        )
    get_corpus(resources.store, corpus)
    review = get_review(resources.store, corpus, review_id)
    if verdict == "same":
        return _merge(resources, corpus, review["a"], review["b"], review["reasons"])
    a, b = (_entity(resources, corpus, review[side]) for side in ("a", "b"))
    groups = [next(iter(entity_groups(resources.store, [side.id]))).ids for side in (a, b)]
    pairs = [(one, other) for one in groups[0] for other in groups[1]]
    keep_apart(resources.store, corpus, pairs)
    resolving.resolve_entities(resources.store, corpus, [a.id, b.id])
    return Judgement(verdict="different", a=a, b=b, merge_id=None)


def merge(resources: "Resources", corpus: str, a: str, b: str) -> Judgement:
    """Merge two entities, by id or by name, because a person says so; it can be undone.

    Raises UnknownCorpus, UnknownEntity, and InvalidRequest where a name is that of several or
    both are one already.
    """
    get_corpus(resources.store, corpus)
    one, other = _entity(resources, corpus, a), _entity(resources, corpus, b)
    if one.id == other.id:
        raise InvalidRequest(
            f"{a!r} and {b!r} are one entity already: {one.name}.",
            remedy="`clew entities merges` says why; `clew entities undo` parts them.",
        )
    return _merge(resources, corpus, one.id, other.id, ["a person said so"])


def undo_merge(resources: "Resources", corpus: str, merge_id: str) -> None:
    """Undo a merge: the graph is as before, and the same is not merged again.

    Raises UnknownCorpus, UnknownMerge.
    """
    merge = graph_merges.undo_merge(resources.store, corpus, merge_id)
    resolving.resolve_entities(
        resources.store, corpus, [merge["canonical_id"], *merge["merged_ids"]]
    )


def _merge_info(row: dict[str, Any]) -> MergeInfo:
    return MergeInfo(
        id=row["id"],
        canonical=_named(row["canonical"]),
        merged=tuple(_named(entity) for entity in row["merged"]),
        reasons=tuple(row["reasons"]),
        by=row["by"],
        created_at=row["created_at"],
    )


def _merge(resources: "Resources", corpus: str, a: str, b: str, reasons: list[str]) -> Judgement:
    one, other = _entity(resources, corpus, a), _entity(resources, corpus, b)
    # the one that more chunks hold gives the other its name
    first, second = sorted((one, other), key=lambda side: (-(side.chunks or 0), side.id))
    key = pair_id("g", corpus, a, b)
    row = MergeRow(key, first.id, (second.id,), tuple(reasons), "person")
    graph_merges.apply_merge(resources.store, corpus, row)
    resolving.resolve_entities(resources.store, corpus, [first.id])
    return Judgement(verdict="same", a=one, b=other, merge_id=key)


def _entity(resources: "Resources", corpus: str, text: str) -> NamedEntity:
    """Return the one entity whose id or name is ``text``."""
    rows = entities_by_id(resources.store, corpus, [text])
    if not rows:
        found = find_entities(resources.store, corpus, [normalise_name(text)])
        rows = [row for row in found if row["matched"] == "name"] or found
    if not rows:
        raise UnknownEntity(
            f"There is no entity {text!r} in the corpus {corpus!r}.",
            remedy="Give a name as documents write it, or an id of `clew entities review`.",
        )
    if len(rows) > 1:
        several = ", ".join(f"{row['id']} ({row['name']}, {row['type']})" for row in rows[:5])
        raise InvalidRequest(f"{text!r} names several: {several}.", remedy="Give an id.")
    return _named(rows[0])


def _named(row: dict[str, Any]) -> NamedEntity:
    return NamedEntity(
        id=row["id"],
        name=row["name"],
        type=row["type"],
        goes_by=row.get("goes_by"),
        chunks=row.get("chunk_count"),
    )
