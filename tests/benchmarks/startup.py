"""Measures what a person waits for: a cold `clew demo`, a warm `clew up`, questions over REST.

    python tests/benchmarks/startup.py

Uses a home of its own in a temporary directory. ``demo_cold_s``: `clew demo` with no data, no
jars and no converted model (the packages are installed). ``up_warm_s``: `clew up` on the same
data, the median of three. ``rest_search_ms`` and
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

RESULT = Path(__file__).parent / "results" / "startup.json"
WARM_STARTS = 3


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


def starts(home: Path) -> list[float]:
    """Stop and start three times and return the seconds of each start."""
    seconds = []
    for _ in range(WARM_STARTS):
        clew(home, "down")
        seconds.append(round(clew(home, "up"), 1))
    return seconds


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
            warm = starts(home)
            url = connection(Settings.load(home=home)).web_url
            figures = {
                "demo_cold_s": round(cold, 1),
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
