"""Measures whether writing and asking stay fast while a graph grows, on a synthetic corpus.

    python tests/benchmarks/growth.py [--chunks 100000] [--write]

Writes chunks through the writer that ingest uses, 128 a batch: two sentences, six mentions, six
roles and three triples each, with embeddings of 384 dimensions (random, so that no model takes
part), and entities whose frequencies follow Zipf's law (the most frequent is in every eighth
chunk). That is 20 edges a chunk. Prints edges a second for each tenth of the run, what Neo4j takes
on disk and in memory, and then the time of dense, bm25 and pagerank queries on the graph.
``java_vectors``: whether the embedded Neo4j ran on a Java that multiplies vectors by the
processor's wide registers, named by ``JAVA_HOME``.

Starts a Neo4j of its own in a temporary directory, with the settings' memory unless ``--heap`` and
``--page-cache`` say otherwise; ``--write`` writes ``results/growth-synthetic.json``, or
``growth-synthetic-trimmed-java.json`` where the Java was the wheel's, which cannot do that.
"""

import argparse
import hashlib
import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from clew.evaluation.measuring import cpu_model
from clew.settings import Settings
from clew_cypher.corpora import corpus_counts, ensure_corpus
from clew_cypher.embedded import EmbeddedNeo4j
from clew_cypher.embedded.java import java
from clew_cypher.ids import content_id, entity_id
from clew_cypher.rows import (
    ChunkRow,
    DocumentRow,
    EntityRow,
    GraphBatch,
    MentionRow,
    RoleRow,
    SentenceRow,
    TripleRow,
)
from clew_cypher.schema import ensure_schema
from clew_cypher.searching.projections import mention_projection, pagerank_chunks
from clew_cypher.searching.vectors import nearest_chunks
from clew_cypher.searching.words import search_chunks
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import accept_document
from clew_cypher.writing.entities import refresh_stale_entities
from clew_cypher.writing.writer import write_batch

RESULTS = Path(__file__).parent / "results"
REPOSITORY = Path(__file__).parents[2]
DIMENSION = 384
CORPUS = "growth"
BATCH = 128
DOCUMENT_CHUNKS = 8
SENTENCES = 2
MENTIONS = 6
TRIPLES = 3
QUERIES = 30


