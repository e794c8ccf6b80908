"""What there is to compute on: a GPU, asked for without torch, and the cores of the processor."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache


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


@contextmanager
def all_threads() -> Iterator[None]:
    """Let torch use every core; a question that was asked before may have left it one."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    try:
        yield
    finally:
        torch.set_num_threads(before)
