"""Measures the translator: its indexes, its questions, and whether every clue exists.

    python tests/benchmarks/translator.py hotpotqa-100 ../shared/data/hotpotqa-100 [--questions 500]

Uses the corpus of a data set as `clew bench` indexes it, in the Neo4j that ``CLEW_TEST_NEO4J_URI``
and ``CLEW_TEST_NEO4J_PASSWORD`` name; it is indexed first where it is not there. A path of a
`corpus.json` alone, or ``corpus:NAME``, is measured without recall. Writes
results/translator-NAME.json with ``--write``, and the profile as a picture beside it.

``index``: seconds to make the index from the graph (beyond the ingest), to save it, to load it,
and to follow one document that was added and one that was deleted; ``growth``: the seconds to read
and build it with an eighth, a quarter, a half and all of the chunks. ``questions``: median and 95th
percentile of a retrieval, median of each step of its trace, and the share of the time that is work
on the indexes (by a profile of some questions; the rest is named too). ``clues``: questions made
from the graph, all clues of which are looked up by id in Neo4j: the sentence has the entity in the
clue's direction, and holds the relation.
"""

import argparse
import cProfile
import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from clew.clew import Clew
from clew.evaluation.preparing import prepare
from clew.evaluation.request import BenchRequest
from clew.evaluation.tracking import Tracker
from clew.resources.revision_cache import Making, unsaid
from clew.results.evidence import Evidence, Told
from clew.results.explanation import QuotesCard, SubgraphCard
from clew.settings import Settings
from clew.strategies.searching import build_strategy
from clew.strategies.translator.graph_examples import graph_examples
from clew.strategies.translator.indexes import ClueDerivation, serving_backbone
from clew.strategies.translator.options import TranslatorOptions
from clew_cypher.corpora import get_corpus
from clew_cypher.export.hyperrelations import export_hyperrelations, hyperedges

