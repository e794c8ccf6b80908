"""Trains the version of graph-network that ships, on graphs that no figure is reported on.

    python tests/benchmarks/graph_network_weights.py DATA_DIR CACHE_DIR [--passages 6119] [--write]

Questions of one hop to three are made from the graph of passages of 2wiki-corpus and from that of
the sample corpus (its documents, not its questions); those whose answer is not unique are left out
and counted. Starts a database under ``--work``; ``--keep`` uses the corpora of an earlier run that
lie there. Prints the curve and the figures of held-out questions before and after. ``--write``
writes the version into ``shipped/`` of the method's folder, and
``results/graph-network-weights.json``.
"""

import argparse
import json
import random
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from pydantic import SecretStr

from clew.clew import Clew
from clew.evaluation.data_set_corpus import index
from clew.evaluation.data_sets.loading import load_data_set
from clew.resources.versions import MANIFEST, write_manifest
from clew.results.training import TrainedModel
from clew.settings import Settings
from clew.strategies.graph_network import networks
from clew.strategies.graph_network.arrays import network_arrays
from clew.strategies.graph_network.examples import graph_questions, network_examples
from clew.strategies.graph_network.options import NetworkMethodOptions
from clew.strategies.graph_network.spec import SPEC
from clew.strategies.graph_network.training import NetworkTrainingOptions, ranked
from clew.strategies.learning.gold_chunks import kept_apart
from clew.strategies.learning.training import TrainingRun
from clew_cypher.corpora import get_corpus
from clew_cypher.embedded import EmbeddedNeo4j
from clew_models.graph_network import NetworkOptions
from clew_models.graph_network.examples import NetworkExample
from clew_models.graph_network.network import (
    GraphNetwork,
    save_network,
    untrained_network,
)
from clew_models.graph_network.training import FitOptions, fit

REPOSITORY = Path(__file__).parents[2]
SHIPPED = REPOSITORY / "platform/clew/strategies/graph_network/shipped"
RESULT = Path(__file__).parent / "results" / "graph-network-weights.json"
WIKI, SAMPLE = "wiki", "sample"
HELD_OUT = 0.05


def ingest_wiki(clew: Clew, data: Path, work: Path, passages: int | None = None) -> None:
    """Ingest the first passages of 2wiki-corpus; None: all of them."""
    rows = json.loads((data / "2wiki-corpus" / "corpus.json").read_text())[:passages]
    records = [json.dumps({"title": row["title"], "text": row["text"]}) for row in rows]
    file = work / "wiki.jsonl"
    file.write_text("\n".join(records), encoding="utf-8")
    clew.ingest(file, corpus=WIKI)


def corpora(clew: Clew, data: Path, passages: int, work: Path, keep: bool) -> None:
    """Ingest both corpora, where they are not there already."""
    there = {corpus.name for corpus in clew.corpora()} if keep else set()
    if WIKI not in there:
        ingest_wiki(clew, data, work, passages)
    if SAMPLE not in there:
        index(clew.resources, SAMPLE, load_data_set(SAMPLE).documents, 0)


def examples(
    clew: Clew, corpus: str, options: NetworkTrainingOptions
) -> tuple[list[NetworkExample], list[NetworkExample], dict[str, int]]:
    """Return what is learned, what is held out, and how many there were of each kind."""
    store = clew.resources.store
    found, left_out = graph_questions(
        store, corpus, options.examples, options.seed, options.two_hops, options.three_hops
    )
    run = TrainingRun(clew.resources, corpus, Path(), options)
    parts = kept_apart(run, found, round(len(found) * HELD_OUT))
    counts = {
        "questions": len(found),
        "of two hops": sum(one["hops"] == 2 for one in found),
        "of three hops": sum(one["hops"] == 3 for one in found),
        "left out, answer not unique": left_out,
        "left out, a held-out passage": len(found) - len(parts.held_out) - len(parts.learned),
    }
    print(corpus, counts, flush=True)
    made = network_examples(run, parts.held_out), network_examples(run, parts.learned)
    return made[1], made[0], counts


