"""URLs: a real server on loopback, which only these tests allow to be fetched from."""

import gzip
import http.server
import ipaddress
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from clew_ingest.errors import AddressRefused, SourceGone, SourceTooLarge, UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.fetching import Address, FetchedPage, check_address, fetch, is_public
from clew_ingest.reading.sources import find_sources, load


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        kind, _, rest = self.path.lstrip("/").partition("/")
        if kind == "redirect":
            self.send_response(302)
            self.send_header("Location", rest.replace("_", "/") or "/page/a.html")
            self.end_headers()
            return
        if kind == "hops":
            self.send_response(302)
            self.send_header("Location", f"/hops/{int(rest) - 1}" if int(rest) else "/page/a.html")
            self.end_headers()
            return
        body = {"large": b"x" * 3_000_000, "bomb": gzip.compress(bytes(3_000_000))}.get(
            kind, b"<p>Hello</p>"
        )
        body = {"old": "<p>Привет</p>".encode("koi8-r")}.get(kind, body)
        packed = gzip.compress(b"<p>Hello</p>" * 50)
        body = {"packed": packed, "torn": packed[:-20]}.get(kind, body)
        self.send_response(404 if kind == "missing" else 200)
        if kind in ("short", "whole"):
            self.send_header("Content-Length", str(len(body) + 7 * (kind == "short")))
        charset = "koi8-r" if kind == "old" else "utf-8"
        self.send_header("Content-Type", f"text/html; charset={charset}")
        if kind in ("bomb", "packed", "torn"):
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        try:
            if kind == "slow":
                for byte in body * 100:
                    self.wfile.write(bytes([byte]))
                    time.sleep(0.05)
            self.wfile.write(body)
        except OSError:
            return

    def log_message(self, *arguments: object) -> None:
        return


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def loopback(address: Address) -> bool:
    return address.is_loopback


