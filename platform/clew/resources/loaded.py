"""What takes memory, models and what is derived from corpora: each once a process, whoever asks.

What was used longest ago is let go.
"""

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import psutil

from clew.results.health import LoadedModel

T = TypeVar("T")

CPU = "cpu"


@dataclass(frozen=True)
class _Held:
    value: Any
    name: str
    kind: str
    device: str
    size: Callable[[], int]
    seconds: float
    used_at: float
    beside: Hashable | None


class LoadedModels:
    """Holds what is loaded; safe to be shared by threads.

    ``limits``: bytes that may be taken by device ('cpu', 'cuda'); a device without one has no
    limit. What is let go is free as soon as nobody uses it any more; who asks again loads it again.
    """

    def __init__(self, limits: Mapping[str, int] | None = None) -> None:
        self._limits = dict(limits or {})
        self._lock = threading.RLock()
        self._loading = threading.RLock()
        self._held: OrderedDict[Hashable, _Held] = OrderedDict()

    def get(
        self,
        key: Hashable,
        load: Callable[[], T],
        *,
        name: str,
        kind: str | None = None,
        device: Callable[[T], str] = lambda value: CPU,
        size: Callable[[T], int | None] | None = None,
        beside: Hashable | None = None,
    ) -> T:
        """Return the model of ``key``, loaded where it is not there.

        ``name``: for people. ``kind``: the same without corpus and version, where the name tells
        them. ``device``: what it takes memory of. ``size``: its bytes; without, or where it tells
        None, by how much the process grew while it was loaded. ``beside``: the key of a model that
        this one stands on, such as an adapter on its weights: that one is in use with it, and takes
        it along where it is let go. Raises what ``load`` raises, and ValueError
        for a model on another device than the processor without a size: the process does not grow
        with it. Nothing is kept then.
        """
        found = self._find(key)
        if found is not None:
            value: T = found.value
            return value
        with self._loading:  # one at a time: two would compete for memory, and count each other's
            found = self._find(key)
            if found is not None:
                return found.value
            before, started = _resident(), time.perf_counter()
            value = load()
            grown = max(0, _resident() - before)
            seconds = time.perf_counter() - started
            where, own = device(value), None if size is None else size(value)
            if own is None and where != CPU:
                raise ValueError(f"{name} is on {where}, and nothing says how big it is.")
            taken = grown if own is None else own
            told = kind or name
            self._keep(
                key, _Held(value, name, told, where, lambda: taken, seconds, time.time(), beside)
            )
            return value

    def put(
        self,
        key: Hashable,
        value: Any,
        *,
        name: str,
        kind: str | None = None,
        size: Callable[[], int],
        seconds: float = 0.0,
    ) -> None:
        """Hold a value that was made elsewhere, in ``seconds``, instead of the one of ``key``.

        ``name``, ``kind``: as of ``get``. ``size``: tells its bytes now; what grows while it is
        used is counted as it is.
        """
        self._keep(key, _Held(value, name, kind or name, CPU, size, seconds, time.time(), None))

    def held(self, key: Hashable) -> Any:
        """Return the value of ``key``, used now; None where it is not there."""
        found = self._find(key)
        return None if found is None else found.value

    def drop(self, key: Hashable) -> None:
        """Let a model go, and what stands on it; nothing where it is not loaded."""
        with self._lock:
            self._drop(key)

    def clear(self) -> None:
        """Let all go."""
        with self._lock:
            self._held.clear()

    def report(self) -> tuple[LoadedModel, ...]:
        """Return what is loaded, largest first."""
        with self._lock:
            held = [(one.size(), one) for one in self._held.values()]
        return tuple(
            LoadedModel(
                name=one.name,
                kind=one.kind,
                device=one.device,
                mib=round(taken / 2**20, 1),
                load_seconds=round(one.seconds, 2),
                idle_seconds=round(time.time() - one.used_at, 1),
            )
            for taken, one in sorted(held, key=lambda pair: -pair[0])
        )

    def _find(self, key: Hashable) -> _Held | None:
        with self._lock:
            found = self._held.get(key)
            if found is not None:
                for used in (found.beside, key):
                    if used in self._held:
                        self._held[used] = replace(self._held[used], used_at=time.time())
                        self._held.move_to_end(used)
            return found

    def _keep(self, key: Hashable, held: _Held) -> None:
        with self._lock:
            self._held[key] = held
            self._held.move_to_end(key)
            self._let_go(held.device, {key, held.beside})

    def _let_go(self, device: str, keep: AbstractSet[Hashable | None]) -> None:
        limit = self._limits.get(device)
        if not limit:
            return
        while sum(one.size() for one in self._held.values() if one.device == device) > limit:
            oldest = next(
                (
                    key
                    for key, one in self._held.items()
                    if one.device == device and key not in keep
                ),
                None,
            )
            if oldest is None:
                return
            self._drop(oldest)

    def _drop(self, key: Hashable) -> None:
        self._held.pop(key, None)
        for above in [other for other, one in self._held.items() if one.beside == key]:
            del self._held[above]


def _resident() -> int:
    return int(psutil.Process(os.getpid()).memory_info().rss)
