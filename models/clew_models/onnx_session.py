"""ONNX Runtime on a processor that others use, too."""

import os
from pathlib import Path
from typing import Any


def onnx_session(model: Path | bytes, threads: int, *, memory_pattern: bool = True) -> Any:
    """Return an InferenceSession of a file or of a graph's bytes.

    ``threads``: cores a run may use, 0 for all there are; ``memory_pattern``: plan memory by the
    first run, for the next ones of its shape.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or os.cpu_count() or 1
    # Threads that spin while they wait steal the cores from what runs beside them.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # An arena that is never given back grows to the largest run ever seen.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = memory_pattern
    given = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])
