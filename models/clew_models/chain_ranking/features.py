"""What is known of the passages that may be evidence, and of the steps between them.

Of a question q, ``r``: guided PageRank (:mod:`clew_models.guided_pagerank.kernel`) with d = 0.7 and
τ = 0.2, where an edge to a chunk's own title weighs twice; ``zf``: with d = 0.5 and τ = 1. All
logarithms are taken less the best of the corpus.

Signs of a passage c: ``walk`` ln r + (cos(q, c) − best) / 0.2; ``reached`` ln r; ``spread`` ln zf;
``titled`` 3 where the question names its title; ``dense`` (cos(q, c) − best) / 0.2; ``sentence``
(max cos(q, s) − best) / 0.2; ``unnamed`` the same × how little the question's names tell, 1 without
names to 0 where the rarest is in one chunk of 400; ``words`` 5 × idf share of the question's words
that c has; ``bm25`` 5 × BM25(q, c) / best of the pool; ``named`` 5 × idf share of the question's
entities that c holds.

Signs of a step a → c, all but ``new`` and ``back`` at least −6, which also stands for "not so":
``before`` how good a is, less the best. ``link`` a sentence s of a names c's title: ln share of c
among passages of that title + max((cos(q, s) − best) / 0.6, −2) − ln (titles that a names) − ln
(predecessors that name c's): a link tells most where it is one of few. ``shared`` over the
entities e of both, the best: ln w(e, c) / Σ over c' ≠ a of w(e, c'). ``part`` over the entities e
of a: the same share among passages whose title holds e's name with more words around it. ``new``
5 × idf share of the question's words that are in c and not in a. ``back`` c names a's title:
1 / log2(1 + links to a). Entities of a are also those whose names stand inside its title.

The last predecessor is none: c stands alone. Nothing is lost before it, nothing leads on from it,
and every word of the question that c has is new.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew_models.chain_ranking.arrays import ChainArrays, members
from clew_models.chain_ranking.question import (
    SMALLEST,
    Asked,
    ChainQuestion,
    Rows,
    ask,
    less_best,
)
from clew_models.chain_ranking.weights import STEP, Floats64
from clew_models.guided_pagerank.kernel import personalised_pagerank
from clew_models.offsets import joined

BEFORE, LINK, SHARED, PART, NEW, BACK = range(len(STEP))
LOWEST = -6.0
"""What a sign of a step is at least, and is where the step is not there."""
OWN_TITLE = 2.0
"""How many times as much an edge to a chunk's own title weighs in the walk."""
SPREAD_DAMPING, SPREAD_TEMPERATURE = 0.5, 1.0
BRIDGES, BRIDGE_WEIGHT, BRIDGE_TEMPERATURE = 10, 0.4, 0.4
"""Passages whose entities lead to others for the second ranking of the pool, its λ and τ."""
LINK_TEMPERATURE, LINK_LOWEST = 0.6, -2.0
TITLED, SHARE = 3.0, 5.0
"""What ``titled`` is where it is so, and what a whole share counts."""
WORD_SEEDS = 100
"""Chunks that have the question's words, at which walks begin."""
BM25_K1, BM25_B = 1.2, 0.75
"""As in Lucene, and so in the strategy of that name."""
UNCARRIED = -9.0


@dataclass(frozen=True)
class ChainFeatures:
    """The signs of one question.

    Shapes (N passages of the pool, A predecessors, and none after them):
        pool [N], before [A]: rows of chunks
        before_place [A]: where a predecessor is in the pool, -1 where it is not
        node [N, len(NODE)], step [A + 1, N, len(STEP)]
        itself [A + 1, N]: where a predecessor and a passage are one
        group [N]: passages of one title
        rest: rows of all further chunks, best first
    """

    pool: Rows
    before: Rows
    before_place: Rows
    node: Floats64
    step: Floats64
    itself: NDArray[np.bool_]
    group: Rows
    rest: Rows
    sweeps: int


