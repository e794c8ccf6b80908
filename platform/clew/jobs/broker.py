"""Where the broker and the event streams are, and the clients that speak to them."""

import logging
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from clew.errors import InvalidSetting
from clew.settings import Settings
from clew_cypher.errors import GraphUnavailable

if TYPE_CHECKING:
    from clew_cypher.store import Neo4jConfig

log = logging.getLogger(__name__)

GRAPH_LOOK_S = 5.0
"""So often, at most, it is looked whether the database is another one, so long in all."""
SOCKET_TIMEOUT_S = 10
"""A call that blocks in the server must block for less than this."""
REDIS_SCHEMES = ("redis://", "rediss://", "unix://")
VALKEY_SCHEMES = {"valkey": "redis", "valkeys": "rediss"}
"""Valkey's names of the same protocol, which neither kombu nor the client knows."""


def broker_url(settings: Settings) -> str:
    """Return the broker's URL: the setting, else the one of the running local runtime.

    Raises RuntimeNotRunning where there is neither.
    """
    return _resolved(settings)[0]


def events_url(settings: Settings) -> str:
    """Return the URL of the Redis or Valkey that carries events: the setting, else the broker's.

    Raises InvalidSetting where the broker is neither, and RuntimeNotRunning as ``broker_url``.
    """
    url = _resolved(settings)[1]
    if not url.startswith(REDIS_SCHEMES):
        raise InvalidSetting(
            f"A {url.split('://')[0]} broker cannot carry the events of a question.",
            remedy="Set events_url to a Redis or Valkey, such as redis://host:6379/0.",
        )
    return url


def events_client(settings: Settings) -> Redis:
    """Return the shared, thread-safe client of the event streams."""
    return _client(events_url(settings))


def graph_id(settings: Settings) -> str:
    """Return what tells the graph of these settings from others: queues are one graph's, so that
    several Clews may share a broker. The database is asked once a process, and again by
    ``look_at_graph``.

    Raises GraphUnavailable, and RuntimeNotRunning as ``broker_url``.
    """
    from clew.resources.connecting import connection

    config = connection(settings).neo4j
    if config not in _GRAPHS:
        _GRAPHS[config] = _read_graph_id(config)
    return _GRAPHS[config]


def look_at_graph(settings: Settings) -> None:
    """Look whether there is another database at the address by now, where nobody works for the one
    that there was; ``graph_id`` is that one's from then on. Raises RuntimeNotRunning.
    """
    from clew.resources.connecting import connection

    config = connection(settings).neo4j
    now, before = time.monotonic(), _GRAPHS.get(config)
    if before is None or now - _LOOKED.get(config, -GRAPH_LOOK_S) < GRAPH_LOOK_S:
        return
    _LOOKED[config] = now
    try:
        _GRAPHS[config] = _read_graph_id(config, patience_s=GRAPH_LOOK_S)
    except GraphUnavailable:
        return
    if _GRAPHS[config] != before:
        log.warning("There is another database at %s than before.", config.uri)


def _resolved(settings: Settings) -> tuple[str, str]:
    """Return the URLs of the broker and of what carries events."""
    from clew.resources.connecting import connection, external_events

    if settings.broker_url is None:
        found = connection(settings)
        broker, events = found.broker_url, found.events_url
    else:
        broker = settings.broker_url
        events = external_events(settings) or broker
    return _as_redis(broker.get_secret_value()), _as_redis(events.get_secret_value())


def _as_redis(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{VALKEY_SCHEMES.get(scheme, scheme)}://{rest}" if rest else url


_GRAPHS: "dict[Neo4jConfig, str]" = {}
_LOOKED: "dict[Neo4jConfig, float]" = {}


def _read_graph_id(config: "Neo4jConfig", patience_s: float | None = None) -> str:
    from clew_cypher.store import GraphStore

    with GraphStore(config, patience_s=patience_s) as store:
        if patience_s is not None:
            store.verify()  # a statement is tried for half a minute where nothing answers
        found: str = store.read("graph_id")[0]["id"]  # a hash of 64 digits
    return found[:16].lower()


@lru_cache(maxsize=16)
def _client(url: str) -> Any:
    # A broker that restarts is back within seconds: its clients wait for it a moment.
    return Redis.from_url(
        url,
        decode_responses=True,
        socket_connect_timeout=3,
        socket_timeout=SOCKET_TIMEOUT_S,
        health_check_interval=30,
        retry=Retry(ExponentialBackoff(cap=1.0, base=0.05), 5),
        retry_on_error=[RedisConnectionError, RedisTimeoutError],
    )
