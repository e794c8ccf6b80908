"""Every node and relationship of Clew, read out of a database and written into an empty one."""

from clew_cypher.backup.digest import GraphDigest
from clew_cypher.backup.graph import Element, clear_graph, element_counts, load_graph, read_graph

__all__ = [
    "Element",
    "GraphDigest",
    "clear_graph",
    "element_counts",
    "load_graph",
    "read_graph",
]
