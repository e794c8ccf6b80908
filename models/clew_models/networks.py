"""What computes MiniLM, as embedder and as span model: ONNX Runtime, or OpenVINO in bfloat16 where
the processor is quicker in it.

Processor seconds on an AMD EPYC with AVX512-BF16 (tests/benchmarks/embedder_runs.py) to embed 600
sentences, 120 passages and 900 names: in float32 3.4, 3.0, 0.7; in bfloat16 1.8, 1.5, 0.36, with a
lowest cosine of 0.99995. Tried by hand: OpenVINO in float32 is as slow as ONNX Runtime, PyTorch in
bfloat16 nearly so at runs of this length, and it takes 1.4 GB more.
OpenVINO takes 0.2 GB more than ONNX Runtime, which computes where there is nothing to gain.
"""

import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from clew_models.devices import processor_computes_bfloat16, processor_gains_by_bfloat16
from clew_models.errors import ModelError
from clew_models.onnx_session import onnx_session
from clew_models.runs import runs_of

Precision = Literal["auto", "float32", "bfloat16"]

SHORT, STEP = 16, 8
"""Rows of more than SHORT tokens are padded to multiples of STEP for OpenVINO: it keeps what it has
prepared for each shape, and is a sixth faster on passages with fewer shapes."""
SHAPES = 256
"""For how many shapes OpenVINO keeps that."""

RUN_TOKENS, MOST_TOKENS = 256, 1024
"""Tokens of a run, padding counted: as many as let what it computes stay in the processor's cache,
and the most where a call is shared out among its cores. In bfloat16 the products are so quick that
half of a short run is spent on fetching weights: on two cores with AMX the span model takes 47 ms
for ten windows of 160 tokens with 256 tokens a run, and 34 with 800."""

ASKED_STEP, LED_STEP, READ_STEP = 16, 64, 32
"""What questions, questions with sentences beside them, and windows are padded to multiples of in
bfloat16: a shape that is new costs the span model's first half 40 ms, more than the paddings of a
thousand calls."""

Run = Mapping[str, NDArray[np.int64]]
"""Arrays [B, L] under the names of a graph's inputs: ids of tokens, and masks, 0 where there are
none; zeros may be put behind both."""


class Network(Protocol):
    """A graph of one output; safe to be shared by threads."""

    def outputs(self, runs: Iterable[Run]) -> Iterator[NDArray[np.float32]]:
        """Yield the output of each run, in order; where it has an axis of tokens, that may be
        longer than the run's."""
        ...


class OnnxNetwork:
    """A graph on ONNX Runtime. ``model``: its file or bytes; ``threads``: cores a run may use."""

    def __init__(self, model: Path | bytes, threads: int) -> None:
        self._session = onnx_session(model, threads)

    def outputs(self, runs: Iterable[Run]) -> Iterator[NDArray[np.float32]]:
        """Yield the output of each run, in order."""
        for run in runs:
            yield self._session.run(None, dict(run))[0]


class OpenVinoNetwork:
    """A graph in bfloat16 (or ``precision`` 'f32'); each run on a core of its own, so that none
    waits for another. ``model``: its ONNX file or bytes; ``threads``: runs of one call that are
    computed side by side.
    """

    def __init__(self, model: Path | bytes, threads: int, precision: str = "bf16") -> None:
        core = _openvino().Core()
        # streams for all who share it, of which a call takes ``threads``
        cores = max(threads, len(os.sched_getaffinity(0)))
        self._compiled = core.compile_model(
            core.read_model(BytesIO(model) if isinstance(model, bytes) else str(model)),
            "CPU",
            {
                "INFERENCE_PRECISION_HINT": precision,
                "NUM_STREAMS": cores,
                "INFERENCE_NUM_THREADS": cores,
                "ENABLE_CPU_PINNING": False,  # the cores are others', too
                "CPU_RUNTIME_CACHE_CAPACITY": SHAPES,
            },
        )
        self._at_once = threads
        self._free: SimpleQueue[Any] = SimpleQueue()

    def outputs(self, runs: Iterable[Run]) -> Iterator[NDArray[np.float32]]:
        """Yield the output of each run, in order."""
        begun: deque[Any] = deque()
        try:
            for run in runs:
                if len(begun) == self._at_once:
                    yield self._ended(begun)
                request = self._request()
                begun.append(request)
                request.start_async({name: _stepped(rows) for name, rows in run.items()})
            while begun:
                yield self._ended(begun)
        finally:
            for request in begun:  # where the caller went on without the rest
                request.wait()

    def _request(self) -> Any:
        try:
            return self._free.get_nowait()
        except Empty:
            return self._compiled.create_infer_request()

    def _ended(self, begun: "deque[Any]") -> NDArray[np.float32]:
        """Return a copy of what the request that began first has found, and free it."""
        request = begun[0]
        request.wait()
        found = np.array(request.get_output_tensor(0).data, np.float32)
        self._free.put(begun.popleft())
        return found


def in_bfloat16(precision: Precision) -> bool:
    """Say whether to compute in bfloat16: 'auto' does where the processor is quicker in it.

    Raises ModelError where bfloat16 is asked of a processor that does not.
    """
    if precision == "auto":
        return processor_gains_by_bfloat16()
    if precision == "bfloat16" and not processor_computes_bfloat16():
        raise ModelError(
            "CLEW_EMBED_PRECISION is bfloat16, in which this processor does not multiply "
            "(it has neither AMX nor AVX512-BF16).",
            remedy="Set it to auto or float32.",
        )
    return precision == "bfloat16"


def run_tokens(sizes: Sequence[int], threads: int, *, bfloat16: bool) -> int:
    """Return the most tokens of a run, where rows of ``sizes`` are computed by one call: in
    bfloat16 the fewest with which there is a run for each core, so that all end at one time.

    ``threads``: cores that it may use, 0 for all this process may run on.
    """
    if not bfloat16:
        return RUN_TOKENS
    cores = threads or len(os.sched_getaffinity(0))
    low, high = RUN_TOKENS, MOST_TOKENS
    while high - low > STEP:
        middle = (low + high) // 2
        if len(list(runs_of(sizes, middle))) > cores:
            low = middle
        else:
            high = middle
    return high


def network_of(model: Path | bytes, threads: int, *, bfloat16: bool) -> Network:
    """Return what computes a graph. ``threads``: cores a call may use, 0 for all this process may
    run on.
    """
    threads = threads or len(os.sched_getaffinity(0))
    return OpenVinoNetwork(model, threads) if bfloat16 else OnnxNetwork(model, threads)


def _stepped(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return rows [B, L] with zeros behind them up to a length that is a multiple of STEP."""
    length = rows.shape[1]
    return rows if length <= SHORT else np.pad(rows, ((0, 0), (0, -length % STEP)))


def _openvino() -> Any:
    """Return the package, kept from telling its maker that it was imported: where this package of
    its is not installed, it does not.
    """
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
    import openvino

    return openvino
