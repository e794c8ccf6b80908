"""How partial-alignment's evidence is explained: triples by stage, and the subgraph they are."""

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
from clew.strategies.partial_alignment.found import FoundTriple
from clew.strategies.retrieval import Retrieval, Row
from clew_cypher.searching.ties import entity_ties
from clew_models.partial_alignment.search import STAGES

NAMES = ("Anchors", "Connected", "Third hop", "Passages that state them")
MASKED = ("tail", "head", "relation")
"""What each of the partial triples (h, r), (r, t) and (h, t) leaves out."""
ELEMENTS = ("head", "relation", "tail")
HIDDEN = "?"


def explain(retrieval: Retrieval, found: Sequence[FoundTriple], rows: Sequence[Row]) -> list[Card]:
    """Return the cards of the triples by stage, and of the subgraph with the passages ``rows``."""
    if not found:
        return []
    with retrieval.step("explanation"):
        place = {one.found.row: number for number, one in enumerate(found)}
        quotes = tuple(_quote(one, place) for one in found)
        card = _subgraph(retrieval, found, rows)
    return [
        QuotesCard(
            title="Triples, stage by stage",
            summary="Anchors, of which the question says two parts, with what it asks for masked; "
            "then what is connected to them, by the part that the question says.",
            quotes=quotes,
        ),
        card,
    ]


def _quote(one: FoundTriple, place: dict[int, int]) -> Quote:
    row, stage = one.rows[0], STAGES.index(one.found.stage)
    words = [row["head"], row["relation"], row["tail"]]
    tags = [NAMES[stage].lower()]
    if one.found.part >= 0:
        if stage == 0:
            masked = MASKED[one.found.part]
            tags.append(f"{masked} masked")
            shown = [HIDDEN if e == masked else w for e, w in zip(ELEMENTS, words, strict=True)]
        else:
            tags.append(f"by its {ELEMENTS[one.found.part]}")
            shown = [w if i == one.found.part else HIDDEN for i, w in enumerate(words)]
    else:
        shown = words
    if row["line"] is not None:
        tags.append(f"line {row['line']} of {row['title']}")
    if one.count > 1:
        tags.append(f"stated {one.count} times")
    spans = {
        row["chunk_id"]: Span(
            chunk_id=row["chunk_id"], sentence_id=row["sentence_id"], text=row["ttr"]
        )
        for row in one.rows
        if row["chunk_id"]
    }
    return Quote(
        text="@@".join(shown),
        label=" → ".join(words),
        score=one.found.score,
        score_name="similarity",
        spans=tuple(spans.values()),
        chunk_ids=tuple(spans),
        tags=tuple(tags),
        after=place.get(one.found.via) if one.found.via is not None else None,
    )


def _subgraph(
    retrieval: Retrieval, found: Sequence[FoundTriple], rows: Sequence[Row]
) -> SubgraphCard:
    nodes: dict[str, SubgraphNode] = {}
    edges: dict[str, SubgraphEdge] = {}
    passages = {row["id"]: row for row in rows}
    stated: set[tuple[str, str]] = set()
    for one in found:
        stage, first = STAGES.index(one.found.stage), one.rows[0]
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
            for row in one.rows
            for end in ends
            if row["chunk_id"] in passages
        }
    ties = entity_ties(retrieval.resources.store, retrieval.corpus.name, stated)
    for (entity, chunk), tie in ties.items():
        if tie.mentioned:
            row = passages[chunk]
            nodes[chunk] = SubgraphNode(
                id=chunk,
                kind="chunk",
                label=row["title"],
                stage=len(STAGES),
                document_id=row["document_id"],
            )
            edges[f"{entity} {chunk}"] = SubgraphEdge(
                source=entity, target=chunk, kind="MENTIONED_IN", stage=len(STAGES)
            )
    return SubgraphCard(
        title="The triples that were found",
        summary="Anchors, what is connected to them, what is connected to that, and the passages.",
        nodes=tuple(nodes.values()),
        edges=tuple(edges.values()),
        stages=NAMES,
    )
