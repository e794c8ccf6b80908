"""What there is to compute on: a GPU, asked for without torch, and the cores of the processor."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any


@lru_cache(maxsize=1)
def has_gpu() -> bool:
    """Say whether NVIDIA's driver sees a device; `CUDA_VISIBLE_DEVICES` counts, as for torch.

    torch would say it too, and takes 530 MB and seconds to be asked.
    """
    library = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        driver = ctypes.CDLL(library)
    except OSError:
        return False
    count = ctypes.c_int(0)
    asked = driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
    return asked and count.value > 0


def device_of(wanted: str) -> str:
    """Return what 'auto' is here: a GPU that torch can use, else the processor."""
    if wanted != "auto":
        return wanted
    if not has_gpu():
        return "cpu"
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def module_device(module: Any) -> str:
    """Return what a torch module lies on: 'cpu' or 'cuda'."""
    return str(next(module.parameters()).device.type)


def module_bytes(module: Any) -> int:
    """Return the bytes of a torch module's parameters and buffers."""
    return sum(one.nbytes for one in (*module.parameters(), *module.buffers()))


def gains_by_bfloat16(device: str) -> bool:
    """Say whether a device is quicker in bfloat16, by two to four times; others imitate it, or
    multiply in it slowly.
    """
    if device == "cpu":
        return processor_gains_by_bfloat16()
    import torch

    return torch.cuda.is_bf16_supported()


def processor_gains_by_bfloat16() -> bool:
    """Say whether this processor is quicker in bfloat16 than in float32: has AMX, or is AMD's with
    AVX512-BF16.

    Intel's AVX512-BF16 without AMX, which hypervisors may hide, is slower than what is taken
    without it: on an Emerald Rapids the embedder takes 1.4 times as long, PyTorch 1.7, the step
    reader 2.3, the span model 2.5 (`tests/benchmarks/bfloat16.py`). On an EPYC bfloat16 takes half
    (`tests/benchmarks/embedder_runs.py`).
    """
    vendor, flags = _processor()
    return "amx_bf16" in flags or (vendor == "AuthenticAMD" and "avx512_bf16" in flags)


def processor_computes_bfloat16() -> bool:
    """Say whether this processor multiplies in bfloat16, quickly or not: has AMX or AVX512-BF16."""
    _, flags = _processor()
    return not flags.isdisjoint({"amx_bf16", "avx512_bf16"})


@lru_cache(maxsize=1)
def _processor() -> tuple[str, frozenset[str]]:
    """Return vendor and flags as Linux tells them, else nothing.

    Torch, which tells some, takes 530 MB and seconds to be asked.
    """
    try:
        described = Path("/proc/cpuinfo").read_text()
    except OSError:
        return "", frozenset()
    lines = [line.partition(":") for line in described.splitlines()]
    found = {name.strip(): value.strip() for name, _, value in reversed(lines)}
    return found.get("vendor_id", ""), frozenset(found.get("flags", "").split())


def mixed_precision(device: str) -> AbstractContextManager[None]:
    """Let torch multiply in bfloat16 where the device is quicker in it; the rest stays float32."""
    import torch

    enabled = gains_by_bfloat16(device)
    found: AbstractContextManager[None] = torch.autocast(device, torch.bfloat16, enabled=enabled)
    return found


def use_threads(count: int) -> None:
    """Let torch compute with ``count`` threads from now on; 0: one a core."""
    import torch

    torch.set_num_threads(count or len(os.sched_getaffinity(0)))


@contextmanager
def all_threads() -> Iterator[None]:
    """Let torch use every core; a question that was asked before may have left it one."""
    import torch

    before = torch.get_num_threads()
    use_threads(0)
    try:
        yield
    finally:
        torch.set_num_threads(before)
