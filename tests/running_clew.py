"""The one runtime of a run: Neo4j, the broker, the workers and the web server of `clew up`."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clew.runtime import down
from clew.runtime.environment import service_environment
from clew.runtime.leftovers import leftovers
from clew.settings import Settings
from clew_cypher.embedded import free_ports, startup_cache_path


def runtime_settings(home: Path, cache_dir: Path) -> Settings:
    """Return settings with small memory, short times, and ports that nobody uses."""
    bolt, browser, broker, web = free_ports(0, 0, 0, 0)
    return Settings.load(
        home=home,
        cache_dir=cache_dir,
        neo4j_startup_cache=startup_cache_path(cache_dir).exists(),
        neo4j_heap_mib=512,
        neo4j_page_cache_mib=64,
        bolt_port=bolt,
        browser_port=browser,
        broker_port=broker,
        web_port=web,
        job_lease_s=6,
        job_attempts=20,
        job_reconcile_s=1,
        ingest_batch_chunks=8,
    )


@contextmanager
def running_clew(settings: Settings) -> Iterator[Settings]:
    """Start everything as a user does, by the command line; nothing may be left afterwards."""
    environment = service_environment(settings)
    del environment["_CLEW_OWNER"]
    program = str(Path(sys.executable).parent / "clew")
    try:
        subprocess.run([program, "up"], env=environment, check=True, timeout=400)
        yield settings
    finally:
        down(settings)
    assert leftovers(settings.home) == []
