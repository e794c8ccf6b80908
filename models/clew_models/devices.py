"""Whether there is a GPU, without the libraries that would compute on it."""

import ctypes
import sys
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