RESULTS = Path(__file__).parent / "results"
REPOSITORY = Path(__file__).parents[2]
PROFILED = 20
INDEX_FILES = ("token_trie.py", "span_index.py", "states.py", "clue_index.py")
GROUPS = {
    "index": INDEX_FILES,
    "language model": ("packed_model.py:append", "causal_model.py:append"),
    "database": ("store.py:read",),
    "embedder": ("minilm.py:embed",),
    "parser": ("parsing.py:question_mentions",),
}


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long ``work`` takes, and what it returns."""
    begun = time.perf_counter()
    value = work()
    return round(time.perf_counter() - begun, 3), value


def index_figures(clew: Clew, corpus: str) -> dict[str, Any]:
    """Make, save, load and update the index of ``corpus``."""
    backbone = serving_backbone(clew.resources, corpus)
    options = clew.settings.options(TranslatorOptions)
    derivation = ClueDerivation(clew.resources.store, options, backbone)
    backbone.vocabulary.tokenize(["warm"])
    with tempfile.TemporaryDirectory() as folder:
        making = Making(unsaid, Path(folder) / "unfinished")
        store = clew.resources.store
        made, index = timed(lambda: derivation.make(get_corpus(store, corpus), None, making))
        saved, _ = timed(lambda: derivation.save(index, Path(folder) / "1"))
        size = sum(path.stat().st_size for path in Path(folder).rglob("*.npy"))
        loads = [timed(lambda: derivation.load(Path(folder) / "1"))[0] for _ in range(5)]

        def follow(number: int) -> float:
            seconds, later = timed(
                lambda: derivation.make(
                    get_corpus(store, corpus), derivation.load(Path(folder) / "1"), making
                )
            )
            return seconds + timed(lambda: derivation.save(later, Path(folder) / str(number)))[0]

        file = Path(folder) / "Zoltan Quibble.txt"
        file.write_text("Zoltan Quibble was born in Vienna. Quibble wrote The Amber Door in 1931.")
        clew.ingest(file, corpus=corpus)
        added = [follow(number) for number in range(2, 5)]
        clew.delete(corpus, clew.resolve_document(corpus, "Zoltan Quibble").id)
        deleted = [follow(number) for number in range(5, 8)]
    return {
        "sentences": len(index.sentence_ids),
        "entities": len(index.entity_ids),
        "names": len(index.name_entity),
        "tokens": len(index.spans.tokens),
        "make_seconds": made,
        "save_seconds": saved,
        "load_seconds": statistics.median(loads),
        "follow_added_seconds": statistics.median(added),
        "follow_deleted_seconds": statistics.median(deleted),
        "bytes": size,
        "growth": growth(clew, corpus, derivation),
    }


def growth(clew: Clew, corpus: str, derivation: ClueDerivation) -> list[dict[str, float]]:
    """Build the index of parts of the corpus; medians of three."""
    read, chunks = timed(lambda: list(export_hyperrelations(clew.resources.store, corpus)))
    points = []
    for share in (1 / 8, 1 / 4, 1 / 2, 1.0):
        part = chunks[: round(len(chunks) * share)]
        spent = [timed(partial(derivation.build, part, None))[0] for _ in range(3)]
        seconds = round(statistics.median(spent) + read * share, 3)
        points.append({"chunks": len(part), "seconds": seconds})
    return points


def question_figures(clew: Clew, corpus: str, questions: Sequence[str]) -> dict[str, Any]:
    """Retrieve for each question; times, contexts, and where the time goes."""
    strategy = build_strategy("translator", clew.resources)
    strategy.retrieve(questions[0], corpus, 5)
    seconds: list[float] = []
    steps: dict[str, list[float]] = defaultdict(list)
    found: list[Evidence] = []
    for question in questions:
        spent, evidence = timed(partial(strategy.retrieve, question, corpus, 5))
        seconds.append(spent)
        found.append(evidence)
        for step in evidence.trace:
            steps[step.name].append(step.seconds)
    ranked = sorted(seconds)
    return {
        "questions": len(questions),
        "median_seconds": statistics.median(seconds),
        "p95_seconds": ranked[int(0.95 * (len(ranked) - 1))],
        "step_median_ms": {
            name: round(statistics.median(values) * 1000, 1) for name, values in steps.items()
        },
        "contexts": statistics.mean(len(evidence.chunks) for evidence in found),
        "with_a_clue": statistics.mean(bool(evidence.explanation) for evidence in found),
        "profile": profile(lambda: [strategy.retrieve(q, corpus, 5) for q in questions[:PROFILED]]),
    }


def profile(work: Callable[[], Any]) -> dict[str, float]:
    """Return the share of the time in each group of functions; 'index' counts what its files
    themselves and numpy below them take.
    """
    profiler = cProfile.Profile()
    profiler.runcall(work)
    profiler.create_stats()
    stats = profiler.stats
    total = sum(entry[2] for entry in stats.values())
    shares: dict[str, float] = {}
    for group, members in GROUPS.items():
        spent = 0.0
        for (file, _, function), (_, _, _, cumulative, callers) in stats.items():
            name = Path(file).name
            if group == "index":
                if name in members:
                    # entered from outside the index' files: everything below counts
                    outside = [
                        below
                        for (caller, _, _), (_, _, _, below) in callers.items()
                        if Path(caller).name not in members
                    ]
                    spent += sum(outside)
            elif f"{name}:{function}" in members:
                spent += cumulative
        shares[group] = round(spent / total, 4)
    shares["other"] = round(1 - sum(shares.values()), 4)
    return shares


def draw(figures: dict[str, Any], path: Path) -> None:
    """Draw where the time of a question goes: by steps of the trace, and by kind of work."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    steps = figures["step_median_ms"]
    shares = {name: 100 * share for name, share in figures["profile"].items()}
    figure = Figure(figsize=(8, 4.2), layout="constrained")
    FigureCanvasSVG(figure)
    parts = (
        (steps, "ms", f"steps (median of {figures['questions']} questions)"),
        (shares, "%", "kinds of work (profile)"),
    )
    for axes, (values, unit, title) in zip(figure.subplots(1, 2), parts, strict=True):
        bars = axes.barh(list(values), list(values.values()), color="#4269d0")
        axes.bar_label(bars, fmt=f"{{:.1f}} {unit}", padding=3)
        axes.set_title(title, fontsize=10)
        axes.set_xlim(0, 1.3 * max(values.values()))
        axes.invert_yaxis()
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


