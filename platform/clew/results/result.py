"""What all results have in common."""

from pydantic import BaseModel, ConfigDict


class Result(BaseModel):
    """Base of the result types: immutable, without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")
