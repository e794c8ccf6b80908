"""What callers send about entities: which review or merge, a verdict, a pair."""

from typing import Literal

from pydantic import Field

from clew_web.api.models import CorpusPath, Identifier, Name, Request


class ReviewPath(CorpusPath):
    """A pair to review in the address."""

    review_id: Identifier = Field(description="Id of the review.")


class MergePath(CorpusPath):
    """A merge in the address."""

    merge_id: Identifier = Field(description="Id of the merge.")


class Word(Request):
    """A person's word on a pair."""

    verdict: Literal["same", "different"] = Field(description="Whether the two are one thing.")


class EntityPair(Request):
    """Two entities that are one."""

    a: Name = Field(description="Id or name of an entity.")
    b: Name = Field(description="Id or name of the other.")
