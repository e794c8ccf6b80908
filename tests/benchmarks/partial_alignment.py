"""What partial-alignment finds of PathQuestion's paths, and how long it takes, on arrays alone.

    python tests/benchmarks/partial_alignment.py paths FOLDER --cache CACHE_DIR [--set PQ-3H]
        [--version FOLDER] [--train FOLDER] [--output FILE]
    python tests/benchmarks/partial_alignment.py pace FOLDER [--set PQ-3H] [--output FILE]
    python tests/benchmarks/partial_alignment.py speed [--triples 400000] [--output FILE]

``paths``: Triplet Recall and Path Recall of a budget of 50 (KA-9) on all questions, for each way
of choosing triples, beside BM25 and the embedder on whole triples. ``--train``: encoders are
trained on questions made of the knowledge base's triples and measured, without those that are made
of a path that PathQuestion asks for. The defaults of the
stages were chosen on questions made so (``--made``), not on PathQuestion's.
``--every N``: each Nth question alone.
``pace``: some steps of that training in seconds of a processor, and the whole of it by them: on a
machine with other work a whole run says little.
``speed``: the search in a graph of random names, without the reading of triples from Neo4j; its
vectors are random, so the times are those of the index and the stages.
"""

import argparse
import json
import random
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import asdict, replace
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import torch

from clew.evaluation.data_sets.loading import load_data_set
from clew.evaluation.metrics import path_recall, triplet_recall
from clew.strategies.learning.masked_questions import NamedTriple, chain_question
from clew.strategies.partial_alignment.encoders import (
    EmbedderEncoders,
    Encoders,
    TrainedEncoders,
)
from clew.strategies.partial_alignment.examples import aligned, questions_of
from clew.strategies.partial_alignment.training import AlignmentTrainingOptions
from clew_cypher.export.triple_parts import SampledTriple
from clew_models.embedding import load_embedder
from clew_models.partial_alignment import (
    Options,
    PartialIndex,
    TripleTable,
    build_index,
    find_triples,
)
from clew_models.partial_alignment.index import TripleRow
from clew_models.partial_alignment.search import connected
from clew_models.partial_alignment.towers import Towers, load_towers, save_towers
from clew_models.partial_alignment.training import fit, mean_loss

BUDGET = 50
WAYS = {
    "partial-alignment": Options(),
    "25 anchors, 25 connected": Options(anchors=25, third=0),
    "17, 17 and 16 (appendix E)": Options(anchors=17, third=16),
    "anchor only": Options(anchors=BUDGET, third=0),
    "full anchor triples": Options(full_anchors=True),
    "full connected triples": Options(full_connected=True),
}
Words = tuple[str, str, str]
Asked = Sequence[tuple[str, Sequence[Sequence[str]]]]
"""Questions with their gold paths."""


def index_of(triples: Mapping[str, Words], encoders: Encoders) -> PartialIndex:
    """Return the index of triples by their keys; equal names are one entity."""
    table = TripleTable()
    table.add(TripleRow(key, h, h, r, t, t) for key, (h, r, t) in triples.items())
    dimension = encoders.questions(["?"]).shape[1]
    return build_index(table, encoders.units, dimension, full=True)


def measured(rankings: Sequence[Sequence[str]], asked: Asked) -> dict[str, float]:
    """Return both recalls in percent."""
    return {
        name: round(
            100
            * statistics.mean(
                of(ranking, paths, BUDGET)
                for ranking, (_, paths) in zip(rankings, asked, strict=True)
            ),
            2,
        )
        for name, of in (("triplet_recall", triplet_recall), ("path_recall", path_recall))
    }


def algorithm_1(index: PartialIndex, vector: Any) -> list[str]:
    """Return T_q as the paper prints it: 25 anchors, and of each its best neighbour, even where
    that is an anchor, or another's neighbour.
    """
    stages = dict(find_triples(index, vector, Options(anchors=25, third=0, budget=25)))
    found = {one.row: None for one in stages["anchor"]}
    options = Options(anchors=25, third=0)
    for one in stages["anchor"]:
        for neighbour in connected(index, vector, [one], {}, "connected", 1, options):
            found.setdefault(neighbour.row)
    return [index.statements(row)[0] for row in found]


