"""Measures what graph-network gains by more questions, by labelled ones, and where it ranks.

    python tests/benchmarks/graph_network_learning.py DATA_DIR CACHE_DIR [--keep] [--write]

Learning curve: a network is trained from the beginning, as the version that ships was, on
``--sizes`` questions made from the graph of 2wiki-corpus, and ranks the passages of HotpotQA-100
and MuSiQue-100. Labelled questions: for each of these two sets the version that ships is trained
further on four fifths of its questions, in five folds, and ranks for the fifth that it has not
seen; no passage is gold on both sides. Shipped: how the version that ships ranks for them, and for
questions of how many passages. Whole: it ranks in the whole graph of MuSiQue-100, beside the
neighbourhoods. Reranked: it ranks what other strategies found. Pace: what a search takes, beside
chain-ranking's, among HotpotQA-100's passages, and among those of 2wiki-corpus for questions made
of its graph; on a machine with nothing else to do. ``--keep`` uses the database of an
earlier run that lies under ``--work``. Prints a line a network; ``--write`` puts the parts that
were measured into ``results/graph-network-learning.json``.
"""

import argparse
import json
import random
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from graph_network_weights import HELD_OUT, WIKI, ingest_wiki
from pydantic import SecretStr

from clew.clew import Clew
from clew.evaluation.data_set_corpus import index
from clew.evaluation.data_sets.loading import load_data_set
from clew.evaluation.measuring import cpu_model
from clew.results.data_set import DataSet
from clew.settings import Settings
from clew.strategies.graph_network import networks
from clew.strategies.graph_network.arrays import network_arrays
from clew.strategies.graph_network.examples import graph_questions, network_examples
from clew.strategies.graph_network.options import NetworkMethodOptions
from clew.strategies.graph_network.training import NetworkTrainingOptions
from clew.strategies.learning.gold_chunks import kept_apart, labelled_questions
from clew.strategies.learning.training import Record, TrainingRun
from clew_cypher.corpora import get_corpus
from clew_cypher.embedded import EmbeddedNeo4j
from clew_models.graph_network import NetworkArrays, NetworkOptions
from clew_models.graph_network.examples import NetworkExample
from clew_models.graph_network.network import GraphNetwork, untrained_network
from clew_models.graph_network.training import FitOptions, fit, scores_of

REPOSITORY = Path(__file__).parents[2]
RESULT = Path(__file__).parent / "results" / "graph-network-learning.json"
SETS = ("hotpotqa-100", "musique-100")
SHIPPED = FitOptions(
    epochs=2, rate=1e-4, count_rate=200.0, temperature=0.1, negatives=30, save_steps=25
)
"""How the version that ships was trained."""
LAYERS = 3
TWO_HOPS = 0.6
FOLDS = 5
LEARNED_CHUNKS = 60
"""Chunks of the neighbourhoods that are learned from, as of the version that ships."""
DEPTHS = (2, 5, 10)
PACED, WARM, WARM_ROUNDS = 100, 10, 4
"""Questions of a corpus, how many of them are not timed, and how often all of another set are asked
first: the database's Java is twice as fast after a thousand statements."""
PACED_STRATEGIES = ("graph-network", "chain-ranking")
RERANKED = ("guided-pagerank", "chain-ranking")


class Bench:
    """A database with the three corpora, and what is asked of the two that are measured."""

    def __init__(self, clew: Clew, data: Path, work: Path) -> None:
        self.clew = clew
        self.learner = Clew(
            clew.settings.changed(
                graph_network_chunks=LEARNED_CHUNKS, graph_network_entities=3 * LEARNED_CHUNKS
            )
        )
        self.whole = Clew(clew.settings.changed(graph_network_whole_below=1_000_000))
        self.sets: dict[str, DataSet] = {name: load_data_set(str(data / name)) for name in SETS}
        there = {corpus.name for corpus in clew.corpora()}
        if WIKI not in there:
            ingest_wiki(clew, data, work)
        for name, data_set in self.sets.items():
            if name not in there:
                index(clew.resources, name, data_set.documents, 0)
        self.labelled = {name: labelled(clew, name, self.sets[name]) for name in SETS}
        self.asked = {name: examples(clew, name, self.labelled[name]) for name in SETS}

    def arrays(self, corpus: str) -> NetworkArrays:
        """Return the arrays that a network is made for."""
        resources = self.clew.resources
        value: NetworkArrays = (
            network_arrays(resources).snapshot(get_corpus(resources.store, corpus)).value
        )
        return value

    def shipped(self, corpus: str) -> GraphNetwork:
        """Return the version that ships, for training further."""
        folder = networks.serving_folder(self.clew.resources, corpus)
        assert folder is not None
        options = networks.switches(NetworkMethodOptions())
        return networks.loaded(folder, self.arrays(corpus), options, "cpu", 1)


