"""A part of the graph, to be drawn."""

from typing import Literal

from clew.results.result import Result


class GraphNode(Result):
    """A node to draw. ``size``: chunks of an entity, those drawn of a document, 1 for a chunk;
    ``text``: a chunk's."""

    id: str
    kind: Literal["entity", "chunk", "document"]
    label: str
    type: str
    size: int
    text: str = ""
    document_id: str | None = None


class GraphEdge(Result):
    """An edge to draw, between the ids of two nodes of a Graph; ``text``: what a triple says."""

    source: str
    target: str
    kind: str
    weight: float = 1.0
    text: str = ""


class Graph(Result):
    """A part of the graph; ``truncated``: the limit cut something off."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    truncated: bool
