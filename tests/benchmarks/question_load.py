"""Puts questions to a whole Clew over REST by one client, by eight and by 32 at once.

    python tests/benchmarks/question_load.py ../shared/data/hotpotqa-100 --write

Starts a whole Clew in a temporary home and indexes the set's passages; nothing else is going on.
Three things are asked, each by so many clients for so many minutes: evidence by guided-pagerank,
evidence by the default strategy, whole answers. Before each of them all questions are asked once,
by eight clients: ``first`` is how that went, when nothing was remembered of them. 429 and 503 with
Retry-After are the server's wish to wait, which is done, and counted apart. Times are those of what
was answered, as its client saw it. ``growth_mib``: resident memory of each service, children with
it, mean of the last quarter of the time less that of the second. Prints JSON, and writes
``results/question-load.json`` with ``--write``.
"""

import argparse
import itertools
import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clew.clew import Clew
from clew.evaluation.data_sets.loading import load_data_set
from clew.evaluation.measuring import cpu_model
from clew.resources.connecting import connection
from clew.settings import Settings

sys.path.insert(0, str(Path(__file__).parent))
from kills import own_clew
from many_clients import Client, growth, memory

RESULT = Path(__file__).parent / "results" / "question-load.json"
CORPUS = "question-load"
ASKED: dict[str, tuple[str, dict[str, str]]] = {
    "evidence, guided-pagerank": ("/search", {"strategy": "guided-pagerank"}),
    "evidence, default strategy": ("/search", {}),
    "answers": ("/query", {}),
}
FIRST_CLIENTS = 8
EVERY_S = 5.0


class Shared(Iterator[str]):
    """Questions that several clients take turns at."""

    def __init__(self, questions: Iterator[str]) -> None:
        self._questions = questions
        self._lock = threading.Lock()

    def __next__(self) -> str:
        """Return the next one."""
        with self._lock:
            return next(self._questions)


def load(
    settings: Settings, what: str, questions: Iterator[str], clients: int, seconds: float
) -> dict[str, Any]:
    """Ask until the time is over or the questions are, and return what was seen."""
    path, body = ASKED[what]
    url = connection(settings).web_url
    assert url is not None
    begun = time.monotonic()
    shared = Shared(questions)
    asking = [
        Client(url, path, {"corpus": CORPUS, **body}, shared, begun + seconds)
        for _ in range(clients)
    ]
    for client in asking:
        client.start()
    samples = []
    while any(client.is_alive() for client in asking):
        samples.append(memory(settings))
        asking[0].join(EVERY_S)
    took = time.monotonic() - begun
    answered = sorted(second for client in asking for second in client.seconds)
    errors = [error for client in asking for error in client.errors]
    middle, late = np.percentile(answered, [50, 95])
    return {
        "clients": clients,
        "a_second": round(len(answered) / took, 2),
        "median_ms": round(1000 * float(middle)),
        "p95_ms": round(1000 * float(late)),
        "longest_ms": round(1000 * answered[-1]),
        "statuses": dict(sum((client.statuses for client in asking), Counter())),
        "errors": len(errors),
        "examples": errors[:3],
        "memory_mib": samples[-1],
        "growth_mib": {name: growth(samples, name) for name in samples[-1]},
    }


def measure(
    settings: Settings, folder: Path, asked: Sequence[str], clients: Sequence[int], minutes: float
) -> dict[str, Any]:
    """Index the set, and ask."""
    data_set = load_data_set(str(folder))
    questions = [item.question for item in data_set.questions]
    with Clew(settings) as clew:
        clew.ingest(folder / "corpus.json", corpus=CORPUS)
    found: dict[str, Any] = {}
    for what in asked:
        first = load(settings, what, iter(questions), FIRST_CLIENTS, 600)
        print(json.dumps({what: first}), flush=True)
        rows = []
        for count in clients:
            rows.append(load(settings, what, itertools.cycle(questions), count, 60 * minutes))
            print(json.dumps({what: rows[-1]}), flush=True)
        found[what] = {"first": first, "then": rows}
    return {
        "set": folder.name,
        "questions": len(questions),
        "minutes": minutes,
        "cores": os.cpu_count(),
        "processor": cpu_model(),
        "asked": found,
    }


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, help="a set in HotpotQA's form, with its corpus.json")
    parser.add_argument("--clients", default="1,8,32", help="how many at once, one after the other")
    parser.add_argument("--minutes", type=float, default=2.0, help="of each")
    parser.add_argument(
        "--only", choices=ASKED, help="ask this alone; with --write, the rest of the file stays"
    )
    parser.add_argument("--write", action="store_true", help="write results/question-load.json")
    options = parser.parse_args()
    clients = [int(count) for count in options.clients.split(",")]
    asked = [options.only] if options.only else list(ASKED)
    with own_clew() as settings:
        found = measure(settings, options.folder, asked, clients, options.minutes)
    if options.write and options.only and RESULT.exists():
        found["asked"] = json.loads(RESULT.read_text())["asked"] | found["asked"]
    if options.write:
        RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if any(
        row["errors"]
        for asked in found["asked"].values()
        for row in (asked["first"], *asked["then"])
    ):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
