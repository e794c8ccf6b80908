"""Measures how fast a knowledge base is ingested, where the time goes, and how much memory.

    python tests/benchmarks/knowledge_base.py 50000 [--no-triple-vectors] [--write NAME]

Makes a TSV of so many synthetic triples (one entity for ten triples, 40 relations) and ingests it
into a corpus of its own, as `clew ingest facts.tsv --as triples` does. Neo4j, its part in the
figures and the names of the figures are as in `ingest_speed.py`. ``--write`` keeps them as
``results/knowledge-base-NAME.json``. ``java_rss_mib``: Neo4j's memory at the end, and
``java_cpu_seconds`` its processor time meanwhile, where it was started here.
"""

import argparse
import json
import random
import tempfile
import time
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
from ingest_speed import RESULTS, Memory, cache_dir, cpu_seconds, server

from clew.evaluation.measuring import cpu_model
from clew.indexing.limits import limits_of
from clew.settings import Settings
from clew_cypher.corpora import corpus_counts, delete_corpus
from clew_cypher.schema import ensure_schema
from clew_cypher.store import GraphStore
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.pipeline.progress import IngestProgress
from clew_models.embedding import load_embedder

SYLLABLES = "ka lo mir ten su ra vel dor an bi quo sha ner tal fi ros".split()  # noqa: SIM905
RELATIONS = [f"{verb} {thing}" for verb in ("works", "lives", "studies", "trades", "serves")
             for thing in ("in", "at", "with", "under", "near", "for", "after", "by")]  # fmt: skip
TRIPLES_AN_ENTITY = 10


def synthetic(path: Path, triples: int) -> None:
    """Write distinct triples of names of two words."""
    chance = random.Random(7)
    words = [a + b + c for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES]
    count = max(triples // TRIPLES_AN_ENTITY, 20)
    names = [f"{chance.choice(words).title()} {chance.choice(words).title()}" for _ in range(count)]
    seen: set[tuple[int, int, int]] = set()
    with path.open("w") as file:
        while len(seen) < triples:
            one = (
                chance.randrange(count),
                chance.randrange(len(RELATIONS)),
                chance.randrange(count),
            )
            if one not in seen:
                seen.add(one)
                file.write(f"{names[one[0]]}\t{RELATIONS[one[1]]}\t{names[one[2]]}\n")


def measure(triples: int, vectors: bool) -> dict[str, Any]:
    """Ingest and delete so many triples, and return the figures."""
    settings = Settings()
    corpus = f"benchmark-{uuid.uuid4().hex[:8]}"
    with (
        tempfile.TemporaryDirectory() as folder,
        server(settings) as (config, ignored),
        GraphStore(config) as store,
    ):
        file = Path(folder, "facts.tsv")
        synthetic(file, triples)
        embedder = load_embedder(
            settings.embedder,
            cache_dir=cache_dir(),
            batch_size=settings.embed_batch_size,
            threads=settings.embed_threads,
            precision=settings.embed_precision,
        )
        ensure_schema(store, embedder.dimension)
        limits = replace(limits_of(settings), triple_vectors=vectors)
        pipeline = IngestPipeline(store, embedder, limits=limits)
        memory = Memory(ignored)
        memory.start()
        load = psutil.getloadavg()
        rss: dict[int, int] = {}
        seconds: dict[int, float] = {}
        java_before = sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in ignored)
        begun, used = time.monotonic(), cpu_seconds()

        def note(event: IngestProgress) -> None:
            step = event.triples // max(triples // 10, 1)
            rss[step] = round(memory.now)
            seconds[step] = round(time.monotonic() - begun, 1)

        accepted = pipeline.accept(corpus, [file], as_triples=True)
        report = pipeline.process(corpus, accepted.pending, note)
        wall, cpu = time.monotonic() - begun, cpu_seconds() - used
        peak = memory.stop()
        counts = corpus_counts(store, corpus)
        java_cpu = sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in ignored) - java_before
        java = sum(psutil.Process(pid).memory_info().rss for pid in ignored) / 2**20
        begun = time.monotonic()
        delete_corpus(store, corpus)
        return {
            "triples": counts["triples"],
            "entities": counts["entities"],
            "file_mib": round(file.stat().st_size / 2**20, 1),
            "triple_vectors": vectors,
            "failed": [item.error for item in report.failed],
            "triples_per_second": round(counts["triples"] / wall, 1),
            "wall_seconds": round(wall, 1),
            "cpu_seconds": round(cpu, 1),
            "java_cpu_seconds": round(java_cpu, 1),
            "stage_seconds": {name: round(spent, 1) for name, spent in report.seconds.items()},
            "peak_rss_mib": peak,
            "java_rss_mib": round(java),
            "rss_by_tenths": dict(sorted(rss.items())),
            "seconds_by_tenths": dict(sorted(seconds.items())),
            "delete_corpus_seconds": round(time.monotonic() - begun, 1),
            "cores": psutil.cpu_count(),
            "processor": cpu_model(),
            "load_average_before": [round(one, 2) for one in load],
        }


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("triples", type=int)
    parser.add_argument("--no-triple-vectors", action="store_true", help="names alone are embedded")
    parser.add_argument("--write", metavar="NAME", help="write results/knowledge-base-NAME.json")
    options = parser.parse_args()
    figures = json.dumps(measure(options.triples, not options.no_triple_vectors), indent=1)
    print(figures)
    if options.write:
        (RESULTS / f"knowledge-base-{options.write}.json").write_text(figures + "\n")


if __name__ == "__main__":
    main()