def chain_features(
    arrays: ChainArrays,
    question: ChainQuestion,
    *,
    damping: float,
    temperature: float,
    pool: int,
    predecessors: int,
) -> tuple[Asked, ChainFeatures]:
    """Return the question on the arrays, and the signs of its best ``pool`` passages.

    Predecessors are the best of two rankings, ``predecessors`` of each. Without seeds the pool is
    empty. Raises ValueError where the vector has another dimension.
    """
    asked, spread_carried = ask(arrays, question, temperature, SPREAD_TEMPERATURE)
    reached, spread, sweeps = _walks(arrays, question, asked, spread_carried, damping)
    walk = less_best(reached + asked.likeness)
    bridged = walk + BRIDGE_WEIGHT * _bridges(arrays, asked, walk)
    by_walk, by_bridge = _order(walk), _order(bridged)
    chosen = _alternating(by_walk[:pool], by_bridge[:pool])[:pool]
    before = _alternating(by_walk[:predecessors], by_bridge[:predecessors])
    if not sweeps:
        chosen, before, by_walk = chosen[:0], before[:0], by_walk[:0]
    counts, lengths = word_counts(arrays, asked, chosen)
    held, held_before = counts > 0, word_counts(arrays, asked, before)[0] > 0
    shares = held @ asked.word_idf * (SHARE / max(float(asked.word_idf.sum()), SMALLEST))
    place = np.full(len(walk), -1, dtype=np.int64)
    place[chosen] = np.arange(len(chosen))
    sentence = asked.best[chosen] / temperature
    node = np.stack(
        [
            walk[chosen],
            reached[chosen],
            spread[chosen],
            TITLED * np.isin(chosen, asked.titled),
            asked.likeness[chosen],
            sentence,
            sentence * asked.unnamed,
            shares,
            _bm25(arrays, asked, counts, lengths),
            _named(arrays, asked, chosen),
        ],
        axis=1,
    )
    step = np.zeros((len(before) + 1, len(chosen), len(STEP)))
    step[-1, :, [LINK, SHARED, PART]] = LOWEST
    step[:-1, :, BEFORE] = np.maximum(walk[before], LOWEST)[:, None]
    step[:-1, :, LINK] = _links(arrays, asked, before, chosen)
    step[:-1, :, SHARED], step[:-1, :, PART] = _entity_steps(arrays, asked, before, chosen)
    common = (held_before * asked.word_idf) @ held.T
    common = common * (SHARE / max(float(asked.word_idf.sum()), SMALLEST))
    step[:-1, :, NEW] = shares - common
    step[-1, :, NEW] = shares
    step[:-1, :, BACK] = _back_links(arrays, before, chosen)
    itself = np.zeros(step.shape[:2], dtype=bool)
    itself[:-1] = before[:, None] == chosen
    return asked, ChainFeatures(
        pool=chosen,
        before=before,
        before_place=place[before],
        node=node,
        step=step,
        itself=itself,
        group=arrays.chunk_group[chosen].astype(np.int64),
        rest=by_walk[place[by_walk] < 0],
        sweeps=sweeps,
    )


def _walks(
    arrays: ChainArrays,
    question: ChainQuestion,
    asked: Asked,
    spread_carried: Floats64,
    damping: float,
) -> tuple[Floats64, Floats64, int]:
    """Return [C] ln r and [C] ln zf, each less its best, and the sweeps of both."""
    graph = arrays.graph
    entities = np.zeros(len(graph.entity_ids), dtype=np.float32)
    entities[asked.entities] = asked.masses
    chunks = _chunk_seeds(arrays, question, asked)
    usual = graph.idf[graph.edge_entity] * np.where(arrays.own_edges, OWN_TITLE, 1.0)
    found = []
    sweeps = 0
    for carried, share in ((asked.carried, damping), (spread_carried, SPREAD_DAMPING)):
        weights = (carried * usual).astype(np.float32)
        _, ranks, took = personalised_pagerank(graph, weights, entities, chunks, damping=share)
        found.append(less_best(np.log(ranks.astype(np.float64) + SMALLEST)))
        sweeps += took
    return found[0], found[1], sweeps


def _chunk_seeds(arrays: ChainArrays, question: ChainQuestion, asked: Asked) -> NDArray[np.float32]:
    """Return [C] the masses of the chunks where walks begin: of those that are near and of those
    that have the question's words, each share as what is left where there are none of the others.
    """
    near = np.zeros(len(arrays.graph.chunk_ids))
    for id_, row in arrays.graph.chunk_rows(list(question.chunks)).items():
        near[row] = question.chunks[id_]
    words = question.word_share * asked.unnamed
    worded = _best_worded(arrays, asked) if words else np.zeros_like(near)
    masses = np.zeros_like(near)
    for share, part in ((1 - words, near), (words, worded)):
        masses += part * (share / max(float(part.sum()), SMALLEST))
    total = question.chunk_mass if len(asked.entities) else 1.0
    return (masses * (total / max(float(masses.sum()), SMALLEST))).astype(np.float32)


