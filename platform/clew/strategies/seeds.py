"""Where a walk through the graph begins: the entities of the question, and the best dense chunks.

Both PageRank strategies use it. Entities: what the question names (NER, capitalised and quoted
spans), found by normalised name and alias, else the nearest entity embedding; each weighs
1 / its document frequency, together 1. Chunks: mass w on the 100 nearest, in proportion to their
min–max score; where no entity was found, all the mass is theirs.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from clew.results.evidence import SeedEntity
from clew.strategies.hybrid import min_max
from clew.strategies.retrieval import Retrieval, Row
from clew_cypher.corpora import Corpus
from clew_cypher.searching.entities import find_entities
from clew_cypher.searching.projections import VALUE_TYPES
from clew_cypher.searching.vectors import nearest_chunk_ids, nearest_entities_each
from clew_ingest.parsing.entity_names import normalise_name

if TYPE_CHECKING:
    from clew.resources.resources import Resources

DENSE_SEEDS = 100
"""Chunks that share the mass w."""
MENTIONS = 50
"""Names of one question that are looked up; the longest."""
_NUMBER = re.compile(r"[0-9]{1,18}")
_MIXED = re.compile(r"(?<![^\W_])(?!\d+(?:st|nd|rd|th)\b)(?:\d+[^\W\d_]|[^\W\d_]+\d)[^\W_]*")
"""Letters and digits in one, "0x5c", but for ordinals."""
NEAREST = 10
"""Entities looked at to find the nearest that is no date, number or amount."""


@dataclass(frozen=True)
class Seeds:
    """Masses by id: ``entities`` sum to 1 (or are none), ``chunks`` to w (or to 1).

    ``cosines``: how near each of the nearest chunks is to the question, by id. ``mentions``: what
    the question names, whether it was found or not.
    """

    entities: dict[str, float]
    chunks: dict[str, float]
    cosines: dict[str, float]
    found: tuple[SeedEntity, ...]
    mentions: tuple[str, ...] = ()

    @property
    def masses(self) -> dict[str, float]:
        """All masses, scaled to sum to 1."""
        both = self.entities | self.chunks
        total = sum(both.values())
        return {id_: mass / total for id_, mass in both.items()} if total else {}


def find_seeds(retrieval: Retrieval, dense_weight: float) -> Seeds:
    """Return the seeds of the retrieval's question; ``dense_weight``: w."""
    store, corpus = retrieval.resources.store, retrieval.corpus.name
    mentions = _mentions(retrieval)
    found = _entities(retrieval, mentions)
    vector = retrieval.vector  # before the step: embedding is a step of its own
    with retrieval.step("nearest chunks") as detail:
        rows = nearest_chunk_ids(store, corpus, vector, DENSE_SEEDS)
        detail["chunks"] = len(rows)
    return Seeds(
        entities={seed.id: seed.weight for seed in found},
        chunks=chunk_masses(rows, dense_weight if found else 1.0),
        cosines={row["id"]: row["score"] for row in rows},
        found=found,
        mentions=tuple(mentions),
    )


def question_entities(retrieval: Retrieval) -> tuple[SeedEntity, ...]:
    """Return the entities of the graph that the retrieval's question names (KT-7, for one)."""
    return _entities(retrieval, _mentions(retrieval))


def _mentions(retrieval: Retrieval) -> list[str]:
    with retrieval.step("question entities") as detail:
        mentions = retrieval.resources.parser.question_mentions(retrieval.question)[:MENTIONS]
        detail["mentions"] = mentions
    return mentions


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
        named = entities_named(retrieval.resources, retrieval.corpus, keys)
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


def entities_named(resources: "Resources", corpus: Corpus, keys: Iterable[str]) -> list[Row]:
    """Return the rows of `find_entities`; each key is looked up once a question, though both its
    spelling and its seeds need to know.
    """

    def look_up(missing: Sequence[str]) -> list[list[Row]]:
        rows: dict[str, list[Row]] = {key: [] for key in missing}
        for row in find_entities(resources.store, corpus.name, missing):
            rows[row["asked"]].append(row)
        return list(rows.values())

    distinct = list(dict.fromkeys(keys))
    found = resources.remembered(("entities named", corpus), distinct, look_up)
    return [row for rows in found for row in rows]


def nearest_named(
    resources: "Resources",
    corpus: Corpus,
    keys: Sequence[str],
    vectors: NDArray[np.float32],
) -> list[Row | None]:
    """Return the nearest entity of each name by embedding that is no date, number or amount.

    None where none of the nearest is near enough to be the same thing, or has other numbers in its
    name. ``vectors`` [N, D]: of the ``keys``; looked up once a question, as `entities_named`.
    """
    vector_of = dict(zip(keys, vectors, strict=True))

    def look_up(missing: Sequence[str]) -> list[Row | None]:
        asked = [vector_of[key] for key in missing]
        rows = nearest_entities_each(resources.store, corpus.name, asked, NEAREST)
        least = resources.settings.seed_similarity
        return [_near_enough(key, found, least) for key, found in zip(missing, rows, strict=True)]

    kind = ("nearest named", corpus, resources.settings.seed_similarity)
    return resources.remembered(kind, keys, look_up)


def _near_enough(key: str, rows: Sequence[Row], least: float) -> Row | None:
    fitting = (row for row in rows if row["type"] not in VALUE_TYPES)
    row = next((row for row in fitting if not told_apart(key, row["name"])), None)
    return row if row is not None and row["score"] >= least else None


def told_apart(one: str, other: str) -> bool:
    """Say whether two names have numbers that tell them apart, as "Apollo 11" and "Apollo 12", or
    0x5c and 0xf5."""
    for run in (_NUMBER, _MIXED):
        found, others = (set(run.findall(name.casefold())) for name in (one, other))
        found, others = ({part.lstrip("0") for part in parts} for parts in (found, others))
        if not (found <= others or others <= found):
            return True
    return False


def _nearest(retrieval: Retrieval, keys: Sequence[str]) -> list[tuple[str, Row]]:
    """Return each key's nearest entity, where it is near enough to be the same thing."""
    if not keys:
        return []
    resources = retrieval.resources
    vectors = retrieval.embed_with(keys)
    with retrieval.step("nearest entities") as detail:
        found = nearest_named(resources, retrieval.corpus, keys, vectors)
        near = [(key, row) for key, row in zip(keys, found, strict=True) if row is not None]
        detail["entities"] = len(near)
    return near
