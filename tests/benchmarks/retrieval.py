"""Measures every strategy's recall and speed on a data set, through the real ingest and Neo4j.

    python tests/benchmarks/retrieval.py ../shared/data/hotpotqa-100 ../shared/data/musique-100

A data set is a folder with ``corpus.json`` and ``questions.json`` in the form of HotpotQA or
MuSiQue. Its passages are ingested in an order shuffled by ``--seed``, each a document, into a
Neo4j that the script starts under ``--work``, all sets before the first is measured. Recall@k:
the share of a question's gold passages among the first k passages found, averaged over the
questions (a passage that was cut into several chunks counts where its first chunk is). Query
times are of 5 chunks with default settings, the question's embedding included, one after the
other, after the recall was measured (so that everything is warm); on a machine that is busy
otherwise, the fastest 10 % tell more than the median.
Writes ``results/retrieval-<set>.json`` and, from all such files, ``results/retrieval.md``.
"""

import argparse
import ast
import hashlib
import json
import os
import platform
import random
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from clew.ingest_limits import limits_of
from clew.settings import Settings
from clew.strategies import STRATEGIES, StrategyContext, build_strategy
from clew_cypher.corpora import corpus_counts, list_corpora
from clew_cypher.embedded import EmbeddedNeo4j
from clew_cypher.ids import content_id
from clew_cypher.schema import ensure_schema
from clew_cypher.store import GraphStore
from clew_ingest.parsing import Parser
from clew_ingest.pipeline import IngestPipeline
from clew_ingest.sources import Source
from clew_models.embedding import load_embedder

RESULTS = Path(__file__).parent / "results"
REPOSITORY = Path(__file__).parents[2]
CUTS = (2, 5, 10)
DEPTH = 30
"""Chunks asked for to see 10 passages, where passages are cut into several chunks."""
TIMED_CHUNKS = 5
TIMED_ROUNDS = 2
FILE = "passages.jsonl"
MEMORY_MIB = (1024, 512)
"""Heap and page cache of Neo4j, the settings' defaults."""
PORTS = (17687, 17474)
"""Wanted ports of Neo4j, away from those of a runtime that is up."""


@dataclass(frozen=True)
class DataSet:
    """``passages``: (title, text). ``questions``: the question and its gold passages."""

    name: str
    passages: list[tuple[str, str]]
    questions: list[tuple[str, list[tuple[str, str]]]]


def load_data_set(folder: Path) -> DataSet:
    """Read a folder in the form of HotpotQA (titles to sentences) or MuSiQue (a list)."""
    corpus = json.loads((folder / "corpus.json").read_text())
    asked = json.loads((folder / "questions.json").read_text())
    if isinstance(corpus, dict):
        texts = {title: "".join(sentences).strip() for title, sentences in corpus.items()}
        questions = [
            (
                item["question"],
                [(t, texts[t]) for t in dict.fromkeys(t for t, _ in item["supporting_facts"])],
            )
            for item in asked
        ]
        return DataSet(folder.name, list(texts.items()), questions)
    passages = [(item["title"], item["text"]) for item in corpus]
    questions = []
    for item in asked:
        paragraphs = item["paragraphs"]
        paragraphs = ast.literal_eval(paragraphs) if isinstance(paragraphs, str) else paragraphs
        gold = [(p["title"], p["paragraph_text"]) for p in paragraphs if p["is_supporting"]]
        questions.append((item["question"], gold))
    return DataSet(folder.name, passages, questions)


def corpus_name(data: DataSet, seed: int) -> str:
    """Return the corpus that the data set's passages are ingested into in the order of ``seed``."""
    return f"{data.name}-seed{seed}"


def record_key(passage: tuple[str, str]) -> str:
    """Return the passage's id in the file that is ingested: it follows from its content."""
    return hashlib.sha256("\n".join(passage).encode()).hexdigest()[:20]


def document_id(corpus: str, passage: tuple[str, str]) -> str:
    """Return the id that ingest gives the passage's document."""
    return content_id("d", corpus, f"{FILE}#{record_key(passage)}")


def ingest(context: StrategyContext, corpus: str, data: DataSet, seed: int) -> float:
    """Ingest the passages in an order shuffled by ``seed``; return the seconds it took."""
    passages = list(data.passages)
    random.Random(seed).shuffle(passages)
    lines = [
        json.dumps({"id": record_key(p), "title": p[0], "text": p[1]}, ensure_ascii=False)
        for p in passages
    ]
    pipeline = IngestPipeline(
        context.store, context.embedder, context.parser, limits_of(context.settings)
    )
    started = time.perf_counter()
    pipeline.accept(corpus, [Source(uri=FILE, name=FILE, data="\n".join(lines).encode())])
    pipeline.process(corpus)
    return time.perf_counter() - started


