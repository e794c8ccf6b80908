"""Brings the graph to this program's version before anything else uses it."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew_cypher.store import Neo4jConfig

log = logging.getLogger("clew.runtime")


def upgrade_graph(config: "Neo4jConfig", tell: Callable[[str], None]) -> None:
    """Bring the graph to this program's version, with its indexes full; cheap where it has it.

    ``tell`` is called after each batch, and while indexes are being filled, in words, and may raise
    to end it there: the next one goes on from there. Of a large graph it takes as long as it takes.
    Raises GraphIsNewer, GraphUnavailable.
    """
    # loaded here, while Neo4j starts: the driver takes a quarter of a second
    from clew_cypher.migrations import migrate
    from clew_cypher.schema import ensure_schema, vector_dimension
    from clew_cypher.searching.words import ensure_word_indexes
    from clew_cypher.store import GraphStore

    def told(version: int, what: str, done: int) -> None:
        log.info("to schema version %d (%s): %d done", version, what, done)
        tell(f"the graph, to schema version {version}: {done:,} done")

    def filling(name: str, percent: float) -> None:
        log.info("the index %s is filled to %.0f %%", name, percent)
        tell(f"the graph's index {name}: {percent:.0f} % filled")

    with GraphStore(config) as store:
        dimension = vector_dimension(store)
        if dimension is None:  # a new graph: who knows the embedder makes what it needs
            migrate(store, told)
            return
        ensure_schema(store, dimension, told, filling)
        ensure_word_indexes(store, filling)