def main() -> None:
    """Ingest, make questions, train, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data_dir", type=Path)
    parser.add_argument("cache_dir", type=Path)
    parser.add_argument("--passages", type=int, default=6119, help="of 2wiki-corpus")
    parser.add_argument("--examples", type=int, default=4000, help="questions of it")
    parser.add_argument("--sample-examples", type=int, default=400, help="of the sample corpus")
    parser.add_argument("--two-hops", type=float, default=0.6)
    parser.add_argument("--three-hops", type=float, default=0.0)
    parser.add_argument("--chunks", type=int, default=60, help="of a neighbourhood")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--count-rate", type=float, default=200.0)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--work", type=Path, default=REPOSITORY / ".clew" / "graph-network")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    if not asked.keep:
        shutil.rmtree(asked.work, ignore_errors=True)
    asked.work.mkdir(parents=True, exist_ok=True)
    wanted = {WIKI: asked.examples, SAMPLE: asked.sample_examples}
    with EmbeddedNeo4j(asked.work / "neo4j", asked.cache_dir, 1024, 512) as server:
        settings = Settings.load(
            home=asked.work,
            cache_dir=asked.cache_dir,
            neo4j_uri=server.config.uri,
            neo4j_username=server.config.username,
            neo4j_password=SecretStr(server.config.password),
            graph_network_chunks=asked.chunks,
            graph_network_entities=3 * asked.chunks,
        )
        with Clew(settings) as clew:
            corpora(clew, asked.data_dir, asked.passages, asked.work, asked.keep)
            learned: list[NetworkExample] = []
            held_out: list[NetworkExample] = []
            counts: dict[str, Any] = {}
            for corpus, count in wanted.items():
                options = NetworkTrainingOptions(
                    examples=count,
                    two_hops=asked.two_hops,
                    three_hops=asked.three_hops,
                    start="untrained",
                )
                more, apart, counts[corpus] = examples(clew, corpus, options)
                learned += more
                held_out += apart
            arrays = network_arrays(clew.resources).snapshot(get_corpus(clew.resources.store, WIKI))
            base = networks.base_model(settings)
            train(asked, learned, held_out, counts, arrays.value, base)


def train(
    asked: argparse.Namespace,
    learned: list[NetworkExample],
    held_out: list[NetworkExample],
    counts: dict[str, Any],
    arrays: Any,
    base: str,
) -> None:
    """Train on examples of both corpora and write what ships."""
    torch.set_num_threads(1)
    random.Random(0).shuffle(learned)
    started = time.monotonic()
    network: GraphNetwork = untrained_network(arrays, NetworkOptions(layers=asked.layers), 0)
    before = ranked(network, held_out, "cpu")
    points: list[tuple[int, float, bool]] = []

    def point(step: int, loss: float, apart: bool) -> None:
        points.append((step, round(loss, 4), apart))
        print(step, round(loss, 4), "held out" if apart else "", flush=True)

    options = FitOptions(
        epochs=asked.epochs,
        rate=asked.rate,
        count_rate=asked.count_rate,
        temperature=0.1,
        negatives=30,
        save_steps=25,
    )
    fit(network, learned, held_out, None, options, point=point)
    after = ranked(network, held_out, "cpu")
    seconds = round(time.monotonic() - started)
    print(json.dumps({"before": before, "after": after, "seconds": seconds}, indent=1))
    if not asked.write:
        return
    used = sum(bool(one.gold.any()) for one in learned)
    SHIPPED.mkdir(exist_ok=True)
    save_network(network, SHIPPED)
    manifest = TrainedModel(
        kind=SPEC.name,
        version="shipped-2",
        base_model=base,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        data={
            "corpus": "passages of 2WikiMultihopQA, and the sample corpus",
            "examples": used,
            "left_out": len(learned) - used,
            "held_out": len(held_out),
            "questions": counts,
        },
        options={
            "epochs": asked.epochs,
            "rate": asked.rate,
            "count_rate": asked.count_rate,
            "temperature": options.temperature,
            "negatives": options.negatives,
            "batch": options.batch,
            "chunks": asked.chunks,
            "two_hops": asked.two_hops,
            "three_hops": asked.three_hops,
            "hops": NetworkMethodOptions().hops,
        },
        figures={
            "before": {"questions": len(held_out), **before},
            "after": {"questions": len(held_out), **after},
            "held_out_loss": min(loss for _, loss, apart in points if apart),
            "seconds": seconds,
        },
        general=True,
    )
    write_manifest(SHIPPED, manifest)
    kept = json.loads((SHIPPED / MANIFEST).read_text()) | {"curve": points}
    RESULT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
