"""The tasks that Celery knows: each validates, calls one thing, and returns nothing."""

import logging
import time

from redis.exceptions import RedisError

from clew.answering.asking import ask_events
from clew.errors import code_of
from clew.jobs.app import ANSWER_QUESTION, CANARY, QUERY, RUN_JOB, app, publish
from clew.jobs.broker import events_client
from clew.jobs.events import LAST_EVENTS, QuestionWriter
from clew.jobs.pulse import CANARY_EXPIRES_S, canary_key, queue_pulses
from clew.jobs.questions import Question
from clew.jobs.worker import Worker, current
from clew.results.evidence import AskEvent
from clew.telemetry.request import within
from clew.telemetry.traces import span
from clew_cypher.errors import GraphIsNewer
from clew_cypher.migrations import check_graph

log = logging.getLogger(__name__)

HAND_ON_S = 0.2
"""From a question that is for another worker until it is in the queue again."""


# acknowledged at once: whoever has the job stands in the ledger, and a message that waited for its
# end would have RabbitMQ end the worker after half an hour (its consumer_timeout)
@app.task(name=RUN_JOB, acks_late=False)
def run_job(job_id: str) -> None:
    """Wake up: ``job_id`` or another job is due. What to do stands in the ledger."""
    current().lanes.work()


@app.task(name=ANSWER_QUESTION)
def answer_question(
    question_id: str, request_json: str, request: dict[str, str] | None = None
) -> None:
    """Answer a question on its stream of events, as long as somebody reads it.

    ``request``: what was `carried` from the one who asks.
    """
    worker = current()
    stream = QuestionWriter(events_client(worker.settings), question_id)
    worker.question(+1)
    began = time.perf_counter()
    with within(request):
        try:
            if worker.outdated and _handed_on(worker, question_id, request_json, request):
                return
            if stream.take(worker.name):
                with span("answer a question", question=question_id):
                    _answer(worker, stream, request_json)
                took = time.perf_counter() - began
                log.info("Question %s is over after %.3f s.", question_id, took)
        except RedisError as error:
            log.warning("Question %s lost its stream: %s", question_id, error)
        finally:
            worker.question(-1)


@app.task(name=CANARY)
def canary(token: str) -> None:
    """Come back: this worker takes tasks and finishes them."""
    client = events_client(current().settings)
    client.rpush(canary_key(token), "1")
    client.expire(canary_key(token), CANARY_EXPIRES_S)


def _handed_on(
    worker: Worker, question_id: str, request_json: str, request: dict[str, str] | None
) -> bool:
    """Give a question back to the queue; False where no worker of that graph's Clew is ready."""
    if not any(one["state"] == "ready" for one in queue_pulses(worker.settings, QUERY)):
        return False
    time.sleep(HAND_ON_S)  # it may come back here
    publish(worker.settings, ANSWER_QUESTION, (question_id, request_json, request), QUERY)
    return True


def _answer(worker: Worker, stream: QuestionWriter, request_json: str) -> None:
    try:
        question = Question.model_validate_json(request_json)
        if worker.outdated:
            check_graph(worker.resources.store)
        before: AskEvent | None = None
        events = ask_events(
            worker.resources,
            question.question,
            corpus=question.corpus,
            strategy=question.strategy,
            k=question.k,
            reader=question.reader,
            answer=question.answer,
            documents=question.documents,
            history=question.history,
            repeat=True,
        )
        try:
            for event in events:
                lasts = event.event == "progress" and event == before
                if not (stream.is_read() if lasts else stream.add(event)):
                    return
                before = event
        finally:
            close = getattr(events, "close", None)
            if close is not None:
                close()
        last = before.event if before else None
        if last not in LAST_EVENTS and not (last == "evidence" and not question.answer):
            raise RuntimeError("the stream ended without an answer")
    except RedisError:
        raise
    except GraphIsNewer as error:
        data = {
            "code": code_of(error),
            "message": error.message,
            "remedy": error.remedy,
            "http_status": error.http_status,
        }
        stream.add(AskEvent(event="error", data=data))
    except Exception as error:
        log.exception("A question failed.")
        stream.add(
            AskEvent(
                event="error",
                data={
                    "code": "internal_error",
                    "message": f"An unexpected error ({type(error).__name__}) ended the answer.",
                    "remedy": "The log of the query worker says more; please report it.",
                    "http_status": 500,
                },
            )
        )
