"""Whether a worker's graph is still one for it."""

import logging
from collections.abc import Callable

from clew.jobs.periodic import Periodic
from clew.jobs.pulse import PULSE_S
from clew_cypher.errors import GraphIsNewer
from clew_cypher.migrations import check_graph
from clew_cypher.store import GraphStore

log = logging.getLogger(__name__)


class GraphWatch(Periodic):
    """Looks, as often as the worker says that it lives, whether its graph is still one for it.

    One that a newer Clew brought to its schema makes it ``outdated``. Where another database has
    taken the place of its own, ``replaced`` is called: its queues and its schema are others.
    """

    name = "graph-watch"

    def __init__(self, store: GraphStore, replaced: Callable[[], None]) -> None:
        super().__init__(PULSE_S)
        self.outdated = False
        self._store = store
        self._replaced = replaced
        self._graph: str | None = None

    def look(self) -> None:
        """Look once. Raises GraphError."""
        graph = self._store.read("graph_id")[0]["id"]
        self._graph = self._graph or graph
        if graph == self._graph:
            self.fits()
            return
        log.error("Another database has taken the place of this worker's: it ends.")
        self._over.set()
        self._replaced()

    def fits(self) -> bool:
        """Look whether this program knows the graph's schema; the log says once where it does not.

        Raises GraphError.
        """
        try:
            check_graph(self._store)
        except GraphIsNewer as error:
            if not self.outdated:
                log.warning("Questions and jobs are left to workers of a newer Clew. %s", error)
            self.outdated = True
        else:
            self.outdated = False
        return not self.outdated
