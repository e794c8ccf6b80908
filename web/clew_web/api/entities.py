"""Under /corpora/{corpus}: entities, reviews and merges, a person's say in what is one thing."""

from functools import partial
from typing import Literal

from flask import Response, make_response
from flask_openapi3 import APIBlueprint, Tag
from pydantic import Field

from clew.results.resolution import EntityDetail, Judgement
from clew_web.api.models import CorpusPath, Identifier, Name, Page, Request
from clew_web.api.responses import SECURITY, page_of, reply
from clew_web.api.results import MergePage, ReviewPage
from clew_web.backend import backend
from clew_web.policy import Corpora, allows

api = APIBlueprint(
    "entities",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Entities", description="Which entities are one thing.")],
    abp_security=SECURITY,
)


class ReviewPath(CorpusPath):
    """A pair to review in the address."""

    review_id: Identifier = Field(description="Id of the review.")


class MergePath(CorpusPath):
    """A merge in the address."""

    merge_id: Identifier = Field(description="Id of the merge.")


class EntityPath(CorpusPath):
    """An entity in the address."""

    entity_id: Identifier = Field(description="Id of the entity.")


class Word(Request):
    """A person's word on a pair."""

    verdict: Literal["same", "different"] = Field(description="Whether the two are one thing.")


class EntityPair(Request):
    """Two entities that are one."""

    a: Name = Field(description="Id or name of an entity.")
    b: Name = Field(description="Id or name of the other.")


@api.get(
    "/corpora/<corpus>/entities/<entity_id>", summary="An entity", responses={"200": EntityDetail}
)
@allows("reader", Corpora.CHECKED)
def get_entity(path: EntityPath) -> Response:
    """An entity with its other names, the chunks that mention it, its triples and merges."""
    return reply(backend().clew.entity(path.corpus, path.entity_id))


@api.get("/corpora/<corpus>/reviews", summary="Pairs to review", responses={"200": ReviewPage})
@allows("reader", Corpora.CHECKED)
def list_reviews(path: CorpusPath, query: Page) -> Response:
    """Pairs of entities that may be one, the likeliest first, each with the reasons."""
    return reply(review_page(path.corpus, query))


@api.post("/corpora/<corpus>/reviews/<review_id>", summary="Decide", responses={"200": Judgement})
@allows("editor", Corpora.CHECKED)
def decide(path: ReviewPath, body: Word) -> Response:
    """Say of a pair that it is the `same`, which merges it, or `different`, for good."""
    return reply(backend().clew.decide(path.corpus, path.review_id, body.verdict))


@api.get("/corpora/<corpus>/merges", summary="What was merged", responses={"200": MergePage})
@allows("reader", Corpora.CHECKED)
def list_merges(path: CorpusPath, query: Page) -> Response:
    """Merges, newest first: which entities go by which, why, and who said so."""
    return reply(merge_page(path.corpus, query))


@api.post("/corpora/<corpus>/merges", summary="Merge two", responses={"201": Judgement})
@allows("editor", Corpora.CHECKED)
def merge(path: CorpusPath, body: EntityPair) -> Response:
    """Merge two entities, by id or name, because you know that they are one."""
    return reply(backend().clew.merge(path.corpus, body.a, body.b), 201)


@api.delete("/corpora/<corpus>/merges/<merge_id>", summary="Undo a merge", responses={"204": None})
@allows("editor", Corpora.CHECKED)
def undo_merge(path: MergePath) -> Response:
    """Part what was merged: the graph is as before, and the same is not merged again."""
    backend().clew.undo_merge(path.corpus, path.merge_id)
    return make_response("", 204)


def review_page(corpus: str, query: Page) -> ReviewPage:
    """Return the page of pairs that REST and the Entities page show."""
    clew = backend().clew
    pairs, count = partial(clew.reviews, corpus), partial(clew.count_reviews, corpus)
    return page_of(ReviewPage, "reviews", query, pairs, count)


def merge_page(corpus: str, query: Page) -> MergePage:
    """Return the page of merges that REST and the Entities page show."""
    clew = backend().clew
    merges, count = partial(clew.merges, corpus), partial(clew.count_merges, corpus)
    return page_of(MergePage, "merges", query, merges, count)
