"""What was asked and found so far, as planners and answerers read it (Algorithm 1, appendix B).

    [SUBQ] q0
    Retrieved Graph Information: (S> Ada | P> designed | O> Marlow Observatory), …
    [SUBQ] q1
    Retrieved Graph Information: …
    Question: Q

It goes to a reader in the evidence's cards, and is read from them again (`history_of`). Retrieved
text is data: it can write none of the marks that these lines are made of.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew.results.evidence import Evidence, EvidenceTriple
from clew.results.explanation import Quote, QuotesCard, RoundsCard, Span
from clew_cypher.store import Row

PLAN = "The plan"
PLAN_SUMMARY = "What was asked in turn, what it found, and what was planned then."
FACTS = "What each round added"
FACTS_SUMMARY = (
    "Triples of the passages that a round found, or of knowledge bases, nearest to its sub-query "
    "first."
)
JOIN = "@@"
SUBQ = "[SUBQ]"
GRAPH = "Retrieved Graph Information:"
NOTHING = "(nothing new)"
PART_CHARACTERS = 120
"""How much of a head, a predicate or a tail is shown."""
ASKED_CHARACTERS = 300
"""How much of a sub-query is shown."""

_MARKS = re.compile(r"[\[\]<>|()]|\s+")


@dataclass(frozen=True)
class Fact:
    """A triple as it is shown, and the chunk that states it: "" for a line of a knowledge base,
    whose relation is shown as written.
    """

    head: str
    predicate: str
    tail: str
    chunk_id: str

    def __str__(self) -> str:
        """Return it in the paper's form."""
        return f"(S> {plain(self.head)} | P> {plain(self.predicate)} | O> {plain(self.tail)})"


@dataclass(frozen=True)
class Asked:
    """A round: its sub-query, and what it added to the question's graph."""

    subquery: str
    facts: tuple[Fact, ...] = ()


def plain(text: str, characters: int = PART_CHARACTERS) -> str:
    """Return retrieved text as one line without brackets and bars, so that it is no label."""
    return " ".join(_MARKS.sub(" ", text).split())[:characters]


def facts_of(rows: Sequence[Row]) -> tuple[Fact, ...]:
    """Return triples of the graph as they are shown."""
    return tuple(Fact(row["head"], _predicate(row), row["tail"], row["chunk_id"]) for row in rows)


def fact_of(triple: EvidenceTriple) -> Fact:
    """Return a line of a knowledge base that was found as it is shown."""
    return Fact(triple.head, triple.relation, triple.tail, triple.chunk_id)


def history_text(
    rounds: Sequence[Asked], *, graph: bool = True, mark: Callable[[Fact], str] = lambda fact: ""
) -> str:
    """Return the history in the paper's form, without the question.

    ``graph``: with what was found; ``mark``: what stands behind each triple.
    """
    lines = []
    for one in rounds:
        lines.append(f"{SUBQ} {plain(one.subquery, ASKED_CHARACTERS)}")
        if graph:
            said = ", ".join(f"{fact}{mark(fact)}" for fact in one.facts)
            lines.append(f"{GRAPH} {said or NOTHING}")
    return "\n".join(lines)


def facts_card(rounds: Sequence[tuple[str, Sequence[Row]]]) -> QuotesCard:
    """Return the triples of all rounds with the sentences that carry them."""
    return QuotesCard(
        title=FACTS,
        summary=FACTS_SUMMARY,
        quotes=tuple(
            in_round(_quote(row), number)
            for number, (_, rows) in enumerate(rounds, start=1)
            for row in rows
        ),
    )


def in_round(quote: Quote, number: int) -> Quote:
    """Return a triple's quote as one that the round of this number added."""
    others = (tag for tag in quote.tags if quote.round is None or tag != _tag(quote.round))
    return quote.model_copy(update={"round": number, "tags": (_tag(number), *others)})


def history_of(evidence: Evidence) -> list[Asked] | None:
    """Return the rounds behind evidence; None where nobody planned it."""
    plan = plan_of(evidence)
    facts = [one for one in evidence.explanation if isinstance(one, QuotesCard)]
    added = next((card for card in facts if card.title == FACTS), None)
    if plan is None or added is None:
        return None
    return [
        Asked(
            one.asked,
            tuple(_fact(quote) for quote in added.quotes if quote.round == one.number),
        )
        for one in plan.rounds
    ]


def plan_of(evidence: Evidence) -> RoundsCard | None:
    """Return the card of the rounds behind evidence; None where nobody planned it."""
    cards = (one for one in evidence.explanation if isinstance(one, RoundsCard))
    return next((card for card in cards if card.title == PLAN), None)


def _quote(row: Row) -> Quote:
    parts = (row["head"], _predicate(row), row["tail"])
    return Quote(
        text=JOIN.join(parts),
        score=row["score"],
        score_name="similarity",
        spans=_spans(row),
        chunk_ids=(row["chunk_id"],) if row["chunk_id"] else (),
        tags=_line(row),
        parts=parts,
    )


def _fact(quote: Quote) -> Fact:
    head, predicate, tail = quote.parts
    return Fact(head, predicate, tail, next(iter(quote.chunk_ids), ""))


def _predicate(row: Row) -> str:
    """Return the base form; of a line of a knowledge base the relation as written."""
    return str(row["predicate"] if row["chunk_id"] else row["relation"])


def _spans(row: Row) -> tuple[Span, ...]:
    if not row["chunk_id"]:
        return ()
    return (Span(chunk_id=row["chunk_id"], sentence_id=row["sentence_id"], text=row["ttr"]),)


def _line(row: Row) -> tuple[str, ...]:
    return () if row["chunk_id"] else (f"line {row['line']} of {row['title']}",)


def _tag(number: int) -> str:
    return f"round {number}"
