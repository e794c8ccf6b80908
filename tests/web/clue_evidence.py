"""Evidence as translator makes it, written by hand; for the fake of the workers."""

from clew.results.evidence import Evidence, SeedEntity
from clew.results.explanation import (
    Quote,
    QuotesCard,
    Span,
    SubgraphCard,
    SubgraphEdge,
    SubgraphNode,
)

BUILT = "She was built at the Seld Shipyard."
FOUNDED = "The Seld Shipyard was founded by Victor Ferrand in 1874."

QUOTES = (
    Quote(
        text="Aurelia@@was built at ##",
        label="Aurelia",
        score=-0.36,
        score_name="log-probability",
        spans=(Span(sentence_id="s1", chunk_id="c1", text=BUILT, start=4, end=16),),
        chunk_ids=("c1",),
        tags=("forward", "named in the question"),
    ),
    Quote(
        text="Seld Shipyard@@## was founded by ## in",
        label="Seld Shipyard",
        score=-2.3,
        score_name="log-probability",
        spans=(Span(sentence_id="s2", chunk_id="c2", text=FOUNDED, start=18, end=50),),
        chunk_ids=("c2", "c3", "c9"),
        tags=("forward",),
        after=0,
    ),
)
EXPLANATION = (
    QuotesCard(title="Clues", quotes=QUOTES),
    SubgraphCard(
        title="Where the clues lead",
        nodes=(
            SubgraphNode(id="e1", kind="entity", label="Aurelia"),
            SubgraphNode(id="c1", kind="chunk", label="Aurelia", document_id="d1"),
        ),
        edges=(SubgraphEdge(source="e1", target="c1", kind="MENTIONED_IN", text=BUILT),),
        stages=("Forward",),
    ),
)


def translated(evidence: Evidence) -> Evidence:
    """Return the evidence explained, and with the clues' entities as where it began."""
    decoded = tuple(
        SeedEntity(id=id_, name=name, mention=name, match="decoded", weight=0.1)
        for id_, name in (("e2", "Seld Shipyard"), ("e3", "Victor Ferrand"))
    )
    return evidence.model_copy(
        update={
            "explanation": EXPLANATION,
            "seeds": (*evidence.seeds, *decoded),
            "notices": (),
        }
    )
