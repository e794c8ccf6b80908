"""What is asked of language models, counted where it is asked, whoever asks."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from clew_models.language_model.base import Completion


@dataclass
class UsageMeter:
    """Calls, and tokens in and out, since it was opened. A call that fails counts no tokens."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, calls: int, prompt_tokens: int, completion_tokens: int) -> None:
        """Add to the counts; threads may share a meter."""
        with self._lock:
            self.calls += calls
            self.prompt_tokens += prompt_tokens
            self.completion_tokens += completion_tokens


_open: ContextVar[tuple[UsageMeter, ...]] = ContextVar("open usage meters", default=())


@contextmanager
def metered() -> Iterator[UsageMeter]:
    """Count every call of a language model within the block, also those of meters opened inside.

    Threads started inside are counted where they run in a copy of the context
    (``contextvars.copy_context().run``).
    """
    meter = UsageMeter()
    token = _open.set((*_open.get(), meter))
    try:
        yield meter
    finally:
        _open.reset(token)


def note_call() -> None:
    """Count a call that begins."""
    for meter in _open.get():
        meter.add(1, 0, 0)


def note_completion(completion: Completion) -> Completion:
    """Count the tokens of a call that has ended, and return what was written."""
    for meter in _open.get():
        meter.add(0, completion.prompt_tokens, completion.completion_tokens)
    return completion