def check_clues(clew: Clew, corpus: str, count: int) -> dict[str, Any]:
    """Look every clue of ``count`` questions up in the graph."""
    examples = graph_examples(clew.resources.store, corpus, count, 1, clew.resources.embedder.embed)
    strategy = build_strategy("translator", clew.resources)
    clues = wrong = without = 0
    for example in examples:
        told: list[Told] = []
        evidence = strategy.retrieve(example.question, corpus, 5, told.append)
        cards = [card for card in evidence.explanation if isinstance(card, QuotesCard)]
        quotes = [quote for card in cards for quote in card.quotes]
        drawn = [card for card in told if isinstance(card, SubgraphCard)]
        ids = {(node.label, node.id) for card in drawn for node in card.nodes}
        without += not quotes
        sentences = [str(span.sentence_id) for quote in quotes for span in quote.spans]
        edges = hyperedges(clew.resources.store, corpus, sentences)
        for quote in quotes:
            clues += 1
            for span in quote.spans:
                edge = edges.get(str(span.sentence_id))
                ends = (*edge.heads, *edge.titles) if edge and "reverse" not in quote.tags else ()
                if edge and "reverse" in quote.tags:
                    ends = edge.tails
                there = edge is not None and quote.text.split("@@")[1] in edge.hyperrelation
                if not there or not any((quote.label, end.id) in ids for end in ends):
                    wrong += 1
                    print("wrong:", quote, edge, file=sys.stderr)
            wrong += not quote.spans
    return {
        "questions": len(examples),
        "clues": clues,
        "clues_that_do_not_exist": wrong,
        "questions_without_a_clue": without,
    }


def main() -> None:
    """Measure, print, and write where asked."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("name")
    parser.add_argument("data_set", help="a data set, or corpus:NAME of the Neo4j")
    parser.add_argument("--questions", type=int, default=500, help="whose clues are looked up")
    parser.add_argument("--timed", type=int, default=100, help="whose times are measured")
    parser.add_argument("--set", action="append", default=[], help="a setting, NAME=VALUE")
    parser.add_argument("--home", type=Path, default=REPOSITORY / ".clew" / "translator-benchmark")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    settings = Settings(
        home=options.home,
        cache_dir=Path(os.environ.get("CLEW_TEST_CACHE_DIR", REPOSITORY / ".clew" / "cache")),
        neo4j_uri=os.environ["CLEW_TEST_NEO4J_URI"],
        neo4j_password=SecretStr(os.environ["CLEW_TEST_NEO4J_PASSWORD"]),
        **dict(pair.split("=", 1) for pair in options.set),
    )
    with Clew(settings) as clew:
        if options.data_set.startswith("corpus:"):
            corpus = options.data_set.removeprefix("corpus:")
            asked = graph_examples(
                clew.resources.store, corpus, options.timed, 2, clew.resources.embedder.embed
            )
            questions = [example.question for example in asked]
        else:
            prepared = prepare(
                clew.resources, BenchRequest(data_set=options.data_set), Tracker(None)
            )
            corpus = prepared.corpus
            questions = [q.question for q in prepared.data_set.questions[: options.timed]]
        figures: dict[str, Any] = {
            "model": serving_backbone(clew.resources, corpus).name,
            "settings": dict(pair.split("=", 1) for pair in options.set),
            "load_average_before": round(os.getloadavg()[0], 2),
            "index": index_figures(clew, corpus),
            "queries": question_figures(clew, corpus, questions),
            "clues": check_clues(clew, corpus, options.questions) if options.questions else None,
        }
    text = json.dumps(figures, indent=1)
    print(text)
    if options.write:
        (RESULTS / f"translator-{options.name}.json").write_text(text + "\n")
        draw(figures["queries"], RESULTS / f"translator-{options.name}.svg")


if __name__ == "__main__":
    main()
