"""Measures how fast a file of paragraphs is ingested, where the time goes, and how much memory.

    python tests/benchmarks/ingest_speed.py ../shared/data/hotpotqa-100/corpus.json

Ingests the file as a person would (accept, then process) into a corpus of its own, with the
default models and the limits of the settings. The corpus is deleted afterwards, unless ``--keep``
names it. Neo4j is the one that ``CLEW_TEST_NEO4J_URI`` and ``CLEW_TEST_NEO4J_PASSWORD`` name, else
one that is started in a temporary directory; its memory, processor time and start do not count.
Prints JSON, and writes it to ``results/ingest-<name>.json`` with ``--write``.

``share_of_wall``: seconds that a stage worked, by the run's seconds; stages overlap, so that they
do not add up to 1. ``peak_rss_mib``: the largest resident memory of this process, of each child
process, and of all together, sampled twice a second. ``rss_by_paragraphs``: this process and
its children together when so many paragraphs were done, to see whether memory grows with them;
``seconds_by_paragraphs``: the same of time.
``cpu_seconds``: processor time of this process and its children, which another load on the
machine changes less than ``wall_seconds``; ``cpu_seconds_by_process``: of each by itself, and of
Neo4j where it runs on this machine; ``resolve_cpu_seconds``: of all of them from the last batch
until the end, when titles are linked and entities resolved. ``graph``: a digest of every node and
edge with its properties; two runs with the same file and the same name of the corpus must agree.
"""

import argparse
import contextlib
import hashlib
import json
import os
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

from clew.evaluation.measuring import cpu_model
from clew.indexing.limits import limits_of
from clew.settings import Settings
from clew_cypher.corpora import corpus_counts, delete_corpus
from clew_cypher.embedded import EmbeddedNeo4j
from clew_cypher.errors import UnknownCorpus
from clew_cypher.schema import ensure_schema
from clew_cypher.store import GraphStore, Neo4jConfig
from clew_ingest.parsing.parser import Parser
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.pipeline.progress import IngestProgress
from clew_models.embedding import load_embedder

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.graph_lines import graph_lines

RESULTS = Path(__file__).parent / "results"
REPOSITORY = Path(__file__).parents[2]
MIB = 1024 * 1024
CORPUS = "benchmark"


class Memory(threading.Thread):
    """Samples the resident memory of this process and its children until stopped."""

    def __init__(self, ignored: set[int]) -> None:
        super().__init__(daemon=True)
        self.peak: dict[str, float] = {}
        self.now = 0.0
        self._ignored = ignored
        self._ended = threading.Event()

    def run(self) -> None:
        """Sample twice a second."""
        while not self._ended.wait(0.5):
            self.sample()

    def sample(self) -> None:
        """Take one sample."""
        own = psutil.Process()
        sizes = {"this process": own.memory_info().rss}
        for child in own.children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if child.pid not in self._ignored:
                    name = next((a for a in child.cmdline() if a.startswith("clew_")), "other")
                    sizes[name] = child.memory_info().rss
        self.now = sum(sizes.values()) / MIB
        sizes["all together"] = sum(sizes.values())
        for name, size in sizes.items():
            self.peak[name] = max(self.peak.get(name, 0.0), size / MIB)

    def stop(self) -> dict[str, int]:
        """End the sampling and return the peaks in MiB."""
        self._ended.set()
        self.join()
        return {name: round(size) for name, size in self.peak.items()}


@contextlib.contextmanager
def server(settings: Settings) -> Iterator[tuple[Neo4jConfig, set[int]]]:
    """A Neo4j, and the processes that are its own."""
    uri = os.environ.get("CLEW_TEST_NEO4J_URI")
    if uri:
        yield Neo4jConfig(uri, "neo4j", os.environ["CLEW_TEST_NEO4J_PASSWORD"], "neo4j"), set()
        return
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedNeo4j(
            Path(home),
            cache_dir(),
            settings.neo4j_heap_mib,
            settings.neo4j_page_cache_mib,
        ) as neo4j,
    ):
        yield neo4j.config, {child.pid for child in psutil.Process().children(recursive=True)}


def cache_dir() -> Path:
    """The directory of the jars and the converted embedder, as in the tests."""
    return Path(os.environ.get("CLEW_TEST_CACHE_DIR", REPOSITORY / ".clew" / "cache"))


class Processor:
    """Processor time of this process, its children and Neo4j since it was made."""

    def __init__(self, config: Neo4jConfig) -> None:
        self._database = _listening(urlsplit(config.uri).port)
        self._begun = self._now()

    def spent(self) -> dict[str, float]:
        """Return the seconds of each process by its name; children count while they live."""
        now = self._now()
        return {name: round(now[name] - self._begun.get(name, 0.0), 2) for name in now}

    def _now(self) -> dict[str, float]:
        seen = {"this process": psutil.Process()}
        for child in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                name = next((a for a in child.cmdline() if a.startswith("clew_ingest")), None)
                if name is not None:
                    seen[f"{name} {child.pid}"] = child
        if self._database is not None:
            seen["neo4j"] = self._database
        found: dict[str, float] = {}
        for name, process in seen.items():
            with contextlib.suppress(psutil.Error):
                times = process.cpu_times()
                found[name] = times.user + times.system
        return found


