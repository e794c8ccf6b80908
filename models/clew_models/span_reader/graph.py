"""The span model as an ONNX graph, made from its weights without PyTorch.

MiniLM reads a question and a passage together; its layers were trained here, with the head that
marks answers, its embeddings are those of the packaged model and are not shipped again. A question
and a passage each count their positions from 0, and two trained vectors tell them apart.
Source: BERT for SQuAD 2.0 (Devlin et al. 2019, section 4.3) on MiniLM (Wang et al. 2020).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

LAYERS = 6
HEADS = 12
DIMENSION = 384
EPSILON = 1e-12
OUTPUTS = 5
"""Of the span model for each token: first and last of an answer; of [CLS] also yes, no, neither."""
OPSET = 20
FUSED = "com.microsoft"
"""Operators of ONNX Runtime that do in one pass what takes several of the standard's."""
MASKED = -1e4
INTEGERS = 63
"""Weights are whole numbers from -63 to 63: with eight bits the sum of two products overflows on
processors without VNNI."""

Weights = Mapping[str, NDArray[np.float32]]
"""Arrays under the names that transformers' BertModel gives them, and `segments` [2, D],
`head.weight` [O, D], `head.bias` [O]."""


def span_graph(weights: Weights, *, packed: bool = True) -> bytes:
    """Return the graph from the ids of questions [B, Q] and windows [B, L], with their masks, to
    ``logits`` [B, L, O]: of each token as the first and as the last of the answer, and what else
    the head tells, of [CLS].

    ``packed``: its layers compute with integers, in two thirds of the time.
    """
    graph = _Graph(weights, packed=packed)
    states, bias = graph.read_together()
    for number in range(layers_of(weights)):
        states = graph.layer(states, bias, number)
    own = graph("Slice", states, graph.asked_tokens(), graph.integers([2**31]), graph.integers([1]))
    logits = graph.dense(own, "head")
    hidden = graph("Unsqueeze", graph.unread("window_mask"), graph.integers([2]))
    graph("Add", logits, hidden, output="logits")
    return graph.model({"logits": ("B", "L", len(weights["head.bias"]))})


def window_graph(weights: Weights, *, packed: bool = True) -> bytes:
    """Return the graph as `span_graph`, to ``logits`` [B]: one number for each window, from the
    state of its [CLS], for which alone the last layer is computed.
    """
    graph = _Graph(weights, packed=packed)
    states, bias = graph.read_together()
    last = layers_of(weights) - 1
    for number in range(last):
        states = graph.layer(states, bias, number)
    begin = graph.asked_tokens()
    end = graph("Add", begin, graph.integers([1]))
    states = graph.layer(states, bias, last, only=(begin, end))
    logits = graph.dense(states, "head")
    graph("Reshape", logits, graph.integers([-1]), output="logits")
    return graph.model({"logits": ("B",)})


def layers_of(weights: Weights) -> int:
    """Return how many layers a model has."""
    return len({name.split(".")[2] for name in weights if name.startswith("encoder.layer.")})


def _node(kind: str, inputs: Sequence[str], outputs: Sequence[str], **options: Any) -> Any:
    from onnx import helper

    return helper.make_node(kind, list(inputs), list(outputs), **options)


