"""What was made lately and may be asked for again."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class RecentlyUsed(Generic[K, V]):
    """Values by their keys, the ``kept`` that were used last.

    Shared by threads; two that ask for the same at once may both make it.
    """

    def __init__(self, kept: int) -> None:
        self._limit = kept
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        with self._lock:
            return len(self._kept)

    def values(self, keys: Sequence[K], make: Callable[[list[K]], Iterable[V]]) -> list[V]:
        """Return the value of each key; ``make`` is called with those that are not kept, each
        once and all together, if there are any, and returns a value for each.
        """
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        if missing:
            found.update(zip(missing, make(missing), strict=True))
        with self._lock:
            for key in keys:
                self._kept[key] = found[key]
                self._kept.move_to_end(key)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)
        return [found[key] for key in keys]
