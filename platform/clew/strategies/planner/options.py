"""The options of planner: settings ``planner_…``."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class PlannerOptions(BaseModel):
    """Who plans, what a round takes up, and what all of them may cost."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: Literal["auto", "rules", "openai", "local", "trained"] = Field(
        "auto",
        description="Who plans: a language model, a version trained for it, or rules by the "
        "question's parse; auto: llm_model where one is set, else rules.",
    )
    version: str = Field(
        "default",
        description="Trained version that plans: 'default' (the one that serves the corpus), or a "
        "directory.",
    )
    base: str = Field(
        "SmolLM2-135M-Instruct",
        description="Causal model that versions are trained of: the default's name, or a model's "
        "directory.",
    )
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto",
        description="Where versions plan and are trained; auto: on a GPU where there is one.",
    )
    rounds: int = Field(
        5, ge=1, le=20, description="Sub-queries of planner for one question, at most; 1: one shot."
    )
    passages: int = Field(
        5, ge=1, le=50, description="Chunks of a round whose triples join the question's graph."
    )
    triples: int = Field(
        20, ge=1, le=200, description="Triples of a round, nearest to its sub-query, at most."
    )
    graph_text: bool = Field(
        True, description="Show its language model what the graph says, beside the sub-queries."
    )
    may_skip: bool = Field(
        False,
        description="Let its language model say that nothing has to be searched for; there is no "
        "evidence then.",
    )
    tokens: int = Field(
        16000, ge=1, description="Tokens of its language model for one question; then it ends."
    )
    seconds: float = Field(60, gt=0, description="Seconds after which it begins no other round.")
