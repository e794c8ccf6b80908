"""A question as the arrays need it, and on them: cosines, seeds, titles and words that it names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew_models.chain_ranking.arrays import ChainArrays
from clew_models.chain_ranking.weights import Floats64
from clew_models.guided_pagerank.kernel import FLOOR, sentence_cosines

Rows = NDArray[np.int64]

SMALLEST = 1e-9
"""Keeps a division by nothing, and the logarithm of nothing, finite."""
TELLING = 6.0
"""Nats from which on a name tells enough: it is in one chunk of e⁶."""
SENTENCELESS = -1.0
"""What counts as the best cosine of a chunk without sentences, less the best."""


@dataclass(frozen=True)
class ChainQuestion:
    """A question as the arrays need it.

    ``vector`` [D] of unit length; ``words``: of its content; ``entities``: for each of its names
    the ids of those that go by it, see `name_masses`; ``chunks``: seed masses of the nearest chunks
    by id; together with those that have its words ``chunk_mass`` of those of entities, or all the
    mass where it names none, and then of that ``word_share`` is on the latter, the less, the more
    its names tell;
    ``cosines``: cos(q, c) of the nearest chunks by id, any other chunk counts as near as the
    farthest of these; ``titled``: for each title that it names the ids of the documents.
    """

    vector: NDArray[np.floating]
    words: Sequence[str]
    entities: Sequence[Sequence[str]]
    chunks: Mapping[str, float]
    chunk_mass: float
    cosines: Mapping[str, float]
    titled: Sequence[Sequence[str]] = ()
    word_share: float = 0.0


@dataclass(frozen=True)
class Asked:
    """A question on the arrays.

    ``cosines`` [S] of sentences, less the best; ``carried`` [M]: Σ exp(cosine / τ) + ε over the
    sentences of an edge; ``best`` [C]: the cosine of a chunk's best sentence, less the best;
    ``near`` [C]: exp(best / τ) + ε; ``likeness`` [C]: (cos(q, c) − best) / τ; ``entities``: rows
    of those it names, with their ``masses`` as seeds, together 1; ``rarity``: −ln of the share of
    the chunks that hold the rarest of its names, 0 where it has none; ``titled``: rows of the
    chunks of documents whose titles it names; ``word_rows``: of its words that the corpus knows,
    with their ``word_idf``.
    """

    cosines: Floats64
    carried: Floats64
    best: Floats64
    near: Floats64
    likeness: Floats64
    entities: Rows
    masses: Floats64
    rarity: float
    titled: Rows
    word_rows: Rows
    word_idf: Floats64

    @property
    def unnamed(self) -> float:
        """How little its names tell: 1 without any, 0 where the rarest tells enough."""
        return max(0.0, 1 - self.rarity / TELLING)


def ask(
    arrays: ChainArrays, question: ChainQuestion, temperature: float, spread_temperature: float
) -> tuple[Asked, Floats64]:
    """Return the question on the arrays, and ``carried`` at the other temperature."""
    graph = arrays.graph
    cosines = less_best(sentence_cosines(graph, question.vector).astype(np.float64))
    relevance = np.exp(cosines[:, None] / [[temperature, spread_temperature]]) + FLOOR
    carried = np.maximum(graph.sentence_incidence @ relevance, FLOOR)
    best = np.full(len(graph.chunk_ids), -np.inf)
    np.maximum.at(best, arrays.sentence_chunk, cosines)
    best[np.isinf(best)] = SENTENCELESS
    known = min(question.cosines.values(), default=0.0)
    likeness = np.full(len(best), known)
    for id_, row in graph.chunk_rows(list(question.cosines)).items():
        likeness[row] = question.cosines[id_]
    titled = [arrays.chunks_of(list(ids)) for ids in question.titled]
    names = [np.array(list(graph.entity_rows(list(ids)).values())) for ids in question.entities]
    names += [arrays.title_entity[chunks] for chunks in titled]
    entities, masses = name_masses(arrays, names)
    word_rows = arrays.word_rows(question.words)
    return Asked(
        cosines=cosines,
        carried=carried[:, 0],
        best=best,
        near=np.exp(best / temperature) + FLOOR,
        likeness=less_best(likeness) / temperature,
        entities=entities,
        masses=masses,
        rarity=_rarity(arrays, names),
        titled=np.unique(np.concatenate([np.zeros(0), *titled])).astype(np.int64),
        word_rows=word_rows,
        word_idf=arrays.word_idf[word_rows].astype(np.float64),
    ), carried[:, 1]


def name_masses(arrays: ChainArrays, names: Sequence[NDArray[np.integer]]) -> tuple[Rows, Floats64]:
    """Return the entities (rows) of a question's names, and their masses as seeds, together 1.

    ``names``: for each name the entities that go by it, -1 for none. A name weighs 1 / n, where n
    chunks hold them, and each has its part of the n in that: the rarer of two names tells more, but
    the rarer of two who go by one name is not the likelier meant. An entity of several names has
    the greatest of its masses.
    """
    held = np.maximum(arrays.graph.document_frequency, 1).astype(np.float64)
    mass: dict[int, float] = {}
    for name in names:
        rows = np.unique(name[name >= 0]).astype(np.int64)
        total = held[rows].sum()
        for row in rows:
            mass[int(row)] = max(mass.get(int(row), 0.0), held[row] / total**2)
    entities = np.array(sorted(mass), dtype=np.int64)
    masses = np.array([mass[int(row)] for row in entities])
    return entities, masses / max(float(masses.sum()), SMALLEST)


def _rarity(arrays: ChainArrays, names: Sequence[NDArray[np.integer]]) -> float:
    """Return −ln of the share of the chunks that hold the rarest name; 0 without names."""
    held = arrays.graph.document_frequency
    rows = [np.unique(name[name >= 0]).astype(np.int64) for name in names]
    rarest = min(filter(None, (int(held[own].sum()) for own in rows)), default=0)
    return max(0.0, float(np.log(len(arrays.graph.chunk_ids) / rarest))) if rarest else 0.0


def less_best(values: Floats64) -> Floats64:
    """Return the values less the largest."""
    return values - values.max() if len(values) else values
