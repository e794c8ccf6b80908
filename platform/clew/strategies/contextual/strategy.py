"""contextual (KG-CQR): the question is enriched with what the graph knows, then retrieval runs.

    question ─▶ subgraph ─▶ context ─▶ α·v_q + (1 − α)·v_context, or words behind the question

Source: KG-CQR, sections 3.2.3 and 3.3 (KC-7, KC-8). Without a language model the context is what
the triples' texts say, in the order of the subgraph; its vector is the mean of theirs, which are in
the graph: one text of all would be cut off where the embedder's window ends.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.results.evidence import Evidence
from clew.strategies.base import Tell, untold
from clew.strategies.contextual.asking import WRITER, told
from clew.strategies.contextual.explanation import explain
from clew.strategies.contextual.fitted import options_for
from clew.strategies.contextual.options import ContextualOptions
from clew.strategies.contextual.spec import SPEC
from clew.strategies.contextual.subgraph import QuestionGraph, question_graph
from clew.strategies.hybrid import HybridOptions, combine
from clew.strategies.retrieval import Retrieval, Row
from clew_cypher.searching.triples import triple_vectors
from clew_cypher.searching.vectors import nearest_chunks
from clew_cypher.searching.words import search_chunks

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew_models.language_model import LanguageModel

MOST_WORDS = 512
"""Words of the context that are searched for: Lucene takes 1,024 clauses."""


@dataclass(frozen=True)
class ContextText:
    """What is added to the question. ``sentences``: each with the triples behind it; ``vector``
    [D]: of unit length.
    """

    sentences: Sequence[tuple[str, Sequence[Row]]]
    vector: NDArray[np.float32]


class Contextual:
    """Ranks chunks by another strategy, for the question with its context."""

    def __init__(self, resources: "Resources", backbone: str) -> None:
        self.name = SPEC.name if backbone == SPEC.backbones[0] else f"{SPEC.name}:{backbone}"
        self._resources = resources
        self._ranked = BACKBONES[backbone]

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> Evidence:
        """Return the best ``k`` chunks; their scores are the backbone's. Raises
        LanguageModelUnavailable.
        """
        retrieval = Retrieval(self._resources, self.name, question, corpus, k, tell)
        options = options_for(self._resources, corpus)
        model = self._model(options)
        found = question_graph(retrieval, options, model)
        if not found.triples:
            retrieval.notice("The corpus has no triples, so nothing was added to the question.")
        context = _context(retrieval, found, model) if found.triples else None
        rows = self._ranked(retrieval, context, options)
        cards = explain(retrieval, found, context.sentences, rows) if context else []
        return retrieval.evidence(rows, cards=cards)

    def _model(self, options: ContextualOptions) -> "LanguageModel | None":
        unset = options.model == "auto" and not self._resources.settings.llm_model
        if options.model == "none" or unset:
            return None
        return self._resources.language_model(WRITER)


def _context(
    retrieval: Retrieval, found: QuestionGraph, model: "LanguageModel | None"
) -> ContextText:
    """Return what the subgraph says, as the language model sums it up, or as it stands."""
    with retrieval.step("context") as detail:
        detail["by"] = "the triples' texts" if model is None else model.name
        written = told(retrieval, model, found.triples) if model else None
        detail["sentences"] = len(written or found.triples)
    if written:
        (vector,) = retrieval.embed_with([" ".join(text for text, _ in written)])
        return ContextText(written, vector)
    behind: dict[str, list[Row]] = {}
    for row in found.triples:
        behind.setdefault(row["ttr"], []).append(row)
    first = [rows[0]["id"] for rows in behind.values()]
    store, corpus = retrieval.resources.store, retrieval.corpus
    vectors = triple_vectors(store, corpus.name, first, corpus.dimension)
    mean = vectors.mean(axis=0) if len(vectors) else retrieval.vector
    return ContextText(list(behind.items()), _unit(mean))


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


def _fused(retrieval: Retrieval, context: ContextText | None, weight: float) -> NDArray[np.float32]:
    """Return the question's vector with its context's (Eq. 9), of unit length."""
    if context is None:
        return retrieval.vector
    return _unit(weight * retrieval.vector + (1 - weight) * context.vector)


def _longer(retrieval: Retrieval, context: ContextText | None) -> str:
    """Return the question with the words of its context behind it (section 3.3, for BM25)."""
    if context is None:
        return retrieval.question
    words = " ".join(text for text, _ in context.sentences).split()
    return " ".join([retrieval.question, *words[:MOST_WORDS]])


def _nearest(
    retrieval: Retrieval, context: ContextText | None, options: ContextualOptions, count: int
) -> list[Row]:
    vector = _fused(retrieval, context, options.weight)
    with retrieval.step("nearest chunks") as detail:
        rows = nearest_chunks(retrieval.resources.store, retrieval.corpus.name, vector, count)
        detail["chunks"] = len(rows)
    return rows


def _worded(retrieval: Retrieval, context: ContextText | None, count: int) -> list[Row]:
    words = _longer(retrieval, context)
    with retrieval.step("search words") as detail:
        rows = search_chunks(retrieval.resources.store, retrieval.corpus.name, words, count)
        detail["chunks"] = len(rows)
    return rows


def _dense(
    retrieval: Retrieval, context: ContextText | None, options: ContextualOptions
) -> list[Row]:
    return _nearest(retrieval, context, options, retrieval.k)


def _bm25(
    retrieval: Retrieval, context: ContextText | None, options: ContextualOptions
) -> list[Row]:
    return _worded(retrieval, context, retrieval.k)


def _hybrid(
    retrieval: Retrieval, context: ContextText | None, options: ContextualOptions
) -> list[Row]:
    own = retrieval.resources.settings.options(HybridOptions)
    pool = max(retrieval.k, own.pool)
    dense = _nearest(retrieval, context, options, pool)
    return combine(dense, _worded(retrieval, context, pool), own.dense_weight)


BACKBONES: dict[str, Callable[[Retrieval, ContextText | None, ContextualOptions], list[Row]]] = {
    "dense": _dense,
    "bm25": _bm25,
    "hybrid": _hybrid,
}
