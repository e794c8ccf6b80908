"""The question's graph (RA-4): what passages state, merged round by round.

    g_i ← the triples of the passages of round i, those nearest to its sub-query;  G_Q ← G_Q ∪ g_i

Source: RAS, section 3.2 (Eq. 4 to 6). Differs from the paper, where a model turns the passages into
triples at every round: here they are those that the ingest found, so that each node and edge is one
of Neo4j, with the sentence that carries it; entities that were merged there are one node.
"""

from collections.abc import Sequence

from clew.results.explanation import SubgraphCard, SubgraphEdge, SubgraphNode
from clew_cypher.store import Row

TITLE = "The question's graph"
SUMMARY = "What the passages and lines that each round found state, as it joined the graph."


class QuestionGraph:
    """G_Q: nodes and edges with the round (from 0) in which each came.

    ``rounds``: of each round its sub-query and the triples that are new with it.
    """

    def __init__(self) -> None:
        self.rounds: list[tuple[str, tuple[Row, ...]]] = []
        self._nodes: dict[str, SubgraphNode] = {}
        self._edges: dict[str, SubgraphEdge] = {}

    def add(self, asked: str, found: Sequence[Row]) -> SubgraphCard:
        """Merge the triples of the next round; return what of them is new, as a card."""
        stage = len(self.rounds)
        new = [row for row in found if row["id"] not in self._edges]
        nodes = {
            end["id"]: SubgraphNode(id=end["id"], kind="entity", label=end["name"], stage=stage)
            for row in new
            for end in (row["head_entity"], row["tail_entity"])
            if end["id"] not in self._nodes
        }
        edges = {
            row["id"]: SubgraphEdge(
                source=row["head_entity"]["id"],
                target=row["tail_entity"]["id"],
                kind="RELATION",
                id=row["id"],
                text=row["ttr"],
                stage=stage,
            )
            for row in new
        }
        self.rounds.append((asked, tuple(new)))
        self._nodes |= nodes
        self._edges |= edges
        return SubgraphCard(
            title=TITLE,
            nodes=tuple(node.model_copy(update={"stage": 0}) for node in nodes.values()),
            edges=tuple(edge.model_copy(update={"stage": 0}) for edge in edges.values()),
            stages=(_stage(stage, asked),),
        )

    def card(self) -> SubgraphCard:
        """Return the whole graph; its stages are the rounds."""
        return SubgraphCard(
            title=TITLE,
            summary=SUMMARY,
            nodes=tuple(self._nodes.values()),
            edges=tuple(self._edges.values()),
            stages=tuple(_stage(number, asked) for number, (asked, _) in enumerate(self.rounds)),
        )


def _stage(number: int, asked: str) -> str:
    return f"Round {number + 1}: {asked}"
