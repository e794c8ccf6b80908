"""Ranks chunks for a question to which a text was added: by meaning, by words, or by both.

    α·v_question + (1 − α)·v_added ─▶ nearest chunks
    the question, and the added words behind it ─▶ bm25

Source: KG-CQR, section 3.3 and Eq. 9 (KC-8).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.strategies.hybrid import HybridOptions, combine
from clew.strategies.retrieval import Retrieval, Row
from clew_cypher.searching.vectors import nearest_chunks
from clew_cypher.searching.words import search_chunks

MOST_WORDS = 512
"""Words that are added to what is searched for: Lucene takes 1,024 clauses."""


@dataclass(frozen=True)
class AddedText:
    """What is added to a question. ``vector`` [D]: of unit length."""

    text: str
    vector: NDArray[np.float32]


Ranked = Callable[[Retrieval, AddedText | None, float], list[Row]]
"""(retrieval, what is added, α: the weight of the question's own vector) → chunks, best first."""


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a vector [D] at length one."""
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


def _fused(retrieval: Retrieval, added: AddedText | None, weight: float) -> NDArray[np.float32]:
    if added is None:
        return retrieval.vector
    return unit(weight * retrieval.vector + (1 - weight) * added.vector)


def _longer(retrieval: Retrieval, added: AddedText | None) -> str:
    if added is None:
        return retrieval.words
    return " ".join([retrieval.words, *added.text.split()[:MOST_WORDS]])


def _nearest(retrieval: Retrieval, added: AddedText | None, weight: float, count: int) -> list[Row]:
    vector = _fused(retrieval, added, weight)
    with retrieval.step("nearest chunks") as detail:
        rows = nearest_chunks(retrieval.resources.store, retrieval.corpus.name, vector, count)
        detail["chunks"] = len(rows)
    return rows


def _worded(retrieval: Retrieval, added: AddedText | None, count: int) -> list[Row]:
    words = _longer(retrieval, added)
    with retrieval.step("search words") as detail:
        rows = search_chunks(retrieval.resources.store, retrieval.corpus.name, words, count)
        detail["chunks"] = len(rows)
    return rows


def _by_meaning(retrieval: Retrieval, added: AddedText | None, weight: float) -> list[Row]:
    return _nearest(retrieval, added, weight, retrieval.k)


def _by_words(retrieval: Retrieval, added: AddedText | None, weight: float) -> list[Row]:
    return _worded(retrieval, added, retrieval.k)


def _by_both(retrieval: Retrieval, added: AddedText | None, weight: float) -> list[Row]:
    own = retrieval.resources.settings.options(HybridOptions)
    pool = max(retrieval.k, own.pool)
    near = _nearest(retrieval, added, weight, pool)
    return combine(near, _worded(retrieval, added, pool), own.dense_weight)


RANKINGS: tuple[Ranked, ...] = (_by_meaning, _by_words, _by_both)
"""By meaning, by words, by both: in the order in which a method names its backbones."""
