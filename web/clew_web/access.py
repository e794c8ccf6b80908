"""The access token: how programs (Bearer) and people (login page, cookie) prove that they have it.

Without a token every caller is let in; `create_app` allows that on loopback only.
"""

import hashlib
import hmac
import json
import secrets
import threading
import time
from collections import defaultdict, deque
from pathlib import Path

from clew.errors import InvalidSetting
from clew.settings import Settings
from clew.settings.loopback import is_loopback
from clew_cypher.embedded.configuration import write_private

COOKIE = "clew_session"
SESSION_S = 12 * 3600
FAILURES = 10
WINDOW_S = 15 * 60
SHORTEST_TOKEN = 16


def configured_token(settings: Settings) -> str | None:
    """Return the access token of the settings (value or file), None where none is set.

    Raises InvalidSetting when the file cannot be read, the token is too short to be a secret, or
    the server would listen beyond loopback without one.
    """
    token = settings.access_token.get_secret_value() if settings.access_token else None
    if token is None and settings.access_token_file is not None:
        try:
            token = settings.access_token_file.read_text().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidSetting(
                f"The access token file {settings.access_token_file} cannot be read: {error}.",
                remedy="Name a readable file in access_token_file.",
            ) from error
    if token is None:
        if not is_loopback(settings.web_host):
            raise InvalidSetting(
                f"The web server would listen on {settings.web_host} and let everyone in.",
                remedy="Set access_token or access_token_file, or listen on 127.0.0.1.",
            )
        return None
    if len(token) < SHORTEST_TOKEN:
        raise InvalidSetting(
            f"The access token has {len(token)} characters, which can be guessed.",
            remedy=f"Use at least {SHORTEST_TOKEN}, such as the output of `openssl rand -hex 32`.",
        )
    return token


class Access:
    """Checks tokens and session cookies, and counts failures an address (10 in 15 minutes).

    ``ended``: the file of the sessions that were logged out of and have not expired, so that a
    copy of their cookie is worth nothing, after a restart either; None: they are kept in memory.
    """

    def __init__(self, token: str | None, ended: Path | None = None) -> None:
        self._ended_file = ended
        self._ended: dict[str, int] = {}
        if ended is not None and ended.exists():
            self._ended = json.loads(ended.read_text())
        self._token = None if token is None else token.encode()
        self._key = hashlib.sha256(b"clew session key\0" + (self._token or b"")).digest()
        self._failures: dict[str, deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    @property
    def required(self) -> bool:
        """Whether callers must prove anything at all."""
        return self._token is not None

    def token_is_right(self, given: str) -> bool:
        """Compare in constant time."""
        return self._token is not None and hmac.compare_digest(
            hashlib.sha256(given.encode("utf-8", "surrogateescape")).digest(),
            hashlib.sha256(self._token).digest(),
        )

    def new_session(self) -> str:
        """Return a cookie value that proves a login for SESSION_S seconds."""
        body = f"{int(time.time()) + SESSION_S}.{secrets.token_hex(8)}"
        return f"{body}.{self._sign(body)}"

    def end_session(self, cookie: str) -> None:
        """Let a cookie prove nothing any more. Raises OSError where that cannot be kept."""
        if not self.session_is_valid(cookie):
            return
        body = cookie.rpartition(".")[0]
        with self._lock:
            now = time.time()
            self._ended = {kept: until for kept, until in self._ended.items() if until > now}
            self._ended[body] = int(body.partition(".")[0])
            if self._ended_file is not None:
                self._ended_file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                write_private(self._ended_file, json.dumps(self._ended))

    def session_is_valid(self, cookie: str) -> bool:
        """Return whether we issued this cookie for the present token, and it has neither expired
        nor been logged out of.
        """
        body, _, signature = cookie.rpartition(".")
        given = signature.encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(given, self._sign(body).encode()):
            return False
        expires = body.partition(".")[0]
        return expires.isdigit() and int(expires) > time.time() and body not in self._ended

    def wait_s(self, address: str) -> int:
        """Return the seconds this address has to wait before its next try, 0 for none."""
        with self._lock:
            failures = self._recent(address)
            return int(failures[0] + WINDOW_S - time.time()) + 1 if len(failures) >= FAILURES else 0

    def note_failure(self, address: str) -> None:
        """Count a wrong token of this address."""
        with self._lock:
            self._recent(address).append(time.time())
            for other in [name for name in self._failures if not self._recent(name)]:
                del self._failures[other]

    def _recent(self, address: str) -> deque[float]:
        failures = self._failures[address]
        while failures and failures[0] < time.time() - WINDOW_S:
            failures.popleft()
        return failures

    def _sign(self, body: str) -> str:
        return hmac.new(self._key, body.encode("utf-8", "surrogateescape"), "sha256").hexdigest()
