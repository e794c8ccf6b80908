"""The part of the graph that enriches a question (KC-3 to KC-6): retrieved, filtered, completed.

    question ─▶ nearest triples ─▶ filter ─▶ beam search between their entities ─▶ triples of paths

Source: KG-CQR, section 3.2.1 and 3.2.2, algorithms 1 and 2. Ours: a triple of an entity that the
question names counts as somewhat nearer.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from clew.strategies.contextual.asking import relevant
from clew.strategies.contextual.options import ContextualOptions
from clew.strategies.retrieval import Retrieval, Row
from clew.strategies.seeds import question_entities
from clew_cypher.searching.entities import entities_by_id
from clew_cypher.searching.triples import (
    Surroundings,
    TriplePath,
    every_path_between,
    nearest_triples,
    new_triples,
    paths_between,
    triples_by_id,
)

if TYPE_CHECKING:
    from clew_models.language_model import LanguageModel

ENDS = ("head_entity", "tail_entity")
EVERY = 1_000_000
"""More triples than an entity has that is no hub."""
MOST_PATHS = 100_000
"""Paths of one length that a breadth-first search goes on with."""
FEWEST_KEPT = 3
"""Triples that the gap rule keeps at least."""


@dataclass(frozen=True)
class QuestionGraph:
    """Triples as `nearest_triples` returns them. ``kept``: near the question, nearest first;
    ``dropped``: how many more the filter left out; ``added``: by completion, best path first.
    """

    kept: Sequence[Row]
    dropped: int
    added: Sequence[Row]

    @property
    def triples(self) -> list[Row]:
        """All of them, the kept ones first."""
        return [*self.kept, *self.added]


def question_graph(
    retrieval: Retrieval, options: ContextualOptions, model: "LanguageModel | None"
) -> QuestionGraph:
    """Return the subgraph of a question; empty where the corpus has no triples."""
    store, corpus = retrieval.resources.store, retrieval.corpus.name
    near, nearness = _near(retrieval, options)
    kept = near
    if options.filtered and near:
        with retrieval.step("filter") as detail:
            detail["by"] = "gap" if model is None else model.name
            kept = (
                near[: before_gap(nearness)] if model is None else relevant(retrieval, model, near)
            )
            detail["kept"] = len(kept)
    added: list[Row] = []
    if options.completed and kept:
        with retrieval.step("completion") as detail:
            ends = [row[end]["id"] for row in kept for end in ENDS]
            paths = _paths(retrieval, options, ends)
            new = new_triples(paths, [row["id"] for row in kept], options.added)
            known = triples_by_id(store, corpus, new)
            added = [known[id_] for id_ in new if id_ in known]
            detail["entities"] = len(set(ends))
            detail["paths"] = len(paths)
            detail["added"] = len(added)
    return QuestionGraph(kept, len(near) - len(kept), added)


def _near(retrieval: Retrieval, options: ContextualOptions) -> tuple[list[Row], list[float]]:
    """Return the triples nearest to the question, and how near each counts: its cosine, and more
    where the question names one of its entities; of an entity with many triples one says less.
    """
    store, corpus, vector = retrieval.resources.store, retrieval.corpus.name, retrieval.vector
    named = question_entities(retrieval) if options.named else ()
    with retrieval.step("nearest triples") as detail:
        found = {row["id"]: row for row in nearest_triples(store, corpus, vector, options.triples)}
        around = Surroundings(store, corpus, vector)
        around.read([entity.id for entity in named])
        rows = entities_by_id(store, corpus, [entity.id for entity in named])
        counts = {row["id"]: row["triple_count"] for row in rows}
        gains: dict[str, float] = {}
        cosines: dict[str, float] = {}
        for entity in named:
            gain = options.named / math.log(math.e + counts.get(entity.id, 0))
            for way in around.ways(entity.id):
                gains[way.triple] = max(gain, gains.get(way.triple, 0.0))
                cosines[way.triple] = way.score
        further = sorted(cosines.keys() - found.keys(), key=lambda id_: (-cosines[id_], id_))
        for id_, row in triples_by_id(store, corpus, further[: options.triples]).items():
            found[id_] = row | {"score": cosines[id_]}
        nearness = {id_: row["score"] + gains.get(id_, 0.0) for id_, row in found.items()}
        best = sorted(found, key=lambda id_: (-nearness[id_], id_))[: options.triples]
        detail["triples"] = len(best)
        detail["of what is named"] = len(gains.keys() & set(best))
    return [found[id_] for id_ in best], [nearness[id_] for id_ in best]


def _paths(
    retrieval: Retrieval, options: ContextualOptions, ends: Sequence[str]
) -> Sequence[TriplePath]:
    store, corpus = retrieval.resources.store, retrieval.corpus.name
    if options.search == "beam":
        around = Surroundings(store, corpus, retrieval.vector)
        return paths_between(around, ends, options.width, options.length)
    around = Surroundings(store, corpus, retrieval.vector, fan=EVERY)
    paths, whole = every_path_between(around, ends, options.length, MOST_PATHS)
    if not whole:
        retrieval.notice(
            f"The breadth-first search went on with {MOST_PATHS:,} paths of a length; there are "
            "more."
        )
    return paths


def before_gap(nearness: Sequence[float]) -> int:
    """Return how many stand before the widest gap between neighbours; ``nearness`` falls.

    Ours, where no language model says what is relevant: at least FEWEST_KEPT are kept.
    """
    gaps = [before - after for before, after in pairwise(nearness)][FEWEST_KEPT - 1 :]
    return FEWEST_KEPT + gaps.index(max(gaps)) if gaps else len(nearness)
