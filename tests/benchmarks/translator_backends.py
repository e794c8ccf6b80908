"""Compares what computes the translator's default model on a processor: ONNX Runtime, transformers.

    python tests/benchmarks/translator_backends.py hotpotqa-100 ../shared/data/hotpotqa-100

Asks the same questions of a data set by both (transformers in float32), one after the other, first
the one and then the other first, in one process and with the same indexes. The corpus is that of
`clew bench`, in the Neo4j that ``CLEW_TEST_NEO4J_URI`` and ``CLEW_TEST_NEO4J_PASSWORD`` name; it is
indexed first where it is not there.

``same``: shares of the questions with the same passages in the same order, the same first two, and
the same clues; ``clue_score_apart``, ``passage_score_apart``: how far scores of the same clue and
passage are from each other. ``differ``: the questions with other passages, and where in the list.
``seconds``, ``processor_seconds``: medians of a retrieval; ``ratio``: medians of the ratios of each
question, ONNX Runtime to transformers. ``--busy``:
processes that only compute beside it, which a noisy neighbour is. Writes
results/translator-backends-NAME.json with ``--write``.

``--memory``: instead, what a process holds that answers as a query worker does, in a process of its
own for each backend: after `warm`, after every other strategy, after three questions of translator,
and after an answer of the reader `local`; MiB, with the models that it tells of and whether torch
is there. Writes results/translator-memory-NAME.json.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from clew.evaluation.preparing import prepare
from clew.evaluation.request import BenchRequest
from clew.evaluation.tracking import Tracker
from clew.resources.resources import Resources
from clew.results.evidence import Evidence
from clew.results.explanation import QuotesCard
from clew.settings import Settings
from clew.strategies.base import Strategy
from clew.strategies.catalogue import STRATEGIES
from clew.strategies.searching import build_strategy

RESULTS = Path(__file__).parent / "results"
REPOSITORY = Path(__file__).parents[2]
BACKENDS = ("onnx", "transformers")
K = 5


def clues_of(evidence: Evidence) -> dict[tuple[str, tuple[str, ...]], float]:
    """Return the score of each clue, by its text and what it is called."""
    cards = [card for card in evidence.explanation if isinstance(card, QuotesCard)]
    return {
        (quote.text, tuple(quote.tags)): float(quote.score or 0.0)
        for card in cards
        for quote in card.quotes
    }


def asked(strategy: Strategy, question: str, corpus: str) -> tuple[Evidence, float, float]:
    """Return the evidence, and the seconds and the processor's seconds that it took."""
    wall, processor = time.perf_counter(), time.process_time()
    evidence = strategy.retrieve(question, corpus, K, lambda told: None)
    return evidence, time.perf_counter() - wall, time.process_time() - processor


