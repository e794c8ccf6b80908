"""Whether questions can be answered now: Neo4j, the broker, the workers and their models."""

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from redis.exceptions import RedisError

from clew.errors import CLEW_ERRORS
from clew.jobs.app import GPU, INGEST, QUERY, QUEUES
from clew.jobs.broker import events_client
from clew.jobs.pulse import queue_pulses
from clew.results.corpus import Health, LoadedModel, ServiceHealth
from clew.settings import Settings

if TYPE_CHECKING:
    from clew.resources.resources import Resources

START = "Start it with `clew up`; `clew status` shows what runs."


def check(resources: "Resources") -> Health:
    """Look at every service and return what was seen; never raises."""
    settings = resources.settings
    services = [
        _looked_at("neo4j", lambda: _neo4j(resources)),
        _looked_at("broker", lambda: _broker(settings)),
        _looked_at("query worker", lambda: _worker(settings, QUERY)),
        _looked_at("ingest worker", lambda: _worker(settings, INGEST)),
    ]
    if _gpu_is_apart(settings):
        services.append(_looked_at("gpu worker", lambda: _worker(settings, GPU)))
    return Health(ok=all(service.ok for service in services), services=tuple(services))


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


def _looked_at(name: str, look: Callable[[], tuple[bool, str, dict[str, Any]]]) -> ServiceHealth:
    try:
        ok, detail, held = look()
    except CLEW_ERRORS as error:
        return ServiceHealth(name=name, ok=False, detail=error.message, remedy=error.remedy)
    except (RedisError, OSError) as error:
        return ServiceHealth(name=name, ok=False, detail=str(error), remedy=START)
    return ServiceHealth(name=name, ok=ok, detail=detail, remedy="" if ok else START, **held)


def _neo4j(resources: "Resources") -> tuple[bool, str, dict[str, Any]]:
    from clew_cypher.migrations import VERSION, graph_version

    resources.store.verify()  # a statement is tried for half a minute where nothing answers
    version = graph_version(resources.store)
    detail = f"answers, schema version {version}"
    return version == VERSION, detail, {}


def _broker(settings: Settings) -> tuple[bool, str, dict[str, Any]]:
    events_client(settings).ping()
    return True, "answers", {}


def _gpu_is_apart(settings: Settings) -> bool:
    """Whether trainings are not done by those who ingest: by others, or by nobody."""
    try:
        ingest, gpu = (
            {pulse["worker"] for pulse in queue_pulses(settings, queue)} for queue in (INGEST, GPU)
        )
    except (RedisError, OSError, *CLEW_ERRORS):
        return False  # the other lines say so
    return gpu != ingest


def _worker(settings: Settings, queue: str) -> tuple[bool, str, dict[str, Any]]:
    pulses = queue_pulses(settings, queue)
    if not pulses:
        return False, f"no worker of the queue {queue} lives", {}
    ready = sum(pulse["state"] == "ready" for pulse in pulses)
    if not ready:
        outdated = any(pulse["state"] == "outdated" for pulse in pulses)
        why = "is older than the graph and takes no jobs" if outdated else "is loading its models"
        return False, why, _held(pulses)
    detail = "ready" if len(pulses) == 1 else f"{ready} of {len(pulses)} workers ready"
    busy = sum(pulse["busy"] for pulse in pulses)
    return True, f"{detail}, {busy} at work" if busy else detail, _held(pulses)


def _held(pulses: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the models of the workers, and the memory of all together."""
    models = tuple(LoadedModel(**model) for pulse in pulses for model in pulse["models"])
    return {"models": models, "memory_mib": round(sum(one["memory_mib"] for one in pulses), 1)}
