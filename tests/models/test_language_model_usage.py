"""What is asked of language models is counted where it is asked."""

import contextvars
import threading
from collections.abc import Generator

import pytest

from clew_models.language_model import Completion, metered
from clew_models.language_model.usage import note_call, note_completion


def call(prompt: int, written: int) -> None:
    note_call()
    note_completion(Completion("", prompt, written))


def test_a_meter_counts_calls_and_tokens_within_its_block_only() -> None:
    call(1, 1)
    with metered() as meter:
        call(10, 2)
        call(20, 3)
    call(1, 1)
    assert (meter.calls, meter.prompt_tokens, meter.completion_tokens) == (2, 30, 5)


def test_an_outer_meter_counts_what_an_inner_one_does() -> None:
    with metered() as outer:
        call(1, 1)
        with metered() as inner:
            call(5, 7)
    assert (outer.calls, outer.prompt_tokens) == (2, 6)
    assert (inner.calls, inner.completion_tokens) == (1, 7)


def test_a_call_that_fails_counts_without_tokens() -> None:
    def fail() -> None:
        note_call()
        raise RuntimeError

    with metered() as meter, pytest.raises(RuntimeError):
        fail()
    assert (meter.calls, meter.prompt_tokens) == (1, 0)


def test_threads_are_counted_in_a_copy_of_the_context() -> None:
    with metered() as meter:
        threads = [
            threading.Thread(target=contextvars.copy_context().run, args=(call, 3, 1))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert (meter.calls, meter.prompt_tokens) == (8, 24)


def test_a_stream_counts_when_it_is_written_to_its_end() -> None:
    def stream() -> Generator[str, None, Completion]:
        note_call()
        yield "Os"
        yield "lo"
        return note_completion(Completion("Oslo", 14, 2))

    with metered() as meter:
        pieces = list(stream())
    assert pieces == ["Os", "lo"]
    assert (meter.calls, meter.prompt_tokens, meter.completion_tokens) == (1, 14, 2)
