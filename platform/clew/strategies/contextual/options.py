"""The options of contextual: settings ``contextual_…``."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class ContextualOptions(BaseModel):
    """How much of the graph is read, who filters it, and what it counts beside the question."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    triples: int = Field(
        20, ge=1, le=200, description="Triples nearest to the question that contextual begins with."
    )
    named: float = Field(
        0.1,
        ge=0,
        le=2,
        description="How much nearer a triple counts, as a cosine, where the question names one of "
        "its entities; divided by the logarithm of that entity's triples.",
    )
    filtered: bool = Field(
        True,
        description="Leave out those of them that the language model calls irrelevant; without "
        "one, those past the widest gap of likeness.",
    )
    completed: bool = Field(True, description="Add triples of the paths between their entities.")
    search: Literal["beam", "breadth-first"] = Field(
        "beam",
        description="How paths are looked for; breadth-first: all of them, which takes long (the "
        "paper's comparison).",
    )
    width: int = Field(
        3, ge=1, le=1000, description="Paths W that the search between two entities keeps a level."
    )
    length: int = Field(3, ge=1, le=5, description="Triples L of a path, at most.")
    added: int = Field(20, ge=0, le=200, description="Triples K that the paths add, at most.")
    weight: float = Field(
        0.7, ge=0, le=1, description="Weight α of the question's own vector beside the context's."
    )
    trained: bool = Field(
        True, description="Take α, W, L and K as they were fitted to the corpus, where they were."
    )
    model: Literal["auto", "none", "openai"] = Field(
        "auto",
        description="Its language model, for filter and context; auto: llm_model where one is set, "
        "else none.",
    )
