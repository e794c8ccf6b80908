"""Asks questions in the wording of 2WikiMultihopQA of its own passages.

    clew up
    python tests/benchmarks/two_wiki_questions.py ../shared/data/2wiki-corpus --write

`data/two_wiki.jsonl`: questions of the four kinds (compositional, inference, comparison, bridge
comparison), written by language models that read the passages, had the data set's wordings from
memory and saw nothing of Clew; the set's own questions are not here. ``part``: those of "worked
with" were asked while the reader learnt to understand relatives, titles and comparisons, those of
"unseen" only once that was done (83.0 exact and 89.6 F1 then, 49.0 and 56.2 before all this);
"out of A and B" and whole names of parents were mended after that. The span model was trained on
questions made from these passages, though not on these questions; other documents are harder.

The passages are ingested as the corpus ``two-wiki`` (what is there stays; 6,119 of them, 20 minutes
on two slow cores) and asked with default settings, or by ``--strategy``. ``recall``: the share of
the gold passages among the first two and five; ``exact`` and ``f1``: SQuAD's, an answer that is
refused counting nothing; ``stated``: answers told plainly or as probable; ``wrongly``: those whose
F1 is below 0.75.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.answering.extractive import POSSIBLE
from clew.clew import Clew
from clew.comprehension.normalisation import best_f1, exact_match
from clew.evaluation.measuring import cpu_model
from clew.settings import Settings

HERE = Path(__file__).parent
QUESTIONS = HERE / "data" / "two_wiki.jsonl"
RESULT = HERE / "results" / "two-wiki-questions.json"
CORPUS = "two-wiki"
RIGHT = 0.75


@dataclass(frozen=True)
class Asked:
    """A question of ``kind`` with what came of it."""

    kind: str
    recall_2: float
    recall_5: float
    exact: bool
    f1: float
    answered: bool
    stated: bool
    seconds: float


def ask(clew: Clew, row: dict[str, Any], corpus: str, strategy: str | None, show: bool) -> Asked:
    """Ask one question."""
    started = time.perf_counter()
    answer = clew.ask(row["question"], corpus=corpus, strategy=strategy, reader="extractive")
    seconds = time.perf_counter() - started
    titles = [chunk.title for chunk in answer.evidence.chunks]
    gold = set(row["titles"])
    said = answer.short if answer.supported else ""
    f1 = best_f1(said, row["answers"])
    if show:
        print(f"{f1:.2f} {answer.confidence:.2f} {row['question']} {said!r} {row['answers'][0]!r}")
    return Asked(
        row["kind"],
        len(gold.intersection(titles[:2])) / len(gold),
        len(gold.intersection(titles[:5])) / len(gold),
        exact_match(said, row["answers"]),
        f1,
        bool(said),
        bool(said) and answer.confidence >= POSSIBLE,
        seconds,
    )


def figures(asked: Sequence[Asked]) -> dict[str, float]:
    """Return the figures of some questions, shares in per cent."""

    def share(values: Sequence[float]) -> float:
        return round(100 * statistics.fmean(values), 1)

    return {
        "questions": len(asked),
        "recall_2": share([one.recall_2 for one in asked]),
        "recall_5": share([one.recall_5 for one in asked]),
        "exact": share([one.exact for one in asked]),
        "f1": share([one.f1 for one in asked]),
        "answered": sum(one.answered for one in asked),
        "stated": sum(one.stated for one in asked),
        "stated_wrongly": sum(one.stated and one.f1 < RIGHT for one in asked),
        "median_seconds": round(statistics.median(one.seconds for one in asked), 2),
    }


def by_kind(asked: Sequence[Any], of: Callable[[Sequence[Any]], Any]) -> dict[str, Any]:
    """Return the figures ``of`` the questions of each kind, and of all."""
    kinds = dict.fromkeys(one.kind for one in asked)
    each = {kind: of([one for one in asked if one.kind == kind]) for kind in kinds}
    return {**each, "all": of(asked)}


def write(result: Path, strategy: str | None, found: dict[str, Any]) -> None:
    """Keep what was found by a strategy, with the machine that it was found on."""
    content = {"strategy": strategy or "the settings'", **found, "processor": cpu_model()}
    result.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def ingest(clew: Clew, folder: Path) -> None:
    """Put the passages into the corpus, each a document."""
    passages = json.loads((folder / "corpus.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as place:
        records = Path(place) / "2wiki.jsonl"
        lines = (json.dumps({"title": p["title"], "text": p["text"]}) for p in passages)
        records.write_text("\n".join(lines) + "\n", encoding="utf-8")
        clew.ingest(records, corpus=CORPUS)


def main() -> None:
    """Ingest, ask, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpus", help="one that has the passages already")
    parser.add_argument("--part", choices=["worked with", "unseen"], help="only these")
    parser.add_argument("--strategy")
    parser.add_argument("--show", action="store_true", help="print each question and its answer")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    found: dict[str, Any] = {}
    with Clew(Settings.load()) as clew:
        if options.corpus is None:
            ingest(clew, options.folder)
        for part in dict.fromkeys(row["part"] for row in rows):
            if options.part not in {None, part}:
                continue
            own = [row for row in rows if row["part"] == part]
            corpus = options.corpus or CORPUS
            asked = [ask(clew, row, corpus, options.strategy, options.show) for row in own]
            found[part] = by_kind(asked, figures)
            print(part, json.dumps(found[part], indent=1), flush=True)
    if options.write:
        write(RESULT, options.strategy, found)


if __name__ == "__main__":
    main()
