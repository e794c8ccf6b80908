"""The options of every `iterative:NAME` (KT-11): settings ``iterative_…``."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class IterativeOptions(BaseModel):
    """How many steps, and who leads them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    steps: int = Field(
        4, ge=1, le=20, description="Searches of iterative:NAME for one question, at most."
    )
    passages: int = Field(
        6, ge=1, le=50, description="Chunks its language model is shown when it says what is next."
    )
    model: Literal["auto", "openai", "local"] = Field(
        "auto", description="Its language model; auto: the reader's if local, else llm_model's."
    )
