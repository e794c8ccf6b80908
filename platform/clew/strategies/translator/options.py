"""The options of translator (KG-Translator, §4.1 and the ablations): settings ``translator_…``."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class TranslatorOptions(BaseModel):
    """Its language model, how it decodes clues, and how they rank chunks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(
        "SmolLM2-135M-Instruct",
        description="Language model of translator: the default's name, or a model's directory.",
    )
    adapter: str = Field(
        "default",
        description="Its LoRA adapter: 'default' (the version that serves the corpus), "
        "'none', or a directory.",
    )
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        "auto",
        description="Numbers that transformers and vLLM compute with; auto: bfloat16 where it is "
        "fast.",
    )
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="Where translator computes; auto: on a GPU where there is one."
    )
    backend: Literal["auto", "onnx", "transformers", "vllm"] = Field(
        "auto",
        description="What computes it; auto: ONNX Runtime for the default model on a processor "
        "(unless bfloat16 is asked for), else transformers. vllm: vLLM in the same process (a GPU, "
        "and the extra 'vllm').",
    )
    vllm_memory: float = Field(
        0.5, gt=0, le=1, description="Share of the GPU's memory that vLLM takes, weights included."
    )
    entities: int = Field(
        3, ge=1, le=50, description="Entities that translator decodes, α (paper: 3)."
    )
    relations: int = Field(
        3, ge=1, le=50, description="Relations that it decodes for each entity, β (paper: 1 to 5)."
    )
    relation_tokens: int = Field(
        16, ge=1, le=128, description="Longest relation, in tokens (paper: 16)."
    )
    length_penalty: float = Field(
        0.0, ge=0, le=2, description="Relations compare by log-probability / length^p (Eq. 4: 0)."
    )
    reverse: Literal["after", "never", "first"] = Field(
        "after",
        description="Reverse translation: after a forward one that found too little, never, or "
        "first (ablations).",
    )
    directed: bool = Field(
        True, description="Subjects lead to the rest of a sentence; off: an undirected graph."
    )
    title_heads: bool = Field(
        True, description="A document's title counts as a subject of its sentences (ours)."
    )
    hops: int = Field(
        2, ge=1, le=4, description="Clues in a chain: more for questions of several steps (ours)."
    )
    chains: int = Field(
        5,
        ge=1,
        le=50,
        description="Clues that a chain goes on from: those of named entities first (ours).",
    )
    clue_weight: float = Field(
        0.0075,
        ge=0,
        le=1,
        description="Weight of the clues' log-probability beside the embedder's cosine (paper: 0).",
    )
    form: Literal["pair", "triple"] = Field(
        "pair", description="What translator decodes: entity and relation, or a triple."
    )
