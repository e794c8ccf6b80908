"""What the network attended to on the way to each passage, drawn and quoted (QS-7).

A way is drawn only where each of its edges exists in Neo4j: an entity that is only an argument of a
triple is joined to its sentence in the arrays, and by nothing in the graph.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from clew.results.evidence import SeedEntity
from clew.results.explanation import Card, Quote, QuotesCard, Span, SubgraphCard, SubgraphNode
from clew.strategies.drawing import Drawing
from clew.strategies.retrieval import Retrieval, Row
from clew_cypher.searching.chunks import chunks_by_id
from clew_cypher.searching.entities import entities_by_id
from clew_cypher.searching.ties import (
    Joint,
    ToldSentence,
    joints_between,
    sentences_by_id,
)
from clew_models.graph_network import Neighbourhood
from clew_models.graph_network.ways import Way, WayEdge

EXPLAINED = 10
"""Passages whose ways are shown; best first."""
WAYS = 6
"""Ways to a passage that are looked at."""
DRAWN = 2
"""Ways to a passage that are drawn: the strongest whose edges exist."""
STAGES = ("Named in the question", "Where a way begins", "On the way", "Next to the passage")
PASSAGE = len(STAGES)
SUMMARY = "The edges that the network attended to most on the way to each passage."


def explain(
    retrieval: Retrieval,
    part: Neighbourhood,
    ways: Sequence[Sequence[Way]],
    rows: Sequence[Row],
    seeds: Sequence[SeedEntity],
) -> list[Card]:
    """Return the cards of the ways to the passages ``rows``; ``ways``: those of each, in order."""
    if not any(ways):
        return []
    with retrieval.step("explanation") as detail:
        store, corpus = retrieval.resources.store, retrieval.corpus.name
        edges = {edge for mine in ways for way in mine for edge in way.edges}
        entity_pairs = {_pair(edge) for edge in edges if "entity" in _levels(edge)}
        sentence_pairs = {_pair(edge) for edge in edges} - entity_pairs
        joints = joints_between(store, corpus, entity_pairs, sentence_pairs)
        chosen = [
            [way for way in mine if all(_pair(edge) in joints for edge in way.edges)][:DRAWN]
            for mine in ways
        ]
        graph = _Graph(retrieval, chosen, joints, rows, part)
        # the rest was deleted meanwhile
        chosen = [[way for way in mine if graph.holds(way)] for mine in chosen]
        drawing = _Drawing(graph)
        for mine, row in zip(chosen, rows, strict=True):
            for way in mine:
                drawing.way(way, row)
        drawing.question(seeds)
        detail["ways"] = sum(map(len, chosen))
    return [
        QuotesCard(
            title="What was attended to",
            summary="The sentences on the way to each passage, the most attended to first.",
            quotes=tuple(_quotes(chosen, rows, graph)),
        ),
        drawing.card(),
    ]


class _Graph:
    """What was read of the graph for some ways."""

    def __init__(
        self,
        retrieval: Retrieval,
        ways: Sequence[Sequence[Way]],
        joints: Mapping[tuple[str, str], Sequence[Joint]],
        rows: Sequence[Row],
        part: Neighbourhood,
    ) -> None:
        store, corpus = retrieval.resources.store, retrieval.corpus.name
        self._part = part
        self._held: dict[WayEdge, str | None] = {}
        self.joints = joints
        edges = [edge for mine in ways for way in mine for edge in way.edges]
        ids: dict[str, set[str]] = {"entity": set(), "sentence": set(), "chunk": set()}
        for edge in edges:
            ids[edge.source_level].add(edge.source)
            ids[edge.target_level].add(edge.target)
        for edge in edges:
            ids["sentence"] |= {j.sentence_id for j in joints[_pair(edge)] if j.sentence_id}
            ids["sentence"] |= {held} if (held := self._holding(edge)) else set()
        self.entities = {
            row["id"]: str(row["name"])
            for row in entities_by_id(store, corpus, list(ids["entity"]))
        }
        self.sentences: dict[str, ToldSentence] = sentences_by_id(store, corpus, ids["sentence"])
        self.chunks: dict[str, Row] = {row["id"]: row for row in rows}
        further = sorted(ids["chunk"] - set(self.chunks))
        if further:
            self.chunks |= {row["id"]: row for row in chunks_by_id(store, corpus, further)}

    def holds(self, way: Way) -> bool:
        """Return whether each node of a way is still there."""
        known: Mapping[str, Mapping[str, object]] = {
            "entity": self.entities,
            "sentence": self.sentences,
            "chunk": self.chunks,
        }
        return all(
            edge.source in known[edge.source_level] and edge.target in known[edge.target_level]
            for edge in way.edges
        )

    def sentence_of(self, edge: WayEdge) -> ToldSentence | None:
        """Return the sentence that an edge stands on; None where it has none of its own."""
        for level, id_ in ((edge.source_level, edge.source), (edge.target_level, edge.target)):
            if level == "sentence":
                return self.sentences.get(id_)
        stated = next((j.sentence_id for j in self.joints[_pair(edge)] if j.sentence_id), None)
        return self.sentences.get(stated or self._holding(edge) or "")

    def _holding(self, edge: WayEdge) -> str | None:
        """Return the sentence, nearest to the question, by which a chunk holds an entity."""
        if _levels(edge) != {"entity", "chunk"}:
            return None
        if edge not in self._held:
            self._held[edge] = self._nearest_holding(edge)
        return self._held[edge]

    def _nearest_holding(self, edge: WayEdge) -> str | None:
        part, arrays = self._part, self._part.arrays
        entity, chunk = _pair(edge)
        row = arrays.rows("entity", [entity])[entity]
        chunk_row = arrays.rows("chunk", [chunk])[chunk]
        _, said = arrays.beside("E_oc", 0, np.array([row]))
        said = said[arrays.sentence_chunk[said] == chunk_row]
        if not len(said):
            return None
        cosines = arrays.sentence_vectors[said].astype("float32") @ part.question
        return str(arrays.sentence_ids[said[cosines.argmax()]])


def _quotes(ways: Sequence[Sequence[Way]], rows: Sequence[Row], graph: _Graph) -> list[Quote]:
    """Return a quote for each sentence on the ways, those of the best passages first."""
    found: dict[str, Quote] = {}
    for mine, row in zip(ways, rows, strict=True):
        for way in mine:
            for edge in way.edges:
                sentence = graph.sentence_of(edge)
                if sentence is None:
                    continue
                label = next(
                    (
                        graph.entities.get(id_, "")
                        for level, id_ in (
                            (edge.source_level, edge.source),
                            (edge.target_level, edge.target),
                        )
                        if level == "entity"
                    ),
                    "",
                )
                known = found.get(sentence.id)
                chunks = (*(known.chunk_ids if known else ()), row["id"])
                span = Span(chunk_id=sentence.chunk_id, sentence_id=sentence.id, text=sentence.text)
                found[sentence.id] = Quote(
                    text=sentence.text,
                    label=(known.label if known else "") or label,
                    score=known.score if known else way.weight,
                    score_name="attention",
                    spans=(span,),
                    chunk_ids=tuple(dict.fromkeys(chunks)),
                )
    return list(found.values())


class _Drawing(Drawing):
    """Nodes and edges of the ways."""

    def __init__(self, graph: _Graph) -> None:
        super().__init__()
        self._graph = graph

    def way(self, way: Way, row: Row) -> None:
        """Draw a way to a passage, from where it begins."""
        for number, edge in enumerate(way.edges):
            stage = max(PASSAGE - 1 - number, 1)
            self._level(edge.source_level, edge.source, stage)
            self._level(edge.target_level, edge.target, min(stage + 1, PASSAGE))
            sentence = self._graph.sentence_of(edge)
            text = sentence.text if sentence else ""
            for joint in self._graph.joints[_pair(edge)]:
                self._joined(joint, text, min(stage + 1, PASSAGE))
        self._level("chunk", row["id"], PASSAGE)

    def card(self) -> SubgraphCard:
        """Return what was drawn."""
        return SubgraphCard(
            title="The ways",
            summary=SUMMARY,
            nodes=tuple(self._nodes.values()),
            edges=tuple(self._edges.values()),
            stages=(*STAGES, "Passage found"),
        )

    def _joined(self, joint: Joint, text: str, stage: int) -> None:
        if joint.kind in ("NAMES", "PART_OF"):
            chunk = next(
                row for row in self._graph.chunks.values() if row["document_id"] == joint.target
            )
            self._node(
                SubgraphNode(
                    id=joint.target,
                    kind="document",
                    label=str(chunk["title"]),
                    stage=stage,
                    document_id=joint.target,
                )
            )
        self._edge(joint.source, joint.target, joint.kind, text, stage, joint.id)

    def _level(self, level: str, id_: str, stage: int) -> None:
        graph = self._graph
        if level == "entity":
            node = SubgraphNode(id=id_, kind="entity", label=graph.entities[id_], stage=stage)
        elif level == "sentence":
            node = SubgraphNode(
                id=id_, kind="sentence", label=graph.sentences[id_].text, stage=stage
            )
        else:
            row = graph.chunks[id_]
            node = SubgraphNode(
                id=id_,
                kind="chunk",
                label=str(row["title"]),
                stage=stage,
                document_id=str(row["document_id"]),
            )
        self._node(node)


def _levels(edge: WayEdge) -> set[str]:
    return {edge.source_level, edge.target_level}


def _pair(edge: WayEdge) -> tuple[str, str]:
    """Return the ids of an edge's ends: the entity first, else the sentence."""
    order = ("entity", "sentence", "chunk")
    ends = [(edge.source_level, edge.source), (edge.target_level, edge.target)]
    (_, first), (_, second) = sorted(ends, key=lambda end: (order.index(end[0]), end[1]))
    return first, second
