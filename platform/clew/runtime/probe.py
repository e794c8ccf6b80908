"""Health checks for containers: ``python -m clew.runtime.probe web|query|ingest|gpu``.

``web`` asks the web server of this container, a queue's name sends a task through that queue and
waits until it comes back; where it waits behind others, the worker of this container must have
begun one since that was asked last, and while Neo4j is away, whose the queue is, it must listen.
Ends with status 0 where all is well, else 1 and the reason.
"""

import sys
import urllib.request

from clew.errors import CLEW_ERRORS, WorkerUnavailable
from clew.settings import Settings
from clew_cypher.errors import GraphUnavailable

DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Asks what runs on this machine itself, whatever proxy the environment names."""
TIMEOUT_S = 20.0
STATS_S = 3.0
KEPT_S = 600


def probe(what: str, settings: Settings) -> str:
    """Return what was found; raises an error of Clew or an OSError where it is not well."""
    if what == "web":
        address = f"http://127.0.0.1:{settings.web_port}/health"
        with DIRECT.open(address, timeout=TIMEOUT_S) as response:
            return f"{address} answered {response.status}"
    from clew.jobs.pulse import ping

    try:
        return f"a task came back after {ping(settings, what, TIMEOUT_S):.3f} s"
    except GraphUnavailable:
        if _begun(settings) is None:
            raise
        return "it listens, and the graph is away"
    except WorkerUnavailable:
        if not _gets_on(settings):
            raise
        return "tasks wait, and others are done meanwhile"


def _gets_on(settings: Settings) -> bool:
    """Whether the worker of this container has begun a task since this was asked last."""
    from clew.jobs.broker import events_client

    begun = _begun(settings)
    if begun is None:
        return False
    key = f"clew:probe:{_node()}"
    return events_client(settings).set(key, begun, ex=KEPT_S, get=True) != str(begun)


def _begun(settings: Settings) -> int | None:
    """Return how many tasks the worker of this container has begun; None where it is silent."""
    from clew.jobs.app import make_app, tasks_begun

    return tasks_begun(make_app(settings), _node(), STATS_S)


def _node() -> str:
    from celery.utils.nodenames import default_nodename

    name: str = default_nodename(None)
    return name


def main() -> int:
    """Check what the command line names."""
    try:
        sys.stdout.write(probe(sys.argv[1], Settings.load()) + "\n")
    except (*CLEW_ERRORS, OSError) as error:
        sys.stdout.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
