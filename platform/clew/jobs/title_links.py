"""Links the titles of a graph that an earlier Clew wrote, beside the jobs of a worker.

Of a large graph that takes minutes: neither the start of a worker nor the first question waits for
it, and chains through titles are found as they come.
"""

import logging

from clew.jobs.periodic import Periodic
from clew_cypher.store import GraphStore
from clew_cypher.titles.linking import ensure_title_links

log = logging.getLogger(__name__)

AGAIN_S = 30.0


class TitleLinker(Periodic):
    """Links what waits, once; every worker that runs jobs has one."""

    name = "title-links"

    def __init__(self, store: GraphStore) -> None:
        super().__init__(AGAIN_S)
        self._store = store

    def look(self) -> None:
        """Link all that waits; stopped, the next start goes on after the transaction that was being
        written.
        """
        ensure_title_links(self._store, log_progress, cancelled=self._over.is_set)
        self._over.set()


def log_progress(corpus: str, done: int, total: int) -> None:
    """Tell the log how far it is."""
    log.info("Linked titles in %d of %d chunks of %r.", done, total, corpus)
