"""The options of cross-encoder: settings ``cross_encoder_…``."""

from pydantic import BaseModel, ConfigDict, Field


class CrossEncoderOptions(BaseModel):
    """How much is read, and what reading counts beside the other strategy's order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    read: int = Field(
        10, ge=1, le=100, description="Passages that are read; those after them keep their order."
    )
    characters: int = Field(
        480,
        ge=40,
        le=4_000,
        description="Characters of a passage that are read, around its sentence nearest to the "
        "question; a sentence that is longer is read whole.",
    )
    weight: float = Field(
        0.1,
        ge=0,
        description="Weight of the log-odds (-15 to 10) that an answer stands there, beside the "
        "other strategy's score in standard deviations.",
    )
    leads: bool = Field(
        True, description="Read a passage with the sentence of another one that led to it."
    )
    credit: bool = Field(
        True, description="Count a passage as what it led to, where that reads better."
    )
