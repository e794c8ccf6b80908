"""Yes or no, as a short text tells it: what the span model learns of such, and how well it does.

    python tests/benchmarks/yes_no.py rows CACHE_DIR FILE
    python tests/benchmarks/yes_no.py measure [--weights WEIGHTS]

`data/yes_no.jsonl`: short texts as rules, prices, manuals, contracts and reports have them, with
questions that one answers with yes, with no, or leaves open, in nearly the same words; written by
language models that saw nothing of Clew. One text of HELD_OUT is not trained on.

- `rows` appends to FILE what `help_pages.py train` reads: each question with its text, and some
  with the nearest other text, which tells neither.
- `measure` prints how many questions on texts that are held out the model answers rightly, and how
  well it knows those that a text leaves open (area under the ROC curve; 0.5: not at all).
"""

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score
from span_reader_training import lines_of

from clew_models.embedding.base import Embedder
from clew_models.embedding.load import load_embedder
from clew_models.span_reader import SpanReader
from clew_models.span_reader.weights import PAGES, all_weights

TEXTS = Path(__file__).parent / "data" / "yes_no.jsonl"
HELD_OUT = 20
ELSEWHERE = 0.25
"""The share of questions that are also read beside another text."""
NEAREST = 3
"""One of so many nearest texts is that."""
VERDICTS = {"yes": "yes", "no": "no", "no yes or no": "neither"}


def texts(*, held_out: bool) -> list[dict[str, Any]]:
    """Return the texts that are held out, or the others, with their questions."""
    rows = enumerate(lines_of(TEXTS))
    return [row for number, row in rows if (number % HELD_OUT == 0) == held_out]


def rows_of(found: list[dict[str, Any]], embedder: Embedder) -> Iterator[dict[str, Any]]:
    """Yield what is read, the characters that tell, and what they tell."""
    chance = random.Random(7)
    vectors = np.array(embedder.embed([f"{one['heading']}\n{one['text']}" for one in found]))
    for number, one in enumerate(found):
        order = np.argsort(-(vectors @ vectors[number]), kind="stable").tolist()
        near = [found[other] for other in order if other != number][:NEAREST]
        for asked in one["questions"]:
            verdict = VERDICTS.get(asked["kind"], "")
            yield row(asked["question"], one, verdict, asked.get("says", (0, 0)))
            if chance.random() < ELSEWHERE:
                yield row(asked["question"], chance.choice(near), verdict and "neither", (0, 0))


def row(question: str, text: dict[str, Any], verdict: str, says: Any) -> dict[str, Any]:
    """Return a row as `help_pages.py train` reads it."""
    passage = [text["heading"], text["text"]]
    return {"question": question, "passage": passage, "answer": list(says), "verdict": verdict}


def write_rows(asked: argparse.Namespace) -> None:
    """Append what is read of the texts that are not held out."""
    embedder = load_embedder("minilm", cache_dir=asked.cache_dir, threads=asked.threads)
    with asked.file.open("a", encoding="utf-8") as out:
        for one in rows_of(texts(held_out=False), embedder):
            out.write(json.dumps(one, ensure_ascii=False) + "\n")


def measure(asked: argparse.Namespace) -> None:
    """Print how well a model tells what is held out."""
    reader = SpanReader(threads=asked.threads, weights=all_weights(asked.weights))
    told: list[float] = []
    tells: list[bool] = []
    right: list[bool] = []
    sure: list[float] = []
    for one in texts(held_out=True):
        questions = [each for each in one["questions"] if each["kind"] in VERDICTS]
        encoded = reader.encode([(one["heading"], one["text"])])
        read = reader.read([each["question"] for each in questions], encoded)
        for each, (reading,) in zip(questions, read, strict=True):
            tell, yes = reading.verdict()
            told.append(tell)
            tells.append(each["kind"] != "no yes or no")
            if tells[-1]:
                right.append(each["kind"] == ("yes" if yes > 0 else "no"))
                sure.append(abs(yes))
    order = np.argsort(-np.array(sure), kind="stable")
    print(
        f"{len(right)} questions told: {np.mean(right):.1%} right, "
        f"the surer half {np.array(right)[order[: len(order) // 2]].mean():.1%}; "
        f"{len(told) - len(right)} left open, known by {roc_auc_score(tells, told):.3f}"
    )


def main() -> None:
    """Write rows, or measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("rows", help="append what is read")
    one.add_argument("cache_dir", type=Path)
    one.add_argument("file", type=Path)
    one.set_defaults(run=write_rows)
    other = commands.add_parser("measure", help="print figures of what is held out")
    other.add_argument("--weights", type=Path, default=PAGES, help="of the model")
    other.set_defaults(run=measure)
    for each in (one, other):
        each.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args()
    asked.run(asked)


if __name__ == "__main__":
    main()
