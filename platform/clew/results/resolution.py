"""What the facade tells of entity resolution: merges, pairs to review, what a decision did."""

from typing import Literal

from clew.results.document import EntityInfo, TripleInfo
from clew.results.result import Result

Decided = Literal["same", "different"]


class NamedEntity(Result):
    """An entity of a merge or a review; ``name`` is None where a deletion took it.

    ``goes_by``: the name that it has since it was merged, where that is another; ``chunks`` that
    hold it.
    """

    id: str
    name: str | None
    type: str | None
    goes_by: str | None = None
    chunks: int | None = None


class MergeInfo(Result):
    """Entities that are one: ``merged`` go by ``canonical``. ``by``: 'auto' or 'person'."""

    id: str
    canonical: NamedEntity
    merged: tuple[NamedEntity, ...]
    reasons: tuple[str, ...]
    by: Literal["auto", "person"]
    created_at: str


class EntityPassage(Result):
    """A chunk that mentions an entity, so often, and how it is written there (``surfaces``)."""

    chunk_id: str
    document_id: str
    title: str
    position: int
    text: str
    surfaces: tuple[str, ...]
    mentions: int


class EntityTriple(TripleInfo):
    """A triple with an entity as head or tail, and the document that states it."""

    document_id: str | None


class EntityDetail(Result):
    """An entity with its other names, where it is mentioned, what is said of it, and the merges
    that made it. Of many ``passages`` and ``triples`` the first are here.
    """

    entity: EntityInfo
    aliases: tuple[str, ...]
    passages: tuple[EntityPassage, ...]
    triples: tuple[EntityTriple, ...]
    merges: tuple[MergeInfo, ...]


class ReviewInfo(Result):
    """A pair of entities that may be one; ``score`` in [0, 1] says how likely."""

    id: str
    a: NamedEntity
    b: NamedEntity
    score: float
    reasons: tuple[str, ...]


class Resolution(Result):
    """What a run of entity resolution did.

    ``documents``: whose short forms were joined; ``entities``: that were looked at; ``merges``
    made, and ``undone`` since they no longer hold; ``reviews``: pairs that wait now.
    """

    documents: int
    entities: int
    merges: int
    undone: int
    reviews: int
    seconds: float


class Judgement(Result):
    """What a person's word led to: ``merge_id`` is None where entities are kept apart."""

    verdict: Decided
    a: NamedEntity
    b: NamedEntity
    merge_id: str | None