def labelled(clew: Clew, corpus: str, data_set: DataSet) -> Sequence[Record]:
    """Return the questions of a set with the chunks of a corpus that are gold."""
    run = TrainingRun(clew.resources, corpus, Path(), NetworkTrainingOptions(), data_set=data_set)
    return labelled_questions(run, len(data_set.questions))


def examples(clew: Clew, corpus: str, records: Sequence[Record]) -> list[NetworkExample]:
    """Return questions with their neighbourhoods, as the settings have them."""
    run = TrainingRun(clew.resources, corpus, Path(), NetworkTrainingOptions())
    return network_examples(run, records)


def ranks(network: GraphNetwork, asked: Sequence[NetworkExample]) -> list[list[float]]:
    """Return for each question the share of its gold among the first 2, 5 and 10."""
    found = []
    for one, scores in zip(asked, scores_of(network, [one.part for one in asked]), strict=True):
        places = np.flatnonzero(one.gold[np.argsort(-scores, kind="stable")])
        found.append([float((places < depth).sum() / one.wanted) for depth in DEPTHS])
    return found


def recall(rows: Sequence[Sequence[float]]) -> list[float]:
    """Return the means of `ranks`, in percent."""
    return [round(100 * float(value), 1) for value in np.mean(np.array(rows), axis=0)]


def curve(bench: Bench, sizes: Sequence[int], seed: int) -> list[dict[str, Any]]:
    """Train on ever more made questions, and measure each network."""
    made, left_out = graph_questions(bench.clew.resources.store, WIKI, max(sizes), seed, TWO_HOPS)
    run = TrainingRun(bench.clew.resources, WIKI, Path(), NetworkTrainingOptions())
    parts = kept_apart(run, made, round(len(made) * HELD_OUT))
    rest = parts.learned
    held_out = examples(bench.learner, WIKI, parts.held_out)
    learned = examples(bench.learner, WIKI, rest)
    rows = []
    for size in sorted({min(size, len(rest)) for size in sizes}):
        network = untrained_network(bench.arrays(WIKI), NetworkOptions(layers=LAYERS), 0)
        fit(network, learned[:size], held_out, None, SHIPPED)
        row = {
            "questions": size,
            "of_hops": {hops: sum(one["hops"] == hops for one in rest[:size]) for hops in (1, 2)},
            "left_out_not_unique": left_out,
            **{name: recall(ranks(network, bench.asked[name])) for name in SETS},
        }
        print(json.dumps(row), flush=True)
        rows.append(row)
    return rows


