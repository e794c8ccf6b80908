"""The options of toy-method: settings ``toy_…``."""

from pydantic import BaseModel, ConfigDict, Field


class ToyOptions(BaseModel):
    """How the toy ranks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weight: float = Field(
        2.0, ge=0, description="What a letter of the title counts for toy-method."
    )
