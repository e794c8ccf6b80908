"""What a run was measured on and with: memory, disk, machine, versions, settings."""

import os
import platform
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
from pydantic import SecretStr

from clew.evaluation.run import MemoryRecord
from clew.resources import versions as trained_ones
from clew.settings import Settings, all_settings
from clew.settings.loopback import is_loopback
from clew.strategies.catalogue import STRATEGIES, trainable
from clew.strategies.iterative.spec import stepwise
from clew_cypher.store import GraphStore

SAMPLE_S = 0.1
"""Time between two looks at the memory; a look takes some 20 microseconds."""
CHILDREN_EVERY = 10
"""Looks between two that take the child processes in: finding them takes milliseconds."""
MIB = 2**20
PACKAGES = ("clew", "neo4j", "graphdatascience", "spacy", "onnxruntime", "torch", "numpy", "scipy")
RECORDED = ("embedder", "parser", "chunk_tokens", "top_k", "reader", "llm_model")
"""Settings that are recorded whatever their value, beside those of the strategies."""
PLACES = re.compile(
    r"home|cache_dir|.*_(file|port|url|uri|host|token|binary|password|key)|neo4j_.*|web_.*|job_.*"
    r"|query_.*|maven_repository|upload_limit_mib"
)
"""Settings that say where things are and who may use them: they change no figure, and a report is
handed on."""


class MemoryWatch:
    """Watches how much memory this process with its children, and Neo4j, hold. Use ``watching``.

    ``neo4j``: the process of the server, None where it is not on this machine.
    """

    def __init__(self, neo4j: psutil.Process | None) -> None:
        self._neo4j = neo4j
        self._own = psutil.Process()
        self._over = threading.Event()
        self._label: str | None = None
        self._peak = 0
        self._neo4j_peak = 0
        self._strategies: dict[str, int] = {}

    @contextmanager
    def watching(self) -> Iterator["MemoryWatch"]:
        """Look at the memory while the block runs."""
        thread = threading.Thread(target=self._watch, name="memory-watch", daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._over.set()
            thread.join()

    @contextmanager
    def strategy(self, name: str) -> Iterator[None]:
        """Count what is held while the block runs as the strategy's."""
        self._label = name
        self._note(self._own.memory_info().rss)
        try:
            yield
        finally:
            self._note(self._own.memory_info().rss)
            self._label = None

    def record(self) -> MemoryRecord:
        """Return the highest of what was seen."""
        return MemoryRecord(
            process_mib=round(self._peak / MIB, 1),
            neo4j_mib=None if self._neo4j is None else round(self._neo4j_peak / MIB, 1),
            strategies={
                name: round(peak / MIB, 1) for name, peak in sorted(self._strategies.items())
            },
        )

    def _watch(self) -> None:
        looks = 0
        children: list[psutil.Process] = []
        while True:
            if looks % CHILDREN_EVERY == 0:
                children = self._children()
                if self._neo4j is not None:
                    self._neo4j_peak = max(self._neo4j_peak, _resident([self._neo4j]))
            looks += 1
            own = _resident([self._own])
            self._note(own)
            self._peak = max(self._peak, own + _resident(children))
            if self._over.wait(SAMPLE_S):
                return

    def _note(self, held: int) -> None:
        label = self._label
        self._peak = max(self._peak, held)
        if label is not None:
            self._strategies[label] = max(self._strategies.get(label, 0), held)

    def _children(self) -> list[psutil.Process]:
        found = self._own.children(recursive=True)
        if self._neo4j is None:
            return found
        # a Neo4j that this process started itself is counted apart
        return [child for child in found if child.pid != self._neo4j.pid]


def _resident(processes: Iterable[psutil.Process]) -> int:
    held = 0
    for process in processes:
        try:
            held += process.memory_info().rss
        except psutil.Error:
            continue  # it has ended since
    return held


def neo4j_process(uri: str) -> psutil.Process | None:
    """Return the process that serves ``uri``; None where it is not ours on this machine."""
    parts = urlsplit(uri)
    if not is_loopback(parts.hostname or ""):
        return None
    port = parts.port or 7687
    try:
        sockets = psutil.net_connections(kind="tcp")
    except (psutil.Error, OSError):
        return None
    for socket in sockets:
        listens = socket.status == psutil.CONN_LISTEN and tuple(socket.laddr)[1:2] == (port,)
        if listens and socket.pid:
            return psutil.Process(socket.pid)
    return None


def database_bytes(process: psutil.Process | None) -> int | None:
    """Return the size on disk of an embedded Neo4j's data; None where it is not to be seen."""
    if process is None:
        return None
    try:
        arguments = process.cmdline()
    except psutil.Error:
        return None
    homes = [a.partition("=")[2] for a in arguments if a.startswith("--home-dir=")]
    if not homes or not (Path(homes[0]) / "data").is_dir():
        return None
    total = 0
    for folder, _, names in os.walk(Path(homes[0]) / "data"):
        for name in names:
            try:
                total += (Path(folder) / name).stat().st_blocks * 512
            except OSError:
                continue  # it was removed since
    return total


def machine() -> dict[str, Any]:
    """Return what this process runs on."""
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "load_average": round(os.getloadavg()[0], 1),
        "system": f"{platform.system()} {platform.machine()}",
    }


def versions(store: GraphStore) -> dict[str, str]:
    """Return the versions of what computed the figures."""
    kernel = store.read("server_version")[0]
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "neo4j-server": f"{kernel['version']} {kernel['edition']}",
        "gds": store.read("gds_version")[0]["version"],
    }


def trained_versions(settings: Settings, corpus: str) -> dict[str, str]:
    """Return method → the version that was trained here and serves the corpus, of those that have
    one: what comes with a method is told by the version of Clew."""
    found: dict[str, str] = {}
    for learner in trainable():
        if all(one.shipped for one in trained_ones.versions(settings, learner.name)):
            continue  # most have none, and what a training imports is not light
        base = learner.trained_by().base_model(settings)
        serves = trained_ones.serving(settings, learner.name, corpus, base)
        if serves is not None and not serves.shipped:
            found[learner.name] = serves.model.version
    return found


def recorded_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings that figures depend on, and others that are not the default.

    Neither secrets nor addresses and directories.
    """
    of_strategies = (name for spec in STRATEGIES for name in stepwise(spec).settings)
    always = {*RECORDED, *of_strategies}
    found: dict[str, Any] = {}
    for name, field in all_settings().items():
        value = settings.value(name)
        unchanged = name not in always and value == field.default
        if unchanged or PLACES.fullmatch(name) or isinstance(value, SecretStr):
            continue
        found[name] = str(value) if isinstance(value, Path) else value
    return found


def cpu_model() -> str:
    """Return what the processor calls itself, as figures of time depend on it."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
