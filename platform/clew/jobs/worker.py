"""What a worker process holds: models, store, lanes, pulse, reconciler and ticker.

Celery's signals start and stop it; the tasks reach it through ``current()``. A worker uses the
threads pool: its threads share the models, and no database driver is ever forked.
"""

import logging
import os
import signal
import threading
import time
from typing import Any

import psutil
from celery.signals import (
    celeryd_after_setup,
    setup_logging,
    worker_shutdown,
    worker_shutting_down,
)

from clew.answering.asking import load_models, search_once
from clew.errors import CLEW_ERRORS, PlatformError
from clew.jobs.app import QUERY, QUEUES, queue_of
from clew.jobs.broker import graph_id
from clew.jobs.graph_watch import GraphWatch
from clew.jobs.kinds import KINDS, kinds_of
from clew.jobs.lanes import Lanes
from clew.jobs.owner import owner_name
from clew.jobs.periodic import Periodic
from clew.jobs.pulse import Pulse
from clew.jobs.reconciler import Reconciler
from clew.jobs.runner import Runner
from clew.jobs.submit import wake
from clew.jobs.ticker import Ticker
from clew.jobs.title_links import TitleLinker
from clew.jobs.webhooks import Deliverer
from clew.resources.resources import Resources
from clew.resources.runtime_state import graph_is_starting, is_starting
from clew.settings import Settings
from clew.telemetry.logs import configure_logs
from clew.telemetry.traces import configure_traces
from clew_cypher.jobs.ledger import Job
from clew_cypher.migrations import check_graph
from clew_models.memory import few_arenas

log = logging.getLogger(__name__)

POLL_S = 0.1
LATER_S = 60.0
"""So long, at most, a worker leaves for later what need not be done while others start."""


def open_resources(settings: Settings) -> Resources:
    """Return what the worker's questions and jobs use."""
    return Resources(settings)


def _end_this_process() -> None:
    """End as at any other stop; whoever keeps workers running starts another one."""
    os.kill(os.getpid(), signal.SIGTERM)


class Worker:
    """A worker of some queues with ``threads`` threads; see the module."""

    def __init__(self, settings: Settings, queues: set[str], threads: int) -> None:
        self.settings = settings
        self.queues = queues
        self.name = owner_name()
        self.resources = open_resources(settings)
        self.stopping = False
        self._over = threading.Event()
        self._state = "loading"
        self._questions = 0
        self._lock = threading.Lock()
        self._later = threading.Thread(target=self._begin_later, name="later", daemon=True)
        kinds = kinds_of(queues)
        self._runner = Runner(self.resources.store, settings, self.name, lambda: self.stopping)
        self._graph = GraphWatch(self.resources.store, _end_this_process)
        self.lanes = Lanes(
            self.resources.store,
            settings,
            kinds,
            limit=max(1, threads - 1),
            run=self._run,
            fits=self._graph.fits,
            stopping=lambda: self.stopping,
        )
        self._pulse = Pulse(settings, self.name, sorted(queues), self._describe)
        self._watchers: list[Periodic] = [self._graph]
        if kinds:
            self._watchers += [
                Reconciler(
                    self.resources.store, settings, kinds, lambda *job: wake(settings, *job)
                ),
                Ticker(self.resources.store, settings, lambda *job: wake(settings, *job)),
                Deliverer(self.resources.store, settings),
                TitleLinker(self.resources.store),
            ]

    def start(self) -> None:
        """Begin to tell that it lives, load what questions need, and watch the ledger."""
        self._pulse.start()
        if QUERY in self.queues:
            load_models(self.resources)
        self._await_graph()
        self.resources.store.verify()
        check_graph(self.resources.store)
        if QUERY in self.queues:
            self.resources.prepare_graph(link_titles=False)
        self._state = "ready"
        self._later.start()

    def _begin_later(self) -> None:
        """Begin what `clew up` need not wait for: what a Neo4j that has just started is asked first
        takes the processor from what starts beside.
        """
        deadline = time.monotonic() + LATER_S
        while is_starting(self.settings.home) and time.monotonic() < deadline:
            if self._over.wait(POLL_S):
                return
        if QUERY in self.queues:
            self._search_once()
        for watcher in self._watchers:
            if self.stopping:
                return
            watcher.start()

    def _search_once(self) -> None:
        """Search before anybody does: a Neo4j that has just started takes seconds for its first."""
        try:
            search_once(self.resources)
        except Exception as error:  # who asks is told; nobody did
            log.warning("Nothing could be searched at the start. %s", error)

    def _await_graph(self) -> None:
        """Wait while the Neo4j that a runtime starts beside this worker is not ready, or upgraded.

        The runtime ends this process where that fails. Without one, Neo4j is somebody else's.
        """
        while graph_is_starting(self.settings.home) and not self.stopping:
            time.sleep(POLL_S)

    def stop(self) -> None:
        """End what ``start`` began and close the connections."""
        self.stopping = True
        self._over.set()
        if self._later.ident is not None:
            self._later.join()
        for watcher in self._watchers:
            watcher.stop()
        self._pulse.stop()
        self.resources.close()

    @property
    def outdated(self) -> bool:
        """Whether a newer Clew brought the graph to its schema: nothing more is begun."""
        return self._graph.outdated

    def question(self, change: int) -> None:
        """Count the questions that are being answered."""
        with self._lock:
            self._questions += change

    def _describe(self) -> dict[str, Any]:
        return {
            "state": "outdated" if self.outdated else self._state,
            "busy": self.lanes.busy + self._questions,
            "models": [model.model_dump() for model in self.resources.models.report()],
            "memory_mib": round(psutil.Process().memory_info().rss / 2**20, 1),
        }

    def _run(self, job: Job) -> None:
        kind = KINDS[job.kind]
        self._runner.run(job.id, lambda run: kind.work(self.resources, run))


_current: Worker | None = None


def current() -> Worker:
    """Return this process' worker. Raises PlatformError where there is none."""
    if _current is None:
        raise PlatformError(
            "This process is no Clew worker.",
            remedy="Start one: python -m celery -A clew.jobs.app worker -Q query -P threads",
        )
    return _current


@setup_logging.connect
def _write_logs(loglevel: Any = logging.INFO, **_: Any) -> None:
    try:
        settings = Settings.load()
    except CLEW_ERRORS:
        settings = Settings.model_construct(log_format="text")  # `_start` says what is wrong
    configure_logs(settings, loglevel)


@celeryd_after_setup.connect
def _start(instance: Any, **_: Any) -> None:
    global _current
    os.umask(0o077)
    few_arenas()
    queues = set(instance.app.amqp.queues.consume_from)
    try:
        settings = Settings.load()
        configure_traces(settings, "clew-worker")
        _current = Worker(settings, queues, instance.concurrency)
        _current.start()
        graph = graph_id(settings)
        instance.app.amqp.queues = [queue_of(graph, name) for name in QUEUES]
        instance.app.amqp.queues.select(queues)
    except CLEW_ERRORS as error:
        log.error("The worker cannot start. %s", error)
        raise SystemExit(error.exit_code) from error
    except Exception as error:  # celery would swallow it and run a worker without models
        log.exception("The worker cannot start.")
        raise SystemExit(1) from error


@worker_shutting_down.connect
def _shutting_down(**_: Any) -> None:
    # called inside a signal handler: set a flag and nothing else
    if _current is not None:
        _current.stopping = True


@worker_shutdown.connect
def _stop(**_: Any) -> None:
    if _current is not None:
        _current.stop()
