"""How contextual's evidence is explained: what was added to the question, and the subgraph."""

from collections.abc import Sequence

from clew.results.explanation import Card, Quote, QuotesCard, Span
from clew.strategies.contextual.asking import triple_words
from clew.strategies.contextual.subgraph import QuestionGraph
from clew.strategies.drawing import triple_subgraph
from clew.strategies.retrieval import Retrieval, Row

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
        triples = [((row,), 0) for row in found.kept] + [((row,), 1) for row in found.added]
        dropped = f" {found.dropped} more were filtered out." if found.dropped else ""
        card = triple_subgraph(
            retrieval,
            triples,
            rows,
            title="The question's subgraph",
            summary=f"Triples near the question, and those on paths between their ends.{dropped}",
            stages=STAGES,
        )
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
