"""Kills the worker or Neo4j with SIGKILL, again and again, while a file is ingested.

    python tests/benchmarks/kills.py ../shared/data/hotpotqa-100/corpus.json --kills 20 --write

Starts a whole Clew (Neo4j, broker, workers, web) in a temporary home. First the file is ingested
undisturbed and everything in the graph is written down: each node and each edge with its
properties (without moments and costs; vectors as "there or not"). Then it is ingested again and
again, killing one of the two at random moments, until each was killed so many times; after each
run the graph must be the same: nothing lost, nothing doubled. Drift is looked for as well, with all
checks of `clew check`. Prints JSON, and writes ``results/kills.json`` with ``--write``.
"""

import argparse
import hashlib
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from clew.clew import Clew
from clew.resources.runtime_state import ServiceState, live_state
from clew.runtime import down, up
from clew.settings import Settings
from clew_cypher.embedded import free_ports
from clew_cypher.errors import GraphError

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.graph_lines import graph_lines

RESULTS = Path(__file__).parent / "results"
REPOSITORY = Path(__file__).parents[2]
CORPUS = "kills"
VICTIMS = ("worker-ingest", "neo4j")


class Killer(threading.Thread):
    """Kills a service at random moments until it is stopped or has killed enough."""

    def __init__(
        self, settings: Settings, chance: random.Random, left: "Counter[str]", wait_s: float
    ) -> None:
        """``left``: how often each service is still to be killed."""
        super().__init__(daemon=True)
        self.killed: Counter[str] = Counter()
        self._settings = settings
        self._chance = chance
        self._left = left
        self._wait_s = wait_s
        self._ended = threading.Event()

    def run(self) -> None:
        """Kill."""
        while left := [name for name in VICTIMS if self.killed[name] < self._left[name]]:
            if self._ended.wait(self._chance.uniform(1, self._wait_s)):
                return
            name = self._chance.choice(left)
            state = live_state(self._settings.home)
            rows = {row.name: row for row in state.services} if state else {}
            if all(rows[victim].state is ServiceState.HEALTHY for victim in VICTIMS if rows):
                pid = rows[name].pid if rows else None
                if pid is not None and not self._ended.is_set():
                    os.kill(pid, signal.SIGKILL)
                    self.killed[name] += 1
                    print(f"killed {name}", flush=True)

    def stop(self) -> None:
        """Kill no more."""
        self._ended.set()
        self.join()


def ingest(clew: Clew, file: Path, patience_s: float = 1800) -> dict[str, Any]:
    """Ingest the file by a job and return the job's end; Neo4j may be away meanwhile."""
    accepted = clew.accept([file], corpus=CORPUS)
    if not accepted.pending:
        raise SystemExit(f"{file} holds nothing to ingest.")
    job = clew.submit(CORPUS, accepted.pending)
    begun = time.monotonic()
    while time.monotonic() - begun < patience_s:
        time.sleep(0.5)
        try:
            found = clew.job(job.id)
        except GraphError:
            continue
        if found.state in ("done", "failed", "cancelled", "set_aside"):
            return {
                "state": found.state,
                "seconds": round(time.monotonic() - begun, 1),
                "attempts": found.attempt,
                "error": found.error,
            }
    raise SystemExit("The job did not end.")


@contextmanager
def own_clew(**changes: Any) -> Iterator[Settings]:
    """Start a whole Clew in a temporary home, with ``changes`` of its settings; stop it after."""
    cache = Path(os.environ.get("CLEW_TEST_CACHE_DIR", REPOSITORY / ".clew" / "cache"))
    bolt, browser, broker, web = free_ports(0, 0, 0, 0)
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.load(
            home=Path(folder) / "home",
            cache_dir=cache,
            bolt_port=bolt,
            browser_port=browser,
            broker_port=broker,
            web_port=web,
            neo4j_startup_cache=False,
            **changes,
        )
        up(settings, lambda step: None)
        try:
            yield settings
        finally:
            down(settings)


def measure(file: Path, kills: int, seed: int, wait_s: float) -> dict[str, Any]:
    """Ingest undisturbed, then with kills, and compare."""
    with (
        own_clew(job_lease_s=8, job_attempts=1000, job_reconcile_s=1) as settings,
        Clew(settings) as clew,
    ):
        return _measure(clew, settings, file, kills, seed, wait_s)


def _measure(
    clew: Clew, settings: Settings, file: Path, kills: int, seed: int, wait_s: float
) -> dict[str, Any]:
    chance = random.Random(seed)
    first = ingest(clew, file)
    expected = graph_lines(clew.resources.store, CORPUS)
    print(f"undisturbed: {first}, {expected.total()} nodes and edges", flush=True)
    clew.delete_corpus(CORPUS)
    left_behind = graph_lines(clew.resources.store, CORPUS).total()
    killed: Counter[str] = Counter()
    runs = []
    wanted = Counter(dict.fromkeys(VICTIMS, kills))
    while left := wanted - killed:
        killer = Killer(settings, chance, left, wait_s)
        accepted_first = threading.Timer(1.0, killer.start)
        accepted_first.start()
        end = ingest(clew, file)
        accepted_first.join()
        killer.stop()
        killed += killer.killed
        found = graph_lines(clew.resources.store, CORPUS)
        lost, more = expected - found, found - expected
        drift = {finding.check: finding.found for finding in clew.check(CORPUS) if finding.found}
        runs.append(
            {
                **end,
                "kills": dict(killer.killed),
                "lost": lost.total(),
                "doubled_or_other": more.total(),
                "drift": drift,
                "examples": [*map(str, list(lost)[:3]), *map(str, list(more)[:3])],
            }
        )
        print(json.dumps(runs[-1]), flush=True)
        clew.delete_corpus(CORPUS)
    return {
        "file": file.name,
        "seed": seed,
        "kills": dict(killed),
        "undisturbed": first,
        "nodes_and_edges": expected.total(),
        "graph_sha256": hashlib.sha256("\n".join(sorted(expected)).encode()).hexdigest(),
        "left_by_deleting_the_corpus": left_behind,
        "runs": runs,
        "lost": sum(run["lost"] for run in runs),
        "doubled_or_other": sum(run["doubled_or_other"] for run in runs),
    }


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="file of records, such as corpus.json")
    parser.add_argument("--kills", type=int, default=20, help="of each of the two")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--wait", type=float, default=12.0, help="longest wait between two kills, s"
    )
    parser.add_argument("--write", action="store_true", help="write results/kills.json")
    options = parser.parse_args()
    found = measure(options.file, options.kills, options.seed, options.wait)
    figures = json.dumps(found, indent=1)
    print(figures)
    if options.write:
        (RESULTS / "kills.json").write_text(figures + "\n")
    if found["lost"] or found["doubled_or_other"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
