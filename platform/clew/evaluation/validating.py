"""Evidence validity: whether all that an answer cites exists in the graph (SH-3)."""

from collections.abc import Sequence

from clew.evaluation.run import Outcome, Validity
from clew_cypher.store import GraphStore
from clew_cypher.validity import Cited, existing


def check(
    store: GraphStore, corpus: str, asked: Sequence[tuple[Outcome, Cited]]
) -> list[Validity | None]:
    """Return for each outcome how much it cites and what of it does not exist, by a few reads.

    Looked at: the chunks and triples found, the question's entities, the nodes and edges of all
    paths, and the answer's citations, whose quotes must stand in their chunks. None for an outcome
    that failed.
    """
    everything = Cited(
        chunks=frozenset().union(*(cited.chunks for _, cited in asked)),
        entities=frozenset().union(*(cited.entities for _, cited in asked)),
        mentions=frozenset().union(*(cited.mentions for _, cited in asked)),
        relations=frozenset().union(*(cited.relations for _, cited in asked)),
        triples=frozenset().union(*(cited.triples for _, cited in asked)),
    )
    found = existing(store, corpus, everything)
    return [
        None if outcome.error is not None else _validity(outcome, cited, found)
        for outcome, cited in asked
    ]


def _validity(outcome: Outcome, cited: Cited, found: Cited) -> Validity:
    checked = sum(
        map(len, (cited.chunks, cited.entities, cited.triples, cited.mentions, cited.relations))
    )
    missing = [*sorted(cited.chunks - found.chunks), *sorted(cited.entities - found.entities)]
    missing += sorted(cited.triples - found.triples)
    missing += [
        f"{source} → {target}"
        for pairs in (cited.mentions - found.mentions, cited.relations - found.relations)
        for source, target in sorted(pairs)
    ]
    if outcome.answer is not None:
        checked += len(outcome.answer.cited)
        ranked = {chunk.chunk_id for chunk in outcome.ranking}
        missing += [f"citation of {c}" for c in outcome.answer.cited if c not in ranked]
        missing += [f"quote from {c}" for c in outcome.answer.misquoted]
    return Validity(checked=checked, missing=tuple(missing))
