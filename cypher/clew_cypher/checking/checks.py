"""Finding and repairing drift: what is in the graph although nothing supports it, or is missing.

Every write keeps the graph whole, so there should be nothing to find. What can still bring drift:
a restored backup, other programs that write, an interrupted deletion, an error of ours.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from clew_cypher.checking.drift import CHECKS, Check, Embed
from clew_cypher.corpora import delete_corpus_content, get_corpus
from clew_cypher.schema import INDEXES, ensure_schema
from clew_cypher.searching.projection_catalog import (
    MENTIONS,
    drop_projections,
    name_before_revision,
)
from clew_cypher.searching.words import chunk_label, ensure_word_index, index_name
from clew_cypher.store import GraphStore, Row
from clew_cypher.titles.auditing import audit_title_links, mend_title_links

BATCH = 500
"""Elements that are repaired in one transaction."""
EXAMPLES = 5
COUNTED = 100_000
"""Counting ends here: by then the number does not matter."""

T = TypeVar("T")


@dataclass(frozen=True)
class Finding:
    """What one check found: how many, some ids, and how many were repaired.

    ``corpus``: "" for what belongs to no corpus.
    """

    check: str
    description: str
    corpus: str
    found: int
    examples: tuple[str, ...]
    repaired: int = 0


def check_corpus(store: GraphStore, corpus: str, embed: Embed | None = None) -> Iterator[Finding]:
    """Yield what is wrong in a corpus, one finding a check, most fundamental first.

    ``embed`` given: it is repaired too, and vectors that are missing are made with it. Raises
    UnknownCorpus.
    """
    get_corpus(store, corpus)
    changed = False
    for check in CHECKS:
        finding = _checked(store, corpus, check, embed)
        changed = changed or finding.repaired > 0
        yield finding
    yield _word_index(store, corpus, repair=embed is not None)
    yield _title_links(store, corpus, repair=embed is not None)
    if changed:
        store.write("bump_revision", corpus=corpus)
    yield _projections(store, corpus, repair=embed is not None)


def check_database(store: GraphStore, dimension: int | None = None) -> Iterator[Finding]:
    """Yield what is wrong outside corpora; ``dimension`` of the vectors given: repair it too."""
    repair = dimension is not None
    states = {row["name"]: row["state"] for row in store.read("index_states")}
    wrong = [index.name for index in INDEXES if states.get(index.name) != "ONLINE"]
    if wrong and dimension is not None:
        ensure_schema(store, dimension)
    now = {row["name"]: row["state"] for row in store.read("index_states")} if repair else states
    healed = sum(now.get(name) == "ONLINE" for name in wrong)
    yield Finding(
        "indexes", "Indexes that are missing or not online.", "", len(wrong), tuple(wrong), healed
    )
    rows = store.read("blobs_without_document", limit=COUNTED)
    if repair:
        for part in _parts([row["id"] for row in rows]):
            store.write("delete_blobs", ids=part)
    yield Finding(
        "bytes-without-document",
        "Bytes of files whose document is gone.",
        "",
        len(rows),
        tuple(row["id"] for row in rows[:EXAMPLES]),
        len(rows) if repair else 0,
    )
    gone = store.read("corpora_that_are_gone")
    if repair:
        for row in gone:
            delete_corpus_content(store, row["corpus"])
    yield Finding(
        "corpora-half-deleted",
        "What an interrupted deletion of a corpus left.",
        "",
        sum(row["nodes"] for row in gone),
        tuple(row["corpus"] for row in gone[:EXAMPLES]),
        sum(row["nodes"] for row in gone) if repair else 0,
    )


def _checked(store: GraphStore, corpus: str, check: Check, embed: Embed | None) -> Finding:
    rows = _found(store, corpus, check, COUNTED)
    finding = partial(
        Finding,
        check.name,
        check.description,
        corpus,
        len(rows),
        tuple(row["id"] for row in rows[:EXAMPLES]),
    )
    if embed is None or not rows:
        return finding()
    before = len(rows)
    for part in _parts(rows):
        check.repair(store, corpus, part, embed)
    left = len(_found(store, corpus, check, COUNTED))
    return finding(before - left)


def _found(store: GraphStore, corpus: str, check: Check, limit: int) -> list[Row]:
    if check.statement == "chunks_without_words":
        return store.read(check.statement, corpus=corpus, label=chunk_label(corpus), limit=limit)
    return store.read(check.statement, corpus=corpus, limit=limit)


def _word_index(store: GraphStore, corpus: str, *, repair: bool) -> Finding:
    name = index_name(corpus)
    states = {row["name"]: row["state"] for row in store.read("index_states")}
    wrong = states.get(name) != "ONLINE"
    if wrong and repair:
        ensure_word_index(store, corpus)
    return Finding(
        "index-of-words",
        "The corpus' full-text index is missing or not online.",
        corpus,
        int(wrong),
        (name,) if wrong else (),
        int(wrong and repair),
    )


def _title_links(store: GraphStore, corpus: str, *, repair: bool) -> Finding:
    found = audit_title_links(store, corpus)
    ids = (*found.documents, *found.chunks, *found.titles)
    repaired = 0
    if ids and repair:
        mend_title_links(store, corpus, found)
        left = audit_title_links(store, corpus)
        repaired = len(ids) - len((*left.documents, *left.chunks, *left.titles))
    return Finding(
        "title-links",
        "Documents whose title is not linked to what names it, and chunks that name others.",
        corpus,
        len(ids),
        ids[:EXAMPLES],
        repaired,
    )


def _projections(store: GraphStore, corpus: str, *, repair: bool) -> Finding:
    prefix = name_before_revision(corpus, MENTIONS)
    current = f"{prefix}{get_corpus(store, corpus).revision}"
    names = [row["name"] for row in store.read("projection_names", prefix=prefix)]
    stale = [name for name in names if name != current]
    if stale and repair:
        drop_projections(store, corpus, keep=current)
    return Finding(
        "old-projections",
        "Projections of a revision that has passed (they take memory).",
        corpus,
        len(stale),
        tuple(stale[:EXAMPLES]),
        len(stale) if repair else 0,
    )


def _parts(items: Sequence[T]) -> Iterator[list[T]]:
    for start in range(0, len(items), BATCH):
        yield list(items[start : start + BATCH])
