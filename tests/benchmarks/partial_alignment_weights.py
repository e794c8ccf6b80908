"""Trains encoders of partial-alignment on graphs that no figure is reported on.

    python tests/benchmarks/partial_alignment_weights.py CORPUS… --cache CACHE_DIR [--write]

Questions are made from the triples of corpora that are indexed already: passages of 2wiki-corpus,
and the sample corpus (its documents, not its questions).

Connects to the database of CLEW_TEST_NEO4J_URI and CLEW_TEST_NEO4J_PASSWORD. Prints the curve and
the figures of held-out questions before and after; ``--write`` puts the version into ``shipped/``
of the method's folder, and ``results/partial-alignment-weights.json``.
"""

import argparse
import json
import os
import random
import time
from datetime import UTC, datetime
from pathlib import Path

import torch

from clew.resources.versions import MANIFEST, write_manifest
from clew.results.training import TrainedModel
from clew.settings import Settings
from clew.strategies.partial_alignment.encoders import (
    EmbedderEncoders,
    TrainedEncoders,
    base_model,
)
from clew.strategies.partial_alignment.examples import aligned, made_questions
from clew.strategies.partial_alignment.spec import SPEC
from clew.strategies.partial_alignment.training import AlignmentTrainingOptions, ranked
from clew_cypher.store import GraphStore, Neo4jConfig
from clew_models.embedding import load_embedder
from clew_models.partial_alignment.towers import Towers, save_towers
from clew_models.partial_alignment.training import fit

REPOSITORY = Path(__file__).parents[2]
SHIPPED = REPOSITORY / "platform/clew/strategies/partial_alignment/shipped"
RESULT = Path(__file__).parent / "results" / "partial-alignment-weights.json"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=Path("/tmp/partial-alignment"))
    parser.add_argument("--examples", type=int, default=6000)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    store = GraphStore(
        Neo4jConfig(
            os.environ["CLEW_TEST_NEO4J_URI"], "neo4j", os.environ["CLEW_TEST_NEO4J_PASSWORD"]
        )
    )
    options = AlignmentTrainingOptions(
        examples=asked.examples, epochs=asked.epochs, rate=asked.rate, temperature=asked.temperature
    )
    learned, apart, counts = [], [], {}
    for corpus in asked.corpora:
        found, counts[corpus] = made_questions(
            store, corpus, options.examples, options.chains, options.seed
        )
        count = min(len(found) // 10, options.held_out)
        taken = {triple for one in found[:count] for triple in one["gold"]}
        apart += found[:count]
        learned += [one for one in found[count:] if taken.isdisjoint(one["gold"])]
    random.Random(options.seed).shuffle(learned)
    print(counts, len(learned), len(apart), flush=True)
    embedder = load_embedder("minilm", cache_dir=asked.cache, threads=asked.threads)
    before = ranked(EmbedderEncoders(embedder), apart)
    print("before", before, flush=True)
    towers = Towers("minilm", options.rank, "cpu", options.seed)
    started = time.monotonic()
    points: list[tuple[int, float, bool]] = []

    def point(step: int, loss: float, held_out: bool) -> None:
        points.append((step, loss, held_out))
        print(step, round(loss, 3), held_out, round(time.monotonic() - started), flush=True)

    fit(
        towers,
        [aligned(one) for one in learned],
        [aligned(one) for one in apart],
        None,
        options.fit_options(),
        point=point,
    )
    seconds = time.monotonic() - started
    folder = SHIPPED if asked.write else asked.output
    save_towers(towers, folder)
    after = ranked(TrainedEncoders(towers, folder), apart)
    print("after", after, flush=True)
    if asked.write:
        model = TrainedModel(
            kind=SPEC.name,
            version="shipped-1",
            base_model=base_model(Settings()),
            created_at=datetime.now(UTC).isoformat(timespec="seconds"),
            data={
                "corpus": "passages of 2WikiMultihopQA, and the sample corpus",
                "examples": len(learned),
                "held_out": len(apart),
                "questions": counts,
            },
            options=options.model_dump(mode="json"),
            figures={"before": before, "after": after, "seconds": round(seconds)},
            general=True,
        )
        write_manifest(folder, model)
        kept = {"manifest": json.loads((folder / MANIFEST).read_text()), "curve": points}
        RESULT.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
