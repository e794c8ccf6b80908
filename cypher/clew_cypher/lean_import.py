"""Importing a library without a large one that it would load and we never use through it."""

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType


class _Hidden:
    """A finder by which one thread does not find one module; other threads do."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._thread = threading.get_ident()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> None:
        """Raise for the hidden module, in that thread only; leave the others to other finders."""
        if name == self._name and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"{name} is hidden from this import", name=name)


@contextmanager
def hidden(name: str) -> Iterator[None]:
    """Within, the calling thread cannot import the top-level module ``name``.

    A module that is imported already stays usable.
    """
    finder = _Hidden(name)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
