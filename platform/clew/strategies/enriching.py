"""Ranks chunks for a question to which a text was added: by meaning, by words, or by both.

    α·v_question + (1 − α)·v_added ─▶ nearest chunks
    the question, and the added words behind it ─▶ bm25

Source: KG-CQR, section 3.3 and Eq. 9 (KC-8).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.strategies.hybrid import nearest, ranked, worded
from clew.strategies.retrieval import Retrieval, Row


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
    """Return the words to search for: the question's, and behind them those that are added.

    A search takes 200 distinct words: behind a long question, fewer of what is added count.
    """
    return retrieval.words if added is None else f"{retrieval.words} {added.text}"


def _by_meaning(retrieval: Retrieval, added: AddedText | None, weight: float) -> list[Row]:
    return nearest(retrieval, _fused(retrieval, added, weight), retrieval.depth)


def _by_words(retrieval: Retrieval, added: AddedText | None, weight: float) -> list[Row]:
    return worded(retrieval, _longer(retrieval, added), retrieval.depth)


def _by_both(retrieval: Retrieval, added: AddedText | None, weight: float) -> list[Row]:
    return ranked(retrieval, _fused(retrieval, added, weight), _longer(retrieval, added))


RANKINGS: tuple[Ranked, ...] = (_by_meaning, _by_words, _by_both)
"""By meaning, by words, by both: in the order in which a method names its backbones."""
