"""The options of hyde: settings ``hyde_…``."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class HydeOptions(BaseModel):
    """Who imagines the passage, how long it is, and what it counts beside the question."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weight: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Weight of the question's own vector beside the imagined passage's; 0.5: the "
        "mean of both.",
    )
    tokens: int = Field(160, ge=16, le=1024, description="Tokens of the imagined passage, at most.")
    model: Literal["auto", "openai", "local"] = Field(
        "auto", description="Its language model; auto: the reader's if local, else llm_model's."
    )
