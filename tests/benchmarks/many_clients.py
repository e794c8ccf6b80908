"""Lets 32 clients ask for ten minutes while files are ingested, and watches memory.

    python tests/benchmarks/many_clients.py ../shared/data/hotpotqa-100/corpus.json --write

Starts a whole Clew in a temporary home and indexes the sample. Then each client asks the sample's
questions over REST (POST /query), one after the other, with a corpus of its own being made from the
file beside it, again and again. Counted: answers by status (429 and 503 with Retry-After are the
server's wish to wait, which is done, and counted apart), seconds an answer took, and every 10 s the
resident memory of each process group of Clew (``rss``; shared pages count in each). ``growth_mib``:
the mean of the last quarter of the time less that of the second quarter. Prints JSON, and writes
``results/many-clients.json`` with ``--write``.
"""

import argparse
import itertools
import json
import os
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import psutil

from clew.clew import Clew
from clew.evaluation.measuring import cpu_model
from clew.resources.connecting import connection
from clew.resources.runtime_state import live_state
from clew.sample_corpus import ARTICLES, questions
from clew.settings import Settings

sys.path.insert(0, str(Path(__file__).parent))
from kills import own_clew

RESULTS = Path(__file__).parent / "results"
CORPUS, BESIDE = "sample-questions", "ingest-beside"
ENDED = ("done", "failed", "cancelled", "set_aside")
EVERY_S = 10.0
WAITS = ("429", "503")
MIB = 1024 * 1024


class Client(threading.Thread):
    """Asks one question after the other until it is time or there is none left, and counts.

    ``path``: ``/query`` or ``/search``; ``body``: what goes along with each question.
    """

    def __init__(
        self, url: str, path: str, body: Mapping[str, Any], asked: Iterator[str], until: float
    ) -> None:
        super().__init__(daemon=True)
        self.statuses: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.errors: list[str] = []
        self._url, self._path, self._body = url, path, body
        self._asked, self._until = asked, until

    def run(self) -> None:
        """Ask."""
        with httpx.Client(base_url=f"{self._url}/api/v1", timeout=180) as client:
            while time.monotonic() < self._until:
                question = next(self._asked, None)
                if question is None:
                    return
                started = time.monotonic()
                try:
                    reply = client.post(self._path, json={"question": question, **self._body})
                except httpx.HTTPError as error:
                    self.statuses[type(error).__name__] += 1
                    self.errors.append(repr(error))
                    continue
                status, wait = str(reply.status_code), reply.headers.get("Retry-After")
                if status in WAITS and wait:
                    self.statuses[f"{status} with Retry-After"] += 1
                    time.sleep(min(float(wait), 10))
                    continue
                self.statuses[status] += 1
                if status == "200":
                    self.seconds.append(time.monotonic() - started)
                else:
                    self.errors.append(f"{status} {reply.text[:200]}")


class Ingests(threading.Thread):
    """Uploads the file into a corpus, waits for its job, deletes the corpus, and again."""

    def __init__(self, url: str, file: Path, until: float) -> None:
        super().__init__(daemon=True)
        self.ends: Counter[str] = Counter()
        self.done = 0
        self._url, self._file, self._until = url, file, until

    def run(self) -> None:
        """Ingest."""
        with httpx.Client(base_url=f"{self._url}/api/v1", timeout=180) as client:
            while time.monotonic() < self._until:
                files = {"files": (self._file.name, self._file.read_bytes())}
                reply = client.post("/documents", data={"corpus": BESIDE}, files=files)
                if reply.status_code != 202:
                    self.ends[str(reply.status_code)] += 1
                    time.sleep(1)
                    continue
                job = reply.json()["job_id"]
                while time.monotonic() < self._until:
                    time.sleep(1)
                    found = client.get(f"/jobs/{job}")
                    if found.status_code == 200 and found.json()["state"] in ENDED:
                        self.ends[found.json()["state"]] += 1
                        client.delete(f"/corpora/{BESIDE}")
                        break
                else:
                    self.ends["still running"] += 1


def memory(settings: Settings) -> dict[str, int]:
    """Return the resident MiB of each service, its children with it."""
    state = live_state(settings.home)
    found = {}
    for row in state.services if state else []:
        try:
            one = psutil.Process(row.pid)
            family = [one, *one.children(recursive=True)]
            found[row.name] = sum(process.memory_info().rss for process in family) // MIB
        except (psutil.NoSuchProcess, TypeError):
            continue
    return found


def measure(settings: Settings, file: Path, clients: int, minutes: float) -> dict[str, Any]:
    """Ask, watch and count."""
    with Clew(settings) as clew:
        clew.ingest(ARTICLES, corpus=CORPUS)
    url = connection(settings).web_url
    assert url is not None
    before = live_state(settings.home)
    begun = time.monotonic()
    until = begun + 60 * minutes
    texts = [item.question for item in questions()]
    asking = [
        Client(
            url,
            "/query",
            {"corpus": CORPUS},
            itertools.cycle(texts[at % len(texts) :] + texts[: at % len(texts)]),
            until,
        )
        for at in range(clients)
    ]
    ingests = Ingests(url, file, until)
    for thread in (*asking, ingests):
        thread.start()
    samples: list[dict[str, float]] = []
    while time.monotonic() < until:
        samples.append({"at_s": round(time.monotonic() - begun), **memory(settings)})
        time.sleep(EVERY_S)
    for thread in (*asking, ingests):
        thread.join(timeout=200)
    after = live_state(settings.home)
    statuses: Counter[str] = sum((client.statuses for client in asking), Counter())
    seconds = sorted(second for client in asking for second in client.seconds)
    errors = [error for client in asking for error in client.errors]
    names = sorted({name for sample in samples for name in sample} - {"at_s"})
    return {
        "clients": clients,
        "minutes": minutes,
        "statuses": dict(statuses),
        "errors": len(errors),
        "examples": errors[:5],
        "questions_a_second": round(len(seconds) / (60 * minutes), 2),
        "median_s": round(statistics.median(seconds), 2),
        "p95_s": round(seconds[int(0.95 * len(seconds))], 2),
        "longest_s": round(seconds[-1], 2),
        "ingests": dict(ingests.ends),
        "growth_mib": {name: growth(samples, name) for name in names},
        "processes_that_died": sorted(
            old.name
            for old in (before.services if before else [])
            for new in (after.services if after else [])
            if old.name == new.name and (old.pid, old.restarts) != (new.pid, new.restarts)
        ),
        "cores": os.cpu_count(),
        "processor": cpu_model(),
        "load_after": round(os.getloadavg()[0], 1),
        "memory_mib": samples,
    }


def growth(samples: Sequence[Mapping[str, float]], name: str) -> float:
    """Return a service's mean MiB of the last quarter less that of the second."""
    seen = [sample[name] for sample in samples if name in sample]
    quarter = len(seen) // 4
    if not quarter:
        return 0.0
    late, early = seen[-quarter:], seen[quarter : 2 * quarter]
    return round(statistics.mean(late) - statistics.mean(early), 1)


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="file of records, such as corpus.json")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--write", action="store_true", help="write results/many-clients.json")
    options = parser.parse_args()
    with own_clew() as settings:
        found = measure(settings, options.file, options.clients, options.minutes)
    figures = json.dumps(found, indent=1)
    print(figures)
    if options.write:
        (RESULTS / "many-clients.json").write_text(figures + "\n")
    if found["errors"] or found["processes_that_died"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
