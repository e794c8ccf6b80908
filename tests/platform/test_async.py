"""The coroutines: the same methods as the facade's and the client's, and a loop that stays free."""

import asyncio
import inspect
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.async_clew import AsyncClew
from clew.async_client import AsyncClewClient
from clew.clew import Clew
from clew.client import ClewClient
from clew.coroutines import in_thread, item_by_item
from clew.errors import ClewClosed
from clew.results.evidence import Answer

from ..event_loop import done
from ..running_clew import OwnSettings

CORPUS = "test-async"
TEXT = "# Larkin Observatory\n\nThe Larkin Observatory was founded by Helena Marsh in 1871."


class Slow:
    """Waits, and says what became of its iterator."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.closed = False

    def nap(self, seconds: float) -> str:
        """Sleep."""
        time.sleep(seconds)
        return threading.current_thread().name

    def fail(self) -> None:
        raise KeyError("no such thing")

    def items(self, count: int) -> Iterator[int]:
        try:
            for number in range(count):
                yield number
                self.begun.set()
                self.go_on.wait(10)
        finally:
            self.closed = True


class AsyncSlow:
    def __init__(self) -> None:
        self.blocking = Slow()

    nap = in_thread(Slow.nap)
    fail = in_thread(Slow.fail)
    items = item_by_item(Slow.items)


@pytest.mark.parametrize(("twin", "blocking"), [(AsyncClew, Clew), (AsyncClewClient, ClewClient)])
def test_every_method_has_a_twin_with_its_arguments(twin: type, blocking: type) -> None:
    def methods(of: type) -> dict[str, object]:
        return {n: m for n, m in vars(of).items() if inspect.isfunction(m) and n[0] != "_"}

    assert inspect.signature(twin) == inspect.signature(blocking)
    assert methods(twin).keys() == methods(blocking).keys()
    for name, method in methods(blocking).items():
        yields = str(inspect.signature(method).return_annotation).startswith(  # type: ignore[arg-type]
            "collections.abc.Iterator"
        )
        assert inspect.isasyncgenfunction(vars(twin)[name]) == yields, name
        assert inspect.signature(vars(twin)[name]) == inspect.signature(method)  # type: ignore[arg-type]


def test_the_loop_stays_free_and_errors_come_through() -> None:
    async def work() -> None:
        slow = AsyncSlow()
        started = time.monotonic()
        naps = await asyncio.gather(slow.nap(1.0), slow.nap(seconds=1.0))
        assert time.monotonic() - started < 1.95  # one after the other takes two seconds
        assert threading.current_thread().name not in naps
        with pytest.raises(KeyError, match="no such thing"):
            await slow.fail()

    done(work())


def test_items_come_one_by_one_and_who_is_cancelled_leaves_nothing_open() -> None:
    async def work() -> None:
        slow = AsyncSlow()
        slow.blocking.go_on.set()
        assert [number async for number in slow.items(3)] == [0, 1, 2]
        assert slow.blocking.closed

        slow = AsyncSlow()
        seen: list[int] = []

        async def read() -> None:
            async for number in slow.items(3):
                seen.append(number)

        reading = asyncio.create_task(read())
        await asyncio.to_thread(slow.blocking.begun.wait, 10)
        reading.cancel()
        asyncio.get_running_loop().call_later(0.2, slow.blocking.go_on.set)
        with pytest.raises(asyncio.CancelledError):
            await reading
        await asyncio.get_running_loop().shutdown_asyncgens()
        assert (seen, slow.blocking.closed) == ([0], True)

    done(work())


def test_a_question_is_answered_in_a_coroutine(own_settings: OwnSettings, tmp_path: Path) -> None:
    settings = own_settings(
        tmp_path / "home",
        corpus=CORPUS,
    )
    (tmp_path / "larkin.md").write_text(TEXT, encoding="utf-8")

    async def work() -> None:
        async with AsyncClew(settings) as clew:
            try:
                await clew.ingest(tmp_path / "larkin.md")
                question = "Who founded the Larkin Observatory?"
                answer = await clew.ask(question)
                events = [event async for event in clew.ask_events(question)]
            finally:
                await clew.delete_corpus(CORPUS)
        assert isinstance(answer, Answer)
        assert answer.short == "Helena Marsh"
        assert events[-1].event == "answer"
        with pytest.raises(ClewClosed):
            await clew.corpora()

    done(work())
