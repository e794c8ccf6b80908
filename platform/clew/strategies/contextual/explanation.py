"""How contextual's evidence is explained: what was added to the question, and the subgraph."""

from collections.abc import Sequence

from clew.results.explanation import (
    Card,
    Quote,
    QuotesCard,
    Span,
    SubgraphCard,
    SubgraphEdge,
    SubgraphNode,
)
from clew.strategies.contextual.asking import triple_words
from clew.strategies.contextual.subgraph import QuestionGraph
from clew.strategies.retrieval import Retrieval, Row
from clew_cypher.searching.ties import entity_ties

STAGES = ("Near the question", "Completed by paths", "Passages that state it")


def explain(
    retrieval: Retrieval,
    found: QuestionGraph,
    sentences: Sequence[tuple[str, Sequence[Row]]],
    rows: Sequence[Row],
) -> list[Card]:
    """Return the cards of the text that was added and of the subgraph behind it."""
    with retrieval.step("explanation"):
        near = {row["id"] for row in found.kept}
        quotes = tuple(_quote(text, triples, near) for text, triples in sentences)
        card = _subgraph(retrieval, found, rows)
    return [
        QuotesCard(
            title="What was added to the question",
            summary="What the triples near the question, and those between them, say.",
            quotes=quotes,
        ),
        card,
    ]


def _quote(text: str, triples: Sequence[Row], near: set[str]) -> Quote:
    spans = {
        row["sentence_id"] or row["id"]: Span(
            chunk_id=row["chunk_id"], sentence_id=row["sentence_id"], text=row["ttr"]
        )
        for row in triples
        if row["chunk_id"]  # a line of a knowledge base stands in no passage
    }
    stages = {STAGES[0] if row["id"] in near else STAGES[1] for row in triples}
    scores = [row["score"] for row in triples if "score" in row]
    return Quote(
        text=text,
        label=_label(triples),
        score=max(scores, default=None),
        score_name="similarity" if scores else "",
        spans=tuple(spans.values()),
        chunk_ids=tuple(dict.fromkeys(row["chunk_id"] for row in triples if row["chunk_id"])),
        tags=tuple(stage.lower() for stage in STAGES if stage in stages),
    )


def _label(triples: Sequence[Row]) -> str:
    """Return the first of a sentence's triples in words, and how many there are besides."""
    if not triples:
        return ""
    more = f" and {len(triples) - 1} more" if len(triples) > 1 else ""
    return f"{triple_words(triples[0])}{more}"


def _subgraph(retrieval: Retrieval, found: QuestionGraph, rows: Sequence[Row]) -> SubgraphCard:
    """Return the triples with the stage in which each came, and the passages of the evidence that
    state them."""
    nodes: dict[str, SubgraphNode] = {}
    edges: dict[str, SubgraphEdge] = {}
    for stage, triples in enumerate((found.kept, found.added)):
        for row in triples:
            ends = row["head_entity"], row["tail_entity"]
            for end in ends:
                node = SubgraphNode(id=end["id"], kind="entity", label=end["name"], stage=stage)
                nodes.setdefault(end["id"], node)
            edges[row["id"]] = SubgraphEdge(
                source=ends[0]["id"],
                target=ends[1]["id"],
                kind="RELATION",
                id=row["id"],
                text=row["ttr"],
                stage=stage,
            )
    passages = {row["id"]: row for row in rows}
    stated = {
        (row[end]["id"], row["chunk_id"])
        for row in found.triples
        if row["chunk_id"] in passages
        for end in ("head_entity", "tail_entity")
    }
    ties = entity_ties(retrieval.resources.store, retrieval.corpus.name, stated)
    for (entity, chunk), tie in ties.items():
        if tie.mentioned:
            row = passages[chunk]
            nodes[chunk] = SubgraphNode(
                id=chunk,
                kind="chunk",
                label=row["title"],
                stage=2,
                document_id=row["document_id"],
            )
            edges[f"{entity} {chunk}"] = SubgraphEdge(
                source=entity, target=chunk, kind="MENTIONED_IN", stage=2
            )
    dropped = f" {found.dropped} more were filtered out." if found.dropped else ""
    return SubgraphCard(
        title="The question's subgraph",
        summary=f"Triples near the question, and those on paths between their ends.{dropped}",
        nodes=tuple(nodes.values()),
        edges=tuple(edges.values()),
        stages=STAGES,
    )
