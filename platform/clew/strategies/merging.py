"""Evidence of several searches made into one: chunks, seeds, clues, trace, notices.

    score(c) = max over searches t = 1, 2, … of 1 / (t · rank of c in search t)

The first two of the first search, the best of the second, and so on: every search has its best
among the first, and what is further from the question comes later. On the sample corpus, with a
simulated model that stops when all is found, taking turns (1 / rank) finds up to 1 point more of
the evidence among the first five; with one that goes on, as weak models do, it loses 1.5 to 7
points there and 10 to 19 among the first two. Reciprocal rank fusion, and sums or maxima of scores,
gain as little and lose more: `tests/benchmarks/step_rankings.py`.
"""

from collections.abc import Iterable, Sequence

from clew.evidence import Evidence, EvidenceClue, ScoredChunk, SeedEntity, TraceStep


def merged_chunks(found: Sequence[Evidence], k: int) -> list[ScoredChunk]:
    """Return at most ``k`` chunks of all searches, each once, best first; earlier ones at ties."""
    best: dict[str, tuple[int, int, ScoredChunk]] = {}
    for number, evidence in enumerate(found, start=1):
        for rank, chunk in enumerate(evidence.chunks, start=1):
            if chunk.id not in best or number * rank < best[chunk.id][0]:
                best[chunk.id] = (number * rank, number, chunk)
    ranked = sorted(best.values(), key=lambda held: held[:2])[:k]
    return [chunk.model_copy(update={"score": 1 / place}) for place, _, chunk in ranked]


def merged_seeds(found: Iterable[Evidence]) -> list[SeedEntity]:
    """Return the entities that searches started from, each as the first search had it."""
    seeds: dict[str, SeedEntity] = {}
    for evidence in found:
        for seed in evidence.seeds:
            seeds.setdefault(seed.id, seed)
    return list(seeds.values())


def merged_clues(found: Iterable[Evidence]) -> list[EvidenceClue]:
    """Return the clues of all searches, each once; ``after`` still names the clue it means."""
    clues: list[EvidenceClue] = []
    number_of: dict[tuple[str, str, str, str | None], int] = {}
    for evidence in found:
        places: list[int] = []
        for clue in evidence.clues:
            key = (clue.entity_id, clue.relation, clue.direction, clue.tail_id)
            if key not in number_of:
                number_of[key] = len(clues)
                clues.append(clue)
            places.append(number_of[key])
        for place, clue in zip(places, evidence.clues, strict=True):
            if clues[place] is clue and clue.after is not None:
                clues[place] = clue.model_copy(update={"after": places[clue.after]})
    return clues


def merged_notices(found: Iterable[Evidence]) -> list[str]:
    """Return the notices of all searches, each once."""
    return list(dict.fromkeys(notice for evidence in found for notice in evidence.notices))


def of_search(number: int, query: str, trace: Iterable[TraceStep]) -> list[TraceStep]:
    """Return steps of a trace as those of the search ``number`` (from 1) for ``query``."""
    return [
        step.model_copy(
            update={"name": f"step {number}: {step.name}", "detail": {"query": query} | step.detail}
        )
        for step in trace
    ]
