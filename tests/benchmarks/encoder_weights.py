"""Takes an encoder's weights out of an ONNX file, to teach with (span_reader_distillation.py).

    python tests/benchmarks/encoder_weights.py MODEL.onnx ENCODER.safetensors

MODEL.onnx: an encoder of MiniLM's width, heads and vocabulary, as sentence-transformers exports it.
The span model was taught with bge-small-en-v1.5 and e5-small-v2 (both MIT; twelve layers), which
packages of langchain4j hold. The weights are written under BertModel's names.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def encoder_weights(file: Path) -> dict[str, NDArray[np.float32]]:
    """Return the weights. Raises ValueError for a network of another shape."""
    import onnx
    from onnx import numpy_helper

    from clew_models.span_reader.graph import DIMENSION

    graph = onnx.load(file).graph
    arrays = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    found = {
        name: array
        for name, array in arrays.items()
        if name.startswith(("embeddings.", "encoder.")) and array.dtype == np.float32
    }
    for node in graph.node:
        # an export keeps the names of biases, and of matrices only where they are multiplied
        if node.op_type == "MatMul" and node.input[1] in arrays:
            layer = node.name.strip("/").rsplit("/MatMul", 1)[0].replace("/", ".")
            found[f"{layer}.weight"] = np.ascontiguousarray(arrays[node.input[1]].T)
    words = found.get("embeddings.word_embeddings.weight")
    if words is None or words.shape[1] != DIMENSION:
        raise ValueError(f"{file} holds no encoder of {DIMENSION} dimensions.")
    return found


def main() -> None:
    """Convert a file."""
    from safetensors.numpy import save_file

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("model", type=Path, help="an ONNX file")
    parser.add_argument("out", type=Path, help="a file of weights")
    asked = parser.parse_args()
    weights = encoder_weights(asked.model)
    save_file(weights, asked.out)
    layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder."))
    print(f"{layers} layers, {sum(array.size for array in weights.values())} numbers")


if __name__ == "__main__":
    main()
