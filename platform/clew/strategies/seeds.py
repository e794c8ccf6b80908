"""Where a walk through the graph begins: the entities of the question, and the best dense chunks.

Both PageRank strategies use it. Entities: what the question names (NER, capitalised and quoted
spans), found by normalised name and alias, else the nearest entity embedding; each weighs
1 / its document frequency, together 1. Chunks: mass w on the 100 nearest, in proportion to their
min–max score; where no entity was found, all the mass is theirs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from clew.evidence import SeedEntity
from clew.strategies.hybrid import min_max
from clew.strategies.retrieval import Retrieval, Row
from clew_cypher.entities import find_entities
from clew_cypher.projections import VALUE_TYPES
from clew_cypher.vector_search import nearest_chunk_ids, nearest_entities_each
from clew_ingest.entities import normalise_name

DENSE_SEEDS = 100
"""Chunks that share the mass w."""
MENTIONS = 50
"""Names of one question that are looked up; the longest."""
NEAREST = 10
"""Entities looked at to find the nearest that is no date, number or amount."""


@dataclass(frozen=True)
class Seeds:
    """Masses by id: ``entities`` sum to 1 (or are none), ``chunks`` to w (or to 1).

    ``cosines``: how near each of the nearest chunks is to the question, by id.
    """

    entities: dict[str, float]
    chunks: dict[str, float]
    cosines: dict[str, float]
    found: tuple[SeedEntity, ...]

    @property
    def masses(self) -> dict[str, float]:
        """All masses, scaled to sum to 1."""
        both = self.entities | self.chunks
        total = sum(both.values())
        return {id_: mass / total for id_, mass in both.items()} if total else {}


def find_seeds(retrieval: Retrieval, dense_weight: float) -> Seeds:
    """Return the seeds of the retrieval's question; ``dense_weight``: w."""
    store, corpus = retrieval.context.store, retrieval.corpus.name
    found = question_entities(retrieval)
    with retrieval.step("nearest chunks") as detail:
        rows = nearest_chunk_ids(store, corpus, retrieval.vector, DENSE_SEEDS)
        detail["chunks"] = len(rows)
    return Seeds(
        entities={seed.id: seed.weight for seed in found},
        chunks=chunk_masses(rows, dense_weight if found else 1.0),
        cosines={row["id"]: row["score"] for row in rows},
        found=found,
    )


def question_entities(retrieval: Retrieval) -> tuple[SeedEntity, ...]:
    """Return the entities of the graph that the retrieval's question names (KT-7, for one)."""
    with retrieval.step("question entities") as detail:
        mentions = retrieval.context.parser.question_mentions(retrieval.question)[:MENTIONS]
        detail["mentions"] = mentions
    return _entities(retrieval, mentions)


def chunk_masses(rows: Sequence[Row], mass: float) -> dict[str, float]:
    """Return ``mass`` shared by the chunks in proportion to their min–max score."""
    scaled = min_max([row["score"] for row in rows])
    total = sum(scaled)
    return {
        row["id"]: mass * share / total for row, share in zip(rows, scaled, strict=True) if share
    }


def _entities(retrieval: Retrieval, mentions: Sequence[str]) -> tuple[SeedEntity, ...]:
    by_key = {normalise_name(mention): mention for mention in reversed(mentions)}
    by_key.pop("", None)
    keys = [key for key in map(normalise_name, mentions) if key in by_key]
    with retrieval.step("find entities") as detail:
        named = find_entities(retrieval.context.store, retrieval.corpus.name, keys)
        rows = [row for row in named if row["type"] not in VALUE_TYPES]
        matched = {row["asked"] for row in rows}
        detail["entities"] = len(rows)
    nearest = _nearest(retrieval, [key for key in keys if key not in matched])
    found: dict[str, tuple[Row, str, Literal["name", "alias", "embedding"]]] = {}
    for row in rows:
        found.setdefault(row["id"], (row, row["asked"], row["matched"]))
    for key, row in nearest:
        found.setdefault(row["id"], (row, key, "embedding"))
    inverse = {id_: 1 / max(row["chunk_count"], 1) for id_, (row, _, _) in found.items()}
    total = sum(inverse.values())
    return tuple(
        SeedEntity(
            id=id_,
            name=row["name"],
            mention=by_key[key],
            match=match,
            weight=inverse[id_] / total,
        )
        for id_, (row, key, match) in found.items()
    )


def _nearest(retrieval: Retrieval, keys: Sequence[str]) -> list[tuple[str, Row]]:
    """Return each key's nearest entity, where it is near enough to be the same thing."""
    vectors = retrieval.embed_with(keys)
    if not keys:
        return []
    context = retrieval.context
    near: list[tuple[str, Row]] = []
    with retrieval.step("nearest entities") as detail:
        candidates = nearest_entities_each(
            context.store, retrieval.corpus.name, list(vectors), NEAREST
        )
        for key, rows in zip(keys, candidates, strict=True):
            nearest = next((row for row in rows if row["type"] not in VALUE_TYPES), None)
            if nearest is not None and nearest["score"] >= context.settings.seed_similarity:
                near.append((key, nearest))
        detail["entities"] = len(near)
    return near
