"""The options of guided-pagerank: settings ``guided_…``."""

from pydantic import BaseModel, ConfigDict, Field


class GuidedOptions(BaseModel):
    """How the walk weighs edges, and where it begins."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    damping: float = Field(0.7, gt=0, lt=1, description="Damping of guided-pagerank.")
    temperature: float = Field(
        0.2, gt=0, description="Temperature τ of guided-pagerank's edge weights."
    )
    dense_weight: float = Field(
        0.1, ge=0, le=1, description="Seed mass w of guided-pagerank on the best dense chunks."
    )
    sentence_limit: int = Field(
        2_000_000, ge=1, description="Sentences past which guided-pagerank yields to pagerank."
    )
