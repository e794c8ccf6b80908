"""What the rounds of planner find, against one search with the same number of passages.

    python tests/benchmarks/planner_rounds.py made=CORPUS [--count 300]
    python tests/benchmarks/planner_rounds.py SET=CORPUS … [--write]
    python tests/benchmarks/planner_rounds.py SET=CORPUS … --planner trained --version FOLDER
        [--without-token] [--questions 20] [--answers trained] [--result FILE --write]

``--planner``: who plans: rules, local (the 135M model as it is, with the few examples of its
prompt) or trained (the version in FOLDER, as ``planner_training.py`` makes it). ``--questions``:
the first so many of each set; ``--answers``: what the reader ``graph`` answers from the evidence is
scored too, by the version in FOLDER or by the model as it is: by another one than plans, roles are
swapped (RAS, figure 3).

``made``: questions of two hops made from a corpus' graph, on which ways of ranking the rounds'
union were compared; no figure is reported on them. ``SET``: a data set of ../shared/data (or its
folder), and a corpus that this or the bench filled with its documents, or an empty one, which is
filled (not one that `clew ingest` filled: there they go by other names); the share of gold
passages among the first 5 and 10, of one search and of the union after each round, all with as
many passages. Also: how many rounds, and their time.

Asks the Neo4j of CLEW_TEST_NEO4J_URI and _PASSWORD. ``--write`` writes
``results/planner-rounds.json``, or what ``--result`` names, beside what other planners left there.
"""

import argparse
import json
import os
import random
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from pydantic import SecretStr

from clew.answering.base import build_reader, whole_answer
from clew.clew import Clew
from clew.evaluation.data_set_corpus import index
from clew.evaluation.data_sets.loading import load_data_set
from clew.evaluation.metrics.answers import exact_match, f1
from clew.results.evidence import Evidence
from clew.results.explanation import RoundsCard
from clew.results.history import PLAN
from clew.settings import Settings
from clew.strategies.learning.graph_questions import chain_question, graph_chains
from clew.strategies.planner import rules
from clew.strategies.planner.spec import SPEC
from clew.strategies.searching import build_strategy

REPOSITORY = Path(__file__).parents[2]
DATA = REPOSITORY.parent / "shared" / "data"
RESULT = Path(__file__).parent / "results" / "planner-rounds.json"
RETRIEVERS = ("guided-pagerank", "chain-ranking")
DEPTHS = (5, 10)
DEPTH = 20
Ranking = Callable[[Sequence[Sequence[str]]], list[str]]
"""The chunks of each round, best first → those of all."""


@dataclass(frozen=True)
class Asked:
    """A question with the chunks that answer it; ``gold``: groups, of which one each is enough;
    ``name``: what its description names, "" where that is not known.
    """

    question: str
    gold: tuple[frozenset[str], ...]
    name: str = ""
    answers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Planned:
    """What the planner did: the chunks of each round, its sub-queries, and seconds of each.

    ``tokens``: of its language model, all rounds; ``answer``: what was answered, and right ones.
    """

    gold: tuple[frozenset[str], ...]
    single: tuple[str, ...]
    rounds: tuple[tuple[str, ...], ...]
    asked: tuple[str, ...]
    seconds: tuple[float, ...]
    single_seconds: float
    name: str
    tokens: int
    answer: str
    answers: tuple[str, ...]


def best_place(place: Callable[[int, int, int], float]) -> Ranking:
    """Rank by the least ``place`` of (round, rank, rounds), all from 1; earlier rounds at ties."""

    def ranked(rounds: Sequence[Sequence[str]]) -> list[str]:
        best: dict[str, tuple[float, int]] = {}
        for number, chunks in enumerate(rounds, start=1):
            for rank, chunk in enumerate(chunks, start=1):
                key = (place(number, rank, len(rounds)), number)
                best[chunk] = min(best.get(chunk, key), key)
        return sorted(best, key=best.__getitem__)

    return ranked


def fused(rounds: Sequence[Sequence[str]]) -> list[str]:
    """Rank by reciprocal rank fusion."""
    total: dict[str, float] = {}
    for chunks in rounds:
        for rank, chunk in enumerate(chunks, start=1):
            total[chunk] = total.get(chunk, 0) + 1 / (60 + rank)
    return sorted(total, key=lambda chunk: -total[chunk])


