import contextvars
import threading
import time
from collections.abc import Generator, Iterator

import pytest

from clew_ingest.errors import IngestCancelled
from clew_ingest.pipeline.stages import Line, grouped


def never() -> bool:
    return False


def numbers(count: int) -> Generator[int, None, None]:
    yield from range(count)


def doubled(items: Iterator[int]) -> Generator[int, None, None]:
    for item in items:
        yield 2 * item


def test_items_come_in_order_and_not_further_ahead_than_allowed() -> None:
    made: list[int] = []

    def noted() -> Generator[int, None, None]:
        for number in range(20):
            made.append(number)
            yield number

    with Line(never) as line:
        items = line.stage("first", noted(), 3)
        first = next(items)
        time.sleep(0.3)
        assert len(made) <= 5
        assert [first, *items] == list(range(20))


def test_stages_follow_one_another_each_in_its_thread() -> None:
    seen = set()

    def noting(items: Iterator[int]) -> Generator[int, None, None]:
        for item in items:
            seen.add(threading.current_thread().name)
            yield item

    with Line(never) as line:
        items = line.stage("a", numbers(50), 2)
        for name in ("b", "c"):
            items = line.stage(name, noting(doubled(items)), 2)
        assert list(items) == [4 * number for number in range(50)]
    assert seen == {"clew-b", "clew-c"}


def test_an_error_of_any_stage_comes_through_after_the_items_before_it() -> None:
    def broken() -> Generator[int, None, None]:
        yield 1
        raise OSError("broken")

    with Line(never) as line:
        items = line.stage("b", doubled(line.stage("a", broken(), 3)), 3)
        assert next(items) == 2
        with pytest.raises(OSError, match="broken"):
            next(items)


@pytest.mark.parametrize("stages", [1, 3])
def test_leaving_early_ends_the_threads_and_closes_their_items(stages: int) -> None:
    closed = []

    def endless() -> Generator[int, None, None]:
        try:
            while True:
                yield 1
        finally:
            closed.append(True)

    before = threading.active_count()
    with Line(never) as line:
        items = line.stage("0", endless(), 2)
        for number in range(1, stages):
            items = line.stage(str(number), doubled(items), 2)
        next(items)
    assert threading.active_count() == before
    assert closed == [True]


def test_a_cancel_is_heard_while_a_stage_waits_for_a_slow_one() -> None:
    stop = threading.Event()

    def slow() -> Generator[int, None, None]:
        yield 1
        while not line.stopping():
            time.sleep(0.05)
        yield 2

    begun = time.monotonic()
    with Line(stop.is_set) as line:
        items = line.stage("b", doubled(line.stage("a", slow(), 2)), 2)
        next(items)
        threading.Timer(0.3, stop.set).start()
        with pytest.raises(IngestCancelled):
            next(items)
    assert time.monotonic() - begun < 2


def test_a_stage_sees_the_context_of_its_run() -> None:
    meter: contextvars.ContextVar[str] = contextvars.ContextVar("meter", default="")
    meter.set("this run")

    def seen() -> Generator[str, None, None]:
        yield meter.get()

    with Line(never) as line:
        assert list(line.stage("a", seen(), 1)) == ["this run"]


def test_groups_are_closed_when_they_are_large_enough() -> None:
    assert list(grouped(iter([3, 4, 1, 1, 9, 2]), lambda item: item, 5)) == [
        [3, 4],
        [1, 1, 9],
        [2],
    ]