def measure(context: StrategyContext, corpus: str, data: DataSet) -> dict[str, Any]:
    """Return each strategy's Recall@k in percent and query times in milliseconds."""
    figures: dict[str, Any] = {}
    for spec in sorted(STRATEGIES, key=lambda spec: spec.name):
        strategy = build_strategy(spec.name, context)
        recalls: dict[int, list[float]] = {cut: [] for cut in CUTS}
        seeds = []
        for question, gold in data.questions:
            evidence = strategy.retrieve(question, corpus, DEPTH)
            seeds.append(len(evidence.seeds))
            found = list(dict.fromkeys(chunk.document_id for chunk in evidence.chunks))
            wanted = {document_id(corpus, passage) for passage in gold}
            for cut in CUTS:
                recalls[cut].append(len(wanted & set(found[:cut])) / len(wanted))
        times = []
        for _ in range(TIMED_ROUNDS):
            for question, _ in data.questions:
                started = time.perf_counter()
                strategy.retrieve(question, corpus, TIMED_CHUNKS)
                times.append(1000 * (time.perf_counter() - started))
        figures[spec.name] = {
            **{f"recall_at_{cut}": round(100 * float(np.mean(recalls[cut])), 1) for cut in CUTS},
            "median_ms": round(float(np.median(times)), 1),
            "p10_ms": round(float(np.quantile(times, 0.1)), 1),
            "p95_ms": round(float(np.quantile(times, 0.95)), 1),
            "seed_entities_mean": round(float(np.mean(seeds)), 2),
            "settings": {name: getattr(context.settings, name) for name in spec.settings},
        }
        print(f"{data.name} {spec.name}: {figures[spec.name]}", flush=True)
    return figures


def machine() -> dict[str, Any]:
    """Return what the figures were measured on and with."""
    packages = ("neo4j", "graphdatascience", "spacy", "onnxruntime", "numpy", "scipy")
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in packages},
    }


def table(results: Path) -> str:
    """Return the Markdown page of every result file."""
    lines = [
        "# Recall and speed of the strategies",
        "",
        "Made by `tests/benchmarks/retrieval.py`; its docstring defines the figures.",
    ]
    for path in sorted(results.glob("retrieval-*.json")):
        run = json.loads(path.read_text())
        counts = run["corpus"]
        lines += [
            "",
            f"## {run['set']}",
            "",
            f"{run['questions']} questions, {counts['documents']} passages in shuffled order "
            f"(seed {run['seed']}), {counts['chunks']} chunks, {counts['sentences']} sentences, "
            f"{counts['entities']} entities; {run['machine']['cores']} cores, load "
            f"{run['machine']['load_average']} at the end.",
            "",
            "| strategy | Recall@2 | Recall@5 | Recall@10 | median ms | 10 % ms | 95 % ms |",
            "|---|---|---|---|---|---|---|",
        ]
        for name, row in run["strategies"].items():
            cells = [row[f"recall_at_{cut}"] for cut in CUTS] + [
                row[key] for key in ("median_ms", "p10_ms", "p95_ms")
            ]
            lines.append(f"| {name} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=0, help="of the order of ingest")
    parser.add_argument("--work", type=Path, default=REPOSITORY / ".clew" / "benchmarks")
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".clew" / "cache")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--reuse", action="store_true", help="measure what a run before ingested")
    options = parser.parse_args()
    settings = Settings(home=options.work, cache_dir=options.cache)
    embedder = load_embedder(
        settings.embedder,
        cache_dir=settings.cache,
        batch_size=settings.embed_batch_size,
        threads=settings.embed_threads,
    )
    with (
        EmbeddedNeo4j(options.work / "neo4j", options.cache, *MEMORY_MIB, *PORTS) as server,
        GraphStore(server.config) as store,
    ):
        ensure_schema(store, embedder.dimension)
        context = StrategyContext(store, embedder, Parser(settings.parser), settings)
        seconds: dict[str, float | None] = {}
        sets = [load_data_set(folder) for folder in options.folders]
        # all first: Lucene's word statistics are those of all corpora in the database
        for data in sets:
            corpus = corpus_name(data, options.seed)
            known = corpus in [row["name"] for row in list_corpora(store)]
            seconds[data.name] = None
            if not (known and options.reuse):
                seconds[data.name] = round(ingest(context, corpus, data, options.seed), 1)
        for data in sets:
            corpus = corpus_name(data, options.seed)
            result = {
                "set": data.name,
                "seed": options.seed,
                "questions": len(data.questions),
                "corpus": corpus_counts(store, corpus),
                "ingest_s": seconds[data.name],
                "strategies": measure(context, corpus, data),
                "machine": machine(),
            }
            options.output.mkdir(parents=True, exist_ok=True)
            path = options.output / f"retrieval-{data.name}.json"
            path.write_text(json.dumps(result, indent=2) + "\n")
            (options.output / "retrieval.md").write_text(table(options.output))


if __name__ == "__main__":
    main()