PRODUCT = best_place(lambda number, rank, rounds: number * rank)
RANKINGS: dict[str, Ranking] = {
    "round · rank": PRODUCT,
    "taking turns": best_place(lambda number, rank, rounds: rank),
    "rank + 1 a round": best_place(lambda number, rank, rounds: rank + number - 1),
    "rank + 2 a round": best_place(lambda number, rank, rounds: rank + 2 * (number - 1)),
    "rank + 4 a round": best_place(lambda number, rank, rounds: rank + 4 * (number - 1)),
    "last first": best_place(lambda number, rank, rounds: rank * (rounds - number + 1)),
    "first two whole": best_place(
        lambda number, rank, rounds: rank if number == 1 and rank <= 2 else rank + 1
    ),
    "fusion": fused,
}


def of_data_set(clew: Clew, name: str, corpus: str) -> list[Asked]:
    """Return a data set's questions, its documents being in ``corpus``."""
    folder = Path(name) if Path(name).exists() else DATA / name
    data_set = load_data_set(str(folder))
    keys = index(clew.resources, corpus, data_set.documents, 0).keys
    chunks: dict[str, set[str]] = {}
    rows = clew.resources.store.run_declared(
        "CYPHER 25 MATCH (c:Chunk {corpus: $corpus})-[:PART_OF]->(d:Document) "
        "RETURN c.id AS id, d.id AS document",
        {"corpus": corpus},
    )
    for row in rows:
        chunks.setdefault(keys[row["document"]], set()).add(row["id"])
    return [
        Asked(
            one.question,
            tuple(frozenset(chunks[key]) for key in one.gold),
            answers=tuple(one.answers),
        )
        for one in data_set.questions
        if one.gold
    ]


def made(clew: Clew, corpus: str, count: int) -> list[Asked]:
    """Return questions of two hops made from the graph of ``corpus``."""
    chance = random.Random(11)
    chains = graph_chains(clew.resources.store, corpus, 3 * count, chance)
    return [
        Asked(
            chain_question(chain, chance),
            tuple(frozenset({one.triple.chunk_id}) for one in chain),
            chain[0].triple.tail,
        )
        for chain in chains
        if len(chain) == 2
    ][:count]


def planned(
    clew: Clew, retriever: str, corpus: str, questions: Sequence[Asked], answered: bool = False
) -> list[Planned]:
    """Ask the planner, and the strategy that it asks, every question.

    ``answered``: has the reader answer from what the planner found, too.
    """
    planner = build_strategy(
        SPEC.name if retriever == SPEC.backbones[0] else f"{SPEC.name}:{retriever}", clew.resources
    )
    single = build_strategy(retriever, clew.resources)
    for strategy in (single, planner):
        strategy.retrieve(questions[0].question, corpus, DEPTH)  # what is loaded at first
    found = []
    reader = build_reader(clew.resources, "graph") if answered else None
    for one in questions:
        begun = time.perf_counter()
        alone = single.retrieve(one.question, corpus, DEPTH)
        seconds = time.perf_counter() - begun
        evidence = planner.retrieve(one.question, corpus, DEPTH)
        rounds = plan_of(evidence).rounds
        said = None if reader is None else whole_answer(reader, evidence)
        found.append(
            Planned(
                one.gold,
                tuple(chunk.id for chunk in alone.chunks),
                tuple(tuple(chunk.id for chunk in each.found) for each in rounds),
                tuple(each.asked for each in rounds),
                tuple(each.seconds or 0.0 for each in rounds),
                seconds,
                one.name,
                next(step.detail["tokens"] for step in evidence.trace if step.name == "merge"),
                "" if said is None else said.trace[-1].detail.get("reply", said.short),
                one.answers,
            )
        )
    return found


def plan_of(evidence: Evidence) -> RoundsCard:
    """Return the card of the plan."""
    for card in evidence.explanation:
        if isinstance(card, RoundsCard) and card.title == PLAN:
            return card
    raise AssertionError("a planner leaves its plan")


def recall(gold: Sequence[frozenset[str]], ranking: Sequence[str], depth: int) -> float:
    """Return the share of gold groups with a chunk among the first ``depth``."""
    first = set(ranking[:depth])
    return sum(not first.isdisjoint(group) for group in gold) / len(gold)


def mean_recall(found: Sequence[Planned], rankings: Iterable[Sequence[str]]) -> list[str]:
    """Return the means at every depth, in percent; ``rankings``: of each question, in its order."""
    pairs = [(one.gold, ranking) for one, ranking in zip(found, rankings, strict=True)]
    return [
        f"{100 * statistics.fmean(recall(gold, ranking, depth) for gold, ranking in pairs):.1f}"
        for depth in DEPTHS
    ]