def by_words(triples: Mapping[str, Words], questions: Sequence[str]) -> Iterator[list[str]]:
    """Yield for each question the triples by BM25 (k1 = 1.5, b = 0.75), over their words."""
    keys = list(triples)
    texts = [_words(" ".join(triples[key])) for key in keys]
    mean = statistics.mean(map(len, texts))
    holders: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for row, text in enumerate(texts):
        for word, count in Counter(text).items():
            weight = count * 2.5 / (count + 1.5 * (0.25 + 0.75 * len(text) / mean))
            holders[word].append((row, weight))
    for question in questions:
        scores = np.zeros(len(keys))
        for word in _words(question):
            found = holders.get(word, [])
            rarity = log(1 + (len(keys) - len(found) + 0.5) / (len(found) + 0.5))
            for row, weight in found:
                scores[row] += rarity * weight
        yield [keys[row] for row in np.argsort(-scores, kind="stable")[:BUDGET]]


def _words(text: str) -> list[str]:
    return text.casefold().replace("'s", " ").replace("?", " ").replace(",", " ").split()


def made_of(triples: Mapping[str, Words], count: int, seed: int) -> Asked:
    """Return questions made of chains of two triples and three, with the chain as gold path."""
    chance = random.Random(seed)
    following: dict[str, list[str]] = defaultdict(list)
    for key, (head, _, _) in triples.items():
        following[head].append(key)
    keys = list(triples)
    found: list[tuple[str, list[list[str]]]] = []
    while len(found) < count:
        chain, hops = [chance.choice(keys)], 2 + len(found) % 2
        while len(chain) < hops:
            seen = {triples[key][0] for key in chain}
            onward = [k for k in following[triples[chain[-1]][2]] if triples[k][2] not in seen]
            if not onward:
                break
            chain.append(chance.choice(onward))
        if len(chain) == hops:
            named = [NamedTriple(*triples[key], of_base=True) for key in chain]
            found.append((chain_question(named, chance), [chain]))
    return found


def paths_found(
    triples: Mapping[str, Words], asked: Asked, encoders: Encoders
) -> dict[str, dict[str, float]]:
    """Return both recalls of each way of choosing triples."""
    index = index_of(triples, encoders)
    vectors = encoders.questions([question for question, _ in asked])
    found = {"algorithm 1 as printed": measured([algorithm_1(index, v) for v in vectors], asked)}
    for name, options in WAYS.items():
        rankings = [
            [
                index.statements(one.row)[0]
                for _, stage in find_triples(index, vector, replace(options, budget=BUDGET))
                for one in stage
            ]
            for vector in vectors
        ]
        found[name] = measured(rankings, asked)
    whole = [
        [index.statements(row)[0] for row in index.nearest_full(v, BUDGET)[0]] for v in vectors
    ]
    found["whole triples"] = measured(whole, asked)
    return found


