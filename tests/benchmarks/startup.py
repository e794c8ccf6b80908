"""Measures what a person waits for: a cold `clew demo`, a warm `clew up`, questions over REST.

    python tests/benchmarks/startup.py

Uses a home of its own in a temporary directory. ``demo_cold_s``: `clew demo` with no data, no
jars and no converted model (the packages are installed). ``up_second_s``: `clew up` at once after
it. ``cache_made_s``: how long the server then runs, with nobody asking, until it has made Java's
start cache. ``up_warm_s``: `clew up` with it, the median of three. ``rest_search_ms`` and
``rest_query_ms``: medians of the sample corpus' questions by POST /search and POST /query, after
the first. Writes results/startup.json.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

from clew.evaluation.measuring import cpu_model
from clew.resources.connecting import connection
from clew.sample_corpus import questions
from clew.settings import Settings
from clew_cypher.embedded import startup_cache_path

RESULT = Path(__file__).parent / "results" / "startup.json"
WARM_STARTS = 3
CACHE_WITHIN_S = 600.0


def clew(home: Path, *arguments: str) -> float:
    """Run a command of the command line and return the seconds it took."""
    environment = {name: value for name, value in os.environ.items() if "CLEW_" not in name}
    started = time.monotonic()
    subprocess.run(
        [sys.executable, "-c", "from clew.cli import main; main()", *arguments],
        env=environment | {"CLEW_HOME": str(home)},
        stdout=sys.stderr,
        check=True,
    )
    return time.monotonic() - started


def start(home: Path) -> float:
    """Stop, start, and return the seconds of the start."""
    clew(home, "down")
    return round(clew(home, "up"), 1)


def cache_made(home: Path) -> float:
    """Wait for Java's start cache and return the seconds that it took."""
    path = startup_cache_path(Settings.load(home=home).cache)
    started = time.monotonic()
    while not path.exists():
        if time.monotonic() - started > CACHE_WITHIN_S:
            raise TimeoutError(f"No start cache of Java after {CACHE_WITHIN_S:.0f} s.")
        time.sleep(1)
    return round(time.monotonic() - started, 1)


def rest(url: str, path: str) -> float:
    """Ask every question of the sample corpus and return the median milliseconds."""
    times = []
    with httpx.Client(base_url=f"{url}/api/v1", timeout=60) as client:
        for item in questions():
            started = time.monotonic()
            reply = client.post(path, json={"question": item.question, "corpus": "sample"})
            times.append(time.monotonic() - started)
            reply.raise_for_status()
    return 1000 * statistics.median(times[1:])


def main() -> None:
    """Measure and write."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    ).parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="clew-startup-") as folder:
        home = Path(folder)
        try:
            cold = clew(home, "demo")
            second = start(home)
            made = cache_made(home)
            warm = [start(home) for _ in range(WARM_STARTS)]
            url = connection(Settings.load(home=home)).web_url
            figures = {
                "demo_cold_s": round(cold, 1),
                "up_second_s": second,
                "cache_made_s": made,
                "up_warm_s": statistics.median(warm),
                "up_warm_all_s": warm,
                "rest_search_ms": round(rest(url, "/search"), 1),
                "rest_query_ms": round(rest(url, "/query"), 1),
                "load_before": round(load, 1),
                "cores": os.cpu_count(),
                "processor": cpu_model(),
                "python": platform.python_version(),
            }
        finally:
            clew(home, "down")
    RESULT.write_text(json.dumps(figures, indent=2) + "\n")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
