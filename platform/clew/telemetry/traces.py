"""OpenTelemetry traces of requests, questions and jobs: off unless `traces_url` is set."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace

from clew.errors import InvalidSetting
from clew.settings import Settings

log = logging.getLogger(__name__)


def configure_traces(settings: Settings, service: str) -> None:
    """Send this process' spans to the collector of the settings; nothing where there is none.

    Raises InvalidSetting where what sends them is not installed.
    """
    if settings.traces_url is None:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise InvalidSetting(
            "traces_url is set, but OpenTelemetry's SDK is not installed.",
            remedy="Install it: pip install 'clew[traces]'.",
        ) from error
    provider = TracerProvider(resource=Resource.create({"service.name": service}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=settings.traces_url)))
    trace.set_tracer_provider(provider)
    log.info("traces go to %s", settings.traces_url)


@contextmanager
def span(name: str, **attributes: str | int | float) -> Iterator[trace.Span]:
    """Record a span around the block, with what it raises; costs next to nothing when off."""
    with trace.get_tracer("clew").start_as_current_span(name, attributes=attributes) as opened:
        yield opened