class _Graph:
    """Nodes as they are added; calling it adds one and returns the name of its output.

    ``packed``: layers compute with integers.
    """

    def __init__(self, weights: Weights, *, packed: bool = False) -> None:
        self._weights = weights
        self._packed = packed
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def __call__(self, kind: str, *inputs: str, output: str | None = None, **options: Any) -> str:
        name = output or f"t{len(self._nodes)}"
        self._nodes.append(_node(kind, inputs, [name], **options))
        return name

    def constant(self, array: NDArray[Any], name: str | None = None) -> str:
        from onnx import numpy_helper

        name = name or f"c{len(self._constants)}"
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.array(array, order="C"), name)
        return name

    def weight(self, name: str) -> str:
        return self.constant(self._weights[name], name)

    def integer(self, value: int) -> str:
        return self.constant(np.array(value, np.int64))

    def integers(self, values: Sequence[int]) -> str:
        return self.constant(np.array(values, np.int64))

    def embedded(self, ids: str) -> str:
        """Return the embeddings of tokens with those of their positions, normalised."""
        length = self("Gather", self("Shape", ids), self.integer(1), axis=0)
        places = self("Range", self.integer(0), length, self.integer(1))
        words = self("Gather", self.weight("embeddings.word_embeddings.weight"), ids)
        placed = self("Gather", self.weight("embeddings.position_embeddings.weight"), places)
        kind = self._weights["embeddings.token_type_embeddings.weight"][0]
        summed = self("Add", self("Add", words, placed), self.constant(kind))
        return self.normalised(summed, "embeddings.LayerNorm")

    def dense(self, states: str, name: str) -> str:
        product = self("MatMul", states, self.constant(self._weights[f"{name}.weight"].T))
        return self("Add", product, self.weight(f"{name}.bias"))

    def denses(self, states: str, *names: str) -> list[str]:
        """Return one product for each of the names; where packed, computed with integers: those of
        ``states`` by the range of each run, those of the weights by the range of each column.
        """
        if not self._packed:
            return [self.dense(states, name) for name in names]
        rows, scale = self.integers_of(states)
        middle, whole = self.constant(np.array(128, np.uint8)), self.constant(np.array(0, np.int8))
        one = self.constant(np.array(1, np.float32))
        found = []
        for name in names:
            weight = self._weights[f"{name}.weight"].T
            step = np.maximum(np.abs(weight).max(0), 1e-8) / INTEGERS
            packed = self.constant(np.rint(weight / step).astype(np.int8))
            columns = (one, self.constant(step), middle, whole)
            product = self("MatMulIntegerToFloat", rows, packed, *columns, domain=FUSED)
            found.append(self("Add", self("Mul", product, scale), self.weight(f"{name}.bias")))
        return found

    def integers_of(self, states: str) -> tuple[str, str]:
        """Return states as unsigned bytes around 128, and the scale [B, L, 1] of each token: what
        is read beside a window changes nothing.
        """
        largest = self("ReduceMax", self("Abs", states), self.integers([-1]), keepdims=1)
        tiny = self.constant(np.array(1e-8, np.float32))
        step = self.constant(np.array(1 / 127, np.float32))
        scale = self("Mul", self("Max", largest, tiny), step)
        each = self("Reshape", scale, self.integers([-1]))
        middle = self("Expand", self.constant(np.array(128, np.uint8)), self("Shape", each))
        tokens = self("Flatten", states, axis=2)
        rows = self("QuantizeLinear", tokens, each, middle, axis=0)
        return self("Reshape", rows, self("Shape", states)), scale

    def normalised(self, states: str, name: str) -> str:
        scale, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self("LayerNormalization", states, scale, shift, axis=-1, epsilon=EPSILON)

    def read_together(self) -> tuple[str, str]:
        """Return the states of question and window, one behind the other [B, Q + L, D], and what is
        added to attention scores."""
        segments = self._weights["segments"]
        asked = self("Add", self.embedded("question"), self.constant(segments[0]))
        read = self("Add", self.embedded("window"), self.constant(segments[1]))
        states = self("Concat", asked, read, axis=1)
        return states, self.bias(self("Concat", "question_mask", "window_mask", axis=1))

    def asked_tokens(self) -> str:
        """Return [Q], where windows begin."""
        return self("Slice", self("Shape", "question"), *map(self.integers, ([1], [2], [0])))

    def unread(self, mask: str) -> str:
        """Return MASKED where ``mask`` is 0, and 0 where it is 1."""
        off = self("Sub", self.constant(np.array(1, np.float32)), self("Cast", mask, to=1))
        return self("Mul", off, self.constant(np.array(MASKED, np.float32)))

    def bias(self, mask: str) -> str:
        """Return what is added to attention scores [B, H, L, L]."""
        return self("Unsqueeze", self.unread(mask), self.integers([1, 2]))

    def layer(
        self, states: str, bias: str, number: int, *, only: tuple[str, str] | None = None
    ) -> str:
        """Return what a layer makes of states; ``only``: of the tokens [first, last) alone."""
        prefix = f"encoder.layer.{number}"
        attention = f"{prefix}.attention"
        size = DIMENSION // HEADS
        split = self.integers([0, 0, HEADS, size])

        def heads(projected: str, order: list[int]) -> str:
            return self("Transpose", self("Reshape", projected, split), perm=order)

        query, key, value = (f"{attention}.self.{name}" for name in ("query", "key", "value"))
        if only is None:
            query, key, value = self.denses(states, query, key, value)
        else:
            key, value = self.denses(states, key, value)
            states = self("Slice", states, *only, self.integers([1]))
            (query,) = self.denses(states, query)
        asked, known = heads(query, [0, 2, 1, 3]), heads(key, [0, 2, 3, 1])  # [B, H, L, d]
        scale = self.constant(np.array(size**-0.5, np.float32))
        scores = self("Add", self("Mul", self("MatMul", asked, known), scale), bias)
        mixed = self("MatMul", self("Softmax", scores, axis=-1), heads(value, [0, 2, 1, 3]))
        mixed = self("Transpose", mixed, perm=[0, 2, 1, 3])
        mixed = self("Reshape", mixed, self.integers([0, 0, DIMENSION]))
        (mixed,) = self.denses(mixed, f"{attention}.output.dense")
        states = self.normalised(self("Add", mixed, states), f"{attention}.output.LayerNorm")
        (wide,) = self.denses(states, f"{prefix}.intermediate.dense")
        (narrow,) = self.denses(self("Gelu", wide), f"{prefix}.output.dense")
        return self.normalised(self("Add", narrow, states), f"{prefix}.output.LayerNorm")

    def model(self, outputs: Mapping[str, tuple[str | int, ...]]) -> bytes:
        from onnx import TensorProto, helper

        def declared(shapes: Mapping[str, Any], kind: int) -> list[Any]:
            return [helper.make_tensor_value_info(n, kind, list(s)) for n, s in shapes.items()]

        inputs = {"question": "BQ", "question_mask": "BQ", "window": "BL", "window_mask": "BL"}
        graph = helper.make_graph(
            self._nodes,
            "span_reader",
            declared(inputs, TensorProto.INT64),
            declared(outputs, TensorProto.FLOAT),
            initializer=list(self._constants.values()),
        )
        opsets = [helper.make_opsetid("", OPSET)]
        if self._packed:
            opsets.append(helper.make_opsetid(FUSED, 1))
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        return bytes(model.SerializeToString())
