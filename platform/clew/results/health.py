"""Whether questions can be answered now, service by service."""

from clew.results.result import Result


class LoadedModel(Result):
    """A model that a process holds: ``mib`` of memory on ``device``; when it was used last.

    ``kind``: what ``name`` is one of, without corpus and version.
    """

    name: str
    kind: str
    device: str
    mib: float
    load_seconds: float
    idle_seconds: float


class ServiceHealth(Result):
    """One service: up or not, with what was seen and what to do.

    Of workers also the ``models`` that they hold, and the ``memory_mib`` of their processes.
    """

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    models: tuple[LoadedModel, ...] = ()
    memory_mib: float | None = None


class Health(Result):
    """Whether questions can be answered now, service by service."""

    ok: bool
    services: tuple[ServiceHealth, ...]
