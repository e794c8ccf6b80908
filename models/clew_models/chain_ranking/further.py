"""Passages past the best ones that have what their sentences lead to: a second search.

    best sentences ─▶ their words ─▶ passages that hold them, among all of the corpus ─▶ the best

Where thousands of papers are alike, the register that a row leads to ("By: M. Pell" to "Name: Mara
Pell") is not near to the question and shares no recognised name with that row, and so is not among
the best. Of a sentence s of the best passages and a passage c of the others, as of two sentences in
`clew_models.leads`,

    score(s, c) = qidf(s ∪ c) + cos(q, s) + cos(q, c) + BRIDGE min(held(s, c) / HELD_WHOLE, 1)

cos(q, c): of its nearest sentence; idf: that of the corpus' passages (`ChainArrays.word_idf`), of
what leads on in parts of that of a word that two have; a word that more than a hundredth have, and
more than twenty, leads nowhere. A passage counts with its best sentence s.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew_models.chain_ranking.arrays import ChainArrays
from clew_models.chain_ranking.question import Asked, Floats64, Rows
from clew_models.leads import (
    BRIDGE,
    HELD_LEAST,
    HELD_WHOLE,
    SHORTEST,
    SMALLEST,
    SOURCES,
    Passage,
)
from clew_models.words import FUNCTION_WORDS, content_words, words_of

LEADING_SENTENCES = 8
"""Sentences of the best passages that others are sought from, the nearest to the question."""
COMMON_SHARE, COMMON = 0.01, 20
"""Of the corpus' passages, and so many: a word that more of them have leads nowhere."""


def further_chunks(
    arrays: ChainArrays,
    asked: Asked,
    question: str,
    best: Sequence[Passage],
    others: NDArray[np.bool_],
    limit: int,
) -> Rows:
    """Return the best ``limit`` of ``others`` [C], rows of chunks, by what leads there from one of
    the passages ``best``, which are given best ranked first.
    """
    if not others.any():
        return np.zeros(0, dtype=np.int64)
    words = set(content_words(question))
    weights = asked.word_idf / max(float(asked.word_idf.sum()), SMALLEST)
    having = np.zeros((len(weights), len(others)), dtype=bool)
    _, chunks, word = arrays.places_of(asked.word_rows)
    having[word, chunks] = True
    spoken = [str(word) for word in arrays.words[asked.word_rows]]
    sentences = []
    for passage in best[:SOURCES]:
        title = set(words_of(passage.title))
        for text, cosine in passage.sentences:
            said = dict.fromkeys(words_of(text))
            has = np.array([one in said or one in title for one in spoken], dtype=bool)
            sentences.append((cosine + float(weights[has].sum()), has, said))
    sentences.sort(key=lambda sentence: -sentence[0])
    scores = np.full(len(others), -np.inf)
    for relevance, has, said in sentences[:LEADING_SENTENCES]:
        leading = [one for one in said if one not in words and len(one) >= SHORTEST]
        held = _held(arrays, [one for one in leading if one not in FUNCTION_WORDS])
        reached = np.flatnonzero((held >= HELD_LEAST) & others)
        fit = relevance + (weights * ~has) @ having[:, reached] + asked.best[reached]
        fit += BRIDGE * np.minimum(held[reached] / HELD_WHOLE, 1.0)
        scores[reached] = np.maximum(scores[reached], fit)
    found = np.flatnonzero(np.isfinite(scores))
    return found[np.argsort(-scores[found], kind="stable")[:limit]]


def _held(arrays: ChainArrays, words: Sequence[str]) -> Floats64:
    """Return [C] how much of what ``words`` tell each chunk holds."""
    chunks = len(arrays.chunk_group)
    rows = arrays.word_rows(words)
    counts = np.diff(arrays.by_word[0])[rows]
    rows = rows[counts <= max(COMMON, COMMON_SHARE * chunks)]
    rarest = np.log1p((chunks - 1.5) / 2.5)
    idf = arrays.word_idf[rows] / max(float(rarest), SMALLEST)
    _, found, word = arrays.places_of(rows)
    return np.bincount(found, weights=idf[word], minlength=chunks).astype(np.float64)
