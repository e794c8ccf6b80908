"""GNU's C library keeps memory that is free; this makes it keep less. Elsewhere nothing is done."""

import ctypes
import sys
from collections.abc import Callable

M_ARENA_MAX = -8
"""glibc, malloc.h: the most arenas that threads may have."""
ARENAS = 2


def few_arenas() -> None:
    """Let the threads of this process share two arenas; to be called before there are many.

    Each new thread gets one of its own else, up to eight a core, and what is free in one is of no
    use to another: a worker that ingested the same file again and again grew by 60 MiB each time.
    """
    mallopt = _function("mallopt")
    if mallopt is not None:
        mallopt(M_ARENA_MAX, ARENAS)


def give_back() -> None:
    """Give memory that is free now back to the system."""
    malloc_trim = _function("malloc_trim")
    if malloc_trim is not None:
        malloc_trim(0)


def _function(name: str) -> Callable[..., int] | None:
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
