"""Fits how sure an answer is that a table's row tells (platform/clew/answering/calibration.json).

    python tests/benchmarks/row_confidence.py DATA_DIR CACHE_DIR [--write]

Asked are the questions on the papers of offices that nothing was trained on
(`data/office_reading.jsonl`, `data/passage_chains.jsonl`): on one paper, over two, and such that no
paper answers; each of the eight papers of its office that share most words with it, with its own.
Of what a row tells (`Finding.kind` "row"), right is what is exact, or has an F1 of 0.75 or more
(SQuAD). Fitted by logistic regression with L2 on ROW; printed are how many are right by each value,
and the loss by folds of papers beside that of one number for all.
"""

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from led_reading import Asked, Searched, corpora, questions
from reader_training import Told, chunks_of, fitted_to, log_loss, logistic_fit, store, values_of
from span_reader_distillation import Passage
from two_wiki_questions import RIGHT

from clew.answering.finding import taken_apart
from clew.comprehension.chains import parsed_question
from clew.comprehension.normalisation import best_f1, exact_match
from clew.comprehension.question_form import understand
from clew.comprehension.read_evidence import ReaderModels, ReadEvidence
from clew.comprehension.tables.rows import told_in_a_row
from clew_models.embedding.load import load_embedder
from clew_models.span_reader import SpanReader

ROW = ("told", "called")
RIDGE, FOLDS = 3.0, 5


def rows_told(
    some: Sequence[Asked], passages: Sequence[Passage], searched: Searched, models: ReaderModels
) -> Iterator[tuple[int, Told]]:
    """Yield what rows tell of the questions, with the paper that each is asked of."""
    for number, one in enumerate(some):
        if number % 500 == 0:
            print(number, "of", len(some), flush=True)
        own = [one.passage] if one.kind != "unanswered" else []
        places = list(dict.fromkeys([*searched.of(one), *(lead[0] for lead in one.leads), *own]))
        random.Random(number).shuffle(places)
        read = ReadEvidence(chunks_of(passages, places), models)
        form = understand(parsed_question(one.question, read))
        if form.kind != "open" or told_in_a_row(form, read.view) is None:
            continue
        finding = taken_apart(one.question, form, read)
        if finding is not None and finding.kind == "row":
            golds = [passages[one.passage][1][one.start : one.end]] if one.end else []
            right = exact_match(finding.short, golds) or best_f1(finding.short, golds) >= RIGHT
            yield one.passage, Told(one.kind, bool(golds), finding, bool(golds) and right)


def main() -> None:
    """Ask, fit, print, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    passages = corpora(options.data)
    models = ReaderModels(load_embedder("minilm", cache_dir=options.cache), SpanReader())
    some = [
        one for one in questions(options.data, passages) if one.held_out and one.corpus == "office"
    ]
    some.sort(key=lambda one: one.passage)  # papers of an office are read once
    found = list(rows_told(some, passages["office"], Searched(passages, None), models))
    told = [one for _, one in found]
    values, right = values_of(told, "row", ROW)
    print(f"{len(told)} told by a row, {right.sum()} right")
    for column, name in enumerate(ROW):
        by = defaultdict(list)
        for value, own in zip(values[:, column], right, strict=True):
            by[round(float(value), 1)].append(own)
        print(
            name,
            {value: (len(own), round(float(np.mean(own)), 2)) for value, own in sorted(by.items())},
        )
    fold = np.array([paper // 50 % FOLDS for paper, _ in found])
    losses = []
    for number in range(FOLDS):
        weights = logistic_fit(values[fold != number], right[fold != number], RIDGE)
        own = values[fold == number]
        losses.append(log_loss(weights[0] + own @ weights[1:], right[fold == number]))
    share = right.mean()
    alike = -(share * np.log(share) + (1 - share) * np.log(1 - share))
    print(f"loss by folds {np.concatenate(losses).mean():.3f}, of one number {alike:.3f}")
    fitted = fitted_to(told, "row", ROW, RIDGE)
    print(json.dumps(fitted))
    if options.write:
        store({"row": fitted})


if __name__ == "__main__":
    main()
