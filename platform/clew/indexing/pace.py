"""How fast this machine indexes: as jobs of the ledger measured it, else as a sample shows."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew_cypher.jobs import ledger
from clew_cypher.store import GraphStore
from clew_ingest.parsing.parser import Parser
from clew_models.embedding.base import Embedder

LEAST_CHUNKS = 50
"""Chunks of a job that say something about the speed; fewer are mostly starting."""

LEAST_TRIPLES = 1_000
"""As ``LEAST_CHUNKS``, of triples of knowledge bases that were new."""

JOBS = 200
WRITE_SHARE = 0.15
"""Writing is not tried out: it is taken as this share of parsing and embedding."""


@dataclass(frozen=True)
class Pace:
    """Seconds a chunk or a triple: of each stage's work, and ``wall``, since stages overlap.

    ``call_s``: seconds of a language-model call, None where none was measured; ``source``: where
    the figures are from.
    """

    stages: dict[str, float]
    wall: float
    call_s: float | None
    source: str


def measured_pace(store: GraphStore, corpus: str) -> Pace | None:
    """Return the pace a chunk of the largest of the latest ingest jobs: the corpus', else any; or
    None.
    """
    job = _largest(store, corpus, _chunks, LEAST_CHUNKS)
    return None if job is None else _pace(job, _chunks(job), "chunks")


def measured_triple_pace(store: GraphStore, corpus: str) -> Pace | None:
    """Return the pace a triple of the largest of the latest ingest jobs that were of knowledge
    bases alone: the corpus', else any; or None.
    """
    job = _largest(store, corpus, _triples, LEAST_TRIPLES)
    return None if job is None else _pace(job, _triples(job), "triples")


def calibrated_pace(
    parser: Parser,
    embedder: Embedder,
    samples: Sequence[tuple[str, str]],
    *,
    by_rules: bool,
    processes: int,
) -> Pace:
    """Return the pace at which these (title, text) of chunks are parsed and embedded, right now.

    ``by_rules``: whether triples are made while parsing; ``processes``: those that parse.
    """
    titles = [title for title, _ in samples]
    texts = [text for _, text in samples]
    parser.load()
    begun = time.perf_counter()
    parsed = parser.parse(texts, titles if by_rules else None)
    parse = (time.perf_counter() - begun) / len(samples)
    passages = [f"{title}\n{text}" for title, text in samples]
    for (title, _), found in zip(samples, parsed, strict=True):
        passages += [f"{title}\n{sentence.text}" for sentence in found.sentences]
    passages += [m.key for found in parsed for s in found.sentences for m in s.mentions]
    embedder.embed(passages[:1])
    begun = time.perf_counter()
    embedder.embed(list(dict.fromkeys(passages)))
    embed = (time.perf_counter() - begun) / len(samples)
    write = WRITE_SHARE * (parse + embed)
    cores = os.cpu_count() or 1
    # embedding uses every core, parsing one a process, and all of them share the cores
    wall = max(parse / processes, embed + (parse + write) / cores)
    stages = {"parse": parse, "embed": embed, "write": write}
    return Pace(stages, wall, None, f"a sample of {len(samples)} chunks, tried out now")


def _largest(
    store: GraphStore, corpus: str, size: Callable[[ledger.Job], int], least: int
) -> ledger.Job | None:
    for name in (corpus, None):
        done = [
            job
            for job in ledger.list_jobs(store, name, ["done"], limit=JOBS)
            if job.kind == "ingest" and "wall_seconds" in job.progress and size(job) >= least
        ]
        if done:
            return max(done, key=size)
    return None


def _pace(job: ledger.Job, count: int, units: str) -> Pace:
    progress = job.progress
    seconds = {name: float(spent) for name, spent in progress.get("seconds", {}).items()}
    calls = int(progress.get("llm_calls", 0))
    extract = seconds.pop("extract", 0.0)
    stages = {name: spent / count for name, spent in seconds.items() if name != "accept"}
    # with a language model the job waited for it, which says nothing of the rest
    wall = max(stages.values(), default=0.0) if calls else float(progress["wall_seconds"]) / count
    when = job.created_at.strftime("%Y-%m-%d %H:%M")
    return Pace(
        stages,
        wall,
        extract / calls if calls else None,
        f"the ingest of {count} {units} into {job.corpus} on {when} (job {job.id})",
    )


def _chunks(job: ledger.Job) -> int:
    return int(job.progress.get("chunks", 0))


def _triples(job: ledger.Job) -> int:
    """New triples of knowledge bases; 0 of a job that had other documents too."""
    if _chunks(job):
        return 0
    return int(job.progress.get("triples_total", 0)) - int(job.progress.get("triples_kept", 0))
