"""Asks what a whole table answers: how many rows, which is the largest, what they sum to.

    clew up
    python tests/benchmarks/whole_tables.py --write

`data/whole_tables.jsonl`: questions as people would type them of registers, price lists and logs of
shared drives (`data/drives/*.zip`, those of `shared_drives.py` and two more): how many rows meet a
condition ("count"), which row has the most or the least ("extreme"), totals and averages ("sum"),
which rows meet a condition ("list"), and ones that look so, but ask for what no table says
("none"). Language models wrote them, saw nothing of Clew and computed the answers by program.
``part``: "worked with" while this was built (five drives), "counted" (food: how many were right was
looked at meanwhile, and its questions at the end), "unseen" (vet and museum, written for this and
asked once it was done: of 78 that have an answer 33 right, 5 before; 35 told by a table, 6 of them
wrongly, and none of 12 that have none; after that was looked at, "not on display", "out of stock",
"Paid: yes" beside a sum and columns called "Heated?" were mended).

``right``: a count or a sum is the number; an extreme is exact, F1 at least 0.75 (SQuAD) or contains
a gold answer or the reverse; a list has the gold things, and no others; of "none", that no table is
said to tell it. ``by_table``: answered from a whole table, ``by_table_wrongly``: those that are not
right. ``before``: right where tables are not read whole. ``seconds``: the median of an answer.
"""

import argparse
import json
import re
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared_drives import ingest
from two_wiki_questions import RIGHT, by_kind, write

from clew.answering.asking import part_search
from clew.answering.base import whole_answer
from clew.answering.extractive import ExtractiveReader
from clew.answering.found import OF_TABLE
from clew.clew import Clew
from clew.comprehension.normalisation import best_f1, exact_match
from clew.comprehension.read_evidence import reader_models
from clew.results.evidence import Answer
from clew.settings import Settings

HERE = Path(__file__).parent
QUESTIONS = HERE / "data" / "whole_tables.jsonl"
RESULT = HERE / "results" / "whole-tables.json"
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")


@dataclass(frozen=True)
class Asked:
    """A question of ``kind`` with what came of it."""

    kind: str
    right: bool
    before: bool
    by_table: bool
    seconds: float


def is_right(row: dict[str, Any], answer: Answer) -> bool:
    """Say whether an answer is right, as above."""
    golds, told = row["answers"], answer.short if answer.supported else ""
    if row["kind"] == "none":
        return not is_by_table(answer)
    if row["kind"] == "list":
        items = answer.items or ((told,) if told else ())
        same = [any(is_called(item, gold) for item in items) for gold in golds]
        return all(same) and len(items) == len(golds)
    if row["kind"] in {"count", "sum"}:
        values = {number(gold) for gold in golds} - {None}
        return number(told) in values
    return any(is_called(told, gold) for gold in golds)


def number(text: str) -> float | None:
    """Return the first number of a text; None without one."""
    found = NUMBER.search(text)
    return float(found.group().replace(",", "")) if found else None


def is_called(told: str, gold: str) -> bool:
    """Say whether what is told is a gold answer."""
    one, other = (" ".join(re.findall(r"\w+", text.casefold())) for text in (told, gold))
    within = len(other) > 2 and bool(one) and (f" {other} " in f" {one} " or one in other)
    return bool(told) and (exact_match(told, [gold]) or best_f1(told, [gold]) >= RIGHT or within)


def is_by_table(answer: Answer) -> bool:
    """Say whether a whole table told an answer."""
    steps = [step for one in answer.trace for step in one.detail.get("steps", ())]
    return any("table" in step for step in steps)


def ask(clew: Clew, row: dict[str, Any], *, show: bool) -> Asked:
    """Ask a question, with whole tables and without."""
    corpus = f"drive-{row['set']}"
    started = time.perf_counter()
    answer = clew.ask(row["question"], corpus=corpus)
    seconds = time.perf_counter() - started
    found = clew.search(row["question"], corpus)
    plain = ExtractiveReader(reader_models(clew.resources))
    before = whole_answer(plain, found, part_search(clew.resources, found))
    one = Asked(
        row["kind"], is_right(row, answer), is_right(row, before), is_by_table(answer), seconds
    )
    assert not one.by_table or answer.confidence == OF_TABLE
    if show:
        mark = ("right" if one.right else "WRONG") if one.by_table else f"- {int(one.right)}"
        said = answer.short if one.by_table else before.short
        print(mark, row["kind"], row["question"], repr(said), row["answers"][:2], sep=" | ")
    return one


def figures(asked: Sequence[Asked]) -> dict[str, float]:
    """Return the figures of some questions."""
    return {
        "questions": len(asked),
        "right": sum(one.right for one in asked),
        "before": sum(one.before for one in asked),
        "by_table": sum(one.by_table for one in asked),
        "by_table_wrongly": sum(one.by_table and not one.right for one in asked),
        "seconds": round(statistics.median(one.seconds for one in asked), 3),
    }


def main() -> None:
    """Ingest, ask, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--part", help="only these: worked with, counted, unseen")
    parser.add_argument("--show", action="store_true", help="print each question and its answer")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if options.part in {None, row["part"]}]
    measured: dict[str, Any] = {}
    with Clew(Settings.load()) as clew:
        for drive in dict.fromkeys(row["set"] for row in rows):
            ingest(clew, drive)
        for part in dict.fromkeys(row["part"] for row in rows):
            asked = [ask(clew, row, show=options.show) for row in rows if row["part"] == part]
            measured[part] = by_kind(asked, figures)
            print(part, json.dumps(measured[part], indent=1), flush=True)
    if options.write:
        write(RESULT, None, measured)


if __name__ == "__main__":
    main()
