"""Methods that wait or compute, as coroutines: each call in a thread of the loop's executor."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import update_wrapper, wraps
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, Self, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
_END = object()


class Closes(Protocol):
    """What is closed when it is done with."""

    def close(self) -> None: ...


C = TypeVar("C", bound=Closes)


class Twin(Protocol[T]):
    """What has an object whose methods block."""

    blocking: T


class ClosingTwin(Generic[C]):
    """A twin that ``async with`` closes."""

    blocking: C

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.blocking.close)


def in_thread(
    method: Callable[Concatenate[T, P], R],
) -> Callable[Concatenate[Twin[T], P], Coroutine[Any, Any, R]]:
    """Return ``method`` as a coroutine. A call that is cancelled goes on in its thread, unheard."""

    @wraps(method)
    async def call(twin: Twin[T], *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, twin.blocking, *args, **kwargs)

    return call


def item_by_item(
    method: Callable[Concatenate[T, P], Iterator[R]],
) -> Callable[Concatenate[Twin[T], P], AsyncIterator[R]]:
    """Return ``method``, which yields, as an asynchronous generator.

    Closing it, or cancelling who reads it, waits for the item under way and closes the iterator.
    """

    @wraps(method)
    async def items(twin: Twin[T], *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[R]:
        iterator = _Closable(await asyncio.to_thread(method, twin.blocking, *args, **kwargs))
        try:
            while (item := await iterator.step()) is not _END:
                yield item
        finally:
            await iterator.close()

    return items


def twin_of(method: Callable[..., Any]) -> Callable[[F], F]:
    """Return what gives a twin written by hand the docstring and signature of ``method``."""

    def named(twin: F) -> F:
        update_wrapper(twin, method)
        return twin

    return named


class _Closable(Generic[R]):
    """An iterator that is asked in threads, by one at a time."""

    def __init__(self, iterator: Iterator[R]) -> None:
        self._iterator = iterator
        self._step: asyncio.Task[Any] | None = None

    async def step(self) -> Any:
        """Return the next item, or _END; it goes on where the caller is cancelled."""
        self._step = asyncio.create_task(asyncio.to_thread(next, self._iterator, _END))
        return await asyncio.shield(self._step)

    async def close(self) -> None:
        """Wait for a step under way, and close what can be closed."""
        if self._step is not None:
            await asyncio.wait([self._step])
        close = getattr(self._iterator, "close", None)
        if close is not None:
            await asyncio.to_thread(close)
