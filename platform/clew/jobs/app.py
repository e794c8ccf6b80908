"""The Celery application: ``python -m celery -A clew.jobs.app worker -Q query -P threads -c 4``.

The broker is only a wake-up: what is to be done stands in the job ledger in Neo4j, and a question
is alive only as long as somebody reads its events. So no result backend is needed, and a broker
that loses everything costs time, never work. Several Clews may share a broker: its queues are one
graph's.
"""

from functools import lru_cache
from typing import Any

from celery import Celery
from kombu import Exchange, Queue
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from clew.jobs.broker import broker_url, graph_id
from clew.settings import Settings

QUERY, INGEST, GPU = "query", "ingest", "gpu"
QUEUES = (QUERY, INGEST, GPU)

RUN_JOB, ANSWER_QUESTION, CANARY = "clew.run_job", "clew.answer_question", "clew.canary"

VISIBILITY_TIMEOUT_S = 3600
"""After this an unacknowledged message is delivered again; no question lives so long, and the
message of a job is acknowledged as its worker wakes up."""

PUBLISH_RETRY = {
    "max_retries": 3,
    "interval_start": 0.05,
    "interval_step": 0.2,
    "interval_max": 0.5,
}


def options(settings: Settings) -> dict[str, Any]:
    """Return Celery's configuration for these settings."""
    url = broker_url(settings)
    transport: dict[str, Any] = {}
    if not url.startswith("amqp"):
        transport = {
            "visibility_timeout": VISIBILITY_TIMEOUT_S,
            # kombu's defaults give abandoned messages back only after about 100 s
            "unacked_restore_interval": 5,
            "unacked_restore_throttle": 1,
            "socket_connect_timeout": 3,
            "socket_keepalive": True,
            "health_check_interval": 25,
        }
    return {
        "broker_url": url,
        "broker_transport_options": transport,
        "broker_connection_retry_on_startup": True,
        "broker_connection_max_retries": None,
        "broker_pool_limit": 20,
        "result_backend": None,
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "worker_prefetch_multiplier": 1,
        "task_serializer": "json",
        "result_serializer": "json",
        "accept_content": ["json"],
        # what `-Q` may name; a worker takes from the queue_of each once it knows its graph
        "task_queues": tuple(Queue(name) for name in QUEUES),
        "task_default_queue": INGEST,
        "task_create_missing_queues": False,
        "task_publish_retry_policy": PUBLISH_RETRY,
        "worker_soft_shutdown_timeout": 20.0,
        "worker_cancel_long_running_tasks_on_connection_loss": False,
        "worker_send_task_events": False,
        "worker_hijack_root_logger": True,
        "enable_utc": True,
        "include": ["clew.jobs.tasks"],
    }


def make_app(settings: Settings | None = None) -> Celery:
    """Return an application; without settings they are loaded when first needed."""
    made = Celery("clew", set_as_current=settings is None)
    made.add_defaults(lambda: options(settings or Settings.load()))
    return made


@lru_cache(maxsize=16)
def _publisher(url: str, settings: Settings) -> Celery:
    return make_app(settings)


def queue_of(graph: str, name: str) -> Queue:
    """Return a graph's own queue of that name, as the broker has it."""
    own = f"clew.{graph}.{name}"
    return Queue(own, Exchange(own), routing_key=own, alias=name)


def publish(settings: Settings, task: str, args: tuple[Any, ...], queue: str) -> None:
    """Send a message to a queue. Raises kombu's OperationalError if the broker is not there, and as
    ``graph_id``.
    """
    own = queue_of(graph_id(settings), queue)
    _publisher(broker_url(settings), settings).send_task(task, args=args, queue=own)


def tasks_begun(app: Celery, node: str, timeout_s: float) -> int | None:
    """Return how many tasks the worker of that name has begun; None where it does not answer.

    One whose threads are all at work answers too, and the number tells whether it gets on.
    """
    try:
        replies = app.control.broadcast(
            "stats", reply=True, destination=[node], timeout=timeout_s, limit=1
        )
    except (OSError, KombuError, RedisError):
        return None
    return sum(replies[0][node].get("total", {}).values()) if replies else None


app = make_app()
