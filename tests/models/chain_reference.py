"""Chain ranking as its page has it, in loops over plain lists: what the kernel is checked against.

Nothing of the kernel is used but the walk, which has a reference of its own (networkx).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from clew_models.chain_ranking import ChainArrays, ChainQuestion, ChainWeights
from clew_models.guided_pagerank import personalised_pagerank

LOWEST = -6.0
FLOOR = 0.001


@dataclass
class Corpus:
    """The arrays as sets and dictionaries."""

    arrays: ChainArrays
    entities: list[dict[int, list[int]]] = field(default_factory=list)
    inside: list[set[int]] = field(default_factory=list)
    links: list[list[tuple[int, int]]] = field(default_factory=list)
    counts: list[dict[str, int]] = field(default_factory=list)
    words: list[set[str]] = field(default_factory=list)
    sentences: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        arrays, graph = self.arrays, self.arrays.graph
        chunks = range(len(graph.chunk_ids))
        self.entities = [{} for _ in chunks]
        for m, (chunk, entity) in enumerate(zip(graph.edge_chunk, graph.edge_entity, strict=True)):
            held = graph.edge_sentences[graph.edge_offsets[m] : graph.edge_offsets[m + 1]]
            self.entities[chunk][int(entity)] = [int(s) for s in held]
        self.inside = [
            set(map(int, arrays.part_entity[arrays.part_offsets[c] : arrays.part_offsets[c + 1]]))
            for c in chunks
        ]
        self.links = [
            [
                (int(arrays.link_sentence[i]), int(arrays.link_document[i]))
                for i in range(arrays.link_offsets[c], arrays.link_offsets[c + 1])
            ]
            for c in chunks
        ]
        self.counts = [
            {
                str(arrays.words[arrays.word_ids[i]]): int(arrays.word_counts[i])
                for i in range(arrays.word_offsets[c], arrays.word_offsets[c + 1])
            }
            for c in chunks
        ]
        self.words = [set(held) for held in self.counts]
        self.sentences = [
            [s for s, c in enumerate(arrays.sentence_chunk) if c == d] for d in chunks
        ]


class Reference:
    """One question on one corpus."""

    def __init__(self, arrays: ChainArrays, question: ChainQuestion) -> None:
        self.arrays, self.question = arrays, question
        self.corpus = Corpus(arrays)
        graph = arrays.graph
        self.chunks = range(len(graph.chunk_ids))
        vectors = np.asarray(graph.sentence_vectors, dtype=np.float64)
        cosines = [float(v @ np.asarray(question.vector, dtype=np.float64)) for v in vectors]
        top = max(cosines, default=0.0)
        self.cos = [value - top for value in cosines]
        self.best = [
            max((self.cos[s] for s in held), default=-1.0) for held in self.corpus.sentences
        ]
        self.near = [math.exp(value / 0.2) + FLOOR for value in self.best]
        ids = [str(id_) for id_ in graph.chunk_ids]
        known = min(question.cosines.values(), default=0.0)
        likeness = [question.cosines.get(id_, known) for id_ in ids]
        self.likeness = [(value - max(likeness)) / 0.2 for value in likeness]
        document = [str(arrays.document_ids[row]) for row in arrays.chunk_document]
        by_title = [[c for c in self.chunks if document[c] in ids] for ids in question.titled]
        self.titled = [c for chunks in by_title for c in chunks]
        rows = {str(id_): row for row, id_ in enumerate(graph.entity_ids)}
        names = [{rows[id_] for id_ in ids if id_ in rows} for ids in question.entities]
        names += [{int(arrays.title_entity[c]) for c in chunks} - {-1} for chunks in by_title]
        self.names = [sorted(name) for name in names]
        self.seeds = sorted({entity for name in names for entity in name})
        counted = [w for w in question.words if any(w in words for words in self.corpus.words)]
        self.idf = {w: self.word_idf(w) for w in counted}
        self.reached, self.spread = self.walk(0.2, 0.7), self.walk(1.0, 0.5)
        self.walked = less_best([r + k for r, k in zip(self.reached, self.likeness, strict=True)])

    def word_idf(self, word: str) -> float:
        held = sum(word in words for words in self.corpus.words)
        return math.log(1 + (len(self.corpus.words) - held + 0.5) / (held + 0.5))

    def carried(self, chunk: int, entity: int, tau: float = 0.2) -> float:
        held = self.corpus.entities[chunk][entity]
        return max(sum(math.exp(self.cos[s] / tau) + FLOOR for s in held), FLOOR)

    def walk(self, tau: float, damping: float) -> list[float]:
        arrays, graph, question = self.arrays, self.arrays.graph, self.question
        count = [
            sum(e in held for held in self.corpus.entities) for e in range(len(graph.entity_ids))
        ]
        weights = []
        for chunk, entity in zip(graph.edge_chunk, graph.edge_entity, strict=True):
            own = 2.0 if arrays.title_entity[chunk] == entity else 1.0
            idf = math.log(1 + len(self.chunks) / count[entity])
            weights.append(self.carried(int(chunk), int(entity), tau) * idf * own)
        entities = np.zeros(len(count), dtype=np.float32)
        for name in self.names:
            together = sum(max(count[entity], 1) for entity in name)
            for entity in name:
                part = max(count[entity], 1) / together
                entities[entity] = max(entities[entity], part / together)
        total = float(entities.sum())
        near = [question.chunks.get(str(id_), 0.0) for id_ in graph.chunk_ids]
        worded = [self.bm25(chunk) for chunk in self.chunks]  # fewer than the kernel takes
        share = question.word_share * self.unnamed()
        both = [
            (1 - share) * n / (sum(near) or 1) + share * w / (sum(worded) or 1)
            for n, w in zip(near, worded, strict=True)
        ]
        mass = (question.chunk_mass if total > 0 else 1.0) / (sum(both) or 1)
        chunks = np.array([mass * value for value in both], dtype=np.float32)
        if total > 0:
            entities /= total
        _, ranks, _ = personalised_pagerank(
            graph, np.array(weights, dtype=np.float32), entities, chunks, damping=damping
        )
        return less_best([math.log(float(rank) + 1e-9) for rank in ranks])

    def bridged(self) -> list[float]:
        found = [LOWEST] * len(self.chunks)
        for a in order(self.walked)[:10]:
            if self.walked[a] < LOWEST:
                continue
            for entity, held in self.corpus.entities[a].items():
                others = [c for c in self.chunks if c != a and entity in self.corpus.entities[c]]
                whole = sum(self.carried(c, entity) for c in others)
                said = max((self.cos[s] for s in held), default=-9.0) / 0.4
                for c in others:
                    share = math.log(self.carried(c, entity) / whole)
                    found[c] = max(found[c], self.walked[a] + said + share)
        return [z + 0.4 * m for z, m in zip(self.walked, found, strict=True)]

    def pool(self, size: int, predecessors: int) -> tuple[list[int], list[int]]:
        one, other = order(self.walked), order(self.bridged())
        return alternating(one, other, size)[:size], alternating(one, other, predecessors)

    def bm25(self, c: int) -> float:
        counts = self.corpus.counts
        usual = sum(sum(held.values()) for held in counts) / len(counts)
        length = sum(counts[c].values()) / usual
        return sum(
            self.idf[word] * n * 2.2 / (n + 1.2 * (0.25 + 0.75 * length))
            for word, n in counts[c].items()
            if word in self.idf
        )

    def unnamed(self) -> float:
        """1 without names, 0 where one of them is in a chunk of e⁶ or fewer."""
        held = [
            sum(e in entities for e in name for entities in self.corpus.entities)
            for name in self.names
        ]
        rarest = min(filter(None, held), default=len(self.chunks))
        return 1 - min(1.0, max(0.0, math.log(len(self.chunks) / rarest)) / 6)

    def node(self, c: int, pool: list[int]) -> list[float]:
        idf = {e: float(self.arrays.graph.idf[e]) for e in self.seeds}
        held = sum(value for e, value in idf.items() if e in self.corpus.entities[c])
        return [
            self.walked[c],
            self.reached[c],
            self.spread[c],
            3.0 if c in self.titled else 0.0,
            self.likeness[c],
            self.best[c] / 0.2,
            self.best[c] / 0.2 * self.unnamed(),
            self.share(set(self.idf) & self.corpus.words[c]),
            5 * self.bm25(c) / max(max(map(self.bm25, pool)), 1e-9),
            5 * held / max(sum(idf.values()), 1e-9),
        ]

    def share(self, words: set[str]) -> float:
        return 5 * sum(self.idf[w] for w in words) / max(sum(self.idf.values()), 1e-9)

    def step(self, a: int | None, c: int, predecessors: Sequence[int]) -> list[float]:
        corpus, arrays = self.corpus, self.arrays
        if a is None:
            alone = self.share(set(self.idf) & corpus.words[c])
            return [0.0, LOWEST, LOWEST, LOWEST, alone, 0.0]
        before = max(self.walked[a], LOWEST)
        group = [d for d in self.chunks if arrays.chunk_group[d] == arrays.chunk_group[c]]
        title_share = math.log(self.near[c] / sum(self.near[d] for d in group))
        document = int(arrays.chunk_document[c])
        said = [max(self.cos[s] / 0.6, -2) for s, d in corpus.links[a] if d == document]
        leaving = len({d for _, d in corpus.links[a]})
        arriving = sum(any(d == document for _, d in corpus.links[b]) for b in predecessors)
        rare = -math.log(max(leaving, 1)) - math.log(max(arriving, 1))
        link = max([LOWEST, *(title_share + value + rare for value in said)])
        known = set(corpus.entities[a]) | corpus.inside[a]
        shared, part = LOWEST, LOWEST
        for entity in known:
            others = [d for d in self.chunks if d != a and entity in corpus.entities[d]]
            if c in others:
                whole = sum(self.carried(d, entity) for d in others)
                shared = max(shared, math.log(self.carried(c, entity) / whole))
            others = [d for d in self.chunks if d != a and entity in corpus.inside[d]]
            if c in others:
                whole = sum(self.near[d] for d in others)
                part = max(part, math.log(self.near[c] / whole))
        lacking = set(self.idf) & corpus.words[c] - corpus.words[a]
        back = 0.0
        if any(d == arrays.chunk_document[a] for _, d in corpus.links[c]):
            every = sum(d == arrays.chunk_document[a] for held in corpus.links for _, d in held)
            back = 1 / math.log2(1 + every)
        return [before, link, shared, part, self.share(lacking), back]

    def scores(
        self, weights: ChainWeights, size: int, predecessors: int
    ) -> tuple[list[int], list[float]]:
        pool, before = self.pool(size, predecessors)
        node = [float(np.dot(self.node(c, pool), weights.of_node())) for c in pool]
        steps = {(a, c): self.step(a, c, before) for a in [*before, None] for c in pool if a != c}
        scores: list[float] = []
        for turn in range(2):
            if turn:
                for (a, _), signs in steps.items():
                    if a is not None:
                        there = a in pool
                        signs[0] = (
                            max(scores[pool.index(a)] - max(scores), LOWEST) if there else LOWEST
                        )
            scores = [
                node[i]
                + max(
                    float(np.dot(signs, weights.of_step()))
                    for (_, d), signs in steps.items()
                    if d == c
                )
                for i, c in enumerate(pool)
            ]
        return pool, self.less_repeats(pool, scores, weights.repeat)

    def less_repeats(self, pool: Sequence[int], scores: list[float], repeat: float) -> list[float]:
        """Greedily: the best is taken, and the others of its title lose ``repeat``."""
        left, found = dict(enumerate(scores)), list(scores)
        while left:
            best = max(left, key=lambda place: (left[place], -place))
            found[best] = left.pop(best)
            for place in left:
                groups = self.arrays.chunk_group
                if groups[pool[place]] == groups[pool[best]]:
                    left[place] -= repeat
        return found


def less_best(values: list[float]) -> list[float]:
    return [value - max(values) for value in values]


def order(values: list[float]) -> list[int]:
    return sorted(range(len(values)), key=lambda place: (-values[place], place))


def alternating(one: list[int], other: list[int], size: int) -> list[int]:
    pairs = zip(one[:size], other[:size], strict=True)
    return list(dict.fromkeys(item for pair in pairs for item in pair))
