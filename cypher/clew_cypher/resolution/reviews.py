"""Pairs of entities that wait for a person, and what persons said: reviews and verdicts.

A pair is a set of two ids, so that its id does not depend on which comes first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from clew_cypher.corpora import get_corpus
from clew_cypher.errors import UnknownReview
from clew_cypher.ids import content_id
from clew_cypher.store import GraphStore, Row, Transaction


@dataclass(frozen=True)
class ReviewRow:
    """Two entities that may be one, with a score in [0, 1] and the reasons for people."""

    a: str
    b: str
    score: float
    reasons: tuple[str, ...]


def pair_id(kind: str, corpus: str, a: str, b: str) -> str:
    """Return the id of a pair; ``kind``: r for a review, v for a verdict, g for a merge."""
    return content_id(kind, corpus, *sorted((a, b)))


def write_reviews(transaction: Transaction, corpus: str, rows: Sequence[ReviewRow]) -> None:
    """Write reviews in an open transaction; the same pair again takes the new score."""
    made = [
        {
            "id": pair_id("r", corpus, row.a, row.b),
            "a": min(row.a, row.b),
            "b": max(row.a, row.b),
            "score": row.score,
            "reasons": list(row.reasons),
        }
        for row in rows
    ]
    made.sort(key=lambda row: str(row["id"]))
    transaction.run("write_reviews", corpus=corpus, rows=made)


def forget_reviews(transaction: Transaction, corpus: str, ids: Sequence[str]) -> None:
    """Delete the reviews of entities, which are merged: others are found for what they go by."""
    rows = transaction.run("reviews_of", corpus=corpus, ids=list(ids))
    transaction.run("close_reviews", corpus=corpus, ids=[row["id"] for row in rows])


def list_reviews(store: GraphStore, corpus: str, limit: int = 50, offset: int = 0) -> list[Row]:
    """Return a page of reviews, the likeliest pair first; raises UnknownCorpus.

    Rows {id, a, b, score, reasons}; a and b are {id, key, name, type, goes_by, chunk_count},
    ``goes_by``: the name of the entity that one was merged into, else None.
    """
    get_corpus(store, corpus)
    return store.read("list_reviews", corpus=corpus, limit=limit, offset=offset)


def count_reviews(store: GraphStore, corpus: str) -> int:
    """Return how many pairs wait for a person."""
    return int(store.read("count_reviews", corpus=corpus)[0]["total"])


def drop_least_reviews(store: GraphStore, corpus: str, keep: int) -> int:
    """Keep the ``keep`` likeliest reviews; return how many went."""
    return int(store.write("drop_least_reviews", corpus=corpus, keep=keep)[0]["dropped"])


def get_review(store: GraphStore, corpus: str, review_id: str) -> Row:
    """Return a review {id, a, b, score, reasons}, a and b as ids; raises UnknownReview."""
    rows = store.read("review", corpus=corpus, id=review_id)
    if not rows:
        raise UnknownReview(
            f"There is no review {review_id!r} in the corpus {corpus!r}.",
            remedy="It may be decided already: `clew entities review` lists what waits.",
        )
    return rows[0]


def write_verdicts(transaction: Transaction, corpus: str, pairs: Iterable[tuple[str, str]]) -> None:
    """Keep pairs of entities apart, by a person's word; their reviews are decided."""
    rows = [{"id": pair_id("v", corpus, a, b), "a": min(a, b), "b": max(a, b)} for a, b in pairs]
    transaction.run("write_verdicts", corpus=corpus, rows=rows)
    ids = [pair_id("r", corpus, row["a"], row["b"]) for row in rows]
    transaction.run("close_reviews", corpus=corpus, ids=ids)


def forget_verdicts(
    transaction: Transaction, corpus: str, pairs: Iterable[tuple[str, str]]
) -> None:
    """Take back that pairs of entities are kept apart."""
    ids = [pair_id("v", corpus, a, b) for a, b in pairs]
    transaction.run("delete_verdicts", corpus=corpus, ids=ids)


def keep_apart(store: GraphStore, corpus: str, pairs: Iterable[tuple[str, str]]) -> None:
    """Write verdicts that pairs of entities are not one, in one transaction."""
    given = list(pairs)
    store.in_transaction(lambda transaction: write_verdicts(transaction, corpus, given))
