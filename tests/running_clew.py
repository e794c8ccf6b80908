"""Settings of the Clews that tests open, and the one runtime of a run: what `clew up` starts."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from clew.runtime import down
from clew.runtime.environment import service_environment
from clew.runtime.leftovers import leftovers
from clew.settings import Settings
from clew_cypher.embedded import free_ports, startup_cache_path
from clew_cypher.store import Neo4jConfig


class OwnSettings(Protocol):
    """Makes settings of a Clew of a test's own, in the shared Neo4j, with ``more`` of them."""

    def __call__(self, home: Path, **more: Any) -> Settings: ...


def settings_in(config: Neo4jConfig, cache_dir: Path, home: Path, **more: Any) -> Settings:
    """Return settings of a Clew in a Neo4j that runs."""
    return Settings.load(
        home=home,
        cache_dir=cache_dir,
        neo4j_uri=config.uri,
        neo4j_username=config.username,
        neo4j_password=config.password,
        embed_threads=1,  # workers of a test run stand side by side
        **more,
    )


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
