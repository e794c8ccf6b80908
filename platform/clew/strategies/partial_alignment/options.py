"""The options of partial-alignment (KAMR algorithm 1, appendix E): ``partial_alignment_…``."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class AlignmentOptions(BaseModel):
    """How many triples are found, in which stages, how they are compared, and by which encoders."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: str = Field(
        "default",
        description="Its encoders: 'default' (the version that serves the corpus), 'untrained' "
        "(the embedder itself), or a directory.",
    )
    budget: int = Field(50, ge=2, le=1000, description="Triples that it finds, at most.")
    anchors: int = Field(
        10,
        ge=1,
        le=1000,
        description="Of the budget the anchors M: triples of which the question says two elements.",
    )
    third: int = Field(
        20,
        ge=0,
        le=1000,
        description="Of the budget the triples of a third stage, next to the connected ones; at "
        "most half of what the anchors leave.",
    )
    per_source: int = Field(
        1, ge=1, le=1000, description="Neighbours N that a triple gives before the next one's turn."
    )
    hops: int = Field(1, ge=1, le=3, description="Steps g that a neighbour may be away.")
    hub: int = Field(
        5000,
        ge=1,
        description="Triples of an entity past which neighbours are not looked for there.",
    )
    expand: bool = Field(True, description="Ablation: off finds anchors only, the whole budget.")
    full_anchors: bool = Field(
        False, description="Ablation: on compares anchors as whole triples, not by their parts."
    )
    full_connected: bool = Field(
        False,
        description="Ablation: on compares connected triples as wholes, not by their elements.",
    )
    anchor_loss: bool = Field(
        True, description="Ablation: off trains without L_a, which aligns partial triples."
    )
    connected_loss: bool = Field(
        True, description="Ablation: off trains without L_c, which aligns single elements."
    )
    model: Literal["auto", "none", "openai"] = Field(
        "auto",
        description="The language model that writes the questions of a training; auto: llm_model "
        "where one is set, else the wordings.",
    )
    index: Literal["auto", "flat", "ivf", "hnsw"] = Field(
        "auto",
        description="How partial triples are searched; auto: all of them up to 100,000, then by "
        "cells (IVF).",
    )
    triple_limit: int = Field(
        1_000_000,
        ge=1,
        description="Triples of a corpus past which partial-alignment yields to pagerank.",
    )
    threads: int = Field(
        1, ge=0, description="Threads that its encoders read a question with; 0: one a core."
    )
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto",
        description="Where its trained encoders compute; auto: on a GPU where there is one.",
    )

    @model_validator(mode="after")
    def _the_stages_fit(self) -> Self:
        if self.anchors > self.budget:
            raise ValueError(
                f"partial_alignment_anchors is {self.anchors}, more than the budget of "
                f"{self.budget}: lower it, or raise partial_alignment_budget."
            )
        if not (self.anchor_loss or self.connected_loss):
            raise ValueError(
                "partial_alignment_anchor_loss and partial_alignment_connected_loss are both off: "
                "one of them must be on, or nothing can be learned."
            )
        return self
