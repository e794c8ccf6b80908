"""Measures answers a second of the extractive reader, with and without what it remembers.

    python tests/benchmarks/reader_speed.py CACHE_DIR [--threads 8] [--write]

The sample corpus' 49 questions, each with its five nearest passages by dense retrieval, are read by
``--threads`` threads at once, as in a query worker: by readers that remember no passage, by ones
that share a memory that is empty at first, and again by those. The passages of the 49 questions
overlap, as those of a small corpus do. Retrieval and services are not timed. Both ways are measured
in one run: other work on the machine changes their ratio little.
"""

import argparse
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path

import numpy as np

from clew.answering.base import whole_answer
from clew.answering.extractive import ExtractiveReader
from clew.comprehension.annotation import Annotator
from clew.comprehension.passage_memory import PassageMemory
from clew.comprehension.read_evidence import ReaderModels
from clew.results.evidence import Evidence, ScoredChunk
from clew_models.embedding.base import Embedder
from clew_models.embedding.load import load_embedder
from clew_models.span_reader import SpanReader

RESULT = Path(__file__).parent / "results" / "reader-speed.json"


def evidences(embedder: Embedder) -> list[Evidence]:
    """Return the sample's questions with five passages each."""
    folder = files("clew").joinpath("sample_corpus")
    passages = []
    for file in sorted(folder.joinpath("articles").iterdir(), key=lambda file: file.name):
        title, text = file.read_text(encoding="utf-8").split("\n", 1)
        passages.append((title.lstrip("# ").strip(), text.strip()))
    vectors = embedder.embed([f"{title}\n{text}" for title, text in passages])
    result = []
    for line in folder.joinpath("questions.jsonl").read_text(encoding="utf-8").splitlines():
        question = json.loads(line)["question"]
        scores = vectors @ embedder.embed([question])[0]
        chunks = tuple(
            ScoredChunk(
                id=f"c{i}",
                document_id=f"d{i}",
                title=passages[i][0],
                text=passages[i][1],
                score=float(scores[i]),
            )
            for i in np.argsort(-scores)[:5]
        )
        result.append(Evidence(question=question, corpus="s", strategy="dense", chunks=chunks))
    return result


def main() -> None:
    """Measure, and print answers a second and processor seconds an answer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cache_dir", type=Path)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    embedder = load_embedder("minilm", cache_dir=options.cache_dir)
    annotator, memory, spans = Annotator(), PassageMemory(), SpanReader(threads=1)
    asked = evidences(embedder)

    def seconds(kept: PassageMemory | None) -> dict[str, float]:
        def answer(evidence: Evidence) -> None:
            own = PassageMemory() if kept is None else kept
            whole_answer(ExtractiveReader(ReaderModels(embedder, spans, annotator, own)), evidence)

        started, worked = time.perf_counter(), time.process_time()
        with ThreadPoolExecutor(options.threads) as pool:
            list(pool.map(answer, asked))
        wall, processor = time.perf_counter() - started, time.process_time() - worked
        return {
            "answers_a_second": round(len(asked) / wall, 2),
            "processor_seconds_an_answer": round(processor / len(asked), 3),
        }

    whole_answer(ExtractiveReader(ReaderModels(embedder, spans, annotator)), asked[0])
    figures = {
        "no_memory": seconds(None),
        "memory_empty_at_first": seconds(memory),
        "memory_filled": seconds(memory),
        "threads": options.threads,
        "load_average": round(os.getloadavg()[0], 1),
    }
    print(json.dumps(figures, indent=2))
    if options.write:
        RESULT.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
