"""The options of graph-network (QSGNN §4.1, ablations: QS-8): settings ``graph_network_…``."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class NetworkMethodOptions(BaseModel):
    """How much of the graph it looks at, which version ranks, and what it leaves out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: str = Field(
        "default",
        description="Its weights: 'default' (the version that serves the corpus), 'untrained' "
        "(ablation: w/o pre-training), or a directory.",
    )
    candidates: str = Field(
        "",
        description="Another strategy whose chunks graph-network ranks anew; empty: it finds its "
        "own.",
    )
    candidate_pool: int = Field(
        40, ge=1, le=1000, description="Chunks that it takes of that strategy."
    )
    hops: int = Field(2, ge=1, le=4, description="Steps over entities from the seeds to chunks.")
    chunks: int = Field(
        60, ge=10, le=5000, description="Chunks of the neighbourhood that it looks at."
    )
    entities: int = Field(180, ge=0, le=20_000, description="Entities of that neighbourhood.")
    whole_below: int = Field(
        0, ge=0, description="Chunks of a corpus up to which it looks at the whole graph."
    )
    entity_level: bool = Field(True, description="Ablation: off leaves the entities out.")
    sentence_level: bool = Field(True, description="Ablation: off leaves the sentences out.")
    chunk_level: bool = Field(
        True, description="Ablation: off leaves chunks out; one is ranked by its best sentence."
    )
    question_attention: bool = Field(
        True, description="Ablation: off weighs neighbours whatever the question."
    )
    intra: bool = Field(True, description="Ablation: off leaves out messages within a level.")
    inter: bool = Field(True, description="Ablation: off leaves out messages between levels.")
    titles: bool = Field(
        True,
        description="Edges of titles: whose document it is, which one a sentence names (ours).",
    )
    marks: bool = Field(
        True, description="Nodes carry what the question says of them, as words would (ours)."
    )
    model: Literal["auto", "none", "openai"] = Field(
        "auto",
        description="The language model that words the questions of a training; auto: llm_model "
        "where one is set, else the wordings.",
    )
    threads: int = Field(
        1, ge=0, description="Threads that it computes a question with; 0: one a core."
    )
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="Where graph-network computes; auto: on a GPU where there is one."
    )
    sentence_limit: int = Field(
        2_000_000, ge=1, description="Sentences past which graph-network yields to pagerank."
    )

    @model_validator(mode="after")
    def _something_is_ranked(self) -> Self:
        if not (self.sentence_level or self.chunk_level):
            raise ValueError(
                "graph_network_sentence_level and graph_network_chunk_level are both off: one of "
                "them must be on, or nothing can be ranked."
            )
        if self.candidates.rpartition(":")[2] == "graph-network":
            raise ValueError(
                "graph_network_candidates is graph-network itself, or asks it: name another "
                "strategy, such as chain-ranking, or none."
            )
        return self
