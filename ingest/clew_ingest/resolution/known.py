"""What one run of the resolution knows of a corpus' entities by themselves: read once, or asked."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from clew_cypher.resolution.candidates import (
    entities_in_blocks,
    entity_groups,
    entity_views,
    named_entity_views,
)
from clew_cypher.schema import VALUE_TYPES
from clew_cypher.store import GraphStore, Row
from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.resolution.name_blocks import LARGEST_BLOCK, block_token, name_blocks
from clew_ingest.resolution.views import EntityView


class Known(NamedTuple):
    """An entity as it is by itself, whatever it was merged into, and in how many chunks."""

    view: EntityView
    edges: int


class KnownEntities:
    """Entities by themselves, and the blocks that they are in; for one run.

    ``together``: all of the corpus are read when the run begins (see `reads_all`), and count as
    they were then: who gets or loses a mention meanwhile is resolved again. Else each is asked for.
    """

    def __init__(self, store: GraphStore, corpus: str, *, together: bool) -> None:
        self._store = store
        self._corpus = corpus
        self._all: dict[str, Known] = {}
        self._below: dict[str, list[str]] = defaultdict(list)
        self._members: dict[str, tuple[str, ...]] = {}
        self._together = together
        for row in named_entity_views(store, corpus) if together else ():
            known = _known(row)
            self._all[row["id"]] = known
            self._below[row["root"]].append(row["id"])
            for token in self._found_in(known.view):
                members = self._members.get(token, ())
                if len(members) <= LARGEST_BLOCK:  # nobody looks into larger ones
                    self._members[token] = (*members, row["id"])

    def of(self, ids: Iterable[str]) -> dict[str, Known]:
        """Return what is known of those that have mentions."""
        wanted = set(ids)
        found = {key: self._all[key] for key in wanted & self._all.keys()}
        unread = wanted - found.keys()  # none, but for those that are new or have no mention left
        for row in entity_views(self._store, unread) if unread else ():
            if row["tallies"]:
                found[row["id"]] = _known(row)
        return found

    def blocks(self, ids: Iterable[str]) -> dict[str, set[str]]:
        """Return the tokens of the blocks of entities, and of those that were merged into them."""
        if self._together:
            every = {below for key in ids for below in (key, *self._below.get(key, ()))}
        else:
            every = {key for group in entity_groups(self._store, ids) for key in group.ids}
        known = self.of(every)
        return {key: self._found_in(known[key].view) if key in known else set() for key in every}

    def in_blocks(self, tokens: Iterable[str]) -> Mapping[str, Collection[str]]:
        """Return the ids of the entities in each block, by its token; of a block of more than
        LARGEST_BLOCK at least so many and one.
        """
        if self._together:
            return {token: self._members[token] for token in tokens if token in self._members}
        return entities_in_blocks(self._store, tokens)

    def _found_in(self, view: EntityView) -> set[str]:
        names = () if view.type in VALUE_TYPES else name_blocks(view).found_in
        return {block_token(self._corpus, name) for name in names}


def _known(row: Row) -> Known:
    """Return an entity from the tallies of its mentions.

    Its name is its key as it is written most often. A surface that is short for it is no name:
    "Edward Stafford" says less than "edward stafford, 3rd baron stafford".
    """
    surfaces: dict[str, int] = {}
    types: dict[str, int] = {}
    for tally in row["tallies"]:
        surfaces[tally["surface"]] = surfaces.get(tally["surface"], 0) + tally["mentions"]
        types[tally["type"]] = types.get(tally["type"], 0) + tally["mentions"]
    full = [text for text in surfaces if normalise_name(text) == row["key"]] or [row["key"]]
    view = EntityView(
        key=row["id"],
        name=min(full, key=lambda text: (-surfaces.get(text, 0), -len(text), text)),
        type=min(types, key=lambda type_: (-types[type_], type_)),
        aliases=tuple(sorted({alias for t in row["tallies"] for alias in t["aliases"]})),
        mentions=sum(surfaces.values()),
        documents=frozenset(row["documents"]),
    )
    return Known(view, row["edges"])
