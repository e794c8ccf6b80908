"""Brings the graph to this program's version before anything else uses it."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew_cypher.store import Neo4jConfig

log = logging.getLogger("clew.runtime")


def upgrade_graph(config: "Neo4jConfig", tell: Callable[[str], None]) -> None:
    """Bring the graph to this program's version; cheap where it has it.

    ``tell`` is called after each batch, in words, and may raise to end it there: the next one goes
    on from that batch. Of a large graph it takes as long as it takes.
    Raises GraphIsNewer, GraphUnavailable.
    """
    # loaded here, while Neo4j starts: the driver takes a quarter of a second
    from clew_cypher.migrations import migrate
    from clew_cypher.store import GraphStore

    def told(version: int, what: str, done: int) -> None:
        log.info("to schema version %d (%s): %d done", version, what, done)
        tell(f"the graph, to schema version {version}: {done:,} done")

    with GraphStore(config) as store:
        migrate(store, told)