def _best_worded(arrays: ChainArrays, asked: Asked) -> Floats64:
    """Return [C] the BM25 of the WORD_SEEDS best chunks, less that of the next; 0 for others."""
    places, chunks, owner = arrays.places_of(asked.word_rows)
    counts = arrays.word_counts[places].astype(np.float64)
    each = asked.word_idf[owner] * _saturated(arrays, counts, arrays.lengths[chunks])
    scores = np.zeros(len(arrays.chunk_group))
    np.add.at(scores, chunks, each)
    if len(scores) > WORD_SEEDS:
        scores = np.maximum(scores - np.partition(scores, -WORD_SEEDS - 1)[-WORD_SEEDS - 1], 0)
    return scores


def _bridges(arrays: ChainArrays, asked: Asked, walk: Floats64) -> Floats64:
    """Return [C] how well one of the best passages leads to each over an entity of both: the best
    of walk(a) + (cosine of the best sentence of a with e − best) / τ + ln share of c, at least −6.
    """
    graph = arrays.graph
    found = np.full(len(walk), LOWEST)
    best = _order(walk)[:BRIDGES]
    best = best[walk[best] >= LOWEST]
    edges, owner = members(graph.chunk_offsets, best)
    sentences, edge = members(graph.edge_offsets, edges)
    relevance = np.full(len(edges), UNCARRIED)
    np.maximum.at(relevance, edge, asked.cosines[graph.edge_sentences[sentences]])
    offsets, by_entity = graph.by_entity
    places, through = members(offsets, graph.edge_entity[edges])
    towards = by_entity[places]
    chunk = graph.edge_chunk[towards]
    other = chunk != best[owner[through]]
    towards, chunk, through = towards[other], chunk[other], through[other]
    weight = asked.carried[towards]
    total = np.bincount(through, weights=weight, minlength=len(edges))
    start = walk[best][owner] + relevance / BRIDGE_TEMPERATURE
    np.maximum.at(found, chunk, start[through] + np.log(weight / total[through]))
    return found