def folds(bench: Bench, name: str, seed: int) -> dict[str, Any]:
    """Train further on four fifths of a set's questions; rank for those that were not seen."""
    order = list(range(len(bench.labelled[name])))
    random.Random(seed).shuffle(order)
    options = NetworkTrainingOptions(seed=seed)
    fitted = FitOptions(
        epochs=options.epochs,
        rate=options.rate,
        count_rate=options.count_rate,
        temperature=options.temperature,
        negatives=options.negatives,
        save_steps=5,
    )
    before, after, learned_from = [], [], []
    run = TrainingRun(bench.clew.resources, name, Path(), options)
    for fold in range(FOLDS):
        unseen = order[fold::FOLDS]
        gold = {chunk for place in unseen for chunk in bench.labelled[name][place]["gold"]}
        seen = [
            bench.labelled[name][place]
            for place in order
            if place not in set(unseen) and gold.isdisjoint(bench.labelled[name][place]["gold"])
        ]
        parts = kept_apart(run, seen, len(seen) // 5)
        network = bench.shipped(name)
        asked = [bench.asked[name][place] for place in unseen]
        before += ranks(network, asked)
        learned = examples(bench.learner, name, parts.learned)
        held_out = examples(bench.learner, name, parts.held_out)
        fit(network, learned, held_out, None, fitted)
        after += ranks(network, asked)
        learned_from.append(len(learned))
    row = {"learned_from": learned_from, "before": recall(before), "after": recall(after)}
    print(json.dumps({name: row}), flush=True)
    return row


def shipped(bench: Bench, name: str) -> dict[str, list[float]]:
    """Rank for the questions of a set with the version that ships: all, and by gold passages."""
    rows = ranks(bench.shipped(name), bench.asked[name])
    wanted = [one.wanted for one in bench.asked[name]]
    figures = {"all": recall(rows)}
    for count in sorted({*wanted}):
        some = [row for row, gold in zip(rows, wanted, strict=True) if gold == count]
        figures[f"{count} passages, {len(some)} questions"] = recall(some)
    print(json.dumps({name: figures}), flush=True)
    return figures


def whole(bench: Bench, name: str) -> dict[str, Any]:
    """Rank in the whole graph beside the neighbourhoods, with the version that ships."""
    network = bench.shipped(name)
    asked = bench.labelled[name]
    parts = ranks(network, bench.asked[name])
    rows = []
    for record in asked:  # one at a time: a graph of 25,000 nodes each
        rows += ranks(network, examples(bench.whole, name, [record]))
    row = {"questions": len(rows), "neighbourhood": recall(parts), "whole": recall(rows)}
    print(json.dumps({name: row}), flush=True)
    return row


def reranked(bench: Bench, name: str) -> dict[str, list[float]]:
    """Return what strategies find, and what the network makes of the order of their candidates."""
    rows = {}
    for other in RERANKED:
        changed = bench.clew.settings.changed(graph_network_candidates=other)
        with Clew(changed) as over:
            rows[other] = recall(served(bench.clew, name, other, bench.labelled[name]))
            rows[f"graph-network over {other}"] = recall(
                served(over, name, "graph-network", bench.labelled[name])
            )
    print(json.dumps({name: rows}), flush=True)
    return rows


def served(clew: Clew, corpus: str, strategy: str, asked: Sequence[Record]) -> list[list[float]]:
    """Return for each question the share of its gold that a strategy has among the first."""
    rows = []
    for one in asked:
        chunks = clew.search(one["question"], corpus, strategy, max(DEPTHS)).chunks
        gold = {*one["gold"]}
        rows.append([len(gold & {c.id for c in chunks[:depth]}) / len(gold) for depth in DEPTHS])
    return rows


def pace(bench: Bench, names: Sequence[str]) -> dict[str, dict[str, dict[str, float]]]:
    """Return how many milliseconds a search of a corpus takes: the median, the 95th percentile.

    The strategies take turns, each with resources of its own, so that none finds a question
    embedded that another asked.
    """
    store = bench.clew.resources.store
    asked: dict[str, Sequence[Record]] = {
        name: graph_questions(store, WIKI, PACED, 0, TWO_HOPS)[0]
        if name == WIKI
        else bench.labelled[name]
        for name in names
    }
    clews = {strategy: Clew(bench.clew.settings) for strategy in PACED_STRATEGIES}
    for one in [*bench.labelled["musique-100"]] * WARM_ROUNDS:
        for strategy, clew in clews.items():
            clew.search(one["question"], "musique-100", strategy, 10)
    found = {}
    for name in names:
        took: dict[str, list[float]] = {strategy: [] for strategy in clews}
        for one in asked[name]:
            for strategy, clew in clews.items():
                began = time.perf_counter()
                clew.search(one["question"], name, strategy, 10)
                took[strategy].append(1000 * (time.perf_counter() - began))
        found[name] = {
            strategy: {
                "median": round(float(np.percentile(mine[WARM:], 50)), 1),
                "95 %": round(float(np.percentile(mine[WARM:], 95)), 1),
            }
            for strategy, mine in took.items()
        }
        print(json.dumps({name: found[name]}), flush=True)
    for clew in clews.values():
        clew.close()
    return found


def main() -> None:
    """Ingest, train, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("cache_dir", type=Path)
    parser.add_argument("--sizes", default="250,500,1000,2000,4000")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parts", default="labelled,curve,shipped,whole,reranked,pace")
    parser.add_argument("--work", type=Path, default=REPOSITORY / ".clew" / "network-learning")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    if not asked.keep:
        shutil.rmtree(asked.work, ignore_errors=True)
    asked.work.mkdir(parents=True, exist_ok=True)
    with EmbeddedNeo4j(asked.work / "neo4j", asked.cache_dir, 1024, 512) as server:
        settings = Settings(
            home=asked.work,
            cache_dir=asked.cache_dir,
            neo4j_uri=server.config.uri,
            neo4j_username=server.config.username,
            neo4j_password=SecretStr(server.config.password),
        )
        with Clew(settings) as clew:
            bench = Bench(clew, asked.data_dir, asked.work)
            torch.set_num_threads(1)
            measured: dict[str, Callable[[], Any]] = {
                "labelled": lambda: {name: folds(bench, name, asked.seed) for name in SETS},
                "curve": lambda: curve(bench, [*map(int, asked.sizes.split(","))], asked.seed),
                "shipped": lambda: {name: shipped(bench, name) for name in SETS},
                "whole": lambda: {name: whole(bench, name) for name in SETS[1:]},
                "reranked": lambda: {name: reranked(bench, name) for name in SETS},
                "pace": lambda: pace(bench, (SETS[0], WIKI)),
            }
            figures = {part: measured[part]() for part in asked.parts.split(",")}
    if asked.write:
        kept = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
        text = json.dumps(kept | figures | {"processor": cpu_model()}, indent=1)
        RESULT.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
