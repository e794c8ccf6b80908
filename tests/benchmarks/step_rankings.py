"""Compares ways of ranking what several searches found, for `iterative:NAME`.

    python tests/benchmarks/step_rankings.py [STRATEGY …] [--write]

No language model takes part: a simulated one leads the search through the sample corpus. It names
a needed article that is not among the six it is shown, if these or the question name it; else, and
with probability 0.3 for ``misled`` leaders, any article that they name. ``sated`` leaders stop when
all needed articles are shown, the others go on for all four steps, as weak models do. Queries are
the article's name, or the question with the name behind it: eight leaders in all. Figures are means
over leaders and questions of the share of needed articles among the first 2 and 5.

Asks the Neo4j of the settings (`clew up`, or NEO4J_URI) in a corpus of its own, which it deletes.
Without STRATEGY: dense, bm25, hybrid and guided-pagerank. ``--write`` writes
``results/step-rankings.json``.
"""

import argparse
import itertools
import json
import random
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from clew.clew import Clew
from clew.results.evidence import Evidence
from clew.sample_corpus import ARTICLES, SampleQuestion, questions
from clew.strategies.hybrid import min_max
from clew.strategies.iterative.merging import merged_chunks

CORPUS = "bench-step-rankings"
STRATEGIES = ("dense", "bm25", "hybrid", "guided-pagerank")
STEPS, SHOWN, POOL, MISLED = 4, 6, 100, 0.3
TITLES = {
    path.stem: path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    for path in sorted(ARTICLES.glob("*.md"))
}
Ranking = Callable[[Sequence[Evidence]], list[str]]
"""Searches → titles, best first."""


@dataclass(frozen=True)
class Leader:
    """A simulated model; see the module."""

    misled: float
    sated: bool
    with_question: bool

    def queries(self, question: SampleQuestion, search: Callable[[str], Evidence]) -> list[str]:
        """Return the queries it makes of a question, the question first."""
        chance = random.Random(question.id)
        needed = [TITLES[article] for article in question.articles]
        used = [question.question]
        while len(used) < STEPS:
            shown = merged_chunks([search(query) for query in used], SHOWN)
            missing = set(needed) - {chunk.title for chunk in shown}
            if self.sated and not missing:
                break
            told = " ".join([question.question, *(chunk.text for chunk in shown)])
            named = [title for title in needed if title in missing and title in told]
            if not named or chance.random() < self.misled:
                named = [title for title in TITLES.values() if title in told]
                named = [chance.choice(named)] if named else []
            if not named:
                break
            query = f"{question.question} {named[0]}" if self.with_question else named[0]
            if query in used:
                break
            used.append(query)
        return used


def by_score(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda title: (-scores[title], title))


def titles(evidence: Evidence) -> list[str]:
    """The articles of one search, best first."""
    return list(dict.fromkeys(chunk.title for chunk in evidence.chunks))


def ours(found: Sequence[Evidence]) -> list[str]:
    """What the product does: the highest 1 / (number of the search · rank)."""
    return list(dict.fromkeys(chunk.title for chunk in merged_chunks(found, STEPS * POOL)))


def first_only(found: Sequence[Evidence]) -> list[str]:
    """The search for the question alone."""
    return titles(found[0])


def turns(found: Sequence[Evidence]) -> list[str]:
    """The best of every search, then the seconds."""
    rounds = itertools.zip_longest(*map(titles, found))
    return list(dict.fromkeys(title for one in rounds for title in one if title is not None))


def newest_first(found: Sequence[Evidence]) -> list[str]:
    """Turns, the last search first."""
    return turns(found[::-1])


def fusion(constant: int) -> Ranking:
    """Reciprocal rank fusion: the sum of 1 / (constant + rank)."""

    def ranking(found: Sequence[Evidence]) -> list[str]:
        scores: dict[str, float] = defaultdict(float)
        for evidence in found:
            for rank, title in enumerate(titles(evidence), start=1):
                scores[title] += 1 / (constant + rank)
        return by_score(scores)

    return ranking


def best_score(found: Sequence[Evidence]) -> list[str]:
    """The highest score of all searches, as HippoRAG ranks."""
    scores: dict[str, float] = {}
    for chunk in itertools.chain.from_iterable(evidence.chunks for evidence in found):
        scores[chunk.title] = max(scores.get(chunk.title, chunk.score), chunk.score)
    return by_score(scores)


def summed_score(found: Sequence[Evidence]) -> list[str]:
    """The sum of the scores, scaled to 0 … 1 in each search."""
    scores: dict[str, float] = defaultdict(float)
    for evidence in found:
        scaled = min_max([chunk.score for chunk in evidence.chunks])
        for chunk, score in zip(evidence.chunks, scaled, strict=True):
            scores[chunk.title] += score
    return by_score(scores)


RANKINGS: dict[str, Ranking] = {
    "first search only": first_only,
    "ours": ours,
    "turns": turns,
    "turns, newest first": newest_first,
    "rank fusion, 60": fusion(60),
    "rank fusion, 1": fusion(1),
    "best score": best_score,
    "summed scaled scores": summed_score,
}


def measure(clew: Clew, strategy: str) -> dict[str, dict[str, dict[str, float]]]:
    """Return ranking → sated or not → Recall@2 and @5."""

    @cache
    def search(query: str) -> Evidence:
        return clew.retrieve(query, CORPUS, strategy, POOL)

    recalls: dict[tuple[str, str, int], list[float]] = defaultdict(list)
    leaders = itertools.product((0.0, MISLED), (True, False), (True, False))
    for leader in itertools.starmap(Leader, leaders):
        for question in questions():
            found = [search(query) for query in leader.queries(question, search)]
            needed = {TITLES[article] for article in question.articles}
            for (name, ranking), k in itertools.product(RANKINGS.items(), (2, 5)):
                share = len(needed & set(ranking(found)[:k])) / len(needed)
                recalls[name, "sated" if leader.sated else "going on", k].append(share)
    return {
        name: {
            kind: {
                f"recall@{k}": round(statistics.fmean(recalls[name, kind, k]), 4) for k in (2, 5)
            }
            for kind in ("sated", "going on")
        }
        for name in RANKINGS
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("strategies", nargs="*", default=STRATEGIES)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with Clew() as clew:
        clew.ingest(ARTICLES, corpus=CORPUS)
        try:
            found = {strategy: measure(clew, strategy) for strategy in arguments.strategies}
        finally:
            clew.delete_corpus(CORPUS)
    for strategy, rankings in found.items():
        for name, kinds in rankings.items():
            shown = [f"{kind} {100 * v:5.1f}" for kind in kinds for v in kinds[kind].values()]
            print(f"{strategy:16} {name:22} {'  '.join(shown)}", flush=True)
    if arguments.write:
        result = {"version": version("clew"), "questions": len(questions()), "strategies": found}
        path = Path(__file__).parent / "results" / "step-rankings.json"
        path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
