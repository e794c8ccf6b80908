"""Remembers what is computed of kept runs: a page asks what its report asks again."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

Value = TypeVar("Value")


class Computed:
    """Remembers the last ``size`` values; two that ask for one at once may both compute it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Any, Any] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Any, compute: Callable[[], Value]) -> Value:
        """Return the value of the key, computed where it is not remembered."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                found: Value = self._values[key]
                return found
        value = compute()
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return value
