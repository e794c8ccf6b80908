"""The web server: ``python -m clew_web.server [--bind HOST:PORT]``, waitress around `create_app`.

waitress receives header and body in one thread that never waits for a single connection, and only
then takes a thread of the pool: who sends slowly holds nothing but a socket. This adds how long a
connection may take, and how much of a body is received at all: a stranger's ends with the form of
the login page, so that nobody fills the disk before being let in.
"""

import argparse
import contextlib
import logging
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from types import FrameType
from typing import TYPE_CHECKING, Any

from flask import Flask
from waitress import create_server
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.task import ErrorTask, WSGITask
from werkzeug.middleware.proxy_fix import ProxyFix

from clew.errors import CLEW_ERRORS, InvalidSetting
from clew.settings import Settings
from clew.telemetry.logs import configure_logs
from clew.telemetry.traces import configure_traces
from clew_web.app import create_app
from clew_web.errors import code_of_status, error_body
from clew_web.guard import CUT, body_limit

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

Network = IPv4Network | IPv6Network
CONNECTIONS = 1000
OPEN_FILES = 4 * CONNECTIONS
"""A connection with a large body or answer has up to three files open."""
HEADER_BYTES = 64 * 1024
HEADER_S = 10
IDLE_S = 15
BODY_S = 20
BODY_RATE = 16 * 1024
"""A body may take BODY_S seconds, and one more for so many bytes that have come."""
UNREAD_ANSWER_S = 60
DRAIN_S = 10
"""Who is refused while still sending gets so long to read why: closing at once would lose it."""
log = logging.getLogger(__name__)


def allowed_s(request: HTTPRequestParser | None) -> float:
    """Return the seconds a connection may take, from the first byte of what it is sending."""
    if request is None:
        return IDLE_S
    if not request.headers_finished:
        return HEADER_S
    return BODY_S + float(request.body_bytes_received) / BODY_RATE


class Channel(HTTPChannel):
    """A connection that ends where it takes longer than `allowed_s`."""

    since = 0.0
    """When the request that is being received began to come."""
    unread = False
    """Whether a request was answered before all of it had come."""
    drained_since: float | None = None

    def received(self, data: bytes) -> Any:
        """Take what has come."""
        if self.drained_since is not None:
            return False
        if self.request is None:
            self.since = time.time()
        taken = super().received(data)
        self.unread = self.unread or any(one.cut or one.error for one in self.requests)
        return taken

    def readable(self) -> Any:
        """Whether more may come; asked at least once a second."""
        if self.drained_since is not None:
            self.will_close = time.time() - self.drained_since > DRAIN_S
            return not self.will_close
        if not (self.requests or self.total_outbufs_len or self.will_close):
            began = self.last_activity if self.request is None else self.since
            self.will_close = time.time() - began > allowed_s(self.request)
        return super().readable()

    def handle_close(self) -> None:
        """Close; first drain the connection of one that was refused while still sending."""
        if self.unread and self.drained_since is None and self.connected:
            self.drained_since = time.time()
            self.will_close = self.close_when_flushed = False
            with contextlib.suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
                return
        super().handle_close()


class Task(WSGITask):
    """What the app answers; it is told whether the body was cut off."""

    def get_environment(self) -> Any:
        """Return the WSGI environment."""
        return {**super().get_environment(), CUT: self.request.cut}


class Refusal(ErrorTask):
    """What waitress refuses itself, in the shape of every other error."""

    def execute(self) -> None:
        """Answer with the error."""
        error = self.request.error
        self.status = f"{error.code} {error.reason}"
        body = error_body(code_of_status(error.code), f"{error.reason}: {error.body}.").encode()
        self.content_length = len(body)
        self.response_headers.append(("Content-Type", "application/json"))
        self.response_headers.append(("Content-Length", str(len(body))))
        self.set_close_on_finish()
        self.write(body)


