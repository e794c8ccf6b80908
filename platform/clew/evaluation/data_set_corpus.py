"""Puts a data set's documents into a corpus of its own, once: a second run finds them there."""

import hashlib
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clew.errors import CLEW_ERRORS, PlatformError
from clew.evaluation.data_sets.loading import fingerprint
from clew.indexing.ingesting import accept
from clew.jobs.here import index_here
from clew.jobs.listing import list_jobs
from clew.results.data_set import BenchDocument, DataSet
from clew_cypher.corpora import mark_of_bench
from clew_cypher.ids import content_id
from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.pipeline.progress import ProgressCallback
from clew_ingest.reading.sources import Source

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.settings import Settings

PART_BYTES = 4 * 2**20
"""Size of the files of records that the documents are ingested as."""
DONE = "done"
KNOWLEDGE_BASE = "knowledge-base.tsv"


@dataclass(frozen=True)
class Indexed:
    """A data set in the graph. ``keys``: a document's id in the graph → its key in the data set.

    ``seconds`` and ``wall_seconds`` are of its indexing, whenever that was; {} and None where
    that is not known any more.
    """

    corpus: str
    reused: bool
    keys: Mapping[str, str]
    seconds: Mapping[str, float]
    wall_seconds: float | None


def corpus_of_data_set(data_set: DataSet, seed: int, settings: "Settings") -> str:
    """Return the corpus of a data set; other questions on the same documents find it again."""
    documents = fingerprint(replace(data_set, questions=()))
    return corpus_name(data_set.name, documents, seed, settings)


def corpus_name(name: str, documents: str, seed: int, settings: "Settings") -> str:
    """Return the corpus of ``documents`` in the order of ``seed``, as these settings index it.

    ``name`` is for people; ``documents`` tells them from others of that name.
    """
    made_with = (
        *(documents, seed, settings.embedder, settings.parser, settings.chunk_tokens),
        settings.extractor,
    )
    key = hashlib.sha256(json.dumps(made_with).encode()).hexdigest()[:8]
    return f"bench-{slug(name)}-{key}"


def slug(name: str) -> str:
    """Return the name in lower case letters, digits and hyphens; 'set' where none are left."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-") or "set"


def index(
    resources: "Resources",
    corpus: str,
    documents: Sequence[BenchDocument],
    seed: int,
    progress: ProgressCallback | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Indexed:
    """Ingest the documents, each as a record, in an order shuffled by ``seed``.

    In published files the gold passages stand next to each other, and what depends on the order
    of ingest would profit. Raises PlatformError where a document could not be ingested: figures
    on a part of the corpus would not be comparable.
    """
    shuffled = list(documents)
    random.Random(seed).shuffle(shuffled)
    sources, keys = _sources(corpus, shuffled)
    return _ingested(resources, corpus, sources, keys, progress, cancelled)


def index_triples(
    resources: "Resources",
    corpus: str,
    triples: Mapping[str, tuple[str, str, str]],
    seed: int,
    progress: ProgressCallback | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Indexed:
    """Ingest the triples as one knowledge base, in an order shuffled by ``seed``.

    ``keys`` of what is returned are those of `triple_words`. Raises as `index`.
    """
    lines = sorted(triples.values())
    random.Random(seed).shuffle(lines)
    data = "\n".join("\t".join(line) for line in lines).encode()
    source = Source(uri=KNOWLEDGE_BASE, name=KNOWLEDGE_BASE, data=data)
    keys = {triple_words(*triple): key for key, triple in reversed(list(triples.items()))}
    return _ingested(resources, corpus, [source], keys, progress, cancelled, as_triples=True)


def triple_words(head: str, relation: str, tail: str) -> str:
    """Return what tells a triple from others of its knowledge base, however its names are spelt."""
    return "\t".join((normalise_name(head), relation, normalise_name(tail)))


def _ingested(
    resources: "Resources",
    corpus: str,
    sources: Sequence[Source],
    keys: Mapping[str, str],
    progress: ProgressCallback | None,
    cancelled: Callable[[], bool],
    *,
    as_triples: bool = False,
) -> Indexed:
    accepted = accept(resources, sources, corpus, as_triples=as_triples)
    mark_of_bench(resources.store, corpus)
    reused = not accepted.pending
    if not reused:
        report = index_here(resources, corpus, accepted.pending, progress, cancelled)
        if report.failed:
            first = report.failed[0]
            raise PlatformError(
                f"{len(report.failed)} documents of the data set could not be ingested, the first "
                f"is {keys.get(first.id, first.uri)!r}: {first.error}",
                remedy="Correct the data set; the rest of its index is kept.",
            )
    seconds, wall = spent(resources, corpus)
    return Indexed(corpus, reused, keys, seconds, wall)


def _sources(
    corpus: str, documents: Sequence[BenchDocument]
) -> tuple[list[Source], dict[str, str]]:
    sources: list[Source] = []
    keys: dict[str, str] = {}
    lines: list[bytes] = []
    size = 0

    def close() -> None:
        nonlocal size
        name = _file_name(len(sources))
        sources.append(Source(uri=name, name=name, data=b"\n".join(lines)))
        lines.clear()
        size = 0

    for document in documents:
        record = hashlib.sha256(document.key.encode()).hexdigest()[:20]
        values = {"id": record, "title": document.title, "text": document.text}
        line = json.dumps(values, ensure_ascii=False).encode()
        if lines and size + len(line) > PART_BYTES:
            close()
        lines.append(line)
        size += len(line) + 1
        keys[content_id("d", corpus, f"{_file_name(len(sources))}#{record}")] = document.key
    if lines:
        close()
    return sources, keys


def _file_name(number: int) -> str:
    return f"documents-{number + 1:04d}.jsonl"


def spent(resources: "Resources", corpus: str) -> tuple[Mapping[str, float], float | None]:
    """Return the seconds of each stage and of all of the corpus' indexing, as the ledger knows
    them: of all its jobs, or ({}, None) where one of them did not end well or is forgotten."""
    try:
        found = list_jobs(resources.store, corpus, limit=1000)
    except CLEW_ERRORS:
        return {}, None
    jobs = [job for job in found if job.kind == "ingest"]
    seconds: dict[str, float] = {}
    wall = 0.0
    for job in jobs:
        if job.state != DONE or "wall_seconds" not in job.progress:
            return {}, None
        wall += job.progress["wall_seconds"]
        for stage, spent in job.progress.get("seconds", {}).items():
            seconds[stage] = round(seconds.get(stage, 0.0) + spent, 2)
    return (seconds, round(wall, 2)) if jobs else ({}, None)
