"""The database without the rest, for what is done while Clew does not run."""

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import SecretStr

from clew.errors import ServiceFailed
from clew.resources.runtime_state import live_state, make_private, supervisor_lock
from clew.runtime.control import OnStep, Step, fetch_jars
from clew.runtime.services import Neo4jService
from clew.settings import Settings


@contextmanager
def graph_alone(settings: Settings, report: OnStep) -> Iterator[Settings]:
    """Yield settings under which the database answers: one that runs, else one started for this.

    The latter is stopped again at the end, and `clew up` waits for that. Raises as ``up``.
    """
    if settings.neo4j_uri is not None or live_state(settings.home) is not None:
        yield settings
        return
    make_private(settings.home)
    with supervisor_lock(settings.home) as mine:
        if not mine:
            raise ServiceFailed(
                f"Clew is just starting or stopping in {settings.home}, or a backup is made.",
                remedy="Wait a moment, then try again.",
            )
        fetch_jars(settings, report)
        service = Neo4jService(settings)
        report(Step(service.name, service.title, "starting"))
        with service.server as server:
            report(Step(service.name, service.title, "healthy"))
            config = server.config
            yield settings.changed(
                neo4j_uri=config.uri,
                neo4j_username=config.username,
                neo4j_password=SecretStr(config.password),
                neo4j_database=config.database,
            )
