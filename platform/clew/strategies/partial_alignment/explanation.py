"""How partial-alignment's evidence is explained: triples by stage, and the subgraph they are."""

from collections.abc import Sequence

from clew.results.explanation import Card, Quote, QuotesCard, Span
from clew.strategies.drawing import triple_subgraph
from clew.strategies.partial_alignment.found import FoundTriple
from clew.strategies.retrieval import Retrieval, Row
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
        card = triple_subgraph(
            retrieval,
            [(one.rows, STAGES.index(one.found.stage)) for one in found],
            rows,
            title="The triples that were found",
            summary="Anchors, what is connected to them, what is connected to that, and the "
            "passages.",
            stages=NAMES,
        )
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
        parts=tuple(shown),
        label=" → ".join(words),
        score=one.found.score,
        score_name="similarity",
        spans=tuple(spans.values()),
        chunk_ids=tuple(spans),
        tags=tuple(tags),
        after=place.get(one.found.via) if one.found.via is not None else None,
    )
