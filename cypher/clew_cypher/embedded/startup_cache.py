"""Java's ahead-of-time cache of the embedded Neo4j: halves the work of every later start.

Java 25 can keep loaded and linked classes in a file. It is made by a server that is started for
this alone, with no data, at the lowest priority, asked what every start asks first, and stopped
again (about 60 s of one core, once for a version). The first statement brings in what plans all
others: with it in the cache it takes 1.7 s, without 3.4 (means of two, 2 cores of AMD EPYC). Java
checks by itself that a cache fits, and starts without it where it does not.
"""

import hashlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from clew_cypher.embedded.child_environment import child_environment
from clew_cypher.embedded.java import java
from clew_cypher.embedded.lock import LOCK_PATH
from clew_cypher.embedded.server import EmbeddedNeo4j
from clew_cypher.errors import GraphUnavailable

if TYPE_CHECKING:
    from clew_cypher.store import Neo4jConfig

TRAINING_GRACE_S = 180.0
"""Java writes the cache while it ends, so it may take its time."""


def startup_cache_path(cache_dir: Path) -> Path:
    """Return where the cache of these very jars and this very Java lies, if it was made."""
    known = java()
    parts = (LOCK_PATH.read_text(), f"{known.program} {known.version}", str(cache_dir))
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return cache_dir / "java" / f"neo4j-{key}.aot"


class StartupCacheTraining:
    """Makes the cache; ``cancel``, from another thread, ends it early and leaves nothing.

    ``environment``: the whole one of the server, by default that of a child without our secrets.
    """

    def __init__(self, cache_dir: Path, environment: Mapping[str, str] | None = None) -> None:
        self.cache_dir = cache_dir
        self._environment = child_environment() if environment is None else environment
        self._server: EmbeddedNeo4j | None = None
        self._cancelled = False

    def run(self) -> bool:
        """Make the cache where there is none; return whether there is one now."""
        path = startup_cache_path(self.cache_dir)
        if path.exists():
            return True
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix="training-") as folder:
            output = Path(folder) / "cache.aot"
            self._server = EmbeddedNeo4j(
                Path(folder) / "home",
                self.cache_dir,
                heap_mib=512,
                page_cache_mib=64,
                bolt_port=0,
                browser_port=0,
                environment=self._environment,
                java_options=(f"-XX:AOTCacheOutput={output}", "-Xlog:aot*=error"),
                niceness=19,
                stop_grace_s=TRAINING_GRACE_S,
            )
            try:
                if not self._cancelled:
                    self._server.start()
                    self._server.wait_ready(600.0)
                    _ask_as_every_start(self._server.config)
            except GraphUnavailable:
                return False
            finally:
                self._server.stop()
            if self._cancelled or not output.exists():
                return False
            output.replace(path)
        return True

    def cancel(self) -> None:
        """End the training now."""
        self._cancelled = True
        if self._server is not None and self._server.process is not None:
            self._server.process.kill()


def _ask_as_every_start(config: "Neo4jConfig") -> None:
    from clew_cypher.migrations import graph_version
    from clew_cypher.store import GraphStore  # here, since the driver takes 0.2 s

    with GraphStore(config) as store:
        graph_version(store)
