"""What strategies that explain themselves by a subgraph draw it with, and cards about some of what
they found."""

from collections.abc import Collection, Iterable, Sequence

from clew.results.evidence import SeedEntity
from clew.results.explanation import (
    Card,
    Quote,
    QuotesCard,
    SubgraphCard,
    SubgraphEdge,
    SubgraphNode,
)
from clew.strategies.retrieval import Retrieval, Row
from clew_cypher.searching.ties import entity_ties


class Drawing:
    """Nodes and edges as they come; one that comes again keeps its first stage."""

    def __init__(self) -> None:
        self._nodes: dict[str, SubgraphNode] = {}
        self._edges: dict[tuple[str, str, str], SubgraphEdge] = {}

    def question(self, seeds: Sequence[SeedEntity]) -> None:
        """Put what the question names, as far as it is drawn, into the first stage."""
        for seed in seeds:
            node = self._nodes.get(seed.id)
            if node is not None:
                self._nodes[seed.id] = node.model_copy(update={"stage": 0, "label": seed.name})

    def _node(self, node: SubgraphNode) -> None:
        held = self._nodes.get(node.id)
        if held is None or node.stage < held.stage:
            self._nodes[node.id] = node

    def _edge(
        self, source: str, target: str, kind: str, text: str, stage: int, id: str | None = None
    ) -> None:
        held = self._edges.get((source, target, kind))
        if held is None or stage < held.stage:
            self._edges[source, target, kind] = SubgraphEdge(
                source=source, target=target, kind=kind, id=id, text=text, stage=stage
            )


def triple_subgraph(
    retrieval: Retrieval,
    triples: Iterable[tuple[Sequence[Row], int]],
    rows: Sequence[Row],
    *,
    title: str,
    summary: str,
    stages: Sequence[str],
) -> SubgraphCard:
    """Return the card of triples and of the passages ``rows`` that state them, the last stage.

    ``triples``: the statements of each, one or more, as `triples_by_id` returns them, and its
    stage. An end that comes again keeps its first stage.
    """
    nodes: dict[str, SubgraphNode] = {}
    edges: dict[str, SubgraphEdge] = {}
    passages = {row["id"]: row for row in rows}
    stated: set[tuple[str, str]] = set()
    for statements, stage in triples:
        first = statements[0]
        ends = first["head_entity"], first["tail_entity"]
        for end in ends:
            node = SubgraphNode(id=end["id"], kind="entity", label=end["name"], stage=stage)
            nodes.setdefault(end["id"], node)
        edges[first["id"]] = SubgraphEdge(
            source=ends[0]["id"],
            target=ends[1]["id"],
            kind="RELATION",
            id=first["id"],
            text=first["ttr"],
            stage=stage,
            label=first["relation"],
        )
        stated |= {
            (end["id"], row["chunk_id"])
            for row in statements
            for end in ends
            if row["chunk_id"] in passages
        }
    last = len(stages) - 1
    ties = entity_ties(retrieval.resources.store, retrieval.corpus.name, stated)
    for (entity, chunk), tie in ties.items():
        if tie.mentioned:
            row = passages[chunk]
            nodes[chunk] = SubgraphNode(
                id=chunk,
                kind="chunk",
                label=row["title"],
                stage=last,
                document_id=row["document_id"],
            )
            edges[f"{entity} {chunk}"] = SubgraphEdge(
                source=entity, target=chunk, kind="MENTIONED_IN", stage=last
            )
    return SubgraphCard(
        title=title,
        summary=summary,
        nodes=tuple(nodes.values()),
        edges=tuple(edges.values()),
        stages=tuple(stages),
    )


def cards_about(cards: Sequence[Card], chunk_ids: Collection[str]) -> list[Card]:
    """Return cards with what concerns some chunks and what led to them, without the rest."""
    found: list[Card] = []
    for card in cards:
        if isinstance(card, QuotesCard):
            found.append(_quotes_about(card, chunk_ids))
        elif isinstance(card, SubgraphCard):
            found.append(_subgraph_about(card, chunk_ids))
        else:
            found.append(card)
    return found


def _quotes_about(card: QuotesCard, chunk_ids: Collection[str]) -> QuotesCard:
    kept: set[int] = set()
    for number, quote in enumerate(card.quotes):
        at: int | None = number
        if quote.chunk_ids and not set(quote.chunk_ids) & set(chunk_ids):
            at = None
        while at is not None and at not in kept:
            kept.add(at)
            at = card.quotes[at].after
    place = {number: at for at, number in enumerate(sorted(kept))}

    def moved(quote: Quote) -> Quote:
        if quote.after is None:
            return quote
        return quote.model_copy(update={"after": place[quote.after]})

    return card.model_copy(update={"quotes": tuple(moved(card.quotes[i]) for i in place)})


def _subgraph_about(card: SubgraphCard, chunk_ids: Collection[str]) -> SubgraphCard:
    """Return the ways to chunks: from each back over nodes and edges that are no later than it; to
    another chunk only where that came before.
    """
    nodes = {node.id: node for node in card.nodes}
    beside: dict[str, list[tuple[SubgraphNode, int]]] = {}
    for edge in card.edges:
        for one, other in ((edge.source, edge.target), (edge.target, edge.source)):
            if other in nodes:
                beside.setdefault(one, []).append((nodes[other], edge.stage))
    kept = {id_: nodes[id_].stage for id_ in chunk_ids if id_ in nodes}
    waiting = list(kept)
    while waiting:
        id_ = waiting.pop()
        stage = kept[id_]
        for node, at in beside.get(id_, []):
            passage = node.kind == "chunk"
            if max(at, node.stage + passage) > stage:
                continue
            # what leads on belongs to the way of the passage that it was reached from
            reached = node.stage if passage else stage
            if kept.get(node.id, -1) < reached:
                kept[node.id] = reached
                waiting.append(node.id)
    return card.model_copy(
        update={
            "nodes": tuple(node for node in card.nodes if node.id in kept),
            "edges": tuple(
                edge for edge in card.edges if edge.source in kept and edge.target in kept
            ),
        }
    )
