"""What is counted in this process, for Prometheus."""

from prometheus_client import (
    CollectorRegistry,
    Counter,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)
GCCollector(registry=REGISTRY)

REQUESTS = Counter(
    "clew_http_requests",
    "Requests that were answered.",
    ("endpoint", "method", "status"),
    registry=REGISTRY,
)
REQUEST_SECONDS = Histogram(
    "clew_http_request_seconds",
    "Seconds until an answer begins.",
    ("endpoint",),
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    registry=REGISTRY,
)
QUESTION_SECONDS = Histogram(
    "clew_question_seconds",
    "Seconds from a question to the end of its answer or evidence, by how it ended.",
    ("outcome",),
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120),
    registry=REGISTRY,
)
