"""The part of the fake facade that tells entities apart; merges are notes in a list."""

from typing import Any

from clew.errors import InvalidRequest
from clew.results.document import EntityInfo, TripleInfo
from clew.results.resolution import (
    EntityDetail,
    EntityPassage,
    EntityTriple,
    Judgement,
    MergeInfo,
    NamedEntity,
    ReviewInfo,
)
from clew_cypher.errors import UnknownEntity, UnknownMerge, UnknownReview

WHEN = "2026-11-21T03:00:00+00:00"
MARKUP = '<b>Not bold</b> & "quoted"'
FOUND = (
    EntityInfo(id="e1", name="Aurelia", type="PRODUCT", chunk_count=2),
    EntityInfo(id="e2", name="The Aurelia", type="PRODUCT", chunk_count=1),
    EntityInfo(id="e3", name=MARKUP, type="PERSON", chunk_count=0, triple_count=1),
)


def named(entity: EntityInfo) -> NamedEntity:
    return NamedEntity(id=entity.id, name=entity.name, type=entity.type, chunks=entity.chunk_count)


def pair(number: int) -> ReviewInfo:
    other = named(FOUND[1]).model_copy(update={"id": f"x{number}", "name": f"Aurelia {number}"})
    return ReviewInfo(
        id=f"w{number}", a=named(FOUND[0]), b=other, score=0.6, reasons=("one word more",)
    )


class FakeEntities:
    """Three entities; pairs and merges in lists that tests fill."""

    review_list: list[ReviewInfo]
    merge_list: list[MergeInfo]
    calls: list[tuple[Any, ...]]

    def find_entities(self, corpus: str, text: str, limit: int = 10) -> list[EntityInfo]:
        self._known(corpus)  # type: ignore[attr-defined]
        return [one for one in FOUND if text.lower() in one.name.lower()][:limit]

    def entity(self, corpus: str, entity_id: str) -> EntityDetail:
        self._known(corpus)  # type: ignore[attr-defined]
        for one in FOUND:
            if one.id == entity_id:
                break
        else:
            raise UnknownEntity(f"There is no entity {entity_id!r}.", remedy="Find them.")
        said = TripleInfo(
            head=one.name,
            predicate="build at",
            tail="Seld Shipyard",
            text=f"{one.name} build at Seld Shipyard.",
            sentence="She was built at the Seld Shipyard.",
            extractor="rules",
            chunk_id="c1",
            head_id=one.id,
            tail_id="e2",
        )
        return EntityDetail(
            entity=one,
            aliases=("Aurelie",),
            passages=(
                EntityPassage(
                    chunk_id="c1",
                    document_id="d1",
                    title="Aurelia",
                    position=0,
                    text="The Aurelia is a ship.",
                    surfaces=("Aurelia", "she"),
                    mentions=2,
                ),
            ),
            triples=(EntityTriple(**said.model_dump(), document_id="d1"),),
            merges=tuple(self.merge_list),
        )

    def reviews(
        self, corpus: str | None = None, limit: int = 50, offset: int = 0
    ) -> list[ReviewInfo]:
        self._known(corpus or "default")  # type: ignore[attr-defined]
        return self.review_list[offset : offset + limit]

    def count_reviews(self, corpus: str | None = None) -> int:
        return len(self.reviews(corpus, 1_000_000))

    def merges(
        self, corpus: str | None = None, limit: int = 50, offset: int = 0
    ) -> list[MergeInfo]:
        self._known(corpus or "default")  # type: ignore[attr-defined]
        return self.merge_list[offset : offset + limit]

    def count_merges(self, corpus: str | None = None) -> int:
        return len(self.merges(corpus, 1_000_000))

    def decide(self, corpus: str, review_id: str, verdict: Any) -> Judgement:
        self._known(corpus)  # type: ignore[attr-defined]
        for review in self.review_list:
            if review.id == review_id:
                self.review_list.remove(review)
                self.calls.append(("decide", review_id, verdict))
                return Judgement(verdict=verdict, a=review.a, b=review.b, merge_id=None)
        raise UnknownReview(f"There is no review {review_id!r}.", remedy="List them.")

    def merge(self, corpus: str, a: str, b: str) -> Judgement:
        self._known(corpus)  # type: ignore[attr-defined]
        by_key = {key: one for one in FOUND for key in (one.id, one.name)}
        for key in (a, b):
            if key not in by_key:
                raise UnknownEntity(f"There is no entity {key!r}.", remedy="Find them.")
        if by_key[a] is by_key[b]:
            raise InvalidRequest("They are one already.", remedy="Undo it.")
        self.calls.append(("merge", a, b))
        canonical, other = named(by_key[a]), named(by_key[b])
        made = MergeInfo(
            id=f"m{len(self.merge_list) + 1}",
            canonical=canonical,
            merged=(other,),
            reasons=("a person said so",),
            by="person",
            created_at=WHEN,
        )
        self.merge_list.append(made)
        return Judgement(verdict="same", a=canonical, b=other, merge_id=made.id)

    def undo_merge(self, corpus: str, merge_id: str) -> None:
        self._known(corpus)  # type: ignore[attr-defined]
        for merge in self.merge_list:
            if merge.id == merge_id:
                self.merge_list.remove(merge)
                return
        raise UnknownMerge(f"There is no merge {merge_id!r}.", remedy="List them.")
