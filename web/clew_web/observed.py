"""What every request leaves behind for operators: an id, a log line, metrics, a span."""

import logging
import time
from contextlib import ExitStack

from flask import Flask, Response, g, request

from clew.telemetry.logs import FIELDS
from clew.telemetry.metrics import REQUEST_SECONDS, REQUESTS
from clew.telemetry.request import HEADER, ID, chosen_id, within
from clew.telemetry.traces import span

log = logging.getLogger("clew_web.requests")
QUIET = ("static", "health.alive", "metrics.metrics")
"""Asked every few seconds by machines, or many a page: counted, but without a line."""
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
"""Those that have a name of their own in metrics and spans."""


def install(app: Flask) -> None:
    """Put this around every request, before anything else looks at it."""

    @app.before_request
    def begin() -> None:
        g.began = time.perf_counter()
        g.request_id = chosen_id(request.headers.get(HEADER))
        g.observed = ExitStack()
        carried = {name.lower(): value for name, value in request.headers if name == "Traceparent"}
        g.observed.enter_context(within({**carried, ID: g.request_id}))
        g.span = g.observed.enter_context(
            span(f"{method_told()} {request.endpoint}", request_id=g.request_id)
        )

    @app.after_request
    def end(response: Response) -> Response:
        if "observed" not in g:
            return response
        took = time.perf_counter() - g.began
        endpoint, status = request.endpoint or "none", response.status_code
        REQUESTS.labels(endpoint, method_told(), status).inc()
        REQUEST_SECONDS.labels(endpoint).observe(took)
        g.span.set_attribute("http.response.status_code", status)
        response.headers[HEADER] = g.request_id
        if endpoint not in QUIET:
            fields = {
                "method": request.method,
                "path": request.path,  # never the query: it may hold a question
                "status": status,
                "ms": round(took * 1000, 1),
            }
            log.info("%(method)s %(path)s %(status)s %(ms)s ms", fields, extra={FIELDS: fields})
        return response

    @app.teardown_request
    def close(error: BaseException | None) -> None:
        observed: ExitStack | None = g.pop("observed", None)
        if observed is not None:
            observed.close()


def method_told() -> str:
    """Return the request's method, "other" for one that is not of METHODS: a caller may send any
    word as one, and each would stay as a time series of its own."""
    return request.method if request.method in METHODS else "other"
