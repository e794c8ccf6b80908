"""Child processes that read files and parse are kept for the next test that asks for their like.

A child that parses takes 3 s to start; a run would start some hundred of them. What ends by an
error or is killed is gone as ever; only what a test closes in order is kept.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from clew_ingest.child_process import ChildProcess

PARTS = ("_process", "_socket", "_errors")
CLOSE, CALL = ChildProcess.close, ChildProcess.call


@contextmanager
def children_kept() -> Iterator[None]:
    """Keep what is closed, and hand it out again, until the block ends."""
    kept: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)

    def kind(child: ChildProcess) -> str:
        return json.dumps([child._module, child._arguments], sort_keys=True)

    def closing(child: ChildProcess) -> None:
        with child._lock:
            if child.pid is None:
                child._kill()
                return
            kept[kind(child)].append(tuple(getattr(child, part) for part in PARTS))
            for part in PARTS:
                setattr(child, part, None)

    def calling(child: ChildProcess, *arguments: Any, **options: Any) -> dict[str, Any]:
        with child._lock:
            waiting = kept[kind(child)]
            while child.pid is None and waiting:
                child._kill()
                for part, value in zip(PARTS, waiting.pop(), strict=True):
                    setattr(child, part, value)
        return CALL(child, *arguments, **options)

    with mock.patch.multiple(ChildProcess, close=closing, call=calling):
        yield
    for module_and_arguments, waiting in kept.items():
        for parts in waiting:
            child = ChildProcess(*json.loads(module_and_arguments))
            for part, value in zip(PARTS, parts, strict=True):
                setattr(child, part, value)
            CLOSE(child)


@contextmanager
def children_ending() -> Iterator[None]:
    """End what is closed, as the product does, until the block ends."""
    with mock.patch.object(ChildProcess, "close", CLOSE):
        yield
