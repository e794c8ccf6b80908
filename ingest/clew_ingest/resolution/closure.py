"""What must be looked at together when entities are resolved: their groups and sure partners.

Each entity is seen by itself, whatever it was merged into, so that what is merged follows from
the documents alone and not from what was merged before.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from clew_cypher.resolution.candidates import (
    EntityGroup,
    Neighbours,
    entity_groups,
    pair_cosines,
    reviews_of,
)
from clew_cypher.schema import VALUE_TYPES
from clew_cypher.store import GraphStore, Row
from clew_ingest.resolution.known import KnownEntities
from clew_ingest.resolution.merging import DOUBTED_SCORE
from clew_ingest.resolution.name_blocks import LARGEST_BLOCK, block_token, name_blocks
from clew_ingest.resolution.pairs import decide
from clew_ingest.resolution.views import Decision, EntityView, JudgedPair

Pair = tuple[str, str]
NEIGHBOURS = 10
"""Neighbours asked of the vector index for an entity, itself left out."""
LEAST_COSINE = 0.6
"""Neighbours below are no candidates."""
_ANYWHERE = frozenset({"one document"})


@dataclass
class Closure:
    """Entities that are looked at together (``inside``), and all that was found out of them.

    ``views`` and ``edges`` (in how many chunks) are of these and of their candidates; an entity
    of ``inside`` without a view has no mention left. ``doubted``: pairs that were sure but for what
    one of the two was as surely.
    """

    store: GraphStore
    corpus: str
    kept_apart: set[Pair]
    neighbours: Neighbours
    known: KnownEntities
    inside: set[str] = field(default_factory=set)
    groups: dict[str, EntityGroup] = field(default_factory=dict)
    views: dict[str, EntityView] = field(default_factory=dict)
    edges: dict[str, int] = field(default_factory=dict)
    cosines: dict[Pair, float] = field(default_factory=dict)
    judged: dict[Pair, JudgedPair] = field(default_factory=dict)
    doubted: set[Pair] = field(default_factory=set)

    def grow(self, ids: Iterable[str]) -> None:
        """Take in the groups of ``ids``, then those that are surely one with them, and so on.

        Doubted pairs come in, too: what was in their way may be so no more.
        """
        waiting = set(ids)
        while waiting:
            new: set[str] = set()
            for group in entity_groups(self.store, waiting):
                self.groups[group.root] = group
                new |= group.ids
            self._forget(waiting - new)
            new -= self.inside
            self.inside |= new
            self._load(new)
            pairs = self._candidates(new)
            self._load({key for pair in pairs for key in pair})
            self._judge(pairs)
            waiting = {
                key for pair in pairs if pair in self.doubted or self._is_same(pair) for key in pair
            } - self.inside

    def judge(self, a: EntityView, b: EntityView) -> Decision:
        """Decide on a pair by a person's word, else by the rules."""
        pair = _pair(a.key, b.key)
        if pair in self.kept_apart:
            return Decision("different", ("a person keeps them apart",), 0.0)
        return decide(a, b, self.cosines.get(pair))

    def _is_same(self, pair: Pair) -> bool:
        found = self.judged.get(pair)
        return found is not None and found.decision.verdict == "same"

    def _load(self, ids: set[str]) -> None:
        for key, (view, edges) in self.known.of(ids - self.views.keys()).items():
            self.views[key] = view
            self.edges[key] = edges

    def _forget(self, gone: set[str]) -> None:
        """Leave out entities that went with their documents since they were read."""
        for key in gone:
            self.views.pop(key, None)
        for pair in [pair for pair in self.judged if not gone.isdisjoint(pair)]:
            del self.judged[pair]

    def _candidates(self, ids: set[str]) -> set[Pair]:
        named = [key for key in sorted(ids) if key in self.views]
        things = [key for key in named if self.views[key].type not in VALUE_TYPES]
        pairs = self._in_blocks(things) | self._near(things)
        reviews = reviews_of(self.store, self.corpus, ids)
        self.doubted |= {pair for pair, score in reviews.items() if score >= DOUBTED_SCORE}
        pairs |= reviews.keys()
        unknown = [pair for pair in pairs if pair not in self.cosines]
        self.cosines.update(pair_cosines(self.store, unknown))
        return pairs

    def _in_blocks(self, ids: list[str]) -> set[Pair]:
        tokens = {
            key: {
                block_token(self.corpus, block) for block in name_blocks(self.views[key]).looks_in
            }
            for key in ids
        }
        found = self.known.in_blocks({token for own in tokens.values() for token in own})
        return {
            _pair(key, other)
            for key, own in tokens.items()
            for token in own
            if len(members := found.get(token, ())) <= LARGEST_BLOCK
            for other in members
            if other != key
        }

    def _near(self, ids: list[str]) -> set[Pair]:
        pairs = set()
        for row in self.neighbours.nearest(ids, NEIGHBOURS):
            if row["score"] < LEAST_COSINE:
                continue
            pair = _pair(row["id"], row["other"])
            self.cosines[pair] = row["score"]
            if _may_matter(self.views[row["id"]], row):
                pairs.add(pair)
        return pairs

    def _judge(self, pairs: set[Pair]) -> None:
        for a, b in pairs:
            if (a, b) not in self.judged and a in self.views and b in self.views:
                decision = self.judge(self.views[a], self.views[b])
                self.judged[a, b] = JudgedPair(a, b, decision)


def _may_matter(view: EntityView, row: Row) -> bool:
    """Say whether a neighbour is worth its documents: judged as if one document had both."""
    one = EntityView(view.key, view.name, view.type, documents=_ANYWHERE)
    other = EntityView(row["other"], row["name"], row["type"], documents=_ANYWHERE)
    return decide(one, other, row["score"]).verdict != "different"


def _pair(a: str, b: str) -> Pair:
    return (a, b) if a < b else (b, a)
