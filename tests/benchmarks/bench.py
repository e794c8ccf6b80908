"""Measures every strategy with `clew bench` and keeps the record in results/.

    python tests/benchmarks/bench.py sample ../shared/data/hotpotqa-100 ../shared/data/musique-100

Each data set is measured in a database of its own, that the script starts under ``--work``, so
that nothing else counts in the word statistics of bm25; with ``--here`` in the Neo4j that
``CLEW_TEST_NEO4J_URI`` and ``CLEW_TEST_NEO4J_PASSWORD`` name, which may have it indexed already.
What the figures mean stands in the report (its denominators) and in `platform/clew/evaluation/`.
Times are those of this machine: let it be idle. ``--set`` measures other settings than the
defaults, under a ``--label``; ``--ablations NAME`` measures NAME whole and without its parts.
Writes results/bench-<set>.json (small: without rankings) and, from all such files,
results/bench.md; the whole runs and their reports go to ``--output``.
"""

import argparse
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import SecretStr
from rich.console import Console

from clew.clew import Clew
from clew.cli.bench_table import figures_tables
from clew.cli.bench_watch import BenchWatch
from clew.evaluation.record import markdown_table, record_of
from clew.evaluation.report import render_report
from clew.evaluation.request import BenchRequest
from clew.evaluation.run import BenchRun
from clew.evaluation.summary import summarise
from clew.settings import Settings
from clew_cypher.embedded import EmbeddedNeo4j
from clew_cypher.store import Neo4jConfig

RESULTS = Path(__file__).parent / "results"
REPOSITORY = Path(__file__).parents[2]
MEMORY_MIB = (1024, 512)
"""Heap and page cache of Neo4j, the settings' defaults."""
PORTS = (17687, 17474)
"""Wanted ports of Neo4j, away from those of a runtime that is up."""


@contextmanager
def database(work: Path, cache: Path, here: bool) -> Iterator[Neo4jConfig]:
    """Start a new database under ``work``; or take the one of the environment."""
    if here:
        uri, password = (os.environ[f"CLEW_TEST_NEO4J_{name}"] for name in ("URI", "PASSWORD"))
        yield Neo4jConfig(uri, "neo4j", password)
        return
    shutil.rmtree(work, ignore_errors=True)
    with EmbeddedNeo4j(work / "neo4j", cache, *MEMORY_MIB, *PORTS) as server:
        yield server.config


def measure(
    request: BenchRequest, config: Neo4jConfig, work: Path, cache: Path, changed: dict[str, str]
) -> BenchRun:
    """Do a run, with ``changed`` settings."""
    settings = Settings.load(
        home=work,
        cache_dir=cache,
        neo4j_uri=config.uri,
        neo4j_username=config.username,
        neo4j_password=SecretStr(config.password),
        **changed,
    )
    with Clew(settings) as clew, BenchWatch() as watch:
        return clew.bench(request, watch.show)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data_sets", nargs="+")
    parser.add_argument("--strategies", help="with commas between; default: all")
    parser.add_argument("--ablations", help="one strategy, whole and without its parts")
    parser.add_argument("--reader", default="extractive")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--depth", type=int, help="passages ranked")
    parser.add_argument("--set", action="append", default=[], help="a setting, NAME=VALUE")
    parser.add_argument("--here", action="store_true", help="in the Neo4j of the environment")
    parser.add_argument("--label", help="joined to the names of the results")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--work", type=Path, default=REPOSITORY / ".clew" / "benchmarks")
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".clew" / "cache")
    parser.add_argument("--output", type=Path, default=REPOSITORY / ".clew" / "bench")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    options.results.mkdir(parents=True, exist_ok=True)
    for name in options.data_sets:
        request = BenchRequest(
            data_set=name,
            strategies=tuple(options.strategies.split(",")) if options.strategies else None,
            ablations=options.ablations,
            reader=options.reader,
            limit=options.limit,
            depth=options.depth,
            seed=options.seed,
        )
        changed = dict(pair.split("=", 1) for pair in options.set)
        with database(options.work, options.cache, options.here) as config:
            run = measure(request, config, options.work, options.cache, changed)
        figures = summarise(run)
        for part in figures_tables(run, figures):
            Console().print(part)
        (options.output / f"{run.id}.json").write_text(run.model_dump_json())
        (options.output / f"{run.id}.html").write_text(render_report(run, figures))
        record = json.dumps(record_of(run, figures), indent=1, ensure_ascii=False)
        study = options.ablations and f"ablations-{options.ablations}"
        title = "-".join(filter(None, ("bench", run.data_set.name, study, options.label)))
        (options.results / f"{title}.json").write_text(record + "\n")
        write_page(options.results)


def write_page(results: Path) -> None:
    """Make results/bench.md from the records."""
    records = [json.loads(path.read_text()) for path in sorted(results.glob("bench-*.json"))]
    (results / "bench.md").write_text(markdown_table(records))


if __name__ == "__main__":
    main()