def figures(found: Sequence[Planned], rounds: int) -> dict[str, object]:
    """Return what is recorded of one data set and retriever."""
    taken = [one.seconds for one in found]
    return {
        "questions": len(found),
        "one search": mean_recall(found, (one.single for one in found)),
        "union after round": {
            str(last): mean_recall(found, (PRODUCT(one.rounds[:last]) for one in found))
            for last in range(1, rounds + 1)
        },
        "questions with more than one round": sum(len(one.rounds) > 1 for one in found),
        "rounds": round(statistics.fmean(len(one.rounds) for one in found), 2),
        "ms of one search": round(1000 * statistics.median(one.single_seconds for one in found), 1),
        "ms a round": round(
            1000 * statistics.median(each for seconds in taken for each in seconds), 1
        ),
        "ms a question": round(1000 * statistics.median(map(sum, taken)), 1),
        "tokens a question": round(statistics.fmean(one.tokens for one in found)),
        **answer_figures([one for one in found if one.answer]),
    }


def answer_figures(found: Sequence[Planned]) -> dict[str, object]:
    """Return how right the answers are, in percent."""
    if not found:
        return {}
    return {
        name: round(100 * statistics.fmean(scored(one.answer, one.answers) for one in found), 1)
        for name, scored in (("EM", exact_match), ("F1", f1))
    }


def compare_rankings(found: Sequence[Planned]) -> None:
    """Print what each way of ranking the union finds."""
    many = [one for one in found if len(one.rounds) > 1]
    print(f"{len(many)} of {len(found)} questions have more than one round")
    right = sum(any(one.name in asked for asked in one.asked[1:]) for one in many)
    print(f"{right} of them have the right name put in")
    print("one search", mean_recall(many, (one.single for one in many)))
    for name, ranking in RANKINGS.items():
        whole = mean_recall(many, (ranking(one.rounds) for one in many))
        left = mean_recall(many, (ranking(without_parts(one)) for one in many))
        print(f"{name:<20} {whole}   without the searches for parts {left}")


def without_parts(one: Planned) -> list[tuple[str, ...]]:
    """Return the rounds but those that asked for a description alone."""
    return [
        chunks
        for chunks, asked in zip(one.rounds, one.asked, strict=True)
        if asked == one.asked[0] or asked not in one.asked[0]
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--retrievers", default=",".join(RETRIEVERS))
    parser.add_argument("--sure", type=float, help="another rules.SURE, for made questions")
    parser.add_argument("--home", type=Path, default=Path("/tmp/clew-planner-rounds"))
    parser.add_argument("--cache", type=Path, default=REPOSITORY / ".clew" / "cache")
    parser.add_argument("--planner", default="rules", choices=("rules", "local", "trained"))
    parser.add_argument("--version", type=Path, help="folder of a version, for trained")
    parser.add_argument("--without-token", action="store_true")
    parser.add_argument("--questions", type=int, help="the first so many of each set")
    parser.add_argument(
        "--answers", choices=("local", "trained"), help="asks the reader graph as well, by this one"
    )
    parser.add_argument("--result", type=Path, default=RESULT)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    settings = Settings.load(
        home=options.home,
        cache_dir=options.cache,
        neo4j_uri=os.environ["CLEW_TEST_NEO4J_URI"],
        neo4j_password=SecretStr(os.environ["CLEW_TEST_NEO4J_PASSWORD"]),
        planner_model=options.planner,
        planner_version=str(options.version or "default"),
        planner_seconds=600,
        graph_reader_model=options.answers or "trained",
        graph_reader_version=str(options.version or "default"),
        graph_token=not options.without_token,
    )
    whose = options.planner + (", without graph token" if options.without_token else "")
    if options.answers not in (None, options.planner):
        whose += f", {options.answers} answers"
    if options.questions is not None:
        whose += f" ({options.questions} questions)"
    own = "" if options.result == RESULT else f" {whose}"
    kept = json.loads(options.result.read_text()) if own and options.result.exists() else {}
    record: dict[str, object] = {**kept, "clew": version("clew"), "depths": DEPTHS}
    with Clew(settings) as clew:
        for pair in options.sets:
            name, corpus = pair.split("=")
            asked = (
                made(clew, corpus, options.count)
                if name == "made"
                else of_data_set(clew, name, corpus)
            )
            if name == "made" and options.sure is not None:
                rules.SURE = options.sure
            asked = asked[: options.questions]
            for retriever in options.retrievers.split(","):
                found = planned(clew, retriever, corpus, asked, options.answers is not None)
                said = figures(found, settings.value("planner_rounds"))
                print(name, retriever, json.dumps(said, indent=1))
                if name == "made":
                    compare_rankings(found)
                else:
                    record[f"{name} {retriever}{own}"] = said
    if options.write:
        options.result.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
