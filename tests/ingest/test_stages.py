import threading
import time
from collections.abc import Iterator

import pytest

from clew_ingest.stages import Consumer, running_ahead


def test_items_come_in_order_and_not_further_ahead_than_allowed() -> None:
    made: list[int] = []

    def numbers() -> Iterator[int]:
        for number in range(20):
            made.append(number)
            yield number

    with running_ahead(numbers(), 3) as items:
        first = next(items)
        time.sleep(0.3)
        assert len(made) <= 5
        assert [first, *items] == list(range(20))


def test_an_error_comes_through_after_the_items_before_it() -> None:
    def numbers() -> Iterator[int]:
        yield 1
        raise OSError("broken")

    with running_ahead(numbers(), 3) as items:
        assert next(items) == 1
        with pytest.raises(OSError, match="broken"):
            next(items)


def test_leaving_early_ends_the_thread() -> None:
    def endless() -> Iterator[int]:
        while True:
            yield 1

    before = threading.active_count()
    with running_ahead(endless(), 2) as items:
        next(items)
    assert threading.active_count() == before


def test_a_consumer_handles_in_order_and_tells_its_error() -> None:
    handled: list[int] = []
    consumer: Consumer[int] = Consumer(handled.append, 2)
    for number in range(10):
        consumer.put(number)
    consumer.finish()
    assert handled == list(range(10))

    def refuse(number: int) -> None:
        raise OSError(f"no {number}")

    refusing: Consumer[int] = Consumer(refuse, 2)
    refusing.put(1)
    with pytest.raises(OSError, match="no 1"):
        refusing.finish()