def compared(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the questions' rows say."""
    clues, passages, differ = [], [], []
    same = {"passages": 0, "first_two": 0, "clues": 0}
    for row in rows:
        one, other = (row[name]["evidence"] for name in BACKENDS)
        ids, others = ([chunk.id for chunk in found.chunks] for found in (one, other))
        same["passages"] += ids == others
        same["first_two"] += ids[:2] == others[:2]
        if ids != others:
            known = {id_: place for place, id_ in enumerate(others)}
            places = [known.get(id_) for id_ in ids]
            differ.append({"question": row["question"], "places": places})
        scores = {chunk.id: chunk.score for chunk in other.chunks}
        passages += [abs(c.score - scores[c.id]) for c in one.chunks if c.id in scores]
        told, theirs = clues_of(one), clues_of(other)
        same["clues"] += told.keys() == theirs.keys()
        clues += [abs(score - theirs[key]) for key, score in told.items() if key in theirs]
    return {
        "same": {name: round(count / len(rows), 3) for name, count in same.items()},
        "clue_score_apart": apart(clues),
        "passage_score_apart": apart(passages),
        "differ": differ,
    }


def apart(values: list[float]) -> dict[str, float]:
    """Return what is typical of differences, and the largest."""
    return {
        "count": len(values),
        "median": round(statistics.median(values), 6),
        "largest": round(max(values), 5),
    }


def times(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the medians by backend, and of the ratios."""
    told: dict[str, Any] = {}
    for kind in ("seconds", "processor_seconds"):
        told[kind] = {
            name: round(statistics.median(row[name][kind] for row in rows), 3) for name in BACKENDS
        }
        one, other = BACKENDS
        ratios = [row[one][kind] / row[other][kind] for row in rows]
        told[kind]["ratio"] = round(statistics.median(ratios), 3)
    return told


def held() -> dict[str, float]:
    """Return this process' memory, MiB: all of it, and the part that no file backs."""
    lines = Path("/proc/self/status").read_text().splitlines()
    status = dict(line.split(":", 1) for line in lines)
    return {
        name: round(int(status[key].split()[0]) / 1024, 1)
        for name, key in (("rss", "VmRSS"), ("anonymous", "RssAnon"), ("peak", "VmHWM"))
    }


def memory(shared: dict[str, Any], corpus: str, asking: list[str]) -> dict[str, Any]:
    """Return the steps of a process that answers; run it in one of its own."""
    from clew.answering.asking import warm
    from clew.answering.language_model_reader import local_reader

    steps: dict[str, Any] = {}
    with Resources(Settings.load(**shared)) as resources:
        warm(resources)
        steps["warm"] = held()
        for name in (spec.name for spec in STRATEGIES):
            if name != "translator":
                evidence = build_strategy(name, resources).retrieve(asking[0], corpus, K)
        steps["other strategies"] = held()
        strategy = build_strategy("translator", resources)
        begun = time.perf_counter()
        strategy.retrieve(asking[0], corpus, K)
        steps["first question, seconds"] = round(time.perf_counter() - begun, 2)
        steps["a question of translator"] = held()
        for question in asking[1:3]:
            strategy.retrieve(question, corpus, K)
        steps["three questions of translator"] = held()
        # the reader takes the evidence of one passage: a small model reads slowly
        short = evidence.model_copy(update={"chunks": evidence.chunks[:1]})
        *_, answer = local_reader(resources).read(short)
        steps["answer"] = getattr(answer, "text", "")
        steps["the reader local"] = held()
        steps["models"] = {one.name: one.mib for one in resources.models.report()}
    steps["imported"] = sorted({"torch", "transformers", "peft", "spacy"} & set(sys.modules))
    return steps


def _compute_for_ever() -> None:
    while True:
        sum(range(10**6))


def _prepared(shared: dict[str, Any], data_set: str) -> tuple[str, list[str]]:
    """Return the corpus of a data set, indexed, and its questions."""
    with Resources(Settings.load(**shared)) as resources:
        prepared = prepare(resources, BenchRequest(data_set=data_set), Tracker(None))
    return prepared.corpus, [item.question for item in prepared.data_set.questions]


def main() -> None:
    """Ask, compare, print, and write where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("name")
    parser.add_argument("data_set", help="a data set, or corpus:NAME of the Neo4j")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--threads", type=int, default=0, help="of either; 0: one a core")
    parser.add_argument("--busy", type=int, default=0, help="processes that compute beside it")
    parser.add_argument("--home", type=Path, default=REPOSITORY / ".clew" / "backends-benchmark")
    parser.add_argument("--memory", action="store_true", help="measure memory instead")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    shared: dict[str, Any] = {
        "home": options.home,
        "cache_dir": Path(os.environ.get("CLEW_TEST_CACHE_DIR", REPOSITORY / ".clew" / "cache")),
        "neo4j_uri": os.environ["CLEW_TEST_NEO4J_URI"],
        "neo4j_password": SecretStr(os.environ["CLEW_TEST_NEO4J_PASSWORD"]),
        "translator_precision": "float32",
        "translator_device": "cpu",
        "llm_threads": options.threads,
    }
    if options.memory:
        # what prepares and what answers are other processes: each holds only what it needs
        run = multiprocessing.get_context("spawn").Pool
        with run(1) as pool:
            corpus, asking = pool.apply(_prepared, (shared, options.data_set))
        told = {}
        for name in BACKENDS:
            with run(1) as pool:
                more = {"translator_backend": name}
                told[name] = pool.apply(memory, (shared | more, corpus, asking[:3]))
            print(json.dumps(told[name], indent=1), flush=True)
        if options.write:
            text = json.dumps(told, indent=1)
            (RESULTS / f"translator-memory-{options.name}.json").write_text(text + "\n")
        return
    import torch

    torch.set_num_threads(options.threads or os.cpu_count() or 1)
    load = os.getloadavg()[0]
    corpus, questions = _prepared(shared, options.data_set)
    questions = questions[: options.questions]
    strategies = {
        name: build_strategy(
            "translator", Resources(Settings.load(**shared, translator_backend=name))
        )
        for name in BACKENDS
    }
    for strategy in strategies.values():  # load and make indexes before anything is timed
        strategy.retrieve(questions[0], corpus, K, lambda told: None)
    beside = [
        multiprocessing.get_context("spawn").Process(target=_compute_for_ever, daemon=True)
        for _ in range(options.busy)
    ]
    for process in beside:
        process.start()
    rows: list[dict[str, Any]] = []
    for number, question in enumerate(questions):
        row: dict[str, Any] = {"question": question}
        for name in BACKENDS if number % 2 else reversed(BACKENDS):
            evidence, wall, processor = asked(strategies[name], question, corpus)
            row[name] = {"evidence": evidence, "seconds": wall, "processor_seconds": processor}
        rows.append(row)
    for process in beside:
        process.terminate()
    figures = {
        "questions": len(rows),
        "threads": options.threads or os.cpu_count(),
        "busy_processes_beside": options.busy,
        "load_average": [round(load, 1), round(os.getloadavg()[0], 1)],
        **times(rows),
        **compared(rows),
    }
    text = json.dumps(figures, indent=1)
    print(text)
    if options.write:
        (RESULTS / f"translator-backends-{options.name}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