def _links(arrays: ChainArrays, asked: Asked, before: Rows, pool: Rows) -> Floats64:
    """Return [A, N] ``link``."""
    found = np.full((len(before), len(pool)), -np.inf)
    places, owner = members(arrays.link_offsets, before)
    sentence = asked.cosines[arrays.link_sentence[places]] / LINK_TEMPERATURE
    i, j = joined(arrays.link_document[places], arrays.chunk_document[pool])
    of_title = np.bincount(arrays.chunk_group, weights=asked.near, minlength=arrays.group_count)
    share = np.log(asked.near[pool] / of_title[arrays.chunk_group[pool]])
    np.maximum.at(found, (owner[i], j), share[j] + np.maximum(sentence, LINK_LOWEST)[i])
    documents = max(len(arrays.document_ids), 1)
    named = np.unique(owner * np.int64(documents) + arrays.link_document[places])
    leaving = np.bincount(named // documents, minlength=len(before))
    arriving = np.isfinite(found).sum(axis=0)
    found -= np.log(np.maximum(leaving, 1))[:, None] + np.log(np.maximum(arriving, 1))
    return np.maximum(found, LOWEST)


def _back_links(arrays: ChainArrays, before: Rows, pool: Rows) -> Floats64:
    """Return [A, N] ``back``."""
    found = np.zeros((len(before), len(pool)))
    places, owner = members(arrays.link_offsets, pool)
    linked = np.bincount(arrays.link_document, minlength=len(arrays.document_ids))
    document = arrays.chunk_document[before]
    i, j = joined(arrays.link_document[places], document)
    found[j, owner[i]] = (1 / np.log2(1 + np.maximum(linked[document], 1)))[j]
    return found


def _entity_steps(
    arrays: ChainArrays, asked: Asked, before: Rows, pool: Rows
) -> tuple[Floats64, Floats64]:
    """Return [A, N] ``shared`` and ``part``."""
    graph = arrays.graph
    entities = max(len(graph.entity_ids), 1)
    shared = np.full((len(before), len(pool)), LOWEST)
    part = shared.copy()
    edges, owner = members(graph.chunk_offsets, before)
    parts, part_owner = members(arrays.part_offsets, before)
    direct = owner * np.int64(entities) + graph.edge_entity[edges]
    inside = part_owner * np.int64(entities) + arrays.part_entity[parts]
    further = inside[~np.isin(inside, direct)]
    owner, entity = np.divmod(np.concatenate([direct, further]), entities)
    # what leads there must not count the passage that it comes from
    own = np.zeros(len(owner))
    own[: len(direct)] = asked.carried[edges]
    places, held_by = members(graph.chunk_offsets, pool)
    total = np.bincount(graph.edge_entity, weights=asked.carried, minlength=entities)
    _best_shares(
        shared,
        (owner, entity, own),
        (held_by, graph.edge_entity[places], asked.carried[places]),
        total,
    )
    titled = np.isin(owner * entities + entity, inside)
    own_part = np.where(titled, asked.near[before[owner]], 0.0)
    places, held_by = members(arrays.part_offsets, pool)
    total = np.bincount(
        arrays.part_entity, weights=asked.near[arrays.part_chunk], minlength=entities
    )
    _best_shares(
        part,
        (owner, entity, own_part),
        (held_by, arrays.part_entity[places], asked.near[pool][held_by]),
        total,
    )
    return shared, part


def _best_shares(
    found: Floats64,
    leaving: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    arriving: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    total: NDArray[Any],
) -> None:
    """Raise ``found`` [A, N] to ln of the largest share of an entity of both ends.

    ``leaving``: predecessor, entity, and its own part of the entity's ``total``; ``arriving``:
    passage, entity, and its part.
    """
    i, j = joined(leaving[1], arriving[1])
    weight = arriving[2][j]
    others = np.maximum(total[leaving[1][i]] - leaving[2][i], weight)
    np.maximum.at(found, (leaving[0][i], arriving[0][j]), np.log(weight / others))


def _named(arrays: ChainArrays, asked: Asked, pool: Rows) -> Floats64:
    """Return [N] ``named``."""
    graph = arrays.graph
    idf = np.zeros(len(graph.entity_ids))
    idf[asked.entities] = graph.idf[asked.entities]
    edges, owner = members(graph.chunk_offsets, pool)
    held = np.bincount(owner, weights=idf[graph.edge_entity[edges]], minlength=len(pool))
    return np.asarray(SHARE * held / max(float(idf.sum()), SMALLEST))


def word_counts(arrays: ChainArrays, asked: Asked, chunks: Rows) -> tuple[Floats64, Floats64]:
    """Return [chunks, words] how often chunks have the question's words that the corpus knows, and
    [chunks] how many words they have in all."""
    found = np.zeros((len(chunks), len(asked.word_rows)))
    places, owner = members(arrays.word_offsets, chunks)
    i, j = joined(asked.word_rows, arrays.word_ids[places])
    found[owner[j], i] = arrays.word_counts[places[j]]
    return found, arrays.lengths[chunks].astype(np.float64)


def _bm25(arrays: ChainArrays, asked: Asked, counts: Floats64, lengths: Floats64) -> Floats64:
    """Return [N] ``bm25``."""
    scores = _saturated(arrays, counts, lengths[:, None]) @ asked.word_idf
    return SHARE * scores / max(float(scores.max(initial=0.0)), SMALLEST)


def _saturated(arrays: ChainArrays, counts: Floats64, lengths: NDArray[np.floating]) -> Floats64:
    """Return what a word counts for BM25 that a chunk of so many words has so often."""
    usual = BM25_K1 * (1 - BM25_B + BM25_B * lengths / arrays.usual_length)
    return np.asarray(counts * (BM25_K1 + 1) / (counts + usual))


def _order(values: Floats64) -> Rows:
    """Return the places of ``values``, largest first, ties by place."""
    return np.argsort(-values, kind="stable")


def _alternating(one: Rows, other: Rows) -> Rows:
    """Return the items of two lists of one length in turns, each once."""
    both = np.stack([one, other], axis=1).ravel()
    _, first = np.unique(both, return_index=True)
    return both[np.sort(first)]
