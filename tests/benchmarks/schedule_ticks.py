"""Whether exactly one run comes of each tick: 10,000 simulated ticks, three tickers, one killed.

Starts a Neo4j of its own, 100 schedules of 100 ticks each, and three processes that look for what
is due by a simulated clock, as fast as they can. Midway one of them is killed (SIGKILL) and none
takes its place. The clock goes on when every schedule's tick has a run, or after ten seconds
without. Counted at the end, from the graph: runs a tick (0 is lost, 2 doubled), jobs, and jobs
without a run.

    python tests/benchmarks/schedule_ticks.py CACHE_DIR [--schedules 100] [--ticks 100] [--write]
"""

import argparse
import json
import multiprocessing
import os
import platform
import random
import signal
import tempfile
import time
from collections import Counter
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

from clew.jobs.ticker import Ticker
from clew.settings import Settings
from clew_cypher.embedded import EmbeddedNeo4j
from clew_cypher.embedded.server import free_ports
from clew_cypher.jobs import schedules as graph
from clew_cypher.schema import ensure_schema
from clew_cypher.store import GraphStore, Neo4jConfig

RESULT = Path(__file__).parent / "results" / "schedule-ticks.json"
CORPUS, EVERY_S, WAIT_S = "simulated", 60, 10.0


def tick(config: Neo4jConfig, clock: "Synchronized[float]", started: "Synchronized[int]") -> None:
    """Look again and again, as a ticker does, by the simulated clock; ends when it is below 0."""

    def wake(job_id: str, kind: str) -> None:
        with started.get_lock():
            started.value += 1

    with GraphStore(config) as store:
        ticker = Ticker(store, Settings(home=Path(tempfile.gettempdir())), wake)
        while (now_s := clock.value) >= 0:
            ticker.look(now_s)
            time.sleep(random.uniform(0.0, 0.01))


def main() -> None:
    """Simulate, count, print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("cache", type=Path)
    options.add_argument("--schedules", type=int, default=100)
    options.add_argument("--ticks", type=int, default=100)
    options.add_argument("--write", action="store_true")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home, ports = Path(folder) / "neo4j", free_ports(0, 0)
        with EmbeddedNeo4j(home, asked.cache, 1024, 256, *ports) as server:
            figures = simulate(server.config, asked.schedules, asked.ticks)
    print(json.dumps(figures, indent=2))
    if asked.write:
        RESULT.write_text(json.dumps(figures, indent=2) + "\n")


def simulate(config: Neo4jConfig, schedules: int, ticks: int) -> dict[str, Any]:
    """Return the figures."""
    context = multiprocessing.get_context("spawn")
    clock: Any = context.Value("d", 0.0)
    counters: list[Any] = [context.Value("i", 0) for _ in range(3)]
    with GraphStore(config) as store:
        ensure_schema(store, 384)
        for number in range(schedules):
            graph.create_schedule(
                store,
                name=f"Schedule {number}",
                kind="reindex",
                corpus=CORPUS,
                params={"sources": []},
                cron=None,
                every_s=EVERY_S,
                zone="UTC",
                start_s=0,
                next_s=EVERY_S,
            )
        tickers = [
            context.Process(target=tick, args=(config, clock, counter)) for counter in counters
        ]
        for ticker in tickers:
            ticker.start()
        began, waited_out = time.perf_counter(), 0
        for number in range(1, ticks + 1):
            clock.value = float(number * EVERY_S)
            until = time.monotonic() + WAIT_S
            while _behind(store, number) and time.monotonic() < until:
                if (
                    number == ticks // 2
                    and tickers[0].is_alive()
                    and _behind(store, number) < (schedules // 2)
                ):
                    os.kill(tickers[0].pid or 0, signal.SIGKILL)  # in the midst of claims
                    tickers[0].join()
            waited_out += time.monotonic() >= until
            # the jobs end, so that the next tick is not skipped
            store.run_declared("CYPHER 25 MATCH (job:Job {state: 'queued'}) SET job.state = 'done'")
        seconds = time.perf_counter() - began
        clock.value = -1.0
        for ticker in tickers:
            ticker.join()
        return {
            **_counted(store, schedules, ticks),
            "jobs_woken_by_each_ticker": [counter.value for counter in counters],
            "killed": "the first, by SIGKILL",
            "ticks_that_took_over_10_s": waited_out,
            "seconds": round(seconds, 1),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, shared with other work",
        }


def _behind(store: GraphStore, number: int) -> int:
    """Return how many schedules have not claimed the tick."""
    rows = store.run_declared(
        "CYPHER 25 MATCH (s:Schedule) WHERE s.next_s <= $now_s RETURN count(*) AS behind",
        {"now_s": number * EVERY_S},
    )
    return int(rows[0]["behind"])


def _counted(store: GraphStore, schedules: int, ticks: int) -> dict[str, Any]:
    runs = store.run_declared(
        "CYPHER 25 MATCH (r:ScheduleRun) "
        "RETURN r.schedule_id AS schedule, r.tick_s AS tick, r.state AS state, r.job_id AS job, "
        "r.missed AS missed"
    )
    jobs = {row["id"] for row in store.run_declared("CYPHER 25 MATCH (j:Job) RETURN j.id AS id")}
    a_tick = Counter((run["schedule"], run["tick"]) for run in runs)
    started = [run["job"] for run in runs if run["state"] == "started"]
    return {
        "schedules": schedules,
        "ticks": schedules * ticks,
        "runs": len(runs),
        "doubled": sum(count - 1 for count in a_tick.values()),
        "lost": schedules * ticks - len(a_tick),
        "missed": sum(run["missed"] for run in runs),
        "skipped": len(runs) - len(started),
        "jobs": len(jobs),
        "jobs_doubled": len(started) - len(set(started)),
        "jobs_without_a_run": len(jobs - set(started)),
        "runs_without_a_job": len(set(started) - jobs),
    }


if __name__ == "__main__":
    main()
