"""Trains planner once on the graph of a corpus, with its figures before and after.

    python tests/benchmarks/planner_training.py CORPUS [--options '{"examples": 400}'] [--write]

The corpus must be one that may be learned from: not that of a data set on which figures are
reported. Called again with the same options it goes on where it was stopped. The version lies in
the folder that is printed; ``planner_rounds.py`` asks it by ``--version``.

Asks the Neo4j of CLEW_TEST_NEO4J_URI and _PASSWORD. ``--write`` writes
``results/planner-training.json``.
"""

import argparse
import json
import os
import time
from pathlib import Path

from pydantic import SecretStr

from clew.clew import Clew
from clew.results.training import TrainingProgress
from clew.settings import Settings
from clew.training.curve import read_curve
from clew.training.request import TrainingRequest
from clew.training.run import run_training

REPOSITORY = Path(__file__).parents[2]
RESULT = Path(__file__).parent / "results" / "planner-training.json"
TOLD_EVERY_S = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("--options", type=json.loads, default={})
    parser.add_argument("--home", type=Path, default=Path("/tmp/clew-planner-rounds"))
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".clew" / "cache")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    settings = Settings.load(
        home=asked.home,
        cache_dir=asked.cache,
        neo4j_uri=os.environ["CLEW_TEST_NEO4J_URI"],
        neo4j_password=SecretStr(os.environ["CLEW_TEST_NEO4J_PASSWORD"]),
        planner_model="rules",
    )
    begun = told = time.monotonic()
    stages: dict[str, float] = {}

    def tell(progress: TrainingProgress) -> None:
        nonlocal told
        now = time.monotonic()
        stages.setdefault(progress.stage, round(now - begun, 1))
        if now - told > TOLD_EVERY_S or progress.done == 0:
            told = now
            print(round(now - begun), progress.stage, progress.done, progress.total, flush=True)

    with Clew(settings) as clew:
        request = TrainingRequest(method="planner", corpus=asked.corpus, options=asked.options)
        version = run_training(clew.resources, request, tell)
        curve = [point.model_dump() for point in read_curve(Path(version.folder))]
    print(version.folder)
    said = {
        "options": version.options,
        "data": version.data,
        "figures": version.figures,
        "began at second": stages,
        "curve": curve,
        "bytes": sum(path.stat().st_size for path in Path(version.folder).glob("*.safetensors")),
    }
    print(json.dumps(said, indent=1))
    if asked.write:
        RESULT.write_text(json.dumps(said, indent=1) + "\n")


if __name__ == "__main__":
    main()
