"""Whether workers live: each says so every two seconds, and answers a canary when asked.

The pulse tells a worker that loads its models from none at all, and a question whose worker died
from one that takes long. That work really gets done is what the canary shows.
"""

import json
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Any

from kombu.exceptions import OperationalError
from redis import Redis
from redis.exceptions import RedisError

from clew.errors import WorkerUnavailable
from clew.jobs.app import CANARY, publish
from clew.jobs.broker import SOCKET_TIMEOUT_S, events_client, graph_id, look_at_graph
from clew.jobs.owner import is_alive
from clew.jobs.periodic import Periodic
from clew.settings import Settings
from clew_cypher.errors import GraphUnavailable

log = logging.getLogger(__name__)

PULSE_S = 2.0
PULSE_EXPIRES_S = 10
CANARY_EXPIRES_S = 60


def queue_key(settings: Settings, queue: str) -> str:
    """Return the key of the set of the workers that take from a graph's queue.

    Raises as ``graph_id``.
    """
    return f"clew:alive:workers:{graph_id(settings)}:{queue}"


def worker_key(worker: str) -> str:
    """Return the key under which one worker says that it lives."""
    return f"clew:alive:worker:{worker}"


def canary_key(token: str) -> str:
    """Return the key of the list on which a canary comes back."""
    return f"clew:canary:{token}"


class Pulse(Periodic):
    """Says that this worker lives, and in what state."""

    name = "pulse"

    def __init__(
        self,
        settings: Settings,
        worker: str,
        queues: Sequence[str],
        state: Callable[[], dict[str, Any]],
    ) -> None:
        super().__init__(PULSE_S)
        self._settings = settings
        self._worker = worker
        self._queues = queues
        self._state = state

    def stop(self) -> None:
        """End, and say so: the worker's own key is removed at once."""
        super().stop()
        try:
            events_client(self._settings).delete(worker_key(self._worker))
        except Exception as error:  # what ends with the worker is ended all the same
            log.info("The last pulse could not be removed: %s", error)

    def failed(self, error: Exception) -> None:
        """Say in the log why nothing was said."""
        if isinstance(error, GraphUnavailable):  # it starts, too: whose worker this is waits for it
            log.info("The pulse waits for the graph: %s", error)
        else:
            log.warning("The pulse could not be sent: %s", error)

    def look(self) -> None:
        """Say so once."""
        value = json.dumps({"worker": self._worker, **self._state()})
        keys = [queue_key(self._settings, queue) for queue in self._queues]
        with events_client(self._settings).pipeline(transaction=False) as pipe:
            pipe.set(worker_key(self._worker), value, ex=PULSE_EXPIRES_S)
            for key in keys:
                pipe.sadd(key, self._worker)
                pipe.expire(key, PULSE_EXPIRES_S)
            pipe.execute()


def queue_pulses(settings: Settings, queue: str) -> list[dict[str, Any]]:
    """Return the last word of each worker of that queue that lives ({worker, state, busy, models,
    memory_mib}), by name."""
    client: Any = events_client(settings)
    key = queue_key(settings, queue)
    workers = sorted(client.smembers(key))
    if not workers:
        look_at_graph(settings)
        return [] if queue_key(settings, queue) == key else queue_pulses(settings, queue)
    values = client.mget([worker_key(worker) for worker in workers])
    silent = [worker for worker, value in zip(workers, values, strict=True) if value is None]
    if silent:  # one that was only late adds itself again
        client.srem(key, *silent)
    return [json.loads(value) for value in values if value is not None]


def worker_lives(settings: Settings, worker: str) -> bool | None:
    """Whether that worker lives, as its process tells where it runs on this machine; elsewhere True
    while its pulse is heard, None where it was not for ten seconds: it may be dead, or busy.
    """
    alive = is_alive(worker)
    if alive is None and events_client(settings).exists(worker_key(worker)):
        return True
    return alive


def ping(settings: Settings, queue: str, timeout_s: float = 10.0) -> float:
    """Send a canary task through a queue and return the seconds until it came back.

    A worker whose threads are all at work answers late. Raises WorkerUnavailable if none did, and
    as ``graph_id``.
    """
    token, started = secrets.token_hex(8), time.perf_counter()
    try:
        publish(settings, CANARY, (token,), queue)
        back = _wait_for(events_client(settings), canary_key(token), started + timeout_s)
    except (OperationalError, RedisError, OSError) as error:
        raise WorkerUnavailable(
            f"The broker does not answer: {error}",
            remedy="`clew status` shows whether it runs; `clew up` starts it.",
        ) from error
    if not back:
        look_at_graph(settings)
        raise WorkerUnavailable(
            f"No worker of the queue {queue!r} answered within {timeout_s:g} s.",
            remedy="`clew status` shows the workers, and their logs say more.",
        )
    return time.perf_counter() - started


def _wait_for(client: Redis, key: str, deadline: float) -> bool:
    """Whether something is pushed to a list before ``deadline`` (of ``perf_counter``)."""
    while (left := deadline - time.perf_counter()) > 0:
        # a block longer than the socket's own timeout would be cut off by it
        if client.blpop([key], timeout=max(0.01, min(left, SOCKET_TIMEOUT_S / 2))):
            return True
    return False
