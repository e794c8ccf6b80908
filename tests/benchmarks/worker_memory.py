"""Measures what a query worker holds: after every strategy, every reader, and questions in steps.

    python tests/benchmarks/worker_memory.py [--cache DIR] [--questions 1] [--name worker-memory]

Starts a Clew in a home of its own in a temporary directory (`clew up`), reads the sample corpus
and asks questions of it over REST: with each strategy of `clew strategies`, in its order, then
with `iterative:dense` led by the local model; then with each once more. Does so twice: with the
reader `extractive`, and started anew with the reader `local`. After each step: memory of the query
worker and of its child processes, MiB.

``rss``: resident memory, which counts pages that others share; ``anonymous``: the part of it that
no file backs, which the system cannot take back; ``file``: the rest, such as libraries and mapped
weights; ``pss``, ``uss``: shared pages in proportion, and none of them; ``peak``: the largest
``rss`` so far. ``more``: how much ``rss`` and ``anonymous`` grew since the step before. ``seconds``
of each question: the first loads what is needed. Writes results/NAME.json.

``--cache``: a directory of jars and converted models to use; without, they are made anew.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import psutil

from clew.evaluation.measuring import cpu_model
from clew.sample_corpus import ARTICLES, questions

RESULTS = Path(__file__).parent / "results"
CORPUS = "sample"
READERS = ("extractive", "local")
WORKER = "worker-query"
MIB = 2**20
PATIENCE_S = 1800
"""A question may take so long: the local model writes slowly on a busy machine."""
PACKAGES = ("torch", "transformers", "onnxruntime", "spacy", "peft")


class Home:
    """A Clew in a directory of its own; stopped at the end of a ``with``."""

    def __init__(self, folder: Path, cache: Path | None, reader: str) -> None:
        kept = {name: value for name, value in os.environ.items() if "CLEW_" not in name}
        own = {
            "CLEW_HOME": str(folder),
            "CLEW_ITERATIVE_MODEL": "local",
            "CLEW_READER": reader,
            "CLEW_QUERY_TIMEOUT_S": str(PATIENCE_S),
        }
        self._environment = kept | own | ({"CLEW_CACHE_DIR": str(cache)} if cache else {})

    def __enter__(self) -> "Home":
        return self

    def __exit__(self, *_: object) -> None:
        self.clew("down")

    def clew(self, *arguments: str) -> Any:
        """Run a command of the command line; return what it prints, from JSON where it is that."""
        done = subprocess.run(
            [sys.executable, "-c", "from clew.cli import main; main()", *arguments],
            env=self._environment,
            stdout=subprocess.PIPE,
            check=True,
        )
        return json.loads(done.stdout) if "--json" in arguments else done.stdout.decode()


def memory(worker: psutil.Process) -> dict[str, float]:
    """Return the memory of a process and of its children, MiB."""
    total: dict[str, float] = {}
    family = [worker, *worker.children(recursive=True)]
    for process in family:
        full = process.memory_full_info()
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        status = dict(line.split(":", 1) for line in lines)
        for name, value in {
            "rss": full.rss,
            "anonymous": _bytes(status["RssAnon"]),
            "file": _bytes(status["RssFile"]),
            "pss": full.pss,
            "uss": full.uss,
            "peak": _bytes(status["VmHWM"]),
        }.items():
            total[name] = total.get(name, 0) + value
    return {name: round(value / MIB, 1) for name, value in total.items()} | {
        "processes": len(family),
        "threads": sum(process.num_threads() for process in family),
    }


def _bytes(kilobytes: str) -> int:
    return 1024 * int(kilobytes.split()[0])


def asked(client: httpx.Client, question: str, strategy: str) -> float:
    """Ask a question and return the seconds it took."""
    started = time.monotonic()
    body = {"question": question, "corpus": CORPUS, "strategy": strategy}
    reply = client.post("/query", json=body)
    if reply.status_code != 200:
        raise SystemExit(f"{strategy}: {reply.status_code} {reply.text}")
    return round(time.monotonic() - started, 2)


def measured(home: Home, count: int) -> list[dict[str, Any]]:
    """Start, ask, and return the steps with the memory after each."""
    home.clew("up")
    home.clew("ingest", str(ARTICLES), "--corpus", CORPUS)
    status = home.clew("status", "--json")
    (pid,) = (row["pid"] for row in status["services"] if row["name"] == WORKER)
    worker = psutil.Process(pid)
    names = [row["name"] for row in home.clew("strategies", "--json")["strategies"]]
    plan = [*names, "iterative:dense"]
    asking = [item.question for item in questions()[:count]]
    steps: list[dict[str, Any]] = [{"step": "started, sample corpus read", **memory(worker)}]
    with httpx.Client(base_url=f"{status['web']}/api/v1", timeout=PATIENCE_S) as client:
        for name in plan * 2:
            seconds = [asked(client, question, name) for question in asking]
            now = memory(worker)
            more = {key: round(now[key] - steps[-1][key], 1) for key in ("rss", "anonymous")}
            steps.append({"step": name, "seconds": seconds, **now, "more": more})
            print(json.dumps(steps[-1]), file=sys.stderr, flush=True)
    return steps


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--cache", type=Path, help="directory of jars and converted models")
    parser.add_argument("--questions", type=int, default=1, help="questions of each step")
    parser.add_argument("--name", default="worker-memory", help="name of the result")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    steps = {}
    for reader in READERS:
        with (
            tempfile.TemporaryDirectory(prefix="clew-memory-") as folder,
            Home(Path(folder), options.cache and options.cache.absolute(), reader) as home,
        ):
            steps[reader] = measured(home, options.questions)
    figures = {
        "readers": steps,
        "load_before": round(load, 1),
        "cores": os.cpu_count(),
        "processor": cpu_model(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in PACKAGES},
    }
    text = json.dumps(figures, indent=1)
    (RESULTS / f"{options.name}.json").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