def _listening(port: int | None) -> psutil.Process | None:
    """The process of this machine that listens on ``port``, None where there is none to be seen."""
    with contextlib.suppress(psutil.Error):
        for connection in psutil.net_connections("tcp"):
            if (
                connection.status == psutil.CONN_LISTEN
                and connection.laddr  # () where a socket has none
                and connection.laddr.port == port
                and connection.pid
            ):
                return psutil.Process(connection.pid)
    return None


def cpu_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def measure(file: Path, kept: str | None) -> dict[str, Any]:
    """Ingest ``file`` and return the figures; the corpus stays where ``kept`` names it."""
    settings = Settings()
    corpus = kept or CORPUS
    with server(settings) as (config, ignored), GraphStore(config) as store:
        memory = Memory(ignored)
        memory.start()
        begun = time.monotonic()
        embedder = load_embedder(
            settings.embedder,
            cache_dir=cache_dir(),
            batch_size=settings.embed_batch_size,
            threads=settings.embed_threads,
            precision=settings.embed_precision,
        )
        loaded = time.monotonic() - begun
        ensure_schema(store, embedder.dimension)
        rss: dict[int, int] = {}
        seconds: dict[int, float] = {}
        written: dict[str, float] = {}

        def note(event: IngestProgress) -> None:
            if event.stage == "write":
                written.update(processor.spent())
                rss[event.documents_done] = round(memory.now)
                seconds[event.documents_done] = round(time.monotonic() - begun, 1)

        pipeline = IngestPipeline(store, embedder, Parser(settings.parser), limits_of(settings))
        load = psutil.getloadavg()[0]
        try:
            if not kept:
                with contextlib.suppress(UnknownCorpus):
                    delete_corpus(store, corpus)
            processor = Processor(config)
            begun, used = time.monotonic(), cpu_seconds()
            accepted = pipeline.accept(corpus, [file])
            accept_seconds = time.monotonic() - begun
            with pipeline:  # the children live until their processor time is read
                report = pipeline.process(corpus, accepted.pending, note).after(accepted)
                wall = time.monotonic() - begun
                by_process = processor.spent()
            peaks = memory.stop()
            cpu = cpu_seconds() - used
            begun = time.monotonic()
            again = pipeline.accept(corpus, [file])
            assert not again.pending
            unchanged_seconds = time.monotonic() - begun
            counts = corpus_counts(store, corpus)
            lines = sorted(graph_lines(store, corpus).elements())
            graph = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
        finally:
            if not kept:
                delete_corpus(store, corpus)
        paragraphs = counts["documents"]
        return {
            "file": file.name,
            "paragraphs": paragraphs,
            "failed": len(report.failed),
            "chunks": counts["chunks"],
            "sentences": counts["sentences"],
            "entities": counts["entities"],
            "concepts": counts["concepts"],
            "triples": counts["triples"],
            "merges": report.merges,
            "reviews": report.reviews,
            "mentions": counts["mentions"],
            "paragraphs_per_second": round(paragraphs / wall, 2),
            "wall_seconds": round(wall, 2),
            "cpu_seconds": round(cpu, 2),
            "cpu_seconds_by_process": by_process,
            "resolve_cpu_seconds": round(sum(by_process.values()) - sum(written.values()), 2),
            "graph": graph,
            "loading_embedder_seconds": round(loaded, 2),
            "accept_seconds": round(accept_seconds, 3),
            "accept_again_seconds": round(unchanged_seconds, 3),
            "stage_seconds": {name: round(spent, 2) for name, spent in report.seconds.items()},
            "share_of_wall": {
                name: round(spent / wall, 3) for name, spent in report.seconds.items()
            },
            "peak_rss_mib": peaks,
            "rss_by_paragraphs": dict(sorted(rss.items())),
            "seconds_by_paragraphs": dict(sorted(seconds.items())),
            "cores": psutil.cpu_count(),
            "processor": cpu_model(),
            "load_average_before": round(load, 2),
        }


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="file of records, such as corpus.json")
    parser.add_argument("--write", metavar="NAME", help="write results/ingest-NAME.json")
    parser.add_argument("--keep", metavar="CORPUS", help="new corpus that stays in the Neo4j named")
    options = parser.parse_args()
    figures = json.dumps(measure(options.file, options.keep), indent=1)
    print(figures)
    if options.write:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"ingest-{options.write}.json").write_text(figures + "\n")


if __name__ == "__main__":
    main()
