"""Fits how sure a comparison of two things is (platform/clew/answering/calibration.json).

    python tests/benchmarks/compared_confidence.py CACHE_DIR [--write]

Asked are the questions of `data/compared_things.jsonl`, which compare two of some invented things
or documents; each of the passages of its two and of three others, in random order. Of what compares
two values of the evidence (`Finding.measured_as` "two values"), right is what is exact; what the
passages do not say is never right. Fitted by logistic regression with L2 on COMPARED_BY, to the
half of the questions that is not held out. Printed are, of each half, how many are answered
rightly, wrongly and not at all, of what is stated (confidence above LIKELY) and of what is hedged,
and how many are right by how sure they are. ``--write`` writes the weights, and
``results/compared.json``.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from reader_training import Told, fitted_to, store

from clew.answering.extractive import ExtractiveReader
from clew.answering.finding import find
from clew.answering.found import TWO_VALUES
from clew.answering.sureness import LIKELY
from clew.comprehension.normalisation import exact_match
from clew.comprehension.read_evidence import ReaderModels, ReadEvidence
from clew.results.evidence import Answer, Evidence, ScoredChunk
from clew_models.embedding.load import load_embedder
from clew_models.span_reader import SpanReader

HERE = Path(__file__).parent
THINGS = HERE / "data" / "compared_things.jsonl"
RESULT = HERE / "results" / "compared.json"
COMPARED_BY = ("told", "least_span")
RIDGE, OTHERS = 1.0, 3
HALVES = ("fitted", "held out")
BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 1.01)


def evidence(question: str, titles: list[str], passages: dict[str, str]) -> Evidence:
    """Return the passages of two things and of some others, in random order."""
    chance = random.Random(question)
    shown = [*titles, *chance.sample([one for one in passages if one not in titles], OTHERS)]
    chance.shuffle(shown)
    chunks = tuple(
        ScoredChunk(id=title, document_id=title, title=title, text=passages[title], score=1.0)
        for title in shown
    )
    return Evidence(question=question, corpus="things", strategy="none", chunks=chunks)


def asked(half: str) -> Iterator[tuple[Evidence, str]]:
    """Yield the questions of a half with their answers, "" where the passages do not say."""
    with THINGS.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["held_out"] == (half == HALVES[1]):
                for one in row["questions"]:
                    yield (
                        evidence(one["question"], one["titles"], row["passages"]),
                        one["answer"],
                    )


def compared(models: ReaderModels) -> Iterator[Told]:
    """Yield what compares two values, of the half that is fitted to."""
    for given, gold in asked(HALVES[0]):
        finding = find(given.question, ReadEvidence(given.chunks, models))
        if finding is not None:
            right = bool(gold) and exact_match(finding.short, [gold])
            yield Told("compared", bool(gold), finding, right)


def figures(reader: ExtractiveReader, half: str) -> dict[str, Any]:
    """Return what is answered of a half, and how many are right by how sure they are."""
    counts: Counter[str] = Counter()
    sure, right = [], []
    for given, gold in asked(half):
        answer = list(reader.read(given))[-1]
        assert isinstance(answer, Answer)
        told = answer.supported and bool(answer.short)
        ok = bool(gold) and exact_match(answer.short, [gold])
        stated = "stated" if answer.confidence > LIKELY else "hedged"
        kind = "" if gold else "not said: "
        counts[kind + (f"{'right' if ok else 'wrong'}, {stated}" if told else "refused")] += 1
        if told:
            sure.append(answer.confidence)
            right.append(ok)
    bins = np.digitize(sure, BINS)
    by = {
        f"{BINS[n - 1]} to {min(BINS[n], 1)}": [
            int((bins == n).sum()),
            round(float(np.mean(np.array(right)[bins == n])), 2),
        ]
        for n in sorted(set(bins.tolist()))
    }
    return {"answers": dict(sorted(counts.items())), "right by confidence": by}


def main() -> None:
    """Ask, fit, print, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cache", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    models = ReaderModels(load_embedder("minilm", cache_dir=options.cache), SpanReader())
    fitted = fitted_to(list(compared(models)), TWO_VALUES, COMPARED_BY, RIDGE)
    print(json.dumps(fitted), flush=True)
    if options.write:
        store({TWO_VALUES: fitted})
    reader = ExtractiveReader(models)
    report = {half: figures(reader, half) for half in HALVES}
    print(json.dumps(report, indent=1))
    if options.write:
        RESULT.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
