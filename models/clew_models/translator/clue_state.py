"""A whole clue, ENTITY@@RELATION and its line's end, as one state: for decoding by a mask."""

from dataclasses import dataclass

import numpy as np

from clew_models.constrained_decoding import EntityState, RelationState
from clew_models.constrained_decoding.states import NOTHING
from clew_models.constrained_decoding.token_trie import Tokens
from clew_models.translator.clue_index import ClueIndex, Direction


@dataclass(frozen=True)
class ClueState:
    """Within the entity, the relation, or after the line's end.

    An entity's name that several entities share leads to the relations of all of them.
    """

    index: ClueIndex
    separator: tuple[int, ...]
    line_end: int
    relation_tokens: int
    direction: Direction = "forward"
    entity: EntityState | None = None
    relation: RelationState | None = None
    complete: bool = False

    @property
    def allowed(self) -> Tokens:
        if self.complete:
            return NOTHING
        if self.relation is None:
            return self._entity.allowed
        if self.relation.span.length == self.relation_tokens:
            return np.array([self.line_end], dtype=np.int32)
        following = self.relation.allowed
        if not self.relation.may_end or self.line_end in following:
            return following
        return np.sort(np.append(following, np.int32(self.line_end)))

    @property
    def may_end(self) -> bool:
        return False

    def advance(self, token: int) -> "ClueState":
        if self.complete:
            raise ValueError(f"Token {token} cannot follow a whole clue.")
        if self.relation is not None:
            if self.relation.may_end and token == self.line_end:
                return self._with(self._entity, self.relation, complete=True)
            if self.relation.span.length == self.relation_tokens:
                raise ValueError(f"Token {token} cannot follow: the relation has its length.")
            return self._with(self._entity, self.relation.advance(token))
        entity = self._entity.advance(token)
        return self._with(entity, self._relation_of(entity) if entity.complete else None)

    @property
    def _entity(self) -> EntityState:
        return self.entity or EntityState(self.index.names, self.separator)

    def _relation_of(self, entity: EntityState) -> RelationState:
        rows = np.unique(self.index.name_entity[self.index.names.entries(entity.name)])
        if len(rows) == 1:
            return RelationState.start(self.index.relations(int(rows[0]), self.direction))
        held = [self.index.sentences(int(row), self.direction) for row in rows]
        return RelationState.start(self.index.spans.view(np.unique(np.concatenate(held))))

    def _with(
        self, entity: EntityState, relation: RelationState | None, complete: bool = False
    ) -> "ClueState":
        return ClueState(
            self.index,
            self.separator,
            self.line_end,
            self.relation_tokens,
            self.direction,
            entity,
            relation,
            complete,
        )
