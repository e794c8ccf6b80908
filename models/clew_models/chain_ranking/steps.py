"""The steps that led to ranked passages, in ids: what an explanation is made of."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clew_models.chain_ranking.arrays import ChainArrays, members
from clew_models.chain_ranking.features import BACK, LINK, LOWEST, NEW, PART, SHARED
from clew_models.chain_ranking.kernel import OUTSIDE, ChainRanking
from clew_models.chain_ranking.question import Rows
from clew_models.chain_ranking.weights import ChainWeights
from clew_models.guided_pagerank.arrays import Indices

LONGEST = 4
"""Steps of the longest way from the question to a passage that is told."""

GAINED = 1e-9
"""From which sign ``new`` on a word is new: below it is rounding."""

StepKind = Literal["link", "shared", "part", "led", "words", "near"]
UNNAMED = ("words", "near")
"""Steps that nothing in the graph tells."""


@dataclass(frozen=True)
class ChainStep:
    """A step to a passage; all but ``kind`` are ids.

    ``before``: the passage that it comes from, None for the question. ``kind``: what leads on: a
    sentence of ``before`` (or the question) that names the title of ``document``; ``entity``, which
    both name; or one that stands inside the title; or words that the sentence ``leaving`` shares
    with ``arriving``; or only words of the question that ``before`` lacks; or not even those, so
    that the passage is only near to the question. ``leaving``: the sentence of ``before`` that
    leads on, ``arriving``: the one of the passage; None where there is none. ``among``: where no
    sentence is told by a name, those of the passage, the nearest to the question first.
    """

    chunk: str
    before: str | None
    kind: StepKind
    entity: str | None = None
    document: str | None = None
    leaving: str | None = None
    arriving: str | None = None
    among: tuple[str, ...] = ()


def best_steps(
    arrays: ChainArrays,
    ranking: ChainRanking,
    weights: ChainWeights,
    chunks: Collection[str],
    led: Mapping[str, ChainStep] = MappingProxyType({}),
) -> list[list[ChainStep]]:
    """Return the steps from the question to each of ``chunks`` (ids), the best ranked first.

    The last step of each leads to the passage; those before it led to where it begins. ``led``: the
    steps over words to passages (ids), where neither a name nor a title leads there. What was
    ranked past the pool, and is none of these, has no steps.
    """
    told = _Steps(arrays, ranking, weights)
    ids = [str(id_) for id_ in arrays.graph.chunk_ids[ranking.rows[: len(ranking.places)]]]
    place_of = dict(zip(ids, map(int, ranking.places), strict=True))
    ways = []
    for id_ in ids:
        if id_ in chunks:
            place, way = place_of[id_], told.way(place_of[id_])
            if id_ in led and (not way or way[-1].kind in UNNAMED):
                before = place_of.get(str(led[id_].before), OUTSIDE)
                if told.leads(before, place):
                    way = [*told.way_before(before, id_), led[id_]]
            ways.append(way)
    return [way for way in ways if way]


class _Steps:
    def __init__(self, arrays: ChainArrays, ranking: ChainRanking, weights: ChainWeights) -> None:
        self._arrays = arrays
        self._graph = arrays.graph
        self._ranking = ranking
        self._weights = weights.of_step()
        features, scored = ranking.features, ranking.scored
        self._alone_scores = features.node @ weights.of_node() + scored.step[-1] @ self._weights
        self._roots = self._begins()
        self._known: dict[int, ChainStep] = {}

    def way(self, place: int) -> list[ChainStep]:
        """Return the steps to a passage of the pool, the first of them first; none to another."""
        found: list[ChainStep] = []
        while place >= 0 and len(found) < LONGEST:
            found.insert(0, self._step(place))
            place = self._before(place) if found[0].before is not None else -1
        return found

    def leads(self, before: int, place: int) -> bool:
        """Return whether a passage of the pool can lead to another, or to one outside: of two that
        lead to one another the one does that scores best standing alone.
        """
        alone = self._alone_scores
        return before != OUTSIDE and (place == OUTSIDE or bool(alone[before] >= alone[place]))

    def way_before(self, place: int, chunk: str) -> list[ChainStep]:
        """Return the steps to a passage from which one leads to ``chunk``; where they went over
        this one, it begins.
        """
        found = self.way(place)[1 - LONGEST :]
        if any(chunk in (step.chunk, step.before) for step in found):
            return [self._alone(place)]
        return found

    def _before(self, place: int) -> int:
        """Return the place of a passage's predecessor, -1 for none in the pool."""
        features = self._ranking.features
        before = int(self._ranking.scored.predecessor[place])
        return int(features.before_place[before]) if before < len(features.before) else -1

    def _begins(self) -> set[int]:
        """Return where rings of passages that lead to one another begin: at the passage of each
        that scores best standing alone.
        """
        alone = self._alone_scores
        roots: set[int] = set()
        done: set[int] = set()
        for place in range(len(alone)):
            way: list[int] = []
            while place >= 0 and place not in done:
                done.add(place)
                way.append(place)
                place = self._before(place)
            if place in way:
                roots.add(max(way[way.index(place) :], key=lambda one: alone[one]))
        return roots

    def _step(self, place: int) -> ChainStep:
        if place not in self._known:
            self._known[place] = self._told(place)
        return self._known[place]

    def _told(self, place: int) -> ChainStep:
        features, scored = self._ranking.features, self._ranking.scored
        chunk, before = int(features.pool[place]), int(scored.predecessor[place])
        signs = scored.step[before, place]
        if before == len(features.before) or place in self._roots:
            return self._alone(place)
        gains = {
            kind: float(self._weights[sign] * (signs[sign] - LOWEST))
            for kind, sign in (("link", LINK), ("shared", SHARED), ("part", PART))
        }
        best = max(gains, key=lambda kind: gains[kind])
        if gains[best] <= 0 and signs[NEW] <= GAINED and signs[BACK] <= 0:
            return self._alone(place)  # it is as good without the passage before
        kind: StepKind = "words" if signs[NEW] > GAINED else "near"
        entity = document = leaving = arriving = None
        source = int(features.before[before])
        if best == "shared" and gains["link"] > 0:
            # a title that is named is held by both ends as an entity, too
            over = self._entity(source, chunk, inside=False)
            best = "link" if over == self._arrays.title_entity[chunk] else best
        if best == "link" and gains[best] > 0:
            kind = "link"
            document = self._arrays.document_ids[self._arrays.chunk_document[chunk]]
            leaving = self._naming_sentence(source, chunk)
        elif gains[best] > 0:
            kind = "shared" if best == "shared" else "part"
            row = self._entity(source, chunk, inside=kind == "part")
            entity = self._graph.entity_ids[row]
            leaving = self._carrying_sentence(source, row)
            arriving = self._carrying_sentence(chunk, row)
        return ChainStep(
            chunk=str(self._graph.chunk_ids[chunk]),
            before=str(self._graph.chunk_ids[source]),
            kind=kind,
            entity=None if entity is None else str(entity),
            document=None if document is None else str(document),
            leaving=leaving,
            arriving=arriving,
            among=self._by_nearness(chunk) if kind in ("words", "near") else (),
        )

    def _alone(self, place: int) -> ChainStep:
        """Return the step to a passage that stands alone: by what the question names in it, or by
        words of the question where it has some.
        """
        arrays, asked, graph = self._arrays, self._ranking.asked, self._graph
        chunk = int(self._ranking.features.pool[place])
        worded = self._ranking.scored.step[-1, place, NEW] > GAINED
        named = np.isin(chunk, asked.titled)
        edges = self._edges(chunk)
        held = edges[np.isin(graph.edge_entity[edges], asked.entities)]
        # of several names the one that tells most
        best = held[graph.idf[graph.edge_entity[held]].argmax()] if len(held) else None
        row = None if best is None or named else int(graph.edge_entity[best])
        document = arrays.document_ids[arrays.chunk_document[chunk]]
        kind: StepKind = "words" if worded else "near"
        if named or row is not None:
            kind = "link" if named else "shared"
        return ChainStep(
            chunk=str(graph.chunk_ids[chunk]),
            before=None,
            kind=kind,
            entity=None if row is None else str(graph.entity_ids[row]),
            document=str(document) if named else None,
            arriving=None if row is None else self._carrying_sentence(chunk, row),
            among=self._by_nearness(chunk) if row is None else (),
        )

    def _entity(self, source: int, chunk: int, *, inside: bool) -> int:
        """Return the entity of both ends with the largest share, the first of equals."""
        arrays, asked, graph = self._arrays, self._ranking.asked, self._graph
        edges, parts = self._edges(source), self._parts(source)
        held = graph.edge_entity[edges]
        leaving = np.concatenate([held, np.setdiff1d(parts, held)])
        own = np.zeros(len(leaving))
        if inside:
            own[np.isin(leaving, parts)] = asked.near[source]
        else:
            own[: len(held)] = asked.carried[edges]
        if inside:
            arriving = self._parts(chunk)
            weight = np.full(len(arriving), asked.near[chunk])
        else:
            edges = self._edges(chunk)
            arriving, weight = graph.edge_entity[edges], asked.carried[edges]
        both, i, j = np.intersect1d(leaving, arriving, return_indices=True)
        if inside:
            titled = [arrays.part_chunk[arrays.part_entity == entity] for entity in both]
            total = np.array([asked.near[chunks].sum() for chunks in titled])
        else:
            offsets, by_entity = graph.by_entity
            places, owner = members(offsets, both)
            total = np.bincount(owner, asked.carried[by_entity[places]], minlength=len(both))
        share = weight[j] / np.maximum(total - own[i], weight[j])
        return int(both[share.argmax()])

    def _edges(self, chunk: int) -> Rows:
        return members(self._graph.chunk_offsets, np.array([chunk]))[0]

    def _parts(self, chunk: int) -> Indices:
        first, last = self._arrays.part_offsets[chunk : chunk + 2]
        return self._arrays.part_entity[first:last]

    def _naming_sentence(self, source: int, chunk: int) -> str | None:
        first, last = self._arrays.link_offsets[source : source + 2]
        document = self._arrays.chunk_document[chunk]
        sentences = self._arrays.link_sentence[first:last][
            self._arrays.link_document[first:last] == document
        ]
        return self._nearest(sentences)

    def _carrying_sentence(self, chunk: int, entity: int) -> str | None:
        """Return the sentence of a chunk that names an entity and is nearest to the question."""
        edges = self._edges(chunk)
        edge = edges[self._graph.edge_entity[edges] == entity]
        sentences = self._graph.edge_sentences[members(self._graph.edge_offsets, edge)[0]]
        return self._nearest(sentences)

    def _by_nearness(self, chunk: int) -> tuple[str, ...]:
        """Return the sentences of a chunk, the nearest to the question first."""
        sentences = np.flatnonzero(self._arrays.sentence_chunk == chunk)
        order = np.argsort(-self._ranking.asked.cosines[sentences], kind="stable")
        return tuple(str(id_) for id_ in self._graph.sentence_ids[sentences[order]])

    def _nearest(self, sentences: NDArray[np.integer[Any]]) -> str | None:
        if not len(sentences):
            return None
        best = self._ranking.asked.cosines[sentences].argmax()
        return str(self._graph.sentence_ids[sentences[best]])
