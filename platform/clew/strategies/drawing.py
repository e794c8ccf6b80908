"""What strategies that explain themselves by a subgraph draw it with."""

from collections.abc import Sequence

from clew.results.evidence import SeedEntity
from clew.results.explanation import SubgraphEdge, SubgraphNode


class Drawing:
    """Nodes and edges as they come; one that comes again keeps its first stage."""

    def __init__(self) -> None:
        self._nodes: dict[str, SubgraphNode] = {}
        self._edges: dict[tuple[str, str, str], SubgraphEdge] = {}

    def question(self, seeds: Sequence[SeedEntity]) -> None:
        """Put what the question names, as far as it is drawn, into the first stage."""
        for seed in seeds:
            node = self._nodes.get(seed.id)
            if node is not None:
                self._nodes[seed.id] = node.model_copy(update={"stage": 0, "label": seed.name})

    def _node(self, node: SubgraphNode) -> None:
        held = self._nodes.get(node.id)
        if held is None or node.stage < held.stage:
            self._nodes[node.id] = node

    def _edge(
        self, source: str, target: str, kind: str, text: str, stage: int, id: str | None = None
    ) -> None:
        held = self._edges.get((source, target, kind))
        if held is None or stage < held.stage:
            self._edges[source, target, kind] = SubgraphEdge(
                source=source, target=target, kind=kind, id=id, text=text, stage=stage
            )
