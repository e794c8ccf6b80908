"""Asks questions of what teams and authors publish: handbooks, stories, policies, minutes, designs.

    clew up
    python tests/benchmarks/handbooks.py FOLDER --write

FOLDER holds a folder of files for each set of ``data/handbooks.jsonl``: 37signals (the repository
basecamp/handbook, at c953606), tts (18F/handbook, 1e495563, its pages), clef (clef/handbook,
a9a576e), gds (alphagov/gds-way, 627911c; its ``.html.md.erb`` files named ``.md``), holmes
(standardebooks' Adventures of Sherlock Holmes, src/epub/text), site-policy (github/site-policy,
12992597, Policies), nodejs-tsc (nodejs/TSC, 0e35767c: the pages of its root and, as "meetings", the
last 90 minutes), cncf (cncf/foundation, 7596c669: the pages and the table of its root, documents,
policies-guidance, agreements) and keps (kubernetes/enhancements, 64765b4b: of the README.md of
keps/sig-network/*/ and keps/sig-storage/*/, in order of their paths, every fourth from the first,
30 of them, named by its folder). None of them is part of the project, and nothing is fitted to
them, but all have been looked at: where answers were wrong in kind (a heading's words, "12" of "12
weeks", the name of a column) the reader was mended. The questions of clef and gds were written
before anything was asked there; those of the last four by language models that had seen nothing but
the documents, in the words of people who ask rather than of the text.

Each set is ingested as a corpus ``handbook-NAME`` (what is there stays), and asked with default
settings. ``right``: exact match or F1 >= 0.75 (SQuAD) of those that have an answer, of which
``bridges`` need two passages; ``refused``: of those that have none; ``stated`` and
``stated_wrongly``: answers told plainly or as probable. ``--strategies``: instead, in how many of
the questions that have an answer of words (no yes or no) one of a strategy's first one and first
five passages holds it.
"""

import argparse
import json
import statistics
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from clew.answering.sureness import LIKELY, POSSIBLE
from clew.clew import Clew
from clew.comprehension.normalisation import best_f1, exact_match
from clew.evaluation.measuring import cpu_model
from clew.settings import Settings

HERE = Path(__file__).parent
QUESTIONS = HERE / "data" / "handbooks.jsonl"
RESULT = HERE / "results" / "handbooks.json"
FOUND = HERE / "results" / "handbooks-found.json"


def figures(asked: Iterable[tuple[dict[str, Any], str, float, float]]) -> dict[str, Any]:
    """Return the figures of a set: (question, what was answered or "", confidence, seconds)."""
    counts = dict.fromkeys(
        (
            *("questions", "right", "bridges", "bridges_right", "unanswerable", "refused"),
            *("stated", "stated_wrongly", "plainly"),
        ),
        0,
    )
    times = []
    for row, said, confidence, seconds in asked:
        golds, bridge = row["answers"], row.get("kind") == "bridge"
        right = bool(golds and said) and (exact_match(said, golds) or best_f1(said, golds) >= 0.75)
        stated = bool(said) and confidence >= POSSIBLE
        counts["questions" if golds else "unanswerable"] += 1
        counts["right"] += right
        counts["bridges"] += bridge
        counts["bridges_right"] += bridge and right
        counts["refused"] += not golds and not said
        counts["stated"] += stated
        counts["stated_wrongly"] += stated and not right
        counts["plainly"] += bool(said) and confidence >= LIKELY
        times.append(seconds)
    return {**counts, "median_seconds": round(statistics.median(times), 2)}


def found_by(clew: Clew, corpus: str, rows: list[dict[str, Any]], strategy: str) -> dict[str, int]:
    """Return for how many questions the first one and the first five passages hold the answer."""
    counts = {"questions": 0, "at_1": 0, "at_5": 0}
    for row in rows:
        golds = [" ".join(gold.casefold().split()) for gold in row["answers"][:2]]
        if not golds or golds[0] in {"yes", "no"}:
            continue
        chunks = clew.search(row["question"], corpus=corpus, strategy=strategy, k=5).chunks
        texts = [" ".join(chunk.text.casefold().split()) for chunk in chunks]
        hits = [any(gold in text for gold in golds) for text in texts]
        counts["questions"] += 1
        counts["at_1"] += any(hits[:1])
        counts["at_5"] += any(hits)
    return counts


def main() -> None:
    """Ingest, ask, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--show", action="store_true", help="print each question and its answer")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--strategies", nargs="+", default=[], help="what finds the answers")
    options = parser.parse_args()
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    found: dict[str, Any] = {}
    with Clew(Settings.load()) as clew:
        for name in dict.fromkeys(row["set"] for row in rows):
            corpus = f"handbook-{name}"
            clew.ingest(options.folder / name, corpus=corpus)
            if options.strategies:
                own = [row for row in rows if row["set"] == name]
                found[name] = {one: found_by(clew, corpus, own, one) for one in options.strategies}
                print(name, json.dumps(found[name]), flush=True)
                continue
            asked = []
            for row in rows:
                if row["set"] != name:
                    continue
                started = time.perf_counter()
                answer = clew.ask(row["question"], corpus=corpus, reader="extractive")
                seconds = time.perf_counter() - started
                said = answer.short if answer.supported else ""
                asked.append((row, said, answer.confidence, seconds))
                if options.show:
                    print(
                        f"{answer.confidence:.2f} {row['question']} {said!r} {row['answers'][:1]}"
                    )
            found[name] = figures(asked)
            print(name, json.dumps(found[name]), flush=True)
    if options.write:
        content = {"sets": found, "processor": cpu_model()}
        (FOUND if options.strategies else RESULT).write_text(
            json.dumps(content, indent=1) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
