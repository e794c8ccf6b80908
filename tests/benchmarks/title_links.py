"""Measures what it takes to link sentences to the documents that they name.

    python tests/benchmarks/title_links.py ../shared/data/2wiki-corpus/corpus.json

Writes the passages of a file (a list of {title, text}, or an object of titles to texts or lists of
sentences) through the writer that ingest uses, without a model: random vectors, no entities. Then
it links all of them at once, as at the end of an ingest, and adds passages one by one, each linked
by itself, as one file that is uploaded; ``--single`` says how many, taken from all over the file.
Neo4j is the one that ``CLEW_TEST_NEO4J_URI`` and ``CLEW_TEST_NEO4J_PASSWORD`` name, else one that
is started in a temporary directory. Prints JSON, and writes ``results/title-links-<name>.json``
with ``--write``; ``--sample`` prints links to look at.

``cpu_seconds``: processor time of this process. ``single``: milliseconds of linking, by passage,
after the first five, in which Neo4j makes its plans; ``chunks``: how many each had looked at.
"""

import argparse
import hashlib
import json
import random
import re
import statistics
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from ingest_speed import RESULTS, server

from clew.evaluation.measuring import cpu_model
from clew.settings import Settings
from clew_cypher.corpora import corpus_counts, delete_corpus, ensure_corpus
from clew_cypher.export.title_links import export_title_links
from clew_cypher.ids import content_id
from clew_cypher.rows import ChunkRow, DocumentRow, GraphBatch, SentenceRow
from clew_cypher.schema import ensure_schema
from clew_cypher.store import GraphStore
from clew_cypher.titles.auditing import Astray, audit_title_links
from clew_cypher.titles.linking import link_titles
from clew_cypher.writing.documents import accept_document
from clew_cypher.writing.writer import write_batch

DIMENSION = 384
BATCH = 128
FILE = "passages.json"
WARM = 5
SENTENCE = re.compile(r".+?(?:[.!?][\"”’)]*(?=\s+[A-Z\"“(])|$)", re.DOTALL)

Passage = tuple[str, list[str]]


def passages_of(file: Path) -> list[Passage]:
    """Return the title and the sentences of each passage."""
    found = json.loads(file.read_text())
    if isinstance(found, dict):
        found = [{"title": title, "text": text} for title, text in found.items()]
    return [
        (
            row["title"],
            [part.strip() for part in row["text"]]
            if isinstance(row["text"], list)
            else [part.strip() for part in SENTENCE.findall(row["text"].replace("\n", " "))],
        )
        for row in found
    ]


def batch_of(corpus: str, passages: Sequence[tuple[int, Passage]]) -> GraphBatch:
    """Return the passages as records of one chunk each, with random vectors."""
    chance = np.random.default_rng(passages[0][0])

    def vector() -> Any:
        made = chance.standard_normal(DIMENSION).astype(np.float32)
        return made / np.linalg.norm(made)

    documents, chunks, sentences = [], [], []
    for number, (title, texts) in passages:
        text = " ".join(texts)
        key = content_id("d", corpus, str(number))
        version = hashlib.sha256(text.encode()).hexdigest()
        documents.append(
            DocumentRow(key, str(number), title, "text/plain", version, file_id(corpus))
        )
        chunk = content_id("c", key, text)
        chunks.append(ChunkRow(chunk, key, 0, title, text, vector()))
        sentences += [
            SentenceRow(content_id("s", chunk, str(place)), chunk, place, part, part, vector())
            for place, part in enumerate(texts)
            if part
        ]
    finished = tuple(row.id for row in documents)
    return GraphBatch(documents, chunks, sentences, finished=finished)


def file_id(corpus: str) -> str:
    """Return the id of the file whose records the passages are."""
    return content_id("d", corpus, FILE)


def accept_file(store: GraphStore, corpus: str) -> None:
    """Accept the file, once: to accept each passage by itself would take most of the time."""
    accept_document(
        store,
        corpus,
        uri=FILE,
        title=FILE,
        media_type="application/json",
        sha256=FILE,
        data=b"x",
    )


def sampled(store: GraphStore, corpus: str, passages: Sequence[Passage], count: int) -> list[str]:
    """Return some links: the passage, its sentence, and the title that it names."""
    titles = {content_id("d", corpus, str(n)): title for n, (title, _) in enumerate(passages)}
    texts = {}
    for number, (title, parts) in enumerate(passages):
        chunk = content_id("c", content_id("d", corpus, str(number)), " ".join(parts))
        for place, part in enumerate(parts):
            texts[content_id("s", chunk, str(place))] = f"[{title}] {part}"
    links = list(export_title_links(store, corpus))
    some = random.Random(1).sample(links, min(count, len(links)))
    return [f"{texts[link.sentence_id]} -> {titles[link.document_id]}" for link in some]


def measure(file: Path, single: int, sample: int) -> dict[str, Any]:
    """Write, link, and return the figures."""
    passages = passages_of(file)
    numbered = list(enumerate(passages))
    alone = random.Random(0).sample(numbered, single)
    together = [item for item in numbered if item not in alone]
    corpus = f"benchmark-{uuid.uuid4().hex[:8]}"
    with server(Settings()) as (config, _), GraphStore(config) as store:
        ensure_schema(store, DIMENSION)
        ensure_corpus(store, corpus, embedder="random", dimension=DIMENSION)
        accept_file(store, corpus)
        load = psutil.getloadavg()[0]
        try:
            begun = time.monotonic()
            for start in range(0, len(together), BATCH):
                write_batch(store, corpus, batch_of(corpus, together[start : start + BATCH]))
            written = time.monotonic() - begun
            begun, used = time.monotonic(), time.process_time()
            whole = link_titles(store, corpus)
            linked, cpu = time.monotonic() - begun, time.process_time() - used
            times, looked_at = [], []
            for item in alone:
                write_batch(store, corpus, batch_of(corpus, [item]))
                begun = time.monotonic()
                looked_at.append(link_titles(store, corpus).chunks)
                times.append((time.monotonic() - begun) * 1000)
            assert audit_title_links(store, corpus) == Astray((), (), ())
            links = sum(1 for _ in export_title_links(store, corpus))
            counts = corpus_counts(store, corpus)
            for line in sampled(store, corpus, passages, sample):
                print(line)
        finally:
            delete_corpus(store, corpus)
    steady = times[WARM:]
    return {
        "file": file.parent.name,
        "documents": counts["documents"],
        "sentences": counts["sentences"],
        "links": links,
        "write_seconds": round(written, 2),
        "link_all": {
            "documents": len(together),
            "chunks": whole.chunks,
            "links": whole.made,
            "seconds": round(linked, 2),
            "cpu_seconds": round(cpu, 2),
        },
        "single": {
            "documents": len(steady),
            "median_ms": round(statistics.median(steady), 1),
            "p95_ms": round(sorted(steady)[int(len(steady) * 0.95)], 1),
            "chunks": {"median": statistics.median(looked_at), "most": max(looked_at)},
        },
        "cores": psutil.cpu_count(),
        "processor": cpu_model(),
        "load_average_before": round(load, 2),
    }


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="file of passages, such as corpus.json")
    parser.add_argument("--single", type=int, default=45, help="passages added one by one")
    parser.add_argument("--sample", type=int, default=0, help="links to print")
    parser.add_argument("--write", action="store_true", help="write the result file")
    options = parser.parse_args()
    figures = measure(options.file, options.single, options.sample)
    text = json.dumps(figures, indent=1)
    print(text)
    if options.write:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"title-links-{options.file.parent.name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
