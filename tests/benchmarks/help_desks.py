"""Asks what people ask a help desk: how something is done, whether, what a term means, facts.

    clew up
    python tests/benchmarks/help_desks.py --write

`data/desks/*.zip`: pages of a town council, the manual of a software, what a sports club's members
get, pages of a university's administration and of a hospital; lists of frequent questions, steps,
glossaries, settings, prices, in Markdown, HTML and plain text. `data/help_desks.jsonl`: questions
as people would type them. A language model that saw nothing of Clew wrote both; all is invented.
``part``: "worked with" while the reader learnt to tell how things are done, and yes or no; "unseen"
was first asked after that (of 40 for yes or no, 16 right and 5 stated wrongly; then it was mended
that the denial of another clause counted). The model that reads such pages learned from others
(`help_pages.py`); its thresholds were set by those, when a first run had been seen here.

Each desk becomes the corpus ``desk-NAME``. ``right``: of "how", that the answer holds all phrases
of the steps that are named; of "yes-no", that it is this; of "none", that nothing is told; else as
`shared_drives.py` counts. ``stated``: told plainly or as probable, ``stated_wrongly``: those that
are not right.
"""

import argparse
import json
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shared_drives import is_right, plain
from two_wiki_questions import by_kind, write

from clew.answering.extractive import POSSIBLE
from clew.clew import Clew
from clew.settings import Settings

HERE = Path(__file__).parent
DESKS = HERE / "data" / "desks"
QUESTIONS = HERE / "data" / "help_desks.jsonl"
RESULT = HERE / "results" / "help-desks.json"


@dataclass(frozen=True)
class Asked:
    """A question of ``kind`` with what came of it."""

    kind: str
    right: bool
    answered: bool
    stated: bool


def answers(kind: str, said: str, golds: Sequence[str]) -> bool:
    """Say whether what is said answers a question of a kind; "" is said where nothing is told."""
    if kind == "none" or not said:
        return kind == "none" and not said
    if kind == "how":
        return all(plain(one) in plain(said) for one in golds)
    if kind == "yes-no":
        return plain(said) == plain(golds[0])
    return is_right(said, golds)


def ask(clew: Clew, row: dict[str, Any], show: bool) -> Asked:
    """Ask one question."""
    answer = clew.ask(row["question"], corpus=f"desk-{row['set']}", reader="extractive")
    said = answer.short if answer.supported else ""
    right = answers(row["kind"], said, row["answers"])
    if show:
        sure = f"{answer.confidence:.2f}"
        print(f"{right:d} {sure} {row['kind']} {row['question']} {said!r} {row['answers']}")
    return Asked(row["kind"], right, bool(said), bool(said) and answer.confidence >= POSSIBLE)


def figures(asked: Sequence[Asked]) -> dict[str, int]:
    """Return the figures of some questions."""
    return {
        "questions": len(asked),
        "right": sum(one.right for one in asked),
        "answered": sum(one.answered for one in asked),
        "stated": sum(one.stated for one in asked),
        "stated_wrongly": sum(one.stated and not one.right for one in asked),
    }


def ingest(clew: Clew, desk: str) -> None:
    """Put a desk's files into its corpus."""
    folder = Path(tempfile.gettempdir()) / "clew-desks" / desk
    with zipfile.ZipFile(DESKS / f"{desk}.zip") as archive:
        archive.extractall(folder)
    clew.ingest(folder, corpus=f"desk-{desk}")


def main() -> None:
    """Ingest, ask, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    parser.add_argument("--desk", choices=sorted({row["set"] for row in rows}), help="only this")
    parser.add_argument("--show", action="store_true", help="print each question and its answer")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    measured: dict[str, Any] = {}
    with Clew(Settings.load()) as clew:
        for desk in dict.fromkeys(row["set"] for row in rows):
            if options.desk in {None, desk}:
                ingest(clew, desk)
                asked = [ask(clew, row, options.show) for row in rows if row["set"] == desk]
                part = next(row["part"] for row in rows if row["set"] == desk)
                measured[desk] = {"part": part, **by_kind(asked, figures)}
                print(desk, json.dumps(measured[desk], indent=1), flush=True)
    if options.write:
        write(RESULT, None, measured)


if __name__ == "__main__":
    main()
