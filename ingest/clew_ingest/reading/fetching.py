"""The one function that fetches a URL, and cannot be talked into fetching from inside the network.

A host is resolved once, every address it has is checked, and the connection goes to the address
that was checked: a name that resolves to something else a moment later changes nothing. Proxies
from the environment are not used, since they would resolve the name again.
"""

import http.client
import ipaddress
import queue
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from clew_ingest.errors import AddressRefused, SourceGone, SourceTooLarge, UnreadableSource
from clew_ingest.limits import MIB, IngestLimits

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
MAX_REDIRECTS = 3

# What `ipaddress` takes for global, or leads to an address inside by translation.
_REFUSED = [
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT; a cloud's metadata service
        "168.63.129.16/32",  # Azure's metadata and health service
        "169.254.0.0/16",
        "192.0.0.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "198.18.0.0/15",
        "240.0.0.0/4",
        "::/96",  # IPv4-compatible
        "64:ff9b::/96",  # NAT64
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",  # Teredo among others
        "2002::/16",  # 6to4
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
    )
]


@dataclass(frozen=True)
class FetchedPage:
    """A page: where it was found after redirects, its bytes, and the type its server declares."""

    url: str
    data: bytes
    media_type: str | None
    name: str


def is_public(address: Address) -> bool:
    """Say whether an address is on the public internet and may be fetched from."""
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    return not any(address in network for network in _REFUSED if network.version == address.version)


def fetch(
    url: str, limits: IngestLimits, *, allowed: Callable[[Address], bool] = is_public
) -> FetchedPage:
    """Return what lies at an http(s) URL, after at most three redirects, each checked again.

    ``allowed`` decides which addresses may be connected to. Raises AddressRefused for one that
    may not, SourceTooLarge, SourceGone, or UnreadableSource with the reason.
    """
    if not limits.url_ingest:
        raise _not_fetched()
    deadline = time.monotonic() + limits.url_timeout_s
    here = url
    for _ in range(MAX_REDIRECTS + 1):
        try:
            found = _get(here, limits, deadline, allowed)
        except (OSError, http.client.HTTPException) as error:
            late = isinstance(error, TimeoutError) or time.monotonic() >= deadline
            reason = (
                f"it took longer than {limits.url_timeout_s:.0f} s"
                if late
                else str(error) or type(error).__name__
            )
            raise UnreadableSource(
                f"{here} could not be fetched: {reason}.", remedy="Check the address."
            ) from error
        if isinstance(found, FetchedPage):
            return found
        here = found
    raise UnreadableSource(f"{url} redirects more than {MAX_REDIRECTS} times.")


def check_address(url: str, limits: IngestLimits, timeout_s: float) -> None:
    """Raise AddressRefused or UnreadableSource where ``fetch`` would refuse the URL unasked.

    A name that cannot be resolved within ``timeout_s`` passes: that is for ``fetch`` to tell.
    """
    if not limits.url_ingest:
        raise _not_fetched()
    check_reachable(url, timeout_s)


def check_reachable(
    url: str, timeout_s: float, *, allowed: Callable[[Address], bool] = is_public
) -> None:
    """Raise AddressRefused or UnreadableSource where ``post`` would refuse the URL unasked."""
    _, host, port, _ = _split(url)
    try:
        _checked_address(host, port, time.monotonic() + timeout_s, allowed)
    except OSError:
        return


def _not_fetched() -> AddressRefused:
    return AddressRefused(
        "URLs are not fetched here.", remedy="Set CLEW_URL_INGEST=true to allow it."
    )


def _get(
    url: str, limits: IngestLimits, deadline: float, allowed: Callable[[Address], bool]
) -> FetchedPage | str:
    """Return the page, or the URL that it redirects to."""
    with _connected(url, deadline, allowed) as (connection, host, target):
        connection.request(
            "GET",
            target,
            headers={"User-Agent": "Clew", "Accept": "*/*", "Accept-Encoding": "identity, gzip"},
        )
        response = connection.getresponse()
        if response.status in (301, 302, 303, 307, 308) and (to := response.headers["Location"]):
            try:
                return urljoin(url, to)
            except ValueError as error:
                raise UnreadableSource(f"{url} redirects to what is no URL: {error}.") from error
        if response.status in (404, 410):
            raise SourceGone(f"{url} answers {response.status} {response.reason}.")
        if response.status != 200:
            raise UnreadableSource(f"{url} answers {response.status} {response.reason}.")
        data = _body(response, limits)
        if time.monotonic() >= deadline:
            raise TimeoutError
        name = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2]) or host
        return FetchedPage(url, data, response.headers.get("Content-Type"), name)


