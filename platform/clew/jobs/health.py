"""Whether questions can be answered now: Neo4j, the broker, the workers and their models."""

import contextlib
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from redis.exceptions import RedisError

from clew.errors import CLEW_ERRORS
from clew.jobs.app import GPU, INGEST, QUERY, QUEUES
from clew.jobs.broker import events_client
from clew.jobs.pulse import queue_pulses
from clew.results.health import Health, LoadedModel, ServiceHealth
from clew.settings import Settings

if TYPE_CHECKING:
    from clew.resources.resources import Resources

T = TypeVar("T")
Seen = tuple[bool, str, dict[str, Any]]
"""Whether a service is well, in words, and what it holds."""
Pulse = dict[str, Any]
"""The last word of a worker."""
Look = Callable[[], Seen | None]
"""Looks at a service; None: there need not be one."""

START = "Start it with `clew up`; `clew status` shows what runs."
ANSWER_S = 5.0
"""So long, at most, who looks how things are waits for each. A Neo4j that is stopped, or swaps,
takes connections and says nothing, for which its driver waits for minutes."""


def check(resources: "Resources") -> Health:
    """Look at every service, at all of them at once, and return what was seen; never raises."""
    settings = resources.settings
    neo4j, broker = Awaited(partial(_neo4j, resources)), Awaited(partial(_broker, settings))
    heard = {queue: Awaited(partial(queue_pulses, settings, queue)) for queue in QUEUES}
    looks: dict[str, Look] = {
        "neo4j": neo4j.get,
        "broker": broker.get,
        "query worker": lambda: _worker(QUERY, heard[QUERY].get()),
        "ingest worker": lambda: _worker(INGEST, heard[INGEST].get()),
        "gpu worker": lambda: _worker(GPU, heard[GPU].get()) if _gpu_is_apart(heard) else None,
    }
    seen = (_looked_at(name, look) for name, look in looks.items())
    services = tuple(service for service in seen if service is not None)
    return Health(ok=all(service.ok for service in services), services=services)


def held_models(settings: Settings) -> dict[str, ServiceHealth]:
    """Return, by queue, what its workers hold: each worker once, at the first of its queues, and
    nothing of queues without a worker that lives.
    """
    found = {}
    told: set[str] = set()
    for queue in QUEUES:
        with contextlib.suppress(RedisError, OSError, *CLEW_ERRORS):
            pulses = [one for one in queue_pulses(settings, queue) if one["worker"] not in told]
            told |= {one["worker"] for one in pulses}
            if pulses:
                found[queue] = ServiceHealth(name=queue, ok=True, detail="", **_held(pulses))
    return found


class Awaited(Generic[T]):
    """What somebody is asked, from now on, unless it takes longer than ANSWER_S."""

    def __init__(self, ask: Callable[[], T]) -> None:
        self._until = time.monotonic() + ANSWER_S
        self._given: Future[T] = Future()
        threading.Thread(target=self._run, args=(ask,), name="health", daemon=True).start()

    def get(self) -> T:
        """Return it, or raise what was raised; TimeoutError where it took too long."""
        wait((self._given,), max(0.0, self._until - time.monotonic()))
        if not self._given.done():
            raise TimeoutError(f"No answer within {ANSWER_S:g} s.")
        return self._given.result()

    def _run(self, ask: Callable[[], T]) -> None:
        try:
            self._given.set_result(ask())
        except Exception as error:
            self._given.set_exception(error)


def _looked_at(name: str, look: Look) -> ServiceHealth | None:
    try:
        seen = look()
        if seen is None:
            return None
        ok, detail, held = seen
    except CLEW_ERRORS as error:
        return ServiceHealth(name=name, ok=False, detail=error.message, remedy=error.remedy)
    except (RedisError, OSError) as error:
        return ServiceHealth(name=name, ok=False, detail=str(error), remedy=START)
    return ServiceHealth(name=name, ok=ok, detail=detail, remedy="" if ok else START, **held)


def _neo4j(resources: "Resources") -> Seen:
    from clew_cypher.migrations import VERSION, graph_version

    resources.store.verify()  # a statement is tried for half a minute where nothing answers
    version = graph_version(resources.store)
    detail = f"answers, schema version {version}"
    return version == VERSION, detail, {}


def _broker(settings: Settings) -> Seen:
    events_client(settings).ping()
    return True, "answers", {}


def _gpu_is_apart(heard: Mapping[str, "Awaited[list[Pulse]]"]) -> bool:
    """Whether trainings are not done by those who ingest: by others, or by nobody."""
    try:
        ingest, gpu = ({pulse["worker"] for pulse in heard[queue].get()} for queue in (INGEST, GPU))
    except (RedisError, OSError, *CLEW_ERRORS):
        return False  # the other lines say so
    return gpu != ingest


def _worker(queue: str, pulses: list[Pulse]) -> Seen:
    if not pulses:
        return False, f"no worker of the queue {queue} lives", {}
    ready = sum(pulse["state"] == "ready" for pulse in pulses)
    if not ready:
        outdated = any(pulse["state"] == "outdated" for pulse in pulses)
        why = "is older than the graph and does nothing" if outdated else "is loading its models"
        return False, why, _held(pulses)
    detail = "ready" if len(pulses) == 1 else f"{ready} of {len(pulses)} workers ready"
    busy = sum(pulse["busy"] for pulse in pulses)
    return True, f"{detail}, {busy} at work" if busy else detail, _held(pulses)


def _held(pulses: list[Pulse]) -> dict[str, Any]:
    """Return the models of the workers, and the memory of all together."""
    models = tuple(LoadedModel(**model) for pulse in pulses for model in pulse["models"])
    return {"models": models, "memory_mib": round(sum(one["memory_mib"] for one in pulses), 1)}