class Synthetic:
    """Makes batches: the same seed, the same graph."""

    def __init__(self, chunks: int, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        self._vocabulary = max(1000, chunks)
        ranks = np.arange(1, self._vocabulary + 1)
        weights = 1.0 / ranks
        self._weights = np.cumsum(weights / weights.sum())
        self._known: set[int] = set()
        self.edges = 0

    def vectors(self, count: int) -> Any:
        """Return [count, D] unit vectors."""
        made = self._random.standard_normal((count, DIMENSION), dtype=np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)

    def entities(self, count: int) -> list[int]:
        """Return distinct entities, drawn by Zipf's law."""
        found: dict[int, None] = {}
        while len(found) < count:
            draw = np.searchsorted(self._weights, self._random.random(count))
            found.update(dict.fromkeys(int(number) for number in draw))
        return list(found)[:count]

    def batches(self, chunks: int) -> Iterator[tuple[list[DocumentRow], GraphBatch]]:
        """Yield what is to be accepted and what is to be written then."""
        for first in range(0, chunks, BATCH):
            yield self._batch(range(first, min(first + BATCH, chunks)))

    def _batch(self, numbers: range) -> tuple[list[DocumentRow], GraphBatch]:
        documents: dict[str, DocumentRow] = {}
        rows: dict[str, list[Any]] = {name: [] for name in ("chunk", "sentence", "mention")}
        roles: list[RoleRow] = []
        triples: list[TripleRow] = []
        entities: dict[int, EntityRow] = {}
        vectors = iter(self.vectors(len(numbers) * (1 + SENTENCES)))
        for number in numbers:
            document = _document(number // DOCUMENT_CHUNKS)
            documents[document.id] = document
            drawn = self.entities(MENTIONS)
            for entity in drawn:
                entities.setdefault(entity, self._entity(entity))
            ids = [entities[entity].id for entity in drawn]
            names = [f"Name{entity}" for entity in drawn]
            texts = [
                f"{names[0]} met {names[1]} and {names[2]}.",
                f"{names[3]} knew {names[4]} and {names[5]}.",
            ]
            text = f"Chunk {number}. {' '.join(texts)}"
            chunk_id = content_id("c", document.id, document.title, text, "0")
            rows["chunk"].append(
                ChunkRow(
                    chunk_id,
                    document.id,
                    number % DOCUMENT_CHUNKS,
                    document.title,
                    text,
                    next(vectors),
                    unit=content_id("u", text),
                )
            )
            for place, (part, name) in enumerate(zip(texts, (ids[:3], ids[3:]), strict=True)):
                vector = next(vectors)
                sentence_id = content_id("s", chunk_id, str(place), part)
                rows["sentence"].append(
                    SentenceRow(sentence_id, chunk_id, place, part, "## met ## and ##.", vector)
                )
                roles.append(RoleRow(name[0], sentence_id, "head", "PERSON"))
                roles += [RoleRow(tail, sentence_id, "tail", "PERSON") for tail in name[1:]]
                for tail in name[1:][: TRIPLES - place * 2]:
                    triples.append(
                        TripleRow(
                            content_id("t", chunk_id, str(place), name[0], "meet", tail),
                            name[0],
                            tail,
                            "head",
                            "meet",
                            "tail",
                            part,
                            chunk_id,
                            sentence_id,
                            "rules",
                            None,
                        )
                    )
            rows["mention"] += [
                MentionRow(id_, chunk_id, 1, name, "PERSON", False)
                for id_, name in zip(ids, names, strict=True)
            ]
        first = dict.fromkeys(documents, numbers.start // DOCUMENT_CHUNKS)
        self.edges += (
            len(rows["chunk"]) * 2  # PART_OF and NEXT_CHUNK, nearly
            + len(rows["sentence"]) * 2
            + len(rows["mention"])
            + len(roles)
            + len(triples)
            - len(first)
        )
        return list(documents.values()), GraphBatch(
            documents=tuple(documents.values()),
            chunks=tuple(rows["chunk"]),
            sentences=tuple(rows["sentence"]),
            entities=tuple(entities.values()),
            mentions=tuple(rows["mention"]),
            roles=tuple(roles),
            triples=tuple(triples),
            finished=tuple(documents),
        )

    def _entity(self, number: int) -> EntityRow:
        key = f"name{number}"
        vector = None if number in self._known else self.vectors(1)[0]
        self._known.add(number)
        return EntityRow(entity_id(CORPUS, key), key, vector)


def _document(number: int) -> DocumentRow:
    uri = f"synthetic/{number}.txt"
    return DocumentRow(
        content_id("d", CORPUS, uri),
        uri,
        f"Document {number}",
        "text/plain",
        hashlib.sha256(uri.encode()).hexdigest(),
    )


def write_corpus(store: GraphStore, chunks: int) -> dict[str, Any]:
    """Write the corpus `CORPUS` of so many chunks; return how long that took."""
    made = Synthetic(chunks)
    tenth = -(-chunks // BATCH) / 10
    spent: list[tuple[float, int]] = []
    begun = time.monotonic()
    for number, (documents, batch) in enumerate(made.batches(chunks), 1):
        for row in documents:
            accept_document(
                store,
                CORPUS,
                uri=row.uri,
                title=row.title,
                media_type=row.media_type,
                sha256=row.sha256,
                data=b"x",
            )
        before = made.edges if not spent else spent[-1][1]
        started = time.monotonic()
        write_batch(store, CORPUS, batch)
        spent.append((time.monotonic() - started, made.edges))
        if number % 50 == 0:
            rate = (made.edges - before) / spent[-1][0] if number > 1 else 0
            print(f"{number * BATCH} chunks, {made.edges} edges, {rate:.0f} edges/s", flush=True)
    started = time.monotonic()
    refresh_stale_entities(store, CORPUS)
    refresh = time.monotonic() - started
    rates = []
    for part in range(10):
        low, high = round(part * tenth), round((part + 1) * tenth)
        seconds = sum(value for value, _ in spent[low:high])
        edges = spent[high - 1][1] - (spent[low - 1][1] if low else 0)
        rates.append(round(edges / seconds))
    return {
        "edges": made.edges,
        "write_seconds": round(sum(value for value, _ in spent), 1),
        "wall_seconds": round(time.monotonic() - begun, 1),
        "last_refresh_seconds": round(refresh, 2),
        "edges_per_second_by_tenth": rates,
        "last_tenth_by_first": round(rates[-1] / rates[0], 3),
    }


def _queries(store: GraphStore, chunks: int) -> dict[str, Any]:
    made = Synthetic(chunks, seed=1)
    vectors = made.vectors(QUERIES)
    names = [made.entities(3) for _ in range(QUERIES)]
    started = time.monotonic()
    mention_projection(store, CORPUS)
    projection = time.monotonic() - started

    def timed(name: str, ask: Any) -> dict[str, float]:
        times = []
        for number in range(QUERIES):
            begun = time.monotonic()
            found = ask(number)
            times.append((time.monotonic() - begun) * 1000)
            assert found, f"{name} found nothing"
        return {
            "median_ms": round(statistics.median(times), 1),
            "p95_ms": round(sorted(times)[int(QUERIES * 0.95)], 1),
        }

    return {
        "projection_seconds": round(projection, 2),
        "dense": timed("dense", lambda i: nearest_chunks(store, CORPUS, vectors[i], 20)),
        "bm25": timed(
            "bm25",
            lambda i: search_chunks(store, CORPUS, " ".join(f"Name{n}" for n in names[i]), 20),
        ),
        "pagerank": timed(
            "pagerank",
            lambda i: pagerank_chunks(
                store,
                CORPUS,
                {entity_id(CORPUS, f"name{n}"): 1 / 3 for n in names[i]},
                damping=0.5,
                limit=20,
            ),
        ),
    }


def measure(chunks: int, heap_mib: int, page_cache_mib: int) -> dict[str, Any]:
    """Write, ask, and return the figures."""
    cache = Path(os.environ.get("CLEW_TEST_CACHE_DIR", REPOSITORY / ".clew" / "cache"))
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedNeo4j(Path(home), cache, heap_mib, page_cache_mib) as neo4j,
        GraphStore(neo4j.config) as store,
    ):
        ensure_schema(store, DIMENSION)
        ensure_corpus(store, CORPUS, embedder="synthetic", dimension=DIMENSION)
        load = psutil.getloadavg()[0]
        written = write_corpus(store, chunks)
        return {
            "chunks": chunks,
            **written,
            "counts": corpus_counts(store, CORPUS),
            "queries": _queries(store, chunks),
            "heap_mib": heap_mib,
            "page_cache_mib": page_cache_mib,
            "disk_mib": round(
                sum(file.stat().st_size for file in Path(home).rglob("*") if file.is_file()) / 2**20
            ),
            "neo4j_rss_mib": round(
                max(child.memory_info().rss for child in psutil.Process().children(recursive=True))
                / 2**20
            ),
            "cores": psutil.cpu_count(),
            "processor": cpu_model(),
            "java_vectors": bool(java().options),
            "load_average_before": round(load, 2),
        }


def main() -> None:
    """Measure, print, and write where asked."""
    settings = Settings()
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--heap", type=int, default=settings.neo4j_heap_mib, metavar="MIB")
    parser.add_argument(
        "--page-cache", type=int, default=settings.neo4j_page_cache_mib, metavar="MIB"
    )
    parser.add_argument("--write", action="store_true", help="write results/growth-synthetic*.json")
    options = parser.parse_args()
    figures = json.dumps(measure(options.chunks, options.heap, options.page_cache), indent=1)
    print(figures)
    if options.write:
        name = "growth-synthetic" if java().options else "growth-synthetic-trimmed-java"
        (RESULTS / f"{name}.json").write_text(figures + "\n")


if __name__ == "__main__":
    main()