class BehindProxies:
    """An app as proxies reach it: of one that is trusted it is believed whom a request comes from
    and whether it came by https; of another on this machine, only the latter; of nobody else."""

    def __init__(self, app: "WSGIApplication", trusted: Sequence[Network]) -> None:
        self._app = app
        self._trusted = trusted
        self._of_trusted = ProxyFix(app, x_for=1, x_proto=1)
        self._of_this_machine = ProxyFix(app, x_for=0, x_proto=1)

    def __call__(self, environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        """Answer a request."""
        sender = ip_address(environ["REMOTE_ADDR"])
        sender = getattr(sender, "ipv4_mapped", None) or sender
        if any(sender in network for network in self._trusted):
            return self._of_trusted(environ, start)
        if sender.is_loopback:
            return self._of_this_machine(environ, start)
        return self._app(environ, start)


def trusted_networks(settings: Settings) -> list[Network]:
    """Return the networks of the trusted proxies. Raises InvalidSetting for what is none."""
    parts = (part.strip() for part in settings.trusted_proxies.split(","))
    try:
        return [ip_network(part) for part in parts if part]
    except ValueError as error:
        raise InvalidSetting(
            f"trusted_proxies is no list of addresses and networks: {error}.",
            remedy="Write such as 10.0.0.7,192.168.7.0/24.",
        ) from error


def channel_of(app: Flask) -> type[Channel]:
    """Return the connections of an app, which hold a body to what the app takes of its sender."""

    class Request(HTTPRequestParser):
        cut = False
        limit = 0
        content_length: int = 0
        body_rcv: Any = None

        def parse_header(self, header_plus: bytes) -> None:
            try:
                super().parse_header(header_plus)
                self.limit = body_limit(app, self.headers)
            except ValueError as error:  # which waitress would end the connection for, unanswered
                raise ParsingError("The header cannot be read") from error
            if self.content_length > self.limit:
                self.cut_off()

        def received(self, data: bytes) -> int:
            taken: int = super().received(data)
            if self.chunked and not self.cut and self.body_bytes_received > self.limit:
                self.headers["CONTENT_LENGTH"] = str(self.body_bytes_received)
                self.cut_off()
                self.completed = True
            # what still comes is the rest of this body, and no request
            return len(data) if self.cut else taken

        def cut_off(self) -> None:
            """Read no further: the app refuses it by its length, or by its sender, or because its
            sender was taken for a stranger."""
            self.cut = True
            self.headers["CONNECTION"] = "close"
            if self.body_rcv is not None:
                self.body_rcv.getbuf().close()
            self.body_rcv = None
            self.content_length = 0
            self.expect_continue = False

    class LimitedChannel(Channel):
        parser_class = Request
        task_class = Task
        error_task_class = Refusal

    return LimitedChannel


def serve(app: Flask, listening: socket.socket, threads: int) -> Any:
    """Return the server of an app on a bound socket; its ``run`` returns at SystemExit.

    Raises InvalidSetting where the trusted proxies are no addresses.
    """
    server = create_server(
        BehindProxies(app, trusted_networks(app.extensions["clew"].settings)),
        sockets=[listening],
        threads=threads,
        ident=None,
        connection_limit=CONNECTIONS,
        max_request_header_size=HEADER_BYTES,
        channel_timeout=UNREAD_ANSWER_S,
        cleanup_interval=5,
        asyncore_use_poll=True,
        log_socket_errors=False,
        clear_untrusted_proxy_headers=False,  # nothing but `BehindProxies` reads them
    )
    server.channel_class = channel_of(app)
    return server


def main(arguments: list[str] | None = None) -> int:
    """Serve until SIGTERM; requests that are being answered get five seconds to end."""
    parser = argparse.ArgumentParser(prog="python -m clew_web.server", description=__doc__)
    parser.add_argument("--bind", metavar="HOST:PORT", help="default: web_host and web_port")
    bind = parser.parse_args(arguments).bind
    signal.signal(signal.SIGTERM, _end)
    os.umask(0o077)
    try:
        settings = Settings.load()
        if bind:  # who may be let in depends on where it listens
            settings = settings.changed(web_host=_host_and_port(bind)[0])
        configure_logs(settings)
        # it counts requests that wait for a thread, one line each
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        configure_traces(settings, "clew-web")
        app = create_app(settings=settings)
        listening = bound(bind or f"{settings.web_host}:{settings.web_port}")
        server = serve(app, listening, settings.web_threads)
    except (*CLEW_ERRORS, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    log.info("listening on %s:%s", *listening.getsockname()[:2])
    server.run()
    return 0


def bound(address: str) -> socket.socket:
    """Return a socket bound to HOST:PORT, where an IPv6 host may stand in brackets.

    Raises InvalidSetting where nothing can listen there.
    """
    host, port = _host_and_port(address)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, int(port)))
    except (OSError, ValueError, OverflowError) as error:
        listening.close()
        raise InvalidSetting(
            f"The web server cannot listen on {address}: {getattr(error, 'strerror', error)}.",
            remedy="Give --bind, or CLEW_WEB_HOST and CLEW_WEB_PORT, an address of this machine "
            "and a port that is free.",
        ) from error
    return listening


def _host_and_port(address: str) -> tuple[str, str]:
    host, _, port = address.rpartition(":")
    if not host:  # a socket would take it for all that this machine has
        raise InvalidSetting(
            f"{address!r} names no host for the web server to listen on.",
            remedy="Write HOST:PORT, such as 127.0.0.1:8750, or 0.0.0.0:8750 for all addresses.",
        )
    return host.strip("[]"), port


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    sys.exit(main())