def test_a_page_is_in_the_encoding_that_its_server_says(
    server: str, limits: IngestLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew_ingest.reading.sources.fetch", partial(fetch, allowed=loopback))
    (source,), _ = find_sources([f"{server}/old/a.html"])
    loaded = load(source, replace(limits, url_ingest=True))
    assert loaded.data.decode() == "<p>Привет</p>"


@pytest.fixture
def open_limits(limits: IngestLimits) -> IngestLimits:
    return replace(limits, url_ingest=True, url_bytes_mib=1)


def test_a_page_comes_with_its_type_and_name(server: str, open_limits: IngestLimits) -> None:
    page = fetch(f"{server}/page/a%20b.html?x=1", open_limits, allowed=loopback)
    assert page == FetchedPage(
        f"{server}/page/a%20b.html?x=1", b"<p>Hello</p>", "text/html; charset=utf-8", "a b.html"
    )


@pytest.mark.parametrize("hops", [0, 1, 2])
def test_up_to_three_redirects_are_followed(
    hops: int, server: str, open_limits: IngestLimits
) -> None:
    page = fetch(f"{server}/hops/{hops}", open_limits, allowed=loopback)
    assert page.url == f"{server}/page/a.html"


def test_a_fourth_redirect_is_one_too_many(server: str, open_limits: IngestLimits) -> None:
    with pytest.raises(UnreadableSource, match="more than 3 times"):
        fetch(f"{server}/hops/3", open_limits, allowed=loopback)


@pytest.mark.parametrize(
    "target", ["http:__169.254.169.254_latest", "http:__10.0.0.1_", "http:__[::1]_"]
)
def test_a_redirect_inside_is_refused(target: str, server: str, open_limits: IngestLimits) -> None:
    def only_this_server(address: Address) -> bool:
        return address == ipaddress.ip_address("127.0.0.1")

    with pytest.raises(AddressRefused):
        fetch(f"{server}/redirect/{target}", open_limits, allowed=only_this_server)


@pytest.mark.parametrize("target", ["http:__[x", "http:__a]b_", "__[::1", "http:__a:99999_"])
def test_a_redirect_to_what_is_no_url_is_told(
    target: str, server: str, open_limits: IngestLimits
) -> None:
    with pytest.raises(UnreadableSource, match="is no URL"):
        fetch(f"{server}/redirect/{target}", open_limits, allowed=loopback)


def test_a_redirect_to_a_file_is_refused(server: str, open_limits: IngestLimits) -> None:
    with pytest.raises(UnreadableSource, match="no http"):
        fetch(f"{server}/redirect/file:___etc_passwd", open_limits, allowed=loopback)


@pytest.mark.parametrize("kind", ["large", "bomb"])
def test_a_page_over_the_limit_is_not_read(
    kind: str, server: str, open_limits: IngestLimits
) -> None:
    with pytest.raises(SourceTooLarge, match="1 MiB"):
        fetch(f"{server}/{kind}/x", open_limits, allowed=loopback)


@pytest.mark.parametrize(("kind", "copies"), [("whole", 1), ("packed", 50)])
def test_a_page_comes_whole(kind: str, copies: int, server: str, open_limits: IngestLimits) -> None:
    page = fetch(f"{server}/{kind}/x", open_limits, allowed=loopback)
    assert page.data == b"<p>Hello</p>" * copies


@pytest.mark.parametrize("kind", ["short", "torn"])
def test_a_page_that_breaks_off_is_no_page(
    kind: str, server: str, open_limits: IngestLimits
) -> None:
    with pytest.raises(UnreadableSource, match="it broke off before its end"):
        fetch(f"{server}/{kind}/x", open_limits, allowed=loopback)


def test_a_server_that_drips_is_given_up_in_time(server: str, open_limits: IngestLimits) -> None:
    begun = time.monotonic()
    with pytest.raises(UnreadableSource, match="longer than 1 s"):
        fetch(f"{server}/slow/x", replace(open_limits, url_timeout_s=1), allowed=loopback)
    assert time.monotonic() - begun < 3


@pytest.fixture
def tls_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The same over TLS, with a certificate that these tests alone trust."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "server.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    trusting = ssl.create_default_context(cafile=str(file))
    monkeypatch.setattr("clew_ingest.reading.fetching.ssl.create_default_context", lambda: trusting)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield f"https://localhost:{server.server_port}"
        server.shutdown()
        thread.join()


def test_the_time_limit_holds_for_https_too(tls_server: str, open_limits: IngestLimits) -> None:
    page = fetch(f"{tls_server}/page/a.html", open_limits, allowed=loopback)
    assert page.data == b"<p>Hello</p>"
    begun = time.monotonic()
    with pytest.raises(UnreadableSource, match="longer than 1 s"):
        fetch(f"{tls_server}/slow/x", replace(open_limits, url_timeout_s=1), allowed=loopback)
    assert time.monotonic() - begun < 3


def test_an_error_of_the_server_is_told(server: str, open_limits: IngestLimits) -> None:
    with pytest.raises(SourceGone, match="404"):
        fetch(f"{server}/missing/x", open_limits, allowed=loopback)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://0.0.0.0/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://10.1.2.3/",
    ],
)
def test_what_is_inside_is_refused(url: str, open_limits: IngestLimits) -> None:
    with pytest.raises(AddressRefused, match="not a public address"):
        fetch(url, open_limits)


@pytest.mark.parametrize("url", ["ftp://example.org/", "file:///etc/passwd", "http://", "nonsense"])
def test_only_http_is_fetched(url: str, open_limits: IngestLimits) -> None:
    with pytest.raises(UnreadableSource, match="no http"):
        fetch(url, open_limits)


@pytest.mark.parametrize(
    "url", ["http://a.org/b\nc", "http://a\t.org/", "http://a\x7f.org/", "http://a.org/ "]
)
def test_blanks_and_control_characters_are_refused(url: str, open_limits: IngestLimits) -> None:
    with pytest.raises(UnreadableSource, match="percent-encoded"):
        check_address(url, open_limits, 1.0)


def test_passwords_in_urls_are_refused(open_limits: IngestLimits) -> None:
    with pytest.raises(AddressRefused, match="password"):
        fetch("http://user:secret@example.org/", open_limits)


@pytest.mark.parametrize(
    "text",
    [
        "100.64.0.1", "100.100.100.200", "168.63.129.16", "169.254.169.254", "192.168.1.1",
        "172.16.0.1", "127.0.0.1", "0.0.0.0", "224.0.0.1", "255.255.255.255", "192.0.0.192",
        "198.18.0.1", "::", "::1", "::7f00:1", "::ffff:10.0.0.1", "64:ff9b::7f00:1",
        "64:ff9b:1::1", "2002:7f00:1::", "2001:0:4136:e378::", "fe80::1", "fc00::1", "fec0::1",
        "ff02::1",
    ],
)  # fmt: skip
def test_addresses_that_lead_inside_are_not_public(text: str) -> None:
    assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", ["93.184.216.34", "1.1.1.1", "2606:4700::1111", "::ffff:1.1.1.1"])
def test_addresses_outside_are_public(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))
