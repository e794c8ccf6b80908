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


def computes_bfloat16(device: str) -> bool:
    """Say whether a device multiplies in bfloat16 itself, which is two to four times as fast;
    others only imitate it.
    """
    if device == "cpu":
        return processor_computes_bfloat16()
    import torch

    return torch.cuda.is_bf16_supported()


@lru_cache(maxsize=1)
def processor_computes_bfloat16() -> bool:
    """Say whether this processor multiplies in bfloat16: has AMX or AVX512-BF16, on Linux.

    Asked without torch, which takes 530 MB and seconds to be asked.
    """
    try:
        described = Path("/proc/cpuinfo").read_text()
    except OSError:
        return False
    flags = next((line for line in described.splitlines() if line.startswith("flags")), "")
    return not {"amx_bf16", "avx512_bf16"}.isdisjoint(flags.split())


def mixed_precision(device: str) -> AbstractContextManager[None]:
    """Let torch multiply in bfloat16 where the device computes in it; the rest stays float32."""
    import torch

    enabled = computes_bfloat16(device)
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
