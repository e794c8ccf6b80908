"""Evidence of several searches made into one: chunks, triples, seeds, cards, trace, notices.

    score(c) = max over searches t = 1, 2, … of 1 / (t · rank of c in search t)

The first two of the first search, the best of the second, and so on: every search has its best
among the first, and what is further from the question comes later. On the sample corpus, with a
simulated model that stops when all is found, taking turns (1 / rank) finds up to 1 point more of
the evidence among the first five; with one that goes on, as weak models do, it loses 1.5 to 7
points there and 10 to 19 among the first two. Reciprocal rank fusion, and sums or maxima of scores,
gain as little and lose more: `tests/benchmarks/step_rankings.py`.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from clew.results.evidence import (
    Evidence,
    EvidenceTriple,
    ScoredChunk,
    SeedEntity,
    Told,
    TraceStep,
)
from clew.results.explanation import (
    Card,
    Found,
    Quote,
    QuotesCard,
    Round,
    RoundsCard,
    SubgraphCard,
    SubgraphEdge,
    SubgraphNode,
)
from clew.results.history import in_round, plan_of

LINES_TOLD = 10
"""Lines of knowledge bases that a round is said to have found, at most."""

Ranked = TypeVar("Ranked", ScoredChunk, EvidenceTriple)


def merged_chunks(found: Sequence[Evidence], k: int) -> list[ScoredChunk]:
    """Return at most ``k`` chunks of all searches, each once, best first; earlier ones at ties. A
    passage that stands in several documents of one title counts once.
    """
    distinct: dict[tuple[str, str], ScoredChunk] = {}
    for chunk in _merged_rankings([evidence.chunks for evidence in found]):
        distinct.setdefault((chunk.title, chunk.text), chunk)
    return list(distinct.values())[:k]


def merged_triples(found: Sequence[Evidence]) -> list[EvidenceTriple]:
    """Return the triples of all searches, each once, best first, as chunks are ranked; no more than
    the search that found most.
    """
    most = max((len(evidence.triples) for evidence in found), default=0)
    return _merged_rankings([evidence.triples for evidence in found])[:most]


def _merged_rankings(rankings: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    best: dict[str, tuple[int, int, Ranked]] = {}
    for number, ranking in enumerate(rankings, start=1):
        for rank, one in enumerate(ranking, start=1):
            if one.id not in best or number * rank < best[one.id][0]:
                best[one.id] = (number * rank, number, one)
    ranked = sorted(best.values(), key=lambda held: held[:2])
    return [one.model_copy(update={"score": 1 / place}) for place, _, one in ranked]


def found_by(evidence: Evidence) -> tuple[Found, ...]:
    """Return what a round found: its chunks, and the best lines of knowledge bases."""
    lines = [one for one in evidence.triples if one.of_base][:LINES_TOLD]
    return (
        *(Found(id=chunk.id, title=chunk.title) for chunk in evidence.chunks),
        *(Found(id=line.id, title=line.text, kind="triple") for line in lines),
    )


def merged_seeds(found: Iterable[Evidence]) -> list[SeedEntity]:
    """Return the entities that searches started from, each as the first search had it."""
    seeds: dict[str, SeedEntity] = {}
    for evidence in found:
        for seed in evidence.seeds:
            seeds.setdefault(seed.id, seed)
    return list(seeds.values())


def merged_cards(found: Iterable[Evidence]) -> list[Card]:
    """Return the cards of all searches, those of one kind and title made into one.

    Nothing is in a card twice; the first search that had it counts. Rounds are counted on, for
    what they added as well.
    """
    alike: dict[tuple[str, str], list[tuple[int, Card]]] = {}
    rounds = 0
    for number, evidence in enumerate(found, start=1):
        for card in evidence.explanation:
            later = _counted_on(card, rounds) if isinstance(card, QuotesCard) else card
            alike.setdefault((card.kind, card.title), []).append((number, later))
        plan = plan_of(evidence)
        rounds += len(plan.rounds) if plan else 0
    return [_merged(cards) for cards in alike.values()]


def _counted_on(card: QuotesCard, rounds: int) -> QuotesCard:
    """Return a card whose plan has so many rounds before it."""
    quotes = tuple(
        quote if quote.round is None else in_round(quote, rounds + quote.round)
        for quote in card.quotes
    )
    return card.model_copy(update={"quotes": quotes})


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
