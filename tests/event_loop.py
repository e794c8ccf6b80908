"""Coroutines in tests: a browser that another test drives has an event loop in the main thread."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Value = TypeVar("Value")


def done(work: Coroutine[Any, Any, Value]) -> Value:
    """Run a coroutine to its end in a thread of its own; return what it returns."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
