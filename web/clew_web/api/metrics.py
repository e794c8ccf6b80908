"""GET /metrics: what Prometheus scrapes.

Who may read it: administrators, so a Prometheus sends the access token, or an API key of an
administrator with the scope admin; on loopback without users it is open, as everything is. How many
questions are asked, and how many jobs fail, is nobody else's business, though no corpus is named.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from flask import Response
from flask_openapi3 import APIBlueprint, Tag
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector, CollectorRegistry

from clew.errors import CLEW_ERRORS
from clew.jobs.health import Awaited
from clew.results.health import Health
from clew.telemetry.metrics import REGISTRY
from clew_web.api.responses import SECURITY
from clew_web.backend import Backend, backend
from clew_web.policy import Corpora, allows

api = APIBlueprint("metrics", __name__, abp_tags=[Tag(name="Health")], abp_security=SECURITY)
TEXT: dict[str | int, Any] = {"200": {"content": {"text/plain": {"schema": {"type": "string"}}}}}


@api.get("/metrics", summary="Metrics", responses=TEXT)
@allows("admin", Corpora.NONE)
def metrics() -> Response:
    """What is counted here, the state of each service, and jobs by kind and state, for Prometheus.

    A service that does not answer is 0 in `clew_up`; jobs are left out where Neo4j is away.
    """
    now = CollectorRegistry()
    now.register(_Now(backend()))
    text = generate_latest(REGISTRY) + generate_latest(now)
    return Response(text, content_type=CONTENT_TYPE_LATEST)


class _Now(Collector):
    """What is asked of the database and the broker at each scrape."""

    def __init__(self, behind: Backend) -> None:
        self._behind = behind

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        counts = Awaited(self._behind.facade.job_counts)
        health: Health = self._behind.facade.health()
        up = GaugeMetricFamily("clew_up", "Whether a service answers.", labels=["service"])
        memory = GaugeMetricFamily(
            "clew_worker_memory_bytes", "Resident memory of its workers.", labels=["service"]
        )
        models = GaugeMetricFamily(
            "clew_model_bytes", "Memory of loaded models.", labels=["service", "kind", "device"]
        )
        for service in health.services:
            up.add_metric([service.name], float(service.ok))
            if service.memory_mib is not None:
                memory.add_metric([service.name], service.memory_mib * 2**20)
            taken: defaultdict[tuple[str, str], float] = defaultdict(float)
            for model in service.models:
                taken[model.kind, model.device] += model.mib * 2**20
            for (kind, device), size in taken.items():
                models.add_metric([service.name, kind, device], size)
        yield from (up, memory, models)
        jobs = GaugeMetricFamily("clew_jobs", "Jobs in the ledger.", labels=["kind", "state"])
        try:
            for count in counts.get():
                jobs.add_metric([count.kind, count.state], count.jobs)
        except (*CLEW_ERRORS, TimeoutError):
            return
        yield jobs
