"""Hands questions to a worker and relays its events. Loads no model: for the web server."""

import logging
import secrets
import time
import unicodedata
from collections.abc import Iterator
from typing import Any

from kombu.exceptions import OperationalError
from pydantic import BaseModel, ConfigDict, Field, field_validator
from redis.exceptions import RedisError

from clew.errors import (
    CLEW_ERRORS,
    PlatformError,
    QuestionTimedOut,
    WorkerUnavailable,
    code_of,
)
from clew.jobs.app import ANSWER_QUESTION, QUERY, publish
from clew.jobs.broker import events_client, graph_id
from clew.jobs.events import (
    KEEP_ALIVE_S,
    LAST_EVENTS,
    SUBMITTED,
    TAKEN,
    TOLD,
    QuestionReader,
)
from clew.jobs.pulse import queue_pulses, worker_lives
from clew.results.asked_documents import AskedDocuments
from clew.results.evidence import MOST_TURNS, Answer, AskEvent, Evidence, Turn
from clew.settings import Settings
from clew.telemetry.metrics import QUESTION_SECONDS
from clew.telemetry.request import carried

NAME_LENGTH = 200
ALLOWED_CONTROLS = "\t\n\r"
SILENCE_S = 30.0
"""Whose pulse is missing may be busy with what holds the interpreter: the question would keep two
workers busy. Only after so long is a worker elsewhere taken for dead."""


