"""One thread at a time imports transformers' libraries and loads with them.

transformers, peft and sentence-transformers import each other in circles, and their own parts late.
Where two threads are in one circle, Python hands one of them a module that is half made: "cannot
import name 'AutoModelForCausalLM' from 'transformers'", for about half of the moments at which a
worker's question and its training can begin beside each other.
"""

import threading
from contextlib import ContextDecorator
from types import TracebackType

_LOCK = threading.RLock()


class _Alone(ContextDecorator):
    def __enter__(self) -> None:
        _LOCK.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _LOCK.release()


loading_alone = _Alone()
"""For ``with``, or around a function."""
