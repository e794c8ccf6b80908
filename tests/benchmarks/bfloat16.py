"""Measures whether this processor is quicker in bfloat16 than without, by what Clew computes most.

    python tests/benchmarks/bfloat16.py --write intel-without-amx

Processor time on one thread, in milliseconds, the median of ``--rounds`` in turn: the embedder, of
a question and of 32 passages of 200 words; the span model, of ten passages of 120 words (integers
beside bfloat16); the step reader, of eight steps; a layer of a transformer (384 wide, eight rows of
160 tokens) in PyTorch, forth, and forth and back. The texts are random words of a fixed list, which
take as long as others. ``ratio``: bfloat16 by the other; above 1, `gains_by_bfloat16`
(`clew_models.devices`) must say no. ``--write NAME`` writes ``results/bfloat16-NAME.json``.
"""

import argparse
import json
import os
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from clew.evaluation.measuring import cpu_model
from clew_models.devices import processor_computes_bfloat16, processor_gains_by_bfloat16
from clew_models.embedding.minilm import MiniLMEmbedder
from clew_models.networks import Precision
from clew_models.span_reader import SpanReader
from clew_models.step_reader import StepReader, StepText

RESULTS = Path(__file__).parent / "results"
REPOSITORY = Path(__file__).parents[2]
WORDS = """
the river mill town council river built by engineer which year museum keeps letters from
her brother who found old tablets near bridge and wrote about them until war ended
"""
QUESTION = "Where was the archaeologist born who found the tablets near the bridge?"


def text(words: int, chance: random.Random) -> str:
    """Return so many words."""
    return " ".join(chance.choices(WORDS.split(), k=words))


def work_in(precision: Precision) -> dict[str, Callable[[], Any]]:
    """Return what is measured, with its models loaded."""
    chance = random.Random(1)
    cache = Path(os.environ.get("CLEW_TEST_CACHE_DIR", REPOSITORY / ".clew" / "cache"))
    embedder = MiniLMEmbedder(cache, threads=1, precision=precision)
    reader = SpanReader(threads=1, precision=precision)
    steps_reader = StepReader(threads=1, precision=precision)
    passages = [text(200, chance) for _ in range(32)]
    encoded = reader.encode([(text(3, chance), text(120, chance)) for _ in range(10)])
    steps = [StepText(*(text(count, chance) for count in (3, 60, 25, 3))) for _ in range(8)]
    layer = torch.nn.TransformerEncoderLayer(384, 12, 1536, batch_first=True)
    rows = torch.randn(8, 160, 384)
    lower = precision == "bfloat16"

    def forth(learning: bool) -> torch.Tensor:
        layer.train(learning)
        with torch.set_grad_enabled(learning), torch.autocast("cpu", enabled=lower):
            found: torch.Tensor = layer(rows)
        return found

    return {
        "embedder, a question": lambda: embedder.embed([QUESTION]),
        "embedder, 32 passages": lambda: embedder.embed(passages),
        "span model, 10 passages": lambda: reader.read([QUESTION], encoded),
        "step reader, 8 steps": lambda: steps_reader.fits(QUESTION, steps),
        "PyTorch, forth": lambda: forth(False),
        "PyTorch, forth and back": lambda: forth(True).float().sum().backward(),
    }


def measure(rounds: int) -> dict[str, Any]:
    """Return the figures."""
    torch.set_num_threads(1)
    kinds: tuple[Precision, ...] = ("float32", "bfloat16")
    works = {precision: work_in(precision) for precision in kinds}
    spent: dict[str, dict[str, list[float]]] = {name: {} for name in works["float32"]}
    for turn in range(rounds + 1):  # the first is to warm up
        for precision in kinds:
            for name, work in works[precision].items():
                begun = time.process_time()
                work()
                if turn:
                    took = 1000 * (time.process_time() - begun)
                    spent[name].setdefault(precision, []).append(took)
    medians = {
        name: {precision: round(statistics.median(took), 1) for precision, took in found.items()}
        for name, found in spent.items()
    }
    for found in medians.values():
        found["ratio"] = round(found["bfloat16"] / found["float32"], 2)
    return {
        "cpu_ms": medians,
        "auto_takes_bfloat16": processor_gains_by_bfloat16(),
        "rounds": rounds,
        "processor": cpu_model(),
    }


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--write", metavar="NAME", help="write results/bfloat16-NAME.json")
    options = parser.parse_args()
    if not processor_computes_bfloat16():
        parser.error("this processor has neither AMX nor AVX512-BF16")
    figures = json.dumps(measure(options.rounds), indent=1)
    print(figures)
    if options.write:
        (RESULTS / f"bfloat16-{options.write}.json").write_text(figures + "\n")


if __name__ == "__main__":
    main()
