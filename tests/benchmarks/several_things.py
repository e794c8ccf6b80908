"""Asks for several things at once: lists, and two questions in one.

    clew up
    python tests/benchmarks/several_things.py --write

`data/several_things.jsonl`: questions of what stands together in a passage ("list-one"), in several
passages ("list-across"), in a document's list or table ("list-document"), two questions in one
("two-part"), and ones that look so but ask for one thing ("single"). They were written by language
models that read the documents and saw nothing of Clew: ``part`` "worked with" while this was built,
"unseen" asked only once it was done (60.0 F1 then; after it was looked at, decades, lists that are
one answer and names at the head of a line were mended).

It asks the corpora that `two_wiki_questions.py` and `handbooks.py` make (``--wiki``: another name
of the first), with default settings or by ``--strategy``. An item is right where it is a gold item
in one of its spellings (exact or F1 >= 0.75, SQuAD), each gold item once. ``precision`` and
``recall`` of the items and their ``f1`` are means over the questions (what is refused counts 0, as
in QAMPARI), ``whole``: the share of questions whose items are all there, and nothing else is.
"""

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from two_wiki_questions import RIGHT, by_kind, write

from clew.answering.extractive import POSSIBLE
from clew.clew import Clew
from clew.comprehension.normalisation import best_f1, exact_match
from clew.settings import Settings

HERE = Path(__file__).parent
QUESTIONS = HERE / "data" / "several_things.jsonl"
RESULT = HERE / "results" / "several-things.json"


@dataclass(frozen=True)
class Asked:
    """A question of ``kind`` with what came of it."""

    kind: str
    precision: float
    recall: float
    said: int
    stated: bool
    seconds: float

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def found(items: Sequence[str], golds: Sequence[Sequence[str]]) -> int:
    """Return how many gold items are among the items; each item is one of them at most."""
    left = list(golds)
    for item in items:
        hit = next(
            (one for one in left if exact_match(item, one) or best_f1(item, one) >= RIGHT), None
        )
        if hit is not None:
            left.remove(hit)
    return len(golds) - len(left)


def ask(clew: Clew, row: dict[str, Any], corpus: str, strategy: str | None, show: bool) -> Asked:
    """Ask one question."""
    started = time.perf_counter()
    answer = clew.ask(row["question"], corpus=corpus, strategy=strategy, reader="extractive")
    seconds = time.perf_counter() - started
    said = list(getattr(answer, "items", ()) or [answer.short]) if answer.supported else []
    hits = found(said, row["answers"])
    asked = Asked(
        row["kind"],
        hits / len(said) if said else 0.0,
        hits / len(row["answers"]),
        len(said),
        bool(said) and answer.confidence >= POSSIBLE,
        seconds,
    )
    if show:
        gold = [one[0] for one in row["answers"]]
        print(f"{asked.f1:.2f} {answer.confidence:.2f} {row['question']} {said} {gold}", flush=True)
    return asked


def figures(asked: Sequence[Asked]) -> dict[str, float]:
    """Return the figures of some questions, shares in per cent."""

    def share(values: Sequence[float]) -> float:
        return round(100 * statistics.fmean(values), 1)

    return {
        "questions": len(asked),
        "precision": share([one.precision for one in asked]),
        "recall": share([one.recall for one in asked]),
        "f1": share([one.f1 for one in asked]),
        "whole": share([one.f1 == 1 for one in asked]),
        "answered": sum(one.said > 0 for one in asked),
        "stated": sum(one.stated for one in asked),
        "stated_wrongly": sum(one.stated and one.precision < 1 for one in asked),
        "median_seconds": round(statistics.median(one.seconds for one in asked), 2),
    }


def main() -> None:
    """Ask, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--wiki", default="two-wiki", help="the corpus of 2wiki's passages")
    parser.add_argument("--part", choices=["worked with", "unseen"], help="only these")
    parser.add_argument("--kind", help="only these")
    parser.add_argument("--strategy")
    parser.add_argument("--show", action="store_true", help="print each question and its answer")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if options.kind in {None, row["kind"]}]
    measured: dict[str, Any] = {}
    with Clew(Settings.load()) as clew:
        for part in dict.fromkeys(row["part"] for row in rows):
            if options.part not in {None, part}:
                continue
            asked = []
            for row in rows:
                if row["part"] == part:
                    own = row["set"]
                    corpus = options.wiki if own == "2wiki" else f"handbook-{own}"
                    asked.append(ask(clew, row, corpus, options.strategy, options.show))
            measured[part] = by_kind(asked, figures)
            print(part, json.dumps(measured[part], indent=1), flush=True)
    if options.write:
        write(RESULT, options.strategy, measured)


if __name__ == "__main__":
    main()
