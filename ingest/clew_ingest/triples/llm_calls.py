"""One call of a language model for a list of objects: from the cache, or asked for and kept."""

import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, TypeVar

from clew_ingest.errors import IngestCancelled
from clew_ingest.triples.llm_json import ReadList, read_list
from clew_ingest.triples.prompts import Prompt
from clew_ingest.triples.reply_cache import ReplyCache, reply_key
from clew_models.errors import LanguageModelUnavailable, MalformedOutput, PromptRefused
from clew_models.language_model import Completion, LanguageModel, Message

log = logging.getLogger(__name__)
Job = TypeVar("Job")
Done = TypeVar("Done")

_POLL_S = 0.2
_REFUSALS = 20
"""Texts refused in a row, before the first that is not, that mean the endpoint takes none."""

_AHEAD = 4
"""Jobs handed out for each thread: enough that one slow reply does not leave the others idle."""


@dataclass(frozen=True)
class ListReply:
    """What a call brought. Tokens and seconds are this run's: 0 tokens where ``cached``."""

    read: ReadList
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    cached: bool


class ListCaller:
    """Asks ``model`` for the list ``list_name`` of ``schema``, with ``prompt``; see ReplyCache.

    A reply is kept by all that it depends on: the inputs, the prompt's version, the model and the
    schema. One that cannot be read at all is not kept, and one that was cut off is asked for
    again where ``max_tokens`` is another. Transient failures (429, 5xx, time-outs) are the
    model's to try again, as OpenAIModel does ``retries`` times; here nothing is asked twice.
    """

    def __init__(
        self,
        model: LanguageModel,
        cache: ReplyCache | None,
        *,
        prompt: Prompt,
        schema: dict[str, Any],
        list_name: str,
        max_tokens: int,
    ) -> None:
        self.model = model
        self._cache = cache
        self._prompt = prompt
        self._schema: dict[str, Any] | None = schema
        self._schema_version = reply_key(json.dumps(schema, sort_keys=True))[:16]
        self._list_name = list_name
        self._max_tokens = max_tokens
        self._lock = threading.Lock()
        self._refused: int | None = 0

    def messages(self, document: dict[str, Any]) -> list[Message]:
        """Return what the model is asked. The document goes as JSON: nothing in it ends it."""
        return self._prompt.messages(document=json.dumps(document, ensure_ascii=False))

    def is_cached(self, document: dict[str, Any]) -> bool:
        """Return whether asking about this document costs nothing."""
        return self._kept(document) is not None

    def ask(self, document: dict[str, Any], source: str) -> ListReply:
        """Return the list for a document; ``source``: the text by which the cache can forget it.

        A text that the endpoint refuses costs that text only, unless it has taken none so far.
        Raises LanguageModelUnavailable.
        """
        begun = time.monotonic()
        kept = self._kept(document)
        if kept is not None:
            return ListReply(
                read_list(kept, self._list_name), 0, 0, time.monotonic() - begun, cached=True
            )
        try:
            completion = self._complete(self.messages(document))
        except MalformedOutput as error:
            problem = ReadList(problem=f"the model could not keep to the form: {error.message}")
            return ListReply(problem, 0, 0, time.monotonic() - begun, cached=False)
        except PromptRefused as error:
            self._note_refusal(error)
            problem = ReadList(problem=f"the text was refused: {error.message}")
            return ListReply(problem, 0, 0, time.monotonic() - begun, cached=False)
        self._refused = None
        read = read_list(completion.text, self._list_name)
        if self._cache is not None and not read.problem:
            key = self._key(document, self._max_tokens if read.cut_off else None)
            self._cache.put(key, completion.text, source=source)
        return ListReply(
            read,
            completion.prompt_tokens,
            completion.completion_tokens,
            time.monotonic() - begun,
            cached=False,
        )

    def _kept(self, document: dict[str, Any]) -> str | None:
        if self._cache is None:
            return None
        whole = self._cache.get(self._key(document, None))
        return whole or self._cache.get(self._key(document, self._max_tokens))

    def _key(self, document: dict[str, Any], cut_off_at: int | None) -> str:
        return reply_key(
            self._prompt.name,
            self._prompt.version,
            self._schema_version,
            self.model.name,
            json.dumps(document),
            "" if cut_off_at is None else f"cut off at {cut_off_at} tokens",
        )

    def _note_refusal(self, error: PromptRefused) -> None:
        with self._lock:
            if self._refused is None:
                return
            self._refused += 1
            if self._refused < _REFUSALS:
                return
        raise LanguageModelUnavailable(
            f"The first {_REFUSALS} texts were all refused. {error.message}", remedy=error.remedy
        ) from error

    def _complete(self, messages: list[Message]) -> Completion:
        with self._lock:
            schema = self._schema
        try:
            return self.model.complete(
                messages, max_tokens=self._max_tokens, temperature=0.0, json_schema=schema
            )
        except MalformedOutput as error:
            if schema is None:
                raise
            log.warning("%s is asked without a schema from now on. %s", self.model.name, error)
        with self._lock:
            self._schema = None
        return self._complete(messages)


def in_order(
    jobs: Iterable[Job],
    work: Callable[[Job], Done],
    *,
    concurrency: int,
    cancelled: Callable[[], bool] = lambda: False,
) -> Iterator[Done]:
    """Yield ``work`` of each job in the order of the jobs, ``concurrency`` of them at once.

    Jobs are taken a few ahead, so any number of them may come. Work runs in a copy of the
    caller's context, so that ``metered()`` counts it. The first job that fails ends the rest:
    what runs is waited for, what waits is dropped, and its error is raised. Raises IngestCancelled
    within a second of ``cancelled``; calls under way then end in the background.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency is {concurrency}; it must be 1 or more.")
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="language-model")
    waiting: deque[Future[Done]] = deque()
    coming = iter(jobs)
    stopped = False
    try:
        while True:
            while len(waiting) < concurrency * _AHEAD:
                try:
                    job = next(coming)
                except StopIteration:
                    break
                waiting.append(pool.submit(copy_context().run, work, job))
            if not waiting:
                return
            while not waiting[0].done():
                _raise_if(cancelled)
                try:
                    waiting[0].exception(timeout=_POLL_S)
                except NotYet:
                    continue
            _raise_if(cancelled)
            yield waiting.popleft().result()
    except (IngestCancelled, GeneratorExit):
        stopped = True
        raise
    finally:
        pool.shutdown(wait=not stopped, cancel_futures=True)


def _raise_if(cancelled: Callable[[], bool]) -> None:
    if cancelled():
        raise IngestCancelled("The extraction was cancelled; replies so far are kept.")
