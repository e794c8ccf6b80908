"""Writes an ONNX graph with 4-bit matrices, and an adapter beside each product with them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from clew_models.language_model.gguf_file import BLOCK, Packed

ALIGNMENT = 4096


class GraphWriter:
    """An ONNX graph that is being written; large constants go to a file beside it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._location = Path(file.name).name
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def constant(self, name: str, values: NDArray[Any]) -> int:
        """Write a constant to the file; return where it begins there."""
        from onnx import TensorProto, helper

        values = np.ascontiguousarray(values)
        place = -(-self._file.tell() // ALIGNMENT) * ALIGNMENT
        self._file.seek(place)
        self._file.write(values.tobytes())
        held = TensorProto(
            name=name,
            dims=values.shape,
            data_type=helper.np_dtype_to_tensor_dtype(values.dtype),
            data_location=TensorProto.EXTERNAL,
        )
        told = {"location": self._location, "offset": place, "length": values.nbytes}
        for key, value in told.items():
            held.external_data.add(key=key, value=str(value))
        self._constants[name] = held
        return place

    def small(self, name: str, values: NDArray[Any]) -> str:
        """Keep a constant in the graph itself; one of a name."""
        from onnx import numpy_helper

        self._constants[name] = numpy_helper.from_array(values, name)
        return name

    def node(
        self, kind: str, inputs: Sequence[str], outputs: str | Sequence[str], **how: Any
    ) -> None:
        """Add an operation."""
        from onnx import helper

        named = [outputs] if isinstance(outputs, str) else list(outputs)
        self._nodes.append(helper.make_node(kind, list(inputs), named, name=named[0], **how))

    def norm(self, taken: str, weights: NDArray[np.float32], epsilon: float, name: str) -> str:
        """Add an RMSNorm of the last axis."""
        scale = self.small(f"{name}.scale", weights)
        self.node("SimplifiedLayerNormalization", [taken, scale], name, axis=-1, epsilon=epsilon)
        return name

    def adapted(
        self, name: str, taken: str, parts: Sequence[Packed], sizes: tuple[int, int]
    ) -> str:
        """Add the product with ``parts`` below each other, and with an adapter beside it."""
        self.constant(f"{name}.bits", np.concatenate([part.bits for part in parts]))
        self.constant(f"{name}.scale", np.concatenate([part.scale for part in parts]))
        self.constant(f"{name}.shift", np.concatenate([part.shift for part in parts]).T)
        self.node(
            "MatMulNBits",
            [taken, f"{name}.bits", f"{name}.scale"],
            f"{name}.main",
            domain="com.microsoft",
            K=sizes[0],
            N=sizes[1],
            bits=4,
            block_size=BLOCK,
            accuracy_level=1,  # float32: with 8-bit activations log-probabilities are off by 0.1
        )
        blocks = self.small(f"blocks.{sizes[0]}", np.array([0, 0, sizes[0] // BLOCK, BLOCK]))
        last = self.small("axis.last", np.array([-1], np.int64))
        self.node("Reshape", [taken, blocks], f"{name}.blocks")
        self.node("ReduceSum", [f"{name}.blocks", last], f"{name}.sums", keepdims=0)
        self.node("MatMul", [f"{name}.sums", f"{name}.shift"], f"{name}.shifted")
        self.node("MatMul", [taken, f"{name}.A"], f"{name}.narrow")
        self.node("MatMul", [f"{name}.narrow", f"{name}.B"], f"{name}.low")
        self.node("Sum", [f"{name}.main", f"{name}.shifted", f"{name}.low"], name)
        self.input(f"{name}.A", [sizes[0], f"{name}.R"])
        self.input(f"{name}.B", [f"{name}.R", sizes[1]])
        return name

    def input(self, name: str, shape: Sequence[int | str | None], integers: str = "") -> None:
        """Declare an input: of float32, or of the integers named."""
        from onnx import TensorProto, helper

        kind = getattr(TensorProto, integers or "FLOAT")
        self._inputs.append(helper.make_tensor_value_info(name, kind, list(shape)))

    def output(self, name: str, shape: Sequence[int | str | None]) -> None:
        """Declare an output, of float32."""
        from onnx import TensorProto, helper

        self._outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape)))

    def save(self, target: Path) -> None:
        """Write the graph."""
        from onnx import helper

        graph = helper.make_graph(
            self._nodes,
            "llama",
            self._inputs,
            self._outputs,
            initializer=list(self._constants.values()),
        )
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
        target.write_bytes(model.SerializeToString())