class Lesson:
    """Questions made of triples to learn from, none of a gold path, and those kept apart."""

    def __init__(
        self, triples: Mapping[str, Words], gold: Asked, options: AlignmentTrainingOptions
    ) -> None:
        sampled = [
            SampledTriple(key, h, h, "", r, r, True, t, t, "") for key, (h, r, t) in triples.items()
        ]
        made, self.kinds = questions_of(sampled, options.examples, options.chains, options.seed)
        paths = {
            frozenset(" ".join(triples[key]) for key in path) for _, ways in gold for path in ways
        }
        found = [one for one in made if not _holds(one["gold"], paths)]
        apart = found[: min(options.held_out, len(found) // 10)]
        taken = {key for one in apart for key in one["gold"]}
        self.of_gold_paths = len(made) - len(found)
        self.apart = [aligned(one) for one in apart]
        self.learned = [aligned(one) for one in found if taken.isdisjoint(one["gold"])]
        self.options = options.fit_options()

    def told(self) -> dict[str, Any]:
        """Return how many questions there are."""
        return {
            "of_gold_paths": self.of_gold_paths,
            "learned": len(self.learned),
            "held_out": len(self.apart),
            "kinds": self.kinds,
        }


def trained(
    triples: Mapping[str, Words], gold: Asked, folder: Path, asked: argparse.Namespace
) -> dict[str, Any]:
    """Train encoders on questions made of the triples; return how it went."""
    options = AlignmentTrainingOptions(
        examples=asked.examples, epochs=asked.epochs, rate=asked.rate
    )
    lesson = Lesson(triples, gold, options)
    started, used = time.monotonic(), time.process_time()
    towers = Towers("minilm", options.rank, "cpu", options.seed)
    curve: list[tuple[int, float, bool]] = []

    def point(step: int, loss: float, held_out: bool) -> None:
        curve.append((step, round(loss, 4), held_out))
        print(*curve[-1], round(time.monotonic() - started), flush=True)

    fit(towers, lesson.learned, lesson.apart, None, lesson.options, point=point)
    save_towers(towers, folder)
    return {
        "seconds": round(time.monotonic() - started),
        "processor_seconds": round(time.process_time() - used),
        "threads": asked.threads,
        **lesson.told(),
        "options": options.model_dump(mode="json"),
        "curve": curve,
    }


def marked_steps(towers: Towers, lesson: Lesson, count: int) -> tuple[list[float], int]:
    """Train until ``count`` steps lie between marks; return the processor time at each mark, and
    how many steps the whole training has.
    """
    marks: list[float] = []
    totals: list[int] = []

    def progress(step: int, total: int) -> None:
        marks.append(time.process_time())
        totals.append(total)

    fit(
        towers,
        lesson.learned,
        lesson.apart,
        None,
        lesson.options,
        progress=progress,
        cancelled=lambda: len(marks) > count,
    )
    return marks, totals[0]


def pace(asked: argparse.Namespace) -> dict[str, Any]:
    """Measure some steps of the training, and what the whole of it takes by them."""
    report: dict[str, Any] = {}
    for name in [asked.set] if asked.set else ["PQ-2H", "PQ-3H"]:
        data = load_data_set(str(asked.folder / name))
        gold: Asked = [(one.question, one.gold_paths) for one in data.questions]
        options = AlignmentTrainingOptions()
        lesson = Lesson(dict(data.triples or {}), gold, options)
        towers = Towers("minilm", options.rank, "cpu", options.seed)
        marks, total = marked_steps(towers, lesson, asked.steps)
        began = time.process_time()
        mean_loss(towers, lesson.apart, lesson.options)
        look = time.process_time() - began
        step = (marks[-1] - marks[0]) / (len(marks) - 1)
        looks = total // options.save_steps + 1
        report[name] = {
            **lesson.told(),
            "threads": asked.threads,
            "steps_measured": len(marks) - 1,
            "processor_seconds_a_step": round(step, 2),
            "processor_seconds_a_look": round(look, 1),
            "steps": total,
            "looks": looks,
            "whole_processor_minutes": round((total * step + looks * look) / 60, 1),
        }
        print(name, json.dumps(report[name], indent=1), flush=True)
    return report


def _holds(chain: Sequence[str], paths: Set[frozenset[str]]) -> bool:
    """Whether some of the chain, from one triple of it to another, is one of the paths."""
    ends = [(i, j) for i in range(len(chain)) for j in range(i + 1, len(chain) + 1)]
    return any(frozenset(chain[i:j]) in paths for i, j in ends)


def paths(asked: argparse.Namespace) -> dict[str, Any]:
    """Measure on PathQuestion, or on questions made of its knowledge base."""
    embedder = load_embedder("minilm", cache_dir=asked.cache, threads=asked.threads)
    report: dict[str, Any] = {}
    for name in [asked.set] if asked.set else ["PQ-2H", "PQ-3H"]:
        data = load_data_set(str(asked.folder / name))
        triples: dict[str, Words] = dict(data.triples or {})
        gold: Asked = [(one.question, one.gold_paths) for one in data.questions]
        every = gold
        gold = gold[:: asked.every]
        if asked.made:
            gold = made_of(triples, 600, 7)
        rankings = list(by_words(triples, [question for question, _ in gold]))
        figures: dict[str, Any] = {
            "questions": len(gold),
            "made": asked.made,
            "every": asked.every,
            "triples": len(triples),
            "BM25": measured(rankings, gold),
            "embedder": paths_found(triples, gold, EmbedderEncoders(embedder)),
        }
        if asked.train:
            folder = asked.train / name
            figures["training"] = trained(triples, every, folder, asked)
            encoders = TrainedEncoders(load_towers(folder), folder)
            figures["trained"] = paths_found(triples, gold, encoders)
        if asked.version:
            encoders = TrainedEncoders(load_towers(asked.version), asked.version)
            figures["version"] = paths_found(triples, gold, encoders)
        report[name] = figures
        print(name, json.dumps({k: v for k, v in figures.items() if k != "training"}, indent=1))
    return report


def speed(asked: argparse.Namespace) -> dict[str, Any]:
    """Measure the search in a graph of random triples."""
    rng = np.random.default_rng(1)
    heads, tails = rng.integers(asked.triples // 3, size=(2, asked.triples))
    table = TripleTable()
    table.add(
        TripleRow(f"t{i}", f"e{h}", f"name {h}", f"relation {i % 500}", f"e{t}", f"name {t}")
        for i, (h, t) in enumerate(zip(heads, tails, strict=True))
    )

    def embed(texts: Sequence[str]) -> Any:
        vectors = rng.normal(size=(len(texts), 384)).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    started = time.monotonic()
    index = build_index(table, embed, 384)
    built = time.monotonic() - started
    times: list[float] = []
    computed: list[float] = []
    for question in embed(["q"] * 60):
        began, used = time.perf_counter(), time.process_time()
        list(find_triples(index, question, Options()))
        times.append(1000 * (time.perf_counter() - began))
        computed.append(1000 * (time.process_time() - used))
    report = {
        "triples": len(index),
        "partial_triples": len(index.partial_keys),
        "packed_mib": round(index.packed.nbytes / 2**20),
        "built_s": round(built, 1),
        "median_ms": round(statistics.median(times[10:]), 1),
        "median_processor_ms": round(statistics.median(computed[10:]), 1),
        "p95_ms": round(sorted(times[10:])[47], 1),
        "options": asdict(Options()),
    }
    print(json.dumps(report, indent=1))
    return report


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    kinds = parser.add_subparsers(required=True)
    of_paths = kinds.add_parser("paths")
    of_paths.add_argument("folder", type=Path)
    of_paths.add_argument("--cache", type=Path, required=True)
    of_paths.add_argument("--set", choices=["PQ-2H", "PQ-3H"])
    of_paths.add_argument("--made", action="store_true")
    of_paths.add_argument("--every", type=int, default=1)
    of_paths.add_argument("--version", type=Path)
    of_paths.add_argument("--train", type=Path)
    of_paths.add_argument("--examples", type=int, default=6000)
    of_paths.add_argument("--epochs", type=int, default=2)
    of_paths.add_argument("--rate", type=float, default=5e-4)
    of_paths.set_defaults(run=paths)
    of_pace = kinds.add_parser("pace")
    of_pace.add_argument("folder", type=Path)
    of_pace.add_argument("--set", choices=["PQ-2H", "PQ-3H"])
    of_pace.add_argument("--steps", type=int, default=8)
    of_pace.set_defaults(run=pace)
    of_speed = kinds.add_parser("speed")
    of_speed.add_argument("--triples", type=int, default=400_000)
    of_speed.set_defaults(run=speed)
    for one in (of_paths, of_pace, of_speed):
        one.add_argument("--threads", type=int, default=1)
        one.add_argument("--output", type=Path)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    report = asked.run(asked)
    if asked.output:
        asked.output.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
