"""Evidence validity: whether all that an answer cites exists in the graph (SH-3)."""

from collections.abc import Sequence

from clew.evaluation.run import Outcome, Validity
from clew_cypher.checking.validity import Cited, existing
from clew_cypher.store import GraphStore


def check(
    store: GraphStore, corpus: str, asked: Sequence[tuple[Outcome, Cited]]
) -> list[Validity | None]:
    """Return for each outcome how much it cites and what of it does not exist, by a few reads.

    Looked at: the chunks found, the question's entities, the nodes and edges of all paths, all ids
    and edges of the explanation, and the answer's citations, whose quotes must stand in their
    chunks. None for an outcome that failed.
    """
    found = existing(store, corpus, Cited.union(cited for _, cited in asked))
    return [
        None if outcome.error is not None else _validity(outcome, cited, found)
        for outcome, cited in asked
    ]


def _validity(outcome: Outcome, cited: Cited, found: Cited) -> Validity:
    checked = len(cited)
    known = cited.chunks | cited.triples
    missing = (cited - found).words()
    if outcome.answer is not None:
        checked += len(outcome.answer.cited)
        missing += [f"citation of {c}" for c in outcome.answer.cited if c not in known]
        missing += [f"quote from {c}" for c in outcome.answer.misquoted]
    return Validity(checked=checked, missing=tuple(missing))
