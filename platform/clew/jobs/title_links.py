"""Links the titles of a graph that an earlier Clew wrote, beside the jobs of a worker.

Of a large graph that takes minutes: neither the start of a worker nor the first question waits for
it, and chains through titles are found as they come.
"""

import logging
import threading

from clew_cypher.errors import GraphError
from clew_cypher.store import GraphStore
from clew_cypher.titles.linking import ensure_title_links

log = logging.getLogger(__name__)

AGAIN_S = 30.0


class TitleLinker:
    """Links what waits, once, in a thread; every worker that runs jobs has one."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._link, name="title-links", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the transaction that is being written; the next start goes on from there."""
        self._over.set()
        self._thread.join(timeout=5.0)

    def _link(self) -> None:
        while not self._over.is_set():
            try:
                ensure_title_links(self._store, log_progress, cancelled=self._over.is_set)
                return
            except GraphError as error:
                log.warning("Titles cannot be linked now: %s", error)
            except Exception:
                log.exception("Titles could not be linked; it is tried again.")
            self._over.wait(AGAIN_S)


def log_progress(corpus: str, done: int, total: int) -> None:
    """Tell the log how far it is."""
    log.info("Linked titles in %d of %d chunks of %r.", done, total, corpus)
