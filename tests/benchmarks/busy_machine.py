"""Measures how much slower questions are beside two busy processes than on an idle machine.

    python tests/benchmarks/busy_machine.py [--questions 5] [--write]

Asks questions of the sample corpus by the translator (a language model on PyTorch) and by the
default strategy with the reader (the embedder on ONNX Runtime, spaCy): first alone, then beside two
processes that never rest. To be run on a machine where nothing else runs; takes about two minutes.
Prints the median and the longest of each, and their ratio, which is to be at most 3; ``--write``
writes ``results/busy-machine.json``. ``OMP_WAIT_POLICY=ACTIVE`` measures threads that spin.

Starts a Neo4j of its own in a temporary directory, unless ``CLEW_TEST_NEO4J_URI`` and
``CLEW_TEST_NEO4J_PASSWORD`` name one.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
from pydantic import SecretStr

from clew.clew import Clew
from clew.sample_corpus import ARTICLES, questions
from clew.settings import Settings
from clew_cypher.embedded import EmbeddedNeo4j

REPOSITORY = Path(__file__).parents[2]
RESULTS = Path(__file__).parent / "results"
CORPUS = "busy-machine"
BUSY = 2
CALM = 0.15
"""Load a core above which a machine is not idle, and the figures are worth little."""


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=5, help="how many are asked each time")
    parser.add_argument("--write", action="store_true", help="write results/busy-machine.json")
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as home, _clew(Path(home)) as clew:
        clew.resources.prepare_graph()
        clew.ingest(ARTICLES, corpus=CORPUS)
        figures = measured(clew, [one.question for one in questions()][: asked.questions])
        clew.delete_corpus(CORPUS)
    figures["load_before"] = round(load, 2)
    figures["cores"] = len(os.sched_getaffinity(0))
    figures["omp_wait_policy"] = os.environ["OMP_WAIT_POLICY"]
    print(json.dumps(figures, indent=1))
    if load > CALM * figures["cores"]:
        print(f"The machine was not idle (load {load:.1f}): do not keep these figures.")
    if asked.write:
        (RESULTS / "busy-machine.json").write_text(json.dumps(figures, indent=1) + "\n")


def measured(clew: Clew, asked: list[str]) -> dict[str, Any]:
    """Return the seconds of each way of asking, alone and beside busy processes."""
    ways: dict[str, Callable[[str], Any]] = {
        "translator": lambda q: clew.search(q, corpus=CORPUS, strategy="translator"),
        "default, answered": lambda q: clew.ask(q, corpus=CORPUS),
    }
    figures: dict[str, Any] = {}
    for name, ask in ways.items():
        ask(asked[0])  # loads the models and makes the index
        idle = _seconds(ask, asked)
        with _busy():
            busy = _seconds(ask, asked)
        figures[name] = {
            "idle_s": _figures(idle),
            "busy_s": _figures(busy),
            "ratio": round(statistics.median(busy) / statistics.median(idle), 2),
        }
    return figures


def _seconds(ask: Callable[[str], Any], asked: list[str]) -> list[float]:
    spent = []
    for question in asked:
        started = time.perf_counter()
        ask(question)
        spent.append(time.perf_counter() - started)
    return spent


def _figures(seconds: list[float]) -> dict[str, float]:
    return {"median": round(statistics.median(seconds), 3), "longest": round(max(seconds), 3)}


@contextlib.contextmanager
def _busy() -> Iterator[None]:
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    try:
        time.sleep(0.5)
        assert all(psutil.Process(one.pid).is_running() for one in others)
        yield
    finally:
        for one in others:
            one.kill()
            one.wait()


@contextlib.contextmanager
def _clew(home: Path) -> Iterator[Clew]:
    cache = Path(os.environ.get("CLEW_TEST_CACHE_DIR", REPOSITORY / ".clew" / "cache"))
    uri = os.environ.get("CLEW_TEST_NEO4J_URI")
    with contextlib.ExitStack() as stack:
        if uri is None:
            server = stack.enter_context(EmbeddedNeo4j(home / "neo4j", cache, 1024, 256))
            uri, password = server.config.uri, server.config.password
        else:
            password = os.environ["CLEW_TEST_NEO4J_PASSWORD"]
        settings = Settings(
            home=home, cache_dir=cache, neo4j_uri=uri, neo4j_password=SecretStr(password)
        )
        yield stack.enter_context(Clew(settings))


if __name__ == "__main__":
    main()
