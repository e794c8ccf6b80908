"""Measures the reader by kinds of questions, each read from its passages and some others.

    python tests/benchmarks/kinds_of_questions.py CACHE_DIR [--show] [--write]

Asked are the questions of `data/kinds_of_questions.jsonl`, on invented things and documents, by
sets: "things" and "lists" (facts, reasons, bridges, yes or no, lists, conditions, counts, which of
three or more, differences) were looked at while counts, choices between three or more and
differences were made, "lists" only after a first version of these; "times 1" to "times 3" (before
and after, how long, by how much, more or less than at another time) while these were made, each
after a version that the ones before had led to; "times 4", of the same kinds, was not looked at.
"office" (what teams keep: rules, runbooks, minutes, mails) was looked at then, "many" of the same
kinds not. "typed 1" (questions as people type them: in small letters or capitals, by keywords, with
greetings, misspelt, with dates, numbers and names written otherwise) was looked at while such were
made, "typed 2" of the same kinds not. "two tables 1" (registers, lists of prices, rotas and
telephone numbers of small organisations, each a passage; most questions need rows of two) was
looked at after a first version of what joins rows, "two tables 2" not. All have questions that no
passage answers. Language models wrote them and saw nothing of Clew. A passage is a whole document.
Right is what is exact, has an F1 of 0.75 or more (SQuAD), or holds a gold answer of more than two
letters or is held by it; of questions without an answer, that none is given.
``--show`` prints what is not right, ``--write`` writes
``results/kinds-of-questions.json``.
"""

import argparse
import json
import random
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path
from typing import Any

from clew.answering.extractive import ExtractiveReader
from clew.answering.sureness import POSSIBLE
from clew.comprehension.normalisation import best_f1, exact_match
from clew.comprehension.read_evidence import ReaderModels
from clew.results.evidence import Answer, Evidence, ScoredChunk
from clew_models.embedding.load import load_embedder
from clew_models.span_reader import SpanReader

HERE = Path(__file__).parent
QUESTIONS = HERE / "data" / "kinds_of_questions.jsonl"
RESULT = HERE / "results" / "kinds-of-questions.json"
SHOWN = 5


def evidence(one: dict[str, Any], passages: dict[str, str]) -> Evidence:
    """Return the passages of a question and some others, SHOWN or two more, in random order."""
    chance = random.Random(one["question"])
    others = [title for title in passages if title not in one["titles"]]
    more = chance.sample(others, max(SHOWN - len(one["titles"]), 2))
    shown = [*one["titles"], *more]
    chance.shuffle(shown)
    chunks = tuple(chunk for title in shown for chunk in document(passages, "", title))
    return Evidence(question=one["question"], corpus="kinds", strategy="none", chunks=chunks)


def document(passages: dict[str, str], corpus: str, title: str) -> list[ScoredChunk]:
    """Return a passage, which is a whole document."""
    text = passages[title]
    return [ScoredChunk(id=title, document_id=title, title=title, text=text, score=1.0)]


def is_right(short: str, golds: list[str]) -> bool:
    """Return whether an answer is right, see above."""
    if exact_match(short, golds) or best_f1(short, golds) >= 0.75:
        return True
    said = short.casefold()
    within = [gold.casefold() for gold in golds if len(gold) > 2]
    return any(gold in said or (len(said) > 2 and said in gold) for gold in within)


def outcome(answer: Answer, golds: list[str]) -> str:
    """Return what an answer is: right or wrong and how surely told, or none."""
    told = answer.supported and bool(answer.short)
    if not told:
        return "refused" if golds else "right: refused"
    kind = "right" if golds and is_right(answer.short, golds) else "wrong"
    return f"{kind}, {'told' if answer.confidence >= POSSIBLE else 'as possible'}"


def main() -> None:
    """Ask, print, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cache", type=Path)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    models = ReaderModels(load_embedder("minilm", cache_dir=options.cache), SpanReader())
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    with QUESTIONS.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            reader = ExtractiveReader(models, whole=partial(document, row["passages"]))
            for one in row["questions"]:
                answer = list(reader.read(evidence(one, row["passages"])))[-1]
                assert isinstance(answer, Answer)
                found = outcome(answer, one["answers"])
                counts[f"{row['set']}: {one['type']}"][found] += 1
                if options.show and not found.startswith("right"):
                    print(
                        one["type"], found, one["question"], answer.short, one["answers"], sep=" | "
                    )
    report = {kind: dict(sorted(own.items())) for kind, own in counts.items()}
    print(json.dumps(report, indent=1))
    if options.write:
        RESULT.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