def post(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    timeout_s: float,
    *,
    allowed: Callable[[Address], bool] = is_public,
) -> int:
    """Send a body to an http(s) URL and return the status of the answer, which is not read.

    Nothing is followed. ``allowed`` as of ``fetch``. Raises AddressRefused, UnreadableSource for
    what is no URL, and OSError or HTTPException where there is no answer in ``timeout_s``.
    """
    deadline = time.monotonic() + timeout_s
    with _connected(url, deadline, allowed) as (connection, _, target):
        connection.request("POST", target, body, {"User-Agent": "Clew", **headers})
        return connection.getresponse().status


@contextmanager
def _connected(
    url: str, deadline: float, allowed: Callable[[Address], bool]
) -> Iterator[tuple[http.client.HTTPConnection, str, str]]:
    """Yield a connection to an address that was checked, the host, and what to ask it for.

    At the deadline it is cut, whatever it is doing.
    """
    scheme, host, port, target = _split(url)
    address = _checked_address(host, port, deadline, allowed)
    stream = socket.create_connection((str(address), port), timeout=_left(deadline))
    streams = [stream]
    # A server that sends a byte a second keeps every single read in time; this does not.
    watchdog = threading.Timer(_left(deadline), lambda: _shut(streams[-1]))
    watchdog.daemon = True
    watchdog.start()
    try:
        if scheme == "https":
            # TLS takes the connection out of the plain socket, before its first handshake
            stream = ssl.create_default_context().wrap_socket(
                stream, server_hostname=host, do_handshake_on_connect=False
            )
            streams.append(stream)
            stream.do_handshake()
        connection = http.client.HTTPConnection(host, port)
        connection.sock = stream
        yield connection, host, target
    finally:
        watchdog.cancel()
        stream.close()


def _split(url: str) -> tuple[str, str, int, str]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UnreadableSource(f"{url!r} is no URL: {error}.") from error
    if parts.scheme not in ("http", "https") or not host:
        raise UnreadableSource(f"{url!r} is no http or https URL.")
    if parts.username is not None:
        raise AddressRefused("A URL with a user name or password is not fetched.")
    written = url.partition("#")[0]  # urlsplit takes tabs and newlines out
    if (
        any(ord(character) <= 32 or ord(character) == 127 for character in written)
        or not (parts.path + parts.query).isascii()
    ):
        raise UnreadableSource(f"{url!r} holds characters that must be percent-encoded.")
    target = urlunsplit(("", "", parts.path or "/", parts.query, ""))
    return parts.scheme, host, port or (443 if parts.scheme == "https" else 80), target


def _checked_address(
    host: str, port: int, deadline: float, allowed: Callable[[Address], bool]
) -> Address:
    found: queue.Queue[list[str] | OSError] = queue.Queue()

    def resolve() -> None:
        try:
            infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.put([str(info[4][0]) for info in infos])
        except (OSError, UnicodeError) as error:
            found.put(error if isinstance(error, OSError) else OSError(str(error)))

    threading.Thread(target=resolve, daemon=True).start()  # the resolver knows no time limit
    try:
        answer = found.get(timeout=_left(deadline))
    except queue.Empty as error:
        raise TimeoutError from error
    if isinstance(answer, OSError):
        raise answer
    addresses = [ipaddress.ip_address(text.partition("%")[0]) for text in answer]
    if not addresses or not all(allowed(address) for address in addresses):
        raise AddressRefused(
            f"{host} is not a public address, and such ones are not connected to.",
            remedy="Download the page and add the file.",
        )
    return addresses[0]


def _body(response: http.client.HTTPResponse, limits: IngestLimits) -> bytes:
    limit = limits.url_bytes_mib * MIB
    encoding = (response.headers.get("Content-Encoding") or "identity").lower()
    if encoding not in ("identity", "gzip", "x-gzip"):
        raise UnreadableSource(f"The page comes in an encoding that is not read: {encoding}.")
    data = response.read(limit + 1)
    if len(data) <= limit:
        whole = not response.length  # what is still to come by the Content-Length, if there is one
        if encoding != "identity":
            unpacking = zlib.decompressobj(wbits=31)
            try:
                data = unpacking.decompress(data, limit + 1)
            except zlib.error as error:
                raise UnreadableSource(f"The page's compression is broken: {error}.") from error
            whole = whole and (unpacking.eof or len(data) > limit)
        if not whole:
            raise http.client.HTTPException("it broke off before its end")
    if len(data) > limit:
        raise SourceTooLarge(
            f"The page has more than {limits.url_bytes_mib} MiB.",
            remedy="Download it and add the file.",
        )
    return data


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _shut(stream: socket.socket) -> None:
    try:
        # of the connection below TLS: that of TLS would change what another thread reads with
        socket.socket.shutdown(stream, socket.SHUT_RDWR)
    except OSError:
        return
