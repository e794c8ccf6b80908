"""Measures the default embedder by the numbers that it computes with, and by how many tokens a run
of it holds.

    python tests/benchmarks/embedder_runs.py ../shared/data/hotpotqa-100/corpus.json --write

Embeds 600 sentences and 120 passages with their titles, and 900 names (pairs of words of the
sentences), with runs of so many tokens, padding counted, and, as "8 texts", with runs of eight
texts each whatever their length, the way that it was done before; in float32 (ONNX Runtime) and,
where the processor multiplies in it, in bfloat16 (OpenVINO). Each once, ``--rounds`` times in turn.
Prints JSON, ``cpu_seconds``: medians of this process' processor time, which another load on the
machine changes less than seconds of the clock; ``lowest_cosine``: with float32 in runs of eight
texts; and writes ``results/embedder-runs.json``.
"""

import argparse
import json
import os
import resource
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clew.evaluation.measuring import cpu_model
from clew_models.devices import processor_computes_bfloat16
from clew_models.embedding import minilm
from clew_models.networks import Precision

RESULT = Path(__file__).parent / "results" / "embedder-runs.json"
REPOSITORY = Path(__file__).parents[2]
TOKENS = (128, 256, 512, 1024, 2048)
BY_TOKENS = minilm.runs_of


def by_eight(sizes: Sequence[int], most: int) -> Iterator[list[int]]:
    """Yield runs of eight texts, the shortest first."""
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    yield from (order[start : start + 8] for start in range(0, len(order), 8))


def cpu_seconds() -> float:
    """Processor time of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def texts_of(file: Path) -> dict[str, list[str]]:
    """Return what is embedded, by its kind."""
    corpus: dict[str, list[str]] = json.loads(file.read_text())
    sentences = [f"{title}\n{text}" for title, texts in corpus.items() for text in texts][:600]
    words = [sentence.lower().split() for sentence in sentences]
    names = dict.fromkeys(" ".join(row[at : at + 2]) for row in words for at in (0, 2, 4))
    return {
        "600 sentences": sentences,
        "120 passages": [f"{title}\n{' '.join(texts)}" for title, texts in corpus.items()][:120],
        "900 names": list(names)[:900],
    }


def measure(file: Path, rounds: int) -> dict[str, Any]:
    """Embed, and return the figures."""
    cache = Path(os.environ.get("CLEW_TEST_CACHE_DIR", REPOSITORY / ".clew" / "cache"))
    texts = texts_of(file)
    reference: dict[str, Any] = {}
    spent: dict[str, dict[str, list[float]]] = {}
    lowest: dict[str, float] = {}
    precisions: list[Precision] = ["float32"]
    if processor_computes_bfloat16():
        precisions.append("bfloat16")
    for _ in range(rounds):
        for precision in precisions:
            for runs in ("8 texts", *map(str, TOKENS)):
                label = f"{precision}, {runs}"
                minilm.runs_of = by_eight if runs == "8 texts" else BY_TOKENS
                size = 8 if runs == "8 texts" else int(runs) // minilm.TEXT_TOKENS
                embedder = minilm.MiniLMEmbedder(cache, batch_size=size, precision=precision)
                embedder.embed(texts["900 names"][:50])
                for kind, given in texts.items():
                    begun = cpu_seconds()
                    vectors = embedder.embed(given)
                    spent.setdefault(label, {}).setdefault(kind, []).append(cpu_seconds() - begun)
                    same = reference.setdefault(kind, vectors)
                    cosine = float(np.sum(same * vectors, axis=1).min())
                    lowest[precision] = min(lowest.get(precision, 1.0), cosine)
    return {
        "cpu_seconds": {
            label: {kind: round(statistics.median(values), 2) for kind, values in kinds.items()}
            for label, kinds in spent.items()
        },
        "lowest_cosine": {precision: round(cosine, 6) for precision, cosine in lowest.items()},
        "rounds": rounds,
        "processor": cpu_model(),
    }


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="corpus.json of a data set")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true", help=f"write {RESULT.name}")
    options = parser.parse_args()
    figures = json.dumps(measure(options.file, options.rounds), indent=1)
    print(figures)
    if options.write:
        RESULT.write_text(figures + "\n")


if __name__ == "__main__":
    main()
