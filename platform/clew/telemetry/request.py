"""The request that is being worked on, from the browser to the worker that answers it.

Its id is in every log line that is written meanwhile. It goes with a question in the message, and
with a job in the ledger, so that a worker that takes the job over after a crash has it too.
"""

import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from opentelemetry import context as trace_context
from opentelemetry import propagate

HEADER = "X-Request-ID"
ID = "request_id"
TAKEN = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""Ids that are taken from a caller: a log line can hold them as they are."""
_current: ContextVar[str] = ContextVar("clew_request_id", default="")


def request_id() -> str:
    """Return the id of the request that is being worked on; "" where there is none."""
    return _current.get()


def chosen_id(sent: str | None) -> str:
    """Return the id that a caller sent, if it can be taken, else a new one."""
    return sent if sent and TAKEN.fullmatch(sent) else secrets.token_hex(8)


def carried() -> dict[str, str]:
    """Return what a message or a job takes along: the request's id, and its trace if there is one.

    {} where no request is being worked on.
    """
    values: dict[str, str] = {}
    propagate.inject(values)
    if request_id():
        values[ID] = request_id()
    return values


@contextmanager
def within(values: Mapping[str, str] | None) -> Iterator[None]:
    """Work on the request that was ``carried`` here."""
    token = _current.set((values or {}).get(ID, ""))
    traced = trace_context.attach(propagate.extract(values or {}))
    try:
        yield
    finally:
        trace_context.detach(traced)
        _current.reset(token)
