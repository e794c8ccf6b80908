"""Evidence of several searches made into one: chunks, seeds, cards, trace, notices.

    score(c) = max over searches t = 1, 2, … of 1 / (t · rank of c in search t)

The first two of the first search, the best of the second, and so on: every search has its best
among the first, and what is further from the question comes later. On the sample corpus, with a
simulated model that stops when all is found, taking turns (1 / rank) finds up to 1 point more of
the evidence among the first five; with one that goes on, as weak models do, it loses 1.5 to 7
points there and 10 to 19 among the first two. Reciprocal rank fusion, and sums or maxima of scores,
gain as little and lose more: `tests/benchmarks/step_rankings.py`.
"""

from collections.abc import Iterable, Sequence

from clew.results.evidence import Evidence, ScoredChunk, SeedEntity, Told, TraceStep
from clew.results.explanation import (
    Card,
    Quote,
    QuotesCard,
    Round,
    RoundsCard,
    SubgraphCard,
    SubgraphEdge,
    SubgraphNode,
)


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


def merged_cards(found: Iterable[Evidence]) -> list[Card]:
    """Return the cards of all searches, those of one kind and title made into one.

    Nothing is in a card twice; the first search that had it counts.
    """
    alike: dict[tuple[str, str], list[tuple[int, Card]]] = {}
    for number, evidence in enumerate(found, start=1):
        for card in evidence.explanation:
            alike.setdefault((card.kind, card.title), []).append((number, card))
    return [_merged(cards) for cards in alike.values()]


def _merged(cards: Sequence[tuple[int, Card]]) -> Card:
    first = cards[0][1]
    if isinstance(first, QuotesCard):
        return _merged_quotes([card for _, card in cards if isinstance(card, QuotesCard)])
    if isinstance(first, SubgraphCard):
        return _merged_subgraph(
            [(number, card) for number, card in cards if isinstance(card, SubgraphCard)]
        )
    rounds = [one for _, card in cards if isinstance(card, RoundsCard) for one in card.rounds]
    return first.model_copy(
        update={
            "rounds": tuple(
                one.model_copy(update={"number": number}) for number, one in enumerate(rounds, 1)
            )
        }
    )


def _merged_quotes(cards: Sequence[QuotesCard]) -> QuotesCard:
    """Return all quotes, each once; ``after`` still names the quote it means."""
    quotes: list[Quote] = []
    number_of: dict[object, int] = {}
    for card in cards:
        places: list[int] = []
        for quote in card.quotes:
            key = (quote.text, quote.spans, quote.chunk_ids)
            if key not in number_of:
                number_of[key] = len(quotes)
                quotes.append(quote)
            places.append(number_of[key])
        for place, quote in zip(places, card.quotes, strict=True):
            if quotes[place] is quote and quote.after is not None:
                quotes[place] = quote.model_copy(update={"after": places[quote.after]})
    left_out = sum(card.left_out for card in cards)
    return cards[0].model_copy(update={"quotes": tuple(quotes), "left_out": left_out})


def _merged_subgraph(cards: Sequence[tuple[int, SubgraphCard]]) -> SubgraphCard:
    """Return all nodes and edges; the stages are those of each search in turn."""
    nodes: dict[str, SubgraphNode] = {}
    edges: dict[object, SubgraphEdge] = {}
    stages: list[str] = []
    for number, card in cards:
        before = len(stages)
        for node in card.nodes:
            later = node.model_copy(update={"stage": before + node.stage})
            nodes.setdefault(node.id, later)
        for edge in card.edges:
            moved = edge.model_copy(update={"stage": before + edge.stage})
            edges.setdefault(edge.id or (edge.source, edge.target, edge.kind), moved)
        stages += [step_name(number, stage) for stage in card.stages]
    return cards[0][1].model_copy(
        update={
            "nodes": tuple(nodes.values()),
            "edges": tuple(edges.values()),
            "stages": tuple(stages),
        }
    )


def merged_notices(found: Iterable[Evidence]) -> list[str]:
    """Return the notices of all searches, each once."""
    return list(dict.fromkeys(notice for evidence in found for notice in evidence.notices))


def step_name(number: int, name: str) -> str:
    """Return the name of what happened in the search ``number`` (from 1)."""
    return f"step {number}: {name}"


def of_search(number: int, query: str, trace: Iterable[TraceStep]) -> list[TraceStep]:
    """Return steps of a trace as those of the search ``number`` (from 1) for ``query``."""
    return [
        step.model_copy(
            update={"name": step_name(number, step.name), "detail": {"query": query} | step.detail}
        )
        for step in trace
    ]


def told_of_search(number: int, query: str, told: Told) -> Told:
    """Return what a search told as told by the search ``number`` (from 1) for ``query``."""
    if isinstance(told, TraceStep):
        return of_search(number, query, [told])[0]
    if isinstance(told, QuotesCard | SubgraphCard | RoundsCard):
        return told.model_copy(update={"title": step_name(number, told.title)})
    if isinstance(told, Round):
        return told.model_copy(update={"asked": step_name(number, told.asked)})
    return told
