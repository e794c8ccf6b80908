"""What the views call: the facade, the questions that workers answer, the settings.

The web server never loads a model: a question is handed to the `query` queue.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from flask import current_app, g
from pydantic import ValidationError

from clew.errors import InvalidRequest
from clew.indexing.corpora import plain_name
from clew.jobs.questions import Question
from clew.results.asked_documents import AskedDocuments
from clew.results.evidence import Answer, AskEvent, Evidence, Turn
from clew.settings import Settings
from clew_models.recently_used import RecentlyUsed
from clew_web.access import Access
from clew_web.callers import NOBODY, Caller
from clew_web.errors import Refused, explain_validation
from clew_web.scoped import facade_for

Value = TypeVar("Value")


class Questions(Protocol):
    """How questions reach a worker and come back: what `clew.jobs.questions` offers."""

    def ask_events(self, settings: Settings, question: Question) -> Iterator[AskEvent | None]:
        """Submit at once; yield the events, and None while there are none; closing the iterator
        stops the worker."""
        ...

    def ask(self, settings: Settings, question: Question) -> Answer:
        """Return the whole answer."""
        ...

    def search(self, settings: Settings, question: Question) -> Evidence:
        """Return the evidence, without an answer."""
        ...


class Computed:
    """Remembers the last ``size`` values: a page asks what its report asks again.

    Two that ask for one at once may both compute it.
    """

    def __init__(self, size: int) -> None:
        self._values: RecentlyUsed[Any, Any] = RecentlyUsed(size)

    def get(self, key: Any, compute: Callable[[], Value]) -> Value:
        """Return the value of the key, computed where it is not remembered."""
        found: list[Value] = self._values.values([key], lambda _: [compute()])
        return found[0]


@dataclass
class Backend:
    """Everything behind the views. One an app."""

    facade: Any
    questions: Questions
    settings: Settings
    access: Access
    computed: Computed = field(default_factory=lambda: Computed(32))
    reports: Computed = field(default_factory=lambda: Computed(4))  # of a megabyte or more each
    _slots: threading.BoundedSemaphore = field(init=False)

    def __post_init__(self) -> None:
        # a part of the threads stays free, so that pages and health answer under load
        self._slots = threading.BoundedSemaphore(max(1, self.settings.web_threads * 3 // 4))

    @property
    def clew(self) -> Any:
        """The facade, as the caller of this request sees it."""
        return facade_for(self.facade, current_caller(), self.default_corpus)

    @property
    def default_corpus(self) -> str:
        """The corpus that is meant where none is named: the settings', if the caller sees it; ""
        for one who sees none."""
        seen = current_caller().corpora
        if seen is None or self.settings.corpus in seen:
            return self.settings.corpus
        return min(seen, default="")

    def take_slot(self) -> Callable[[], None]:
        """Return what gives the slot of a question back (once); refuse where none is free (503)."""
        if not self._slots.acquire(blocking=False):
            raise Refused(
                503,
                "Too many questions are being answered at once.",
                remedy="Try again in a few seconds.",
                retry_after_s=2,
            )
        unused = threading.Lock()

        def give_back() -> None:
            if unused.acquire(blocking=False):
                self._slots.release()

        return give_back

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold the slot of a question; refuse where none is free (503)."""
        give_back = self.take_slot()
        try:
            yield
        finally:
            give_back()

    def corpus(self, name: str | None) -> str:
        """Return the corpus that is meant. Raises UnknownCorpus where the caller sees none such,
        Refused where none is named and the caller sees none at all."""
        return current_caller().check(plain_name(name or self.default_corpus))

    def question(
        self,
        text: str,
        corpus: str | None,
        strategy: str | None,
        k: int | None,
        documents: AskedDocuments | None = None,
        history: Sequence[Turn] = (),
    ) -> Question:
        """Return the question with the defaults filled in, but for the strategy: whether one was
        chosen decides what is done where a corpus has no text.

        Raises InvalidRequest, UnknownStrategy or UnknownCorpus, and Refused (413) for one that is
        too long.
        """
        size = len(text.encode())
        if size > self.settings.question_limit_bytes:
            raise Refused(
                413,
                f"The question has {size} bytes, over {self.settings.question_limit_bytes}.",
                remedy="Ask a shorter question; long texts belong into documents.",
            )
        from clew.strategies.catalogue import spec_of

        spec_of(strategy or self.settings.strategy)
        try:
            return Question(
                question=text,
                corpus=self.corpus(corpus),
                strategy=strategy,
                k=k or self.settings.top_k,
                reader=None,
                answer=True,
                documents=documents,
                history=tuple(history),
            )
        except ValidationError as error:
            raise InvalidRequest(explain_validation(error), remedy="Ask in words.") from error


def current_caller() -> Caller:
    """Return who makes the current request; nobody before that is known."""
    caller: Caller = g.get("caller", NOBODY)
    return caller


def backend() -> Backend:
    """Return the backend of the current app."""
    found: Backend = current_app.extensions["clew"]
    return found
