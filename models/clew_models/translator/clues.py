"""Clues: what a question is translated into."""

from dataclasses import dataclass

from clew_models.translator.clue_index import Direction


@dataclass(frozen=True)
class TranslatedEntity:
    """An entity that relations are decoded for.

    ``id``: its id in the graph. ``surface``: the name that was written. ``log_probability``: of
    its tokens and the separator. ``named``: the question names it (KT-7); else it was decoded.
    ``after``: the clue that it was decoded after, in a chain of clues.
    """

    id: str
    surface: str
    log_probability: float
    named: bool
    after: "Clue | None" = None


@dataclass(frozen=True)
class Clue:
    """An entity and a span of a hyperrelation that it has in this direction (KT-6).

    ``log_probability``: of the relation's tokens, given the entity. ``sentence_ids``: the
    sentences whose hyperrelation holds the span and that have the entity in this role: φ and
    Eq. 8. ``chunk_ids``: theirs (Eq. 9).
    """

    entity: TranslatedEntity
    relation: str
    log_probability: float
    direction: Direction
    sentence_ids: tuple[str, ...]
    chunk_ids: tuple[str, ...]
    tail: TranslatedEntity | None = None

    @property
    def score(self) -> float:
        """The log-probability of the whole clue (Eq. 4), with the clues before it in a chain."""
        tail = self.tail.log_probability if self.tail else 0.0
        before = self.entity.after.score if self.entity.after else 0.0
        return before + self.entity.log_probability + self.log_probability + tail

    @property
    def first(self) -> "Clue":
        """The clue that its chain begins with; itself where it follows none."""
        return self.entity.after.first if self.entity.after else self

    @property
    def parts(self) -> tuple[str, ...]:
        """Entity and relation, or head, relation and tail."""
        parts = (self.entity.surface, self.relation.strip())
        return (*parts, self.tail.surface) if self.tail else parts

    @property
    def text(self) -> str:
        """ENTITY@@RELATION, or HEAD@@RELATION@@TAIL."""
        return "@@".join(self.parts)
