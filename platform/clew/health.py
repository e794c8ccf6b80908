"""Whether questions can be answered now: Neo4j, the broker, the workers and their models."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from redis.exceptions import RedisError

from clew.catalogue import Health, ServiceHealth
from clew.errors import CLEW_ERRORS
from clew.jobs.app import INGEST, QUERY
from clew.jobs.broker import events_client
from clew.jobs.pulse import queue_pulse
from clew.settings import Settings

if TYPE_CHECKING:
    from clew.clew import Clew

START = "Start it with `clew up`; `clew status` shows what runs."


def check(clew: "Clew") -> Health:
    """Look at every service and return what was seen; never raises."""
    settings = clew.settings
    services = (
        _looked_at("neo4j", lambda: _neo4j(clew)),
        _looked_at("broker", lambda: _broker(settings)),
        _looked_at("query worker", lambda: _worker(settings, QUERY)),
        _looked_at("ingest worker", lambda: _worker(settings, INGEST)),
    )
    return Health(ok=all(service.ok for service in services), services=services)


def _looked_at(name: str, look: Callable[[], tuple[bool, str]]) -> ServiceHealth:
    try:
        ok, detail = look()
    except CLEW_ERRORS as error:
        return ServiceHealth(name=name, ok=False, detail=error.message, remedy=error.remedy)
    except (RedisError, OSError) as error:
        return ServiceHealth(name=name, ok=False, detail=str(error), remedy=START)
    return ServiceHealth(name=name, ok=ok, detail=detail, remedy="" if ok else START)


def _neo4j(clew: "Clew") -> tuple[bool, str]:
    clew.store.verify()
    return True, "answers"


def _broker(settings: Settings) -> tuple[bool, str]:
    events_client(settings).ping()
    return True, "answers"


def _worker(settings: Settings, queue: str) -> tuple[bool, str]:
    pulse = queue_pulse(settings, queue)
    if pulse is None:
        return False, f"no worker of the queue {queue} lives"
    if pulse["state"] != "ready":
        return False, "is loading its models"
    return True, f"ready, {pulse['busy']} at work" if pulse["busy"] else "ready"
