"""Short forms joined to full names over all chunks of a document, from its mentions."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from clew_cypher.resolution.joins import JoinRow, document_mentions, join_document
from clew_cypher.resolution.merges import Guard
from clew_cypher.searching.documents import document_text, get_document
from clew_cypher.store import GraphStore, Row
from clew_ingest.parsing.entity_names import aliases_of, normalise_name
from clew_ingest.resolution.types import FAMILIES
from clew_ingest.resolution.within_document import DocumentMention, NameGroup, join_short_forms
from clew_models.embedding.base import Embedder


def join_mentions(
    store: GraphStore,
    corpus: str,
    document_id: str,
    embedder: Embedder,
    guard: Guard | None = None,
    check: Callable[[], None] = lambda: None,
) -> int:
    """Join the short forms of a document; return how many mentions moved.

    What was joined for an older version and no longer holds moves back. ``check`` raises where the
    run is cancelled. Raises UnknownDocument.
    """
    document = get_document(store, corpus, document_id)
    texts = document_text(store, corpus, document_id)
    rows = document_mentions(store, document_id)
    targets = _targets(rows, texts, document["title"], check)
    joins = [
        JoinRow(
            chunk_id=row["chunk_id"],
            base=row["base"],
            key=row["key"],
            surface=row["surface"],
            came_from=row["came_from"],
            joined=row["joined"],
            target=targets.get(place, (row["base"], row["surface"]))[0],
            full=targets.get(place, (row["base"], row["surface"]))[1],
        )
        for place, row in enumerate(rows)
    ]
    return join_document(
        store, corpus, document_id, document["sha256"], joins, embedder.embed, guard
    )


def _targets(
    rows: Sequence[Row], texts: Sequence[Row], title: str, check: Callable[[], None]
) -> dict[int, tuple[str, str]]:
    """Return for each mention that is joined, by its place, the entity and the name to be at."""
    starts: dict[str, int] = {}
    whole = ""
    for chunk in texts:
        starts[chunk["id"]] = len(whole)
        whole += chunk["text"] + "\n"
    places: dict[DocumentMention, list[int]] = {}
    for place, row in enumerate(rows):
        if row["type"] in FAMILIES and row["count"] > 0:
            start = starts[row["chunk_id"]]
            found = whole.find(row["surface"], start)
            mention = DocumentMention(_name(row), row["type"], max(found, start))
            places.setdefault(mention, []).append(place)
    titles = [row["base"] for row in rows if row["is_title"]]
    targets: dict[int, tuple[str, str]] = {}
    for group in join_short_forms(places, whole, title, check):
        members = [place for mention in group.mentions for place in places[mention]]
        target, full = _full(group, rows, places, titles, title)
        for place in members:
            if rows[place]["base"] != target:
                targets[place] = (target, full)
    return targets


def _full(
    group: NameGroup,
    rows: Sequence[Row],
    places: Mapping[DocumentMention, Sequence[int]],
    titles: Sequence[str],
    title: str,
) -> tuple[str, str]:
    """Return the entity that a group is at, and how it is written there."""
    # a title with a qualifier ("Ian Barry (director)") is not what other documents call the thing
    if titles and title in group.aliases and not aliases_of(title):
        return titles[0], title
    bases = Counter(
        rows[place]["base"]
        for mention in group.mentions
        if mention.surface == group.name
        for place in places[mention]
    )
    return min(bases, key=lambda base: (-bases[base], base)), group.name


def _name(row: Row) -> str:
    """Return how the entity is written; its key where the chunk only has what is short for it."""
    surface = str(row["surface"])
    return surface if normalise_name(surface) == row["key"] else str(row["key"])
