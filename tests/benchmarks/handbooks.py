"""Asks short questions of what teams and authors publish: four handbooks and a book of stories.

    clew up
    python tests/benchmarks/handbooks.py FOLDER --write

FOLDER holds a folder of files for each set of ``data/handbooks.jsonl``: 37signals (the repository
basecamp/handbook, at c953606), tts (18F/handbook, 1e495563, its pages), clef (clef/handbook,
a9a576e), gds (alphagov/gds-way, 627911c; its ``.html.md.erb`` files named ``.md``) and holmes
(standardebooks' Adventures of Sherlock Holmes, src/epub/text). None of them is part of the project,
and nothing is fitted to them, but all have been looked at: where answers were wrong in kind (a
heading's words, "12" of "12 weeks") the reader was mended. The questions of clef and gds were
written before anything was asked there.

Each set is ingested as a corpus ``handbook-NAME`` (what is there stays), and asked with default
settings. ``right``: exact match or F1 >= 0.75 (SQuAD) of those that have an answer; ``refused``: of
those that have none; ``stated`` and ``stated_wrongly``: answers told plainly or as probable.
"""

import argparse
import json
import statistics
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from clew.answering.extractive import LIKELY, POSSIBLE
from clew.clew import Clew
from clew.comprehension.normalisation import best_f1, exact_match
from clew.evaluation.measuring import cpu_model
from clew.settings import Settings

HERE = Path(__file__).parent
QUESTIONS = HERE / "data" / "handbooks.jsonl"
RESULT = HERE / "results" / "handbooks.json"


def figures(asked: Iterable[tuple[Sequence[str], str, float, float]]) -> dict[str, Any]:
    """Return the figures of a set: (answers, what was answered or "", confidence, seconds)."""
    counts = dict.fromkeys(
        ("questions", "right", "unanswerable", "refused", "stated", "stated_wrongly", "plainly"), 0
    )
    times = []
    for golds, said, confidence, seconds in asked:
        right = bool(golds and said) and (exact_match(said, golds) or best_f1(said, golds) >= 0.75)
        stated = bool(said) and confidence >= POSSIBLE
        counts["questions" if golds else "unanswerable"] += 1
        counts["right"] += right
        counts["refused"] += not golds and not said
        counts["stated"] += stated
        counts["stated_wrongly"] += stated and not right
        counts["plainly"] += bool(said) and confidence >= LIKELY
        times.append(seconds)
    return {**counts, "median_seconds": round(statistics.median(times), 2)}


def main() -> None:
    """Ingest, ask, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", action="store_true", help="print each question and its answer")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    found: dict[str, Any] = {}
    with Clew(Settings.load()) as clew:
        for name in dict.fromkeys(row["set"] for row in rows):
            corpus = f"handbook-{name}"
            clew.ingest(options.folder / name, corpus=corpus)
            asked = []
            for row in rows:
                if row["set"] != name:
                    continue
                started = time.perf_counter()
                answer = clew.ask(row["question"], corpus=corpus, reader="extractive")
                seconds = time.perf_counter() - started
                said = answer.short if answer.supported else ""
                asked.append((row["answers"], said, answer.confidence, seconds))
                if options.show:
                    print(
                        f"{answer.confidence:.2f} {row['question']} {said!r} {row['answers'][:1]}"
                    )
            found[name] = figures(asked)
            print(name, json.dumps(found[name]), flush=True)
    if options.write:
        content = {"sets": found, "processor": cpu_model()}
        RESULT.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
