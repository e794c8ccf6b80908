"""The default language model on a processor: packed weights on ONNX Runtime, float32 arithmetic.

PackedWeights   the weights: once a process, whoever asks, with or without an adapter
Adapter         a LoRA adapter: two small matrices beside each of the model's
PackedModel     the two together; its caches (KeyValues) belong to one text, or tree, each
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew_models.errors import ModelNotInstalled, PromptRefused
from clew_models.language_model.packing import (
    DESCRIPTION,
    GRAPH,
    GROUPS,
    TOKENIZER,
    WEIGHTS,
    Shape,
)
from clew_models.language_model.tokenizer import PlainTokenizer
from clew_models.onnx_session import onnx_session
from clew_models.version_files import version_files

Floats = NDArray[np.float32]
Matrices = dict[str, tuple[Floats, Floats]]
"""By layer and group ('3.gate'): A [K, R] and B [R, N]."""

SLICE = 128
"""Tokens that go through the model at once: attention takes memory for each pair of them."""
ROOM = 128
"""The least number of tokens that a cache has room for."""


class PackedWeights:
    """A packed model in memory; shared by threads. See `packing.py` for what lies in ``folder``.

    ``threads``: cores that a run may use, 0 for all there are.
    """

    def __init__(self, folder: Path, threads: int = 0) -> None:

        told = json.loads((folder / DESCRIPTION).read_text())
        self.shape = shape = Shape(**told)
        self.tokenizer = PlainTokenizer(
            folder / TOKENIZER,
            end=shape.end,
            begin=shape.begin,
            chat_template=shape.chat_template,
        )
        self.session = onnx_session(folder / GRAPH, threads, memory_pattern=False)
        size = (shape.vocabulary, shape.width)
        self._embeddings = np.memmap(folder / WEIGHTS, np.float32, "r", shape.embedding_place, size)
        self.without = _nothing(shape)

    def embedded(self, tokens: Sequence[int]) -> Floats:
        """Return the embeddings of tokens, [1, T, width]."""
        return np.asarray(self._embeddings[list(tokens)])[None]


@dataclass(frozen=True, eq=False)
class Adapter:
    """A LoRA adapter for packed weights: y = x·W + x·A·B."""

    matrices: Matrices


def load_adapter(folder: Path, shape: Shape) -> Adapter:
    """Read an adapter that PEFT wrote. Raises ModelNotInstalled where it is none for this model."""
    remedy = "Name a directory with a LoRA adapter as PEFT writes them."
    with version_files("adapter", folder, remedy):
        told = json.loads((folder / "adapter_config.json").read_text())
        _require_plain(folder, told)
        rank = int(told["r"])
        scale = told["lora_alpha"] / (rank**0.5 if told.get("use_rslora") else rank)
        found = _lora_matrices(folder)
    matrices: Matrices = {}
    for layer in range(shape.layers):
        for group, names in GROUPS.items():
            pairs = [found.pop((layer, name), None) for name in names]
            matrices[f"{layer}.{group}"] = _joined(folder, pairs, *shape.sizes(group), scale)
    if found:
        raise _no_fit(folder, f"it has matrices for {sorted(found)[0]}")
    return Adapter(matrices)


def _require_plain(folder: Path, told: dict[str, Any]) -> None:
    others = ("use_dora", "alpha_pattern", "rank_pattern", "modules_to_save", "lora_bias")
    unknown = [name for name in others if told.get(name)]
    if told.get("peft_type") != "LORA" or unknown:
        raise _no_fit(folder, f"it is not plain LoRA ({', '.join(unknown) or 'another method'})")


def _lora_matrices(folder: Path) -> dict[tuple[int, str], dict[str, Floats]]:
    """Return the matrices by (layer, module), each 'A' [R, K] and 'B' [N, R]."""
    from safetensors.numpy import load_file

    found: dict[tuple[int, str], dict[str, Floats]] = {}
    for key, values in load_file(folder / "adapter_model.safetensors").items():
        parts = key.split(".")
        if "layers" not in parts or parts[-2] not in ("lora_A", "lora_B"):
            raise _no_fit(folder, f"it has weights {key!r}")
        place = (int(parts[parts.index("layers") + 1]), parts[-3])
        found.setdefault(place, {})[parts[-2][-1]] = values.astype(np.float32)
    return found


def _joined(
    folder: Path,
    pairs: Sequence[dict[str, Floats] | None],
    inputs: int,
    outputs: Sequence[int],
    scale: float,
) -> tuple[Floats, Floats]:
    """Return A [K, R] and B [R, N] of matrices whose products stand beside each other."""
    ranks = [0 if pair is None else len(pair["A"]) for pair in pairs]
    narrow = np.zeros((inputs, sum(ranks)), np.float32)
    wide = np.zeros((sum(ranks), sum(outputs)), np.float32)
    row = column = 0
    for pair, rank, width in zip(pairs, ranks, outputs, strict=True):
        if pair is not None:
            if pair["A"].shape != (rank, inputs) or pair["B"].shape != (width, rank):
                raise _no_fit(folder, "its matrices have other sizes")
            narrow[:, row : row + rank] = pair["A"].T
            wide[row : row + rank, column : column + width] = scale * pair["B"].T
        row += rank
        column += width
    return narrow, wide


def _no_fit(folder: Path, why: str) -> ModelNotInstalled:
    return ModelNotInstalled(
        f"The adapter in {folder} does not fit the default language model: {why}.",
        remedy="Name the model that it was trained for, or another adapter.",
    )


def _nothing(shape: Shape) -> Adapter:
    """Return the adapter that changes nothing; all its layers are the same few bytes."""
    groups: Matrices = {}
    for group in GROUPS:
        inputs, outputs = shape.sizes(group)
        groups[group] = (
            np.zeros((inputs, 1), np.float32),
            np.zeros((1, sum(outputs)), np.float32),
        )
    return Adapter(
        {f"{layer}.{group}": groups[group] for layer in range(shape.layers) for group in GROUPS}
    )


class KeyValues:
    """The keys and values of the tokens of one text, and where a run reads and writes them.

    A run writes into the very arrays that it reads, behind what is there: nothing is copied but
    where they grow.
    """

    def __init__(self, model: "PackedModel", length: int, arrays: Floats) -> None:
        self._model = model
        self.length = length
        self.arrays = arrays
        """[2·layers, 1, key heads, capacity, head]: keys and values of each layer."""
        self.binding = model.weights.session.io_binding()
        for name, (narrow, wide) in model.adapter.matrices.items():
            self.bind(f"{name}.A", narrow)
            self.bind(f"{name}.B", wide)
        self._bind_arrays()

    def bind(self, name: str, values: NDArray[Any]) -> None:
        """Let an input be read from an array, which must live as long as the runs."""
        self.binding.bind_input(name, "cpu", 0, values.dtype, values.shape, values.ctypes.data)

    def bind_result(self, name: str, values: NDArray[Any]) -> None:
        """Let an output be written to an array."""
        self.binding.bind_output(name, "cpu", 0, values.dtype, values.shape, values.ctypes.data)

    def make_room(self, tokens: int) -> None:
        """See to it that so many more tokens fit."""
        capacity = self.arrays.shape[3]
        needed = self.length + tokens
        if needed <= capacity:
            return
        self.arrays = _grown(self.arrays, self.length, max(needed, capacity * 3 // 2))
        self._bind_arrays()

    def _bind_arrays(self) -> None:
        for place, held in enumerate(self.arrays):
            self.bind(f"past.{place}", held)
            self.bind_result(f"present.{place}", held)


def _grown(arrays: Floats, length: int, capacity: int) -> Floats:
    """Return the first ``length`` tokens of a cache in one with more room."""
    count, one, heads, _, head = arrays.shape
    wider = np.zeros((count, one, heads, capacity, head), np.float32)
    wider[:, :, :, :length] = arrays[:, :, :, :length]
    return wider


class PackedModel:
    """Packed weights with an adapter: a `CausalModel`; shared by threads."""

    def __init__(self, weights: PackedWeights, adapter: Adapter | None = None) -> None:
        self.weights = weights
        self.adapter = adapter or weights.without

    def append(
        self,
        cache: KeyValues | None,
        tokens: Sequence[int],
        *,
        positions: Sequence[int] | None = None,
        visible: NDArray[np.bool_] | None = None,
        every: bool = False,
    ) -> tuple[KeyValues, list[Floats]]:
        """See CausalModel. Raises PromptRefused where the model has no place for so many tokens."""
        shape = self.weights.shape
        before = cache.length if cache else 0
        whole = before + len(tokens)
        if whole > shape.context:
            raise PromptRefused(
                f"The text has {whole} tokens; the default language model takes {shape.context}.",
                remedy="Ask a shorter question, or hand over fewer passages (a smaller top_k).",
            )
        if cache is None:
            size = (2 * shape.layers, 1, shape.key_heads, max(ROOM, whole), shape.head)
            cache = KeyValues(self, 0, np.zeros(size, np.float32))
        cache.make_room(len(tokens))
        if positions is None:
            positions = range(before, whole)
        found: list[Floats] = []
        for start in range(0, len(tokens), SLICE):
            end = min(start + SLICE, len(tokens))
            seen = None if visible is None else visible[start:end, : before + end]
            asked = end - start if every else 1
            rows = self._run(cache, tokens[start:end], positions[start:end], seen, asked)
            found = [*found, *rows] if every else rows
        return cache, found

    def copied(self, cache: KeyValues) -> KeyValues:
        """See CausalModel."""
        capacity = cache.length + ROOM
        return KeyValues(self, cache.length, _grown(cache.arrays, cache.length, capacity))

    def pick(self, row: Floats, tokens: NDArray[np.integer[Any]]) -> Floats:
        """See CausalModel."""
        return row[tokens]

    def _run(
        self,
        cache: KeyValues,
        tokens: Sequence[int],
        positions: Sequence[int],
        visible: NDArray[np.bool_] | None,
        asked: int,
    ) -> list[Floats]:
        """Run the model on tokens that fit; return what follows the last ``asked`` of them."""
        count = len(tokens)
        total = cache.length + count
        bias = np.zeros((1, 1, count, total), np.float32)
        if visible is not None:
            bias[0, 0][~visible] = np.finfo(np.float32).min
        inputs: dict[str, NDArray[Any]] = {
            "embedded": self.weights.embedded(tokens),
            "positions": np.array([positions], np.int64),
            "bias": bias,
            "last": np.array([total - 1], np.int32),
            "total": np.array([total], np.int32),
            "rows": np.arange(count - asked, count),
        }
        for name, values in inputs.items():
            cache.bind(name, values)
        following = np.empty((asked, self.weights.shape.vocabulary), np.float32)
        cache.bind_result("following", following)
        self.weights.session.run_with_iobinding(cache.binding)
        cache.length = total
        return list(following)
