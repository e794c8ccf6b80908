"""How long an honest client waits for the web server while others send slowly.

    python tests/benchmarks/slow_connections.py [--url http://127.0.0.1:8750]

Against 0, 16 and 200 connections that send nothing, half a header, half a body, or half a chunk, it
asks /health 50 times and prints the median, the longest time and what failed, as JSON lines. The
server (loopback only; started here, as `clew up` does, where no URL is given) needs no database.
"""

import argparse
import http.client
import json
import socket
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from clew.runtime.services import WebService
from clew.settings import Settings
from clew_cypher.embedded import free_ports

ASKED = 50
PATIENCE_S = 5.0
POST = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\n"
ATTACKS = {
    "nothing": b"",
    "half a header": b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    "half a body": POST + b"Content-Length: 1000\r\n\r\ntoken=",
    "half a chunk": POST + b"Transfer-Encoding: chunked\r\n\r\n3e8\r\ntoken=",
}


@contextmanager
def started() -> Iterator[str]:
    """The web server as `clew up` starts it; what is behind it is not there."""
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(
            home=Path(home),
            access_token="measured-on-loopback-only",
            web_port=free_ports(0)[0],
            neo4j_uri="bolt://127.0.0.1:1",
            neo4j_password="nobody",
            broker_url="redis://127.0.0.1:1/0",
        )
        service = WebService(settings)
        process = service.start()
        try:
            deadline = time.monotonic() + 60
            while not service.check() and time.monotonic() < deadline:
                time.sleep(0.2)
            yield service.address
        finally:
            process.stop()


def measured(address: str, count: int, sent: bytes) -> dict[str, float | int]:
    """Return the times of an honest client beside so many that have sent ``sent``."""
    host, port = urlsplit(address).hostname, urlsplit(address).port
    times, failed = [], 0
    with ExitStack() as opened:
        for _ in range(count):
            slow = opened.enter_context(socket.create_connection((host, port), timeout=5))
            slow.sendall(sent)
        time.sleep(0.5)
        for _ in range(ASKED):
            begun = time.perf_counter()
            honest = http.client.HTTPConnection(str(host), port, timeout=PATIENCE_S)
            try:
                honest.request("GET", "/health")
                failed += honest.getresponse().status != 200
            except OSError:
                failed += 1
                if failed > 3:
                    break
            finally:
                honest.close()
            times.append(time.perf_counter() - begun)
    longest = round(max(times, default=PATIENCE_S) * 1000, 1)
    median = round(statistics.median(times or [PATIENCE_S]) * 1000, 1)
    return {"median_ms": median, "longest_ms": longest, "asked": len(times), "failed": failed}


def main() -> None:
    """Measure every attack."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url")
    given = parser.parse_args().url
    with ExitStack() as running:
        address = given or running.enter_context(started())
        print(json.dumps({"attack": "none", "connections": 0, **measured(address, 0, b"")}))
        for name, sent in ATTACKS.items():
            for count in (16, 200):
                found = measured(address, count, sent)
                print(json.dumps({"attack": name, "connections": count, **found}), flush=True)


if __name__ == "__main__":
    main()