class Question(BaseModel):
    """What is asked, where and how; None: as the worker's settings say.

    ``answer`` False: evidence only.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    question: str = Field(min_length=1, description="The question, in words.")
    corpus: str = Field(min_length=1, max_length=NAME_LENGTH, description="Corpus to search in.")
    strategy: str | None = Field(
        None, min_length=1, max_length=NAME_LENGTH, description="How evidence is found."
    )
    k: int | None = Field(None, ge=1, le=100, description="Chunks of evidence at most.")
    reader: str | None = Field(
        None, min_length=1, max_length=NAME_LENGTH, description="Who writes the answer."
    )
    answer: bool = Field(True, description="Whether to answer, or only to find evidence.")
    documents: AskedDocuments | None = Field(
        None, description="The documents that are asked; unset: all."
    )

    history: tuple[Turn, ...] = Field(
        (), max_length=MOST_TURNS, description="What was asked before, oldest first."
    )

    @field_validator("question", "corpus", "strategy", "reader")
    @classmethod
    def _printable(cls, value: str | None) -> str | None:
        if value is None:
            return None
        for character in value:
            category = unicodedata.category(character)
            if category in ("Cc", "Cs") and character not in ALLOWED_CONTROLS:
                raise ValueError(f"the control character U+{ord(character):04X} is not allowed")
        if not any(character.isalnum() for character in value):
            raise ValueError("there is no letter or digit in it")
        return value

    def check(self, settings: Settings) -> None:
        """Raise InvalidRequest if the question is longer than the settings allow."""
        settings.check_question(self.question)


__all__ = ["Question", "ask", "ask_events", "search"]

log = logging.getLogger(__name__)


def ask_events(settings: Settings, question: Question) -> Iterator[AskEvent | None]:
    """Submit a question now and return its events as they come: progress, trace, card and round
    while evidence is looked for, evidence, piece*, then answer or error; with ``answer`` False the
    evidence is the last. A worker that dies before the evidence is replaced once, and what it had
    told is told again.

    Errors that a person can act on (an unknown corpus …) are an ``error`` event, from a question
    that is not valid on. Raises InvalidRequest at once for a question that is too long, and
    WorkerUnavailable, at once or between events, where the broker or the worker is not there,
    or dies; QuestionTimedOut after ``query_timeout_s``; GraphUnavailable where Neo4j is not there.
    Close the iterator to stop the worker.

    None is a beat: nothing came for a second. Who hands the events on has then something to write,
    and finds out whether anybody still reads.
    """
    question.check(settings)
    relay = _Relay(settings, question)
    relay.submit()
    return relay.events()


def search(settings: Settings, question: Question) -> Evidence:
    """Return the evidence for a question. Raises what the strategy raised, or as ask_events."""
    asked = question.model_copy(update={"answer": False})
    return Evidence.model_validate(_last(settings, asked, "evidence"))


def ask(settings: Settings, question: Question) -> Answer:
    """Return the whole answer. Raises what the strategy or reader raised, or as ask_events."""
    asked = question.model_copy(update={"answer": True})
    return Answer.model_validate(_last(settings, asked, "answer"))


def _last(settings: Settings, question: Question, wanted: str) -> dict[str, Any]:
    for event in ask_events(settings, question):
        if event is None:
            continue
        if event.event == "error":
            raise error_of(event.data)
        if event.event == wanted:
            return event.data
    raise WorkerUnavailable("The worker ended without an answer.", remedy="Ask again.")


def error_of(data: dict[str, Any]) -> Exception:
    """Return the exception that an ``error`` event stands for."""
    classes = {code_of(one): one for base in CLEW_ERRORS for one in _subclasses(base)}
    made: Any = classes.get(data.get("code", ""), PlatformError)
    error: Exception = made(data["message"], remedy=data.get("remedy", ""))
    return error


def _subclasses(base: type[Exception]) -> list[type[Exception]]:
    found = [base]
    children: list[type[Exception]] = base.__subclasses__()
    for child in children:
        found += _subclasses(child)
    return found


class _Relay:
    """One question on its way: submitted, waited for, relayed, given up."""

    def __init__(self, settings: Settings, question: Question) -> None:
        self._settings = settings
        self._question = question
        self._deadline = time.monotonic() + settings.query_timeout_s
        self._worker: str | None = None
        self._relayed = 0
        self._doing = ""
        self._resubmitted = False
        self._began = time.perf_counter()
        self._outcome = "left"  # whoever asked went away

    def submit(self) -> None:
        """Make the stream, then send the message that wakes a worker."""
        question_id = secrets.token_hex(12)
        try:
            self._stream = QuestionReader(events_client(self._settings), question_id)
            self._stream.open()
            self._graph = graph_id(self._settings)
            publish(
                self._settings,
                ANSWER_QUESTION,
                (question_id, self._question.model_dump_json(), carried()),
                QUERY,
            )
        except (RedisError, OperationalError, OSError) as error:
            raise _broker_lost(error) from error
        self._submitted = self._heard = time.monotonic()
        self._worker = None

    def events(self) -> Iterator[AskEvent | None]:
        """Yield the events, and None where none came; whatever ends this, the worker is told."""
        kept = time.monotonic()
        try:
            while True:
                entries = self._stream.read()
                for name, data in entries:
                    if name == SUBMITTED:
                        continue
                    if name == TAKEN:
                        self._worker = data["worker"]
                        self._heard = time.monotonic()
                        continue
                    self._relayed += name not in TOLD
                    self._doing = data["text"] if name == "progress" else ""
                    last = name in LAST_EVENTS or (name == "evidence" and not self._question.answer)
                    self._outcome = name if last else self._outcome
                    yield AskEvent.model_validate({"event": name, "data": data})
                    if last:
                        return
                now = time.monotonic()
                if now - kept > KEEP_ALIVE_S or not entries:
                    kept = now
                    if not self._stream.keep_alive():
                        self._again("The broker lost the question.")
                if now > self._deadline:
                    raise self._late()
                if not entries:
                    self._check_worker(now)
                    yield None
        except (RedisError, OSError) as error:
            self._outcome = "error"
            raise _broker_lost(error) from error
        except WorkerUnavailable:
            self._outcome = "error"
            raise
        finally:
            took = time.perf_counter() - self._began
            QUESTION_SECONDS.labels(self._outcome).observe(took)
            self._close()

    def _check_worker(self, now: float) -> None:
        if self._worker is not None:
            lives = worker_lives(self._settings, self._worker)
            if lives:
                self._heard = now
            elif lives is False or now - self._heard > SILENCE_S:
                self._again("The worker died while it answered.")
        elif now - self._submitted > self._settings.query_wait_s:
            workers = queue_pulses(self._settings, QUERY)
            if graph_id(self._settings) != self._graph:
                self._again("The database is another one than when the question came.")
            elif not workers:
                raise WorkerUnavailable(
                    f"No worker took the question within {self._settings.query_wait_s:g} s.",
                    remedy="`clew status` shows whether the query worker runs; `clew up` starts "
                    "it.",
                )

    def _again(self, reason: str) -> None:
        """Submit once more where no evidence was shown yet; raise otherwise."""
        if self._resubmitted or self._relayed:
            raise WorkerUnavailable(reason, remedy="Ask again.")
        log.warning("%s It is submitted again.", reason)
        self._resubmitted = True
        self._close()
        self.submit()

    def _late(self) -> QuestionTimedOut:
        limit = self._settings.query_timeout_s
        if self._worker is None:
            return QuestionTimedOut(
                f"The workers are busy: none took the question within {limit:g} s.",
                remedy="Ask again later, or run more query workers.",
            )
        last = f", the last of them: {self._doing}" if self._doing else ""
        return QuestionTimedOut(
            f"The answer took longer than {limit:g} s{last}.",
            remedy="Raise query_timeout_s, or choose a faster reader. What is made once for a "
            "corpus goes on meanwhile: ask again in a while.",
        )

    def _close(self) -> None:
        try:
            self._stream.close()
        except (RedisError, OSError) as error:
            # then it expires by itself, a minute from now
            log.info("A question's stream could not be removed: %s", error)


def _broker_lost(error: BaseException) -> WorkerUnavailable:
    return WorkerUnavailable(
        f"The broker does not answer: {error}",
        remedy="`clew status` shows whether it runs; `clew up` starts it.",
    )
