"""Log lines and traces: what goes along from one process to the next."""

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from clew.errors import InvalidSetting
from clew.settings import Settings
from clew.telemetry.logs import JsonLines, configure_logs
from clew.telemetry.request import ID, carried, chosen_id, request_id, within
from clew.telemetry.traces import configure_traces

TWO_PROCESSES = """
import json, sys
from clew.settings import Settings
from clew.telemetry.request import carried, within
from clew.telemetry.traces import configure_traces, span
from opentelemetry import trace
configure_traces(Settings.load(traces_url=sys.argv[1]), sys.argv[2])
with within(json.loads(sys.argv[3])), span("did " + sys.argv[2], request=1):
    print(json.dumps(carried()))
trace.get_tracer_provider().shutdown()
"""


def test_what_is_carried_is_there_again_and_only_within() -> None:
    assert carried() == {}
    with within({ID: "r1"}):
        assert request_id() == "r1"
        assert carried() == {ID: "r1"}
        with within(None):
            assert request_id() == ""
        assert request_id() == "r1"
    assert request_id() == ""
    assert chosen_id("a-b") == "a-b"
    assert len({chosen_id(None), chosen_id("not good\n"), chosen_id("")}) == 3


@pytest.fixture
def root() -> Iterator[logging.Logger]:
    logger = logging.getLogger()
    handlers, level = list(logger.handlers), logger.level
    yield logger
    logger.handlers[:] = handlers
    logger.setLevel(level)


def test_lines_for_people_and_for_programs(
    root: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logs(Settings.load(log_format="text"))
    with within({ID: "r7"}):
        logging.getLogger("clew.x").info("a %s", "line")
    assert capsys.readouterr().err.rstrip().endswith("INFO clew.x [r7] a line")
    configure_logs(Settings.load(log_format="json"))
    try:
        raise ValueError("two\nlines")
    except ValueError:
        logging.getLogger("clew.x").exception("ä")
    (line,) = capsys.readouterr().err.splitlines()
    found = json.loads(line)
    assert (found["message"], found["request_id"], found["level"]) == ("ä", "-", "ERROR")
    assert "ValueError: two\nlines" in found["exception"]
    assert isinstance(root.handlers[0].formatter, JsonLines)


def test_no_text_of_a_caller_begins_another_line(
    root: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logs(Settings.load(log_format="text"))
    logging.getLogger("clew.x").info("GET %s", "/a\n2026 INFO forged\r\x1b[2J\x85\u2028ä")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(r"GET /a\n2026 INFO forged\r\x1b[2J\x85\u2028ä")
    try:
        raise ValueError("two\nlines")
    except ValueError:
        logging.getLogger("clew.x").exception("failed")
    assert capsys.readouterr().err.endswith("ValueError: two\nlines\n")


def test_a_trace_goes_on_in_the_next_process() -> None:
    received: list[ExportTraceServiceRequest] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                import gzip

                body = gzip.decompress(body)
            received.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/v1/traces"
        values = json.dumps({ID: "r9"})
        for service in ("clew-web", "clew-worker"):
            command = [sys.executable, "-c", TWO_PROCESSES, url, service, values]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
            values = done.stdout.splitlines()[-1]
            assert json.loads(values)[ID] == "r9"
        server.shutdown()
        thread.join()
    spans = {
        span.name: span
        for request in received
        for of_service in request.resource_spans
        for scope in of_service.scope_spans
        for span in scope.spans
    }
    first, second = spans["did clew-web"], spans["did clew-worker"]
    assert first.trace_id == second.trace_id
    assert second.parent_span_id == first.span_id


def test_traces_without_the_sdk_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    configure_traces(Settings.load(), "clew-web")  # off: nothing is looked for
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(InvalidSetting, match="SDK is not installed"):
        configure_traces(Settings.load(traces_url="http://127.0.0.1:1/v1/traces"), "clew-web")
