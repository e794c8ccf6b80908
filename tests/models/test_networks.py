"""What computes a graph: OpenVINO against ONNX Runtime, and which of them."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clew_models import devices, networks
from clew_models.embedding import load_embedder
from clew_models.embedding.minilm import model_directory
from clew_models.embedding.onnx_export import onnx_file
from clew_models.errors import ModelError
from clew_models.networks import (
    MOST_TOKENS,
    RUN_TOKENS,
    STEP,
    OnnxNetwork,
    OpenVinoNetwork,
    in_bfloat16,
    run_tokens,
)
from clew_models.runs import padded, runs_of
from clew_models.span_reader import SpanReader

openvino = pytest.mark.skipif(
    importlib.util.find_spec("openvino") is None, reason="OpenVINO is for x86-64 and Linux"
)

CACHE = Path(os.environ.get("CLEW_TEST_CACHE_DIR", Path(__file__).parents[2] / ".clew" / "cache"))


@openvino
@pytest.mark.parametrize("as_bytes", [False, True])
def test_openvino_in_float32_is_onnx_runtime(as_bytes: bool) -> None:
    file = onnx_file(model_directory(), CACHE)
    model = file.read_bytes() if as_bytes else file
    rows = [padded([[101, 2000 + n, 102], [101, 2500, 2600 + n, 102]]) for n in range(9)]
    runs = [{"input_ids": ids, "attention_mask": mask} for ids, mask in rows]
    expected = list(OnnxNetwork(model, 1).outputs(runs))
    network = OpenVinoNetwork(model, 2, "f32")
    for found, vectors in zip(network.outputs(runs), expected, strict=True):
        np.testing.assert_allclose(found, vectors, atol=1e-5)
    # who takes only the first leaves nothing behind that spoils the next
    np.testing.assert_allclose(next(network.outputs(runs)), expected[0], atol=1e-5)
    np.testing.assert_allclose(list(network.outputs(runs))[-1], expected[-1], atol=1e-5)


@openvino
def test_nobody_is_told_that_openvino_is_used(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from clew_models.networks import OpenVinoNetwork\n"
        "from clew_models.embedding.minilm import model_directory\n"
        "from clew_models.embedding.onnx_export import onnx_file\n"
        f"OpenVinoNetwork(onnx_file(model_directory(), Path({str(CACHE)!r})), 1, 'f32')\n"
        "print([name for name in sys.modules if name.startswith('openvino_telemetry.')])"
    )
    told = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split() == ["[]"]
    assert not list(tmp_path.iterdir())  # where its maker's package notes who is told


@pytest.mark.parametrize(
    "imports",
    ["clew_models, onnxruntime", "clew_ingest; from markitdown.converters import HtmlConverter"],
)
def test_onnx_runtime_tells_its_maker_nothing(imports: str, tmp_path: Path) -> None:
    """What it would send it collects below the home, as soon as it is imported."""
    silent = ("CI", "ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")
    environment = {k: v for k, v in os.environ.items() if k not in silent}
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import {imports}; import sys; print('onnxruntime' in sys.modules)",
        ],
        env={**environment, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == "True"
    assert list(tmp_path.rglob("*")) == []


def test_bfloat16_is_refused_where_the_processor_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(networks, "processor_computes_bfloat16", lambda: False)
    with pytest.raises(ModelError, match="CLEW_EMBED_PRECISION is bfloat16"):
        load_embedder("minilm", cache_dir=CACHE, precision="bfloat16")
    with pytest.raises(ModelError, match="CLEW_EMBED_PRECISION is bfloat16"):
        SpanReader(precision="bfloat16")


@pytest.mark.parametrize(
    ("vendor", "flags", "gains"),
    [
        ("GenuineIntel", {"avx512_bf16", "amx_bf16"}, True),
        ("GenuineIntel", {"avx512_bf16", "avx512_fp16"}, False),  # AMX hidden by the hypervisor
        ("AuthenticAMD", {"avx512_bf16"}, True),
        ("AuthenticAMD", {"avx2"}, False),
        ("", set(), False),
    ],
)
def test_auto_takes_bfloat16_where_it_is_quicker(
    vendor: str, flags: set[str], gains: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "_processor", lambda: (vendor, frozenset(flags)))
    assert in_bfloat16("auto") is gains
    assert devices.gains_by_bfloat16("cpu") is gains
    assert not in_bfloat16("float32")
    if flags & {"avx512_bf16", "amx_bf16"}:
        assert in_bfloat16("bfloat16")


def test_a_call_in_bfloat16_is_shared_out_among_its_cores() -> None:
    assert run_tokens([160] * 10, 2, bfloat16=False) == RUN_TOKENS
    shared = run_tokens([160] * 10, 2, bfloat16=True)
    assert [len(run) for run in runs_of([160] * 10, shared)] == [5, 5]
    uneven = [40] * 8 + [120] * 4
    runs = list(runs_of(uneven, run_tokens(uneven, 2, bfloat16=True)))
    assert [sorted(uneven[row] for row in run) for run in runs] == [[40] * 8, [120] * 4]
    assert run_tokens([160] * 10, 1, bfloat16=True) == MOST_TOKENS
    for few in ([20], []):
        assert RUN_TOKENS <= run_tokens(few, 2, bfloat16=True) <= RUN_TOKENS + STEP
