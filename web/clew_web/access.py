"""How callers prove who they are: the access token, API keys (both as Bearer), sessions (cookie).

Without a token and without users every caller is let in; `create_app` allows that on loopback only.
What the database knows of users and keys is remembered for a second: so long a change takes to be
felt, and so rarely a request waits for it.
"""

import contextlib
import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from clew.access.keys import FORM, was_issued
from clew.errors import CLEW_ERRORS, InvalidSetting
from clew.resources.connecting import secret
from clew.results.access import AccessState, Account
from clew.settings import Settings
from clew.settings.loopback import is_loopback
from clew_web.callers import ANYONE_HERE, TOKEN_HOLDER, Caller, caller_of

Value = TypeVar("Value")

COOKIE = "clew_session"
SESSION_S = 12 * 3600
FAILURES = 10
WINDOW_S = 15 * 60
SHORTEST_TOKEN = 16
USER_SESSION_DOTS = 4
"""expires.nonce.epoch.name.signature; the token's: expires.nonce.signature."""
REMEMBERED_S = 1.0
REMEMBERED = 1000


class Directory(Protocol):
    """Where users and keys are kept: a part of the facade."""

    def access_state(self) -> AccessState: ...
    def account(self, name: str) -> Account | None: ...
    def account_of_key(self, key: str) -> Account | None: ...


def configured_token(settings: Settings) -> str | None:
    """Return the access token of the settings (value or file), None where none is set.

    Raises InvalidSetting when the file cannot be read or the token is too short to be a secret.
    """
    token = secret(settings.access_token, settings.access_token_file, "access_token_file")
    if token is not None and len(token) < SHORTEST_TOKEN:
        raise InvalidSetting(
            f"The access token has {len(token)} characters, which can be guessed.",
            remedy=f"Use at least {SHORTEST_TOKEN}, such as the output of `openssl rand -hex 32`.",
        )
    return token


def require_administrator(settings: Settings, token: str | None, directory: Directory) -> None:
    """Raise InvalidSetting where the server would listen beyond loopback without anybody who may
    let others in: neither a token nor a user who is an administrator."""
    if token is not None or is_loopback(settings.web_host):
        return
    if not directory.access_state().administrators:
        raise InvalidSetting(
            f"The web server would listen on {settings.web_host} and let everyone in.",
            remedy="Make an administrator (`clew users create NAME --role admin`), set "
            "access_token or access_token_file, or listen on 127.0.0.1.",
        )


class Recent:
    """Remembers what was fetched, for REMEMBERED_S seconds."""

    def __init__(self) -> None:
        self._values: OrderedDict[str, tuple[float, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str, fetch: Callable[[], Value]) -> Value:
        """Return what was fetched for the key, fetched now where that is too long ago."""
        with self._lock:
            since, value = self._values.get(key, (-REMEMBERED_S, None))
        if time.monotonic() - since < REMEMBERED_S:
            found: Value = value
            return found
        began = time.monotonic()
        fetched = fetch()
        self.keep(key, fetched, began)
        return fetched

    def keep(self, key: str, value: Any, since: float) -> None:
        """Remember a value that was true at ``since``, by the monotonic clock."""
        with self._lock:
            self._values[key] = since, value
            self._values.move_to_end(key)
            while len(self._values) > REMEMBERED:
                self._values.popitem(last=False)


class Failures:
    """Counts failures by name; FAILURES of them in WINDOW_S seconds are too many."""

    def __init__(self) -> None:
        self._times: dict[str, deque[float]] = defaultdict(deque)
        self._lock = threading.Lock()

    def wait_s(self, name: str) -> int:
        """Return the seconds this name has to wait before its next try, 0 for none."""
        with self._lock:
            times = self._recent(name)
            if len(times) < FAILURES:
                return 0
            return int(times[0] + WINDOW_S - time.monotonic()) + 1

    def note(self, name: str) -> None:
        """Count one."""
        with self._lock:
            self._recent(name).append(time.monotonic())
            for other in [name for name in self._times if not self._recent(name)]:
                del self._times[other]

    def take_back(self, name: str) -> None:
        """Count the latest one no more: it was none."""
        with self._lock:
            times = self._recent(name)
            if times:
                times.pop()

    def forget(self, name: str) -> None:
        """Begin anew: this one has proven itself."""
        with self._lock:
            self._times.pop(name, None)

    def _recent(self, name: str) -> deque[float]:
        times = self._times[name]
        while times and times[0] < time.monotonic() - WINDOW_S:
            times.popleft()
        return times


class Ended:
    """The sessions that were logged out of and have not expired: an empty file of each in a folder,
    which all web servers of this home look into. What their cookies prove has to be checked before.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, cookie: str) -> None:
        """Let it be ended. Raises OSError where that cannot be kept."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for file in self._folder.iterdir():
            if int(file.name.partition(".")[0]) <= time.time():
                file.unlink(missing_ok=True)
        self._file(cookie).touch(mode=0o600)

    def __contains__(self, cookie: str) -> bool:
        return self._file(cookie).exists()

    def _file(self, cookie: str) -> Path:
        expires, nonce, _ = cookie.split(".", 2)
        return self._folder / f"{expires}.{nonce}"


class Access:
    """Tells who calls, and makes and ends sessions.

    ``ended``: the folder of the sessions that were logged out of, so that a copy of their cookie is
    worth nothing, after a restart and at another web server either.
    ``directory``: users and keys; None: there are none.
    """

    def __init__(self, token: str | None, ended: Path, directory: Directory | None = None) -> None:
        self._ended = Ended(ended)
        self._token = None if token is None else token.encode()
        self._token_key = hashlib.sha256(b"clew session key\0" + (self._token or b"")).digest()
        self._directory = directory
        self._recent = Recent()
        self._state: AccessState | None = None
        self._asking = threading.Lock()
        self.addresses = Failures()
        """Of wrong tokens, keys and passwords, by address."""
        self.accounts = Failures()
        """Of wrong passwords, by the name that was given."""
        self.unknown_names = Failures()
        """Of logins by a name that nobody has, as far as they are in the audit log."""

    def prepare(self) -> None:
        """Ask for the users, of whom `may_be_known` has to know with the first request. Where the
        database is away, the first who gives a key or a user's cookie asks again.
        """
        if self.has_token and self._directory is not None:
            with contextlib.suppress(*CLEW_ERRORS):
                self._state = self._directory.access_state()

    @property
    def has_token(self) -> bool:
        """Whether there is an access token."""
        return self._token is not None

    @property
    def has_users(self) -> bool:
        """Whether there are users, as of a second ago."""
        return self._current_state().users > 0

    @property
    def required(self) -> bool:
        """Whether callers must prove anything at all."""
        return self.has_token or self.has_users

    def identify(self, authorization: str, cookie: str) -> Caller | None:
        """Return who calls with these headers; None for one who proves nothing, or not enough.

        Raises what the database raises, where it has to be asked and cannot be.
        """
        if not self.required:
            return ANYONE_HERE
        bearer = bearer_of(authorization)
        if bearer is None:
            return self._of_session(cookie)
        if self.token_is_right(bearer):
            return TOKEN_HOLDER
        # what has not the form of a key costs no question to the database
        if self._directory is None or not FORM.fullmatch(bearer):
            return None
        if not self._is_issued(bearer, self._current_state()):
            return None
        fetch = self._directory.account_of_key
        digest = hashlib.sha256(bearer.encode()).hexdigest()
        return _let_in(self._recent.get(f"key {digest}", lambda: fetch(bearer)))

    def may_be_known(self, authorization: str, cookie: str) -> bool:
        """Return whether a caller with these headers holds what was issued here, or nothing is
        asked for. Never waits for the database: what was issued may have ended since.
        """
        if not self.has_token and (self._state is None or not self._state.users):
            return True
        bearer = bearer_of(authorization)
        if bearer is None:
            return self._subject(cookie) is not None
        if self.token_is_right(bearer):
            return True
        return self._state is not None and self._is_issued(bearer, self._state)

    def token_is_right(self, given: str) -> bool:
        """Compare in constant time."""
        return self._token is not None and hmac.compare_digest(
            hashlib.sha256(given.encode("utf-8", "surrogateescape")).digest(),
            hashlib.sha256(self._token).digest(),
        )

    def new_session(self, account: Account | None = None) -> str:
        """Return a cookie value that proves a login for SESSION_S seconds: of a user, or of one
        who holds the access token."""
        body = f"{int(time.time()) + SESSION_S}.{secrets.token_hex(8)}"
        if account is None:
            return f"{body}.{_signed(body, self._token_key)}"
        key = _user_key(self._current_state())
        assert key is not None  # there is an account
        self._recent.keep(f"user {account.name}", account, time.monotonic())
        body = f"{body}.{account.epoch}.{account.name}"
        return f"{body}.{_signed(body, key)}"

    def end_session(self, cookie: str) -> None:
        """Let a cookie prove nothing any more. Raises OSError where that cannot be kept."""
        if self._subject(cookie) is None:
            return
        self._ended.add(cookie)

    def _of_session(self, cookie: str) -> Caller | None:
        if cookie.count(".") >= USER_SESSION_DOTS and _user_key(self._state) is None:
            self._current_state()
        subject = self._subject(cookie)
        if subject is None or cookie in self._ended:
            return None
        if not subject:
            return TOKEN_HOLDER
        epoch, _, name = subject.partition(".")
        if self._directory is None:
            return None
        fetch = self._directory.account
        account = self._recent.get(f"user {name}", lambda: fetch(name))
        return _let_in(account) if account is not None and str(account.epoch) == epoch else None

    def _subject(self, cookie: str) -> str | None:
        """Return whose session it is: '' of the token, 'epoch.name' of a user, None of nobody. It
        may have been logged out of."""
        body, _, signature = cookie.rpartition(".")
        given = signature.encode("utf-8", "surrogateescape")
        expires, _, rest = body.partition(".")
        subject = rest.partition(".")[2]
        key = _user_key(self._state) if subject else self._token_key if self.has_token else None
        if key is None or not hmac.compare_digest(given, _signed(body, key).encode()):
            return None
        if not expires.isdigit() or int(expires) <= time.time():
            return None
        return subject

    def _is_issued(self, key: str, state: AccessState) -> bool:
        return state.secret is not None and was_issued(state.secret, key)

    def _current_state(self) -> AccessState:
        """Return whether there are users; that there are is never forgotten."""
        if self._directory is None:
            return AccessState(secret=None, users=0, administrators=0)
        known = self._state
        if known is not None and known.users:
            return known
        if known is not None and not self._asking.acquire(blocking=False):
            return known  # another asks
        if known is None:
            self._asking.acquire()
        try:
            self._state = self._recent.get("state", self._directory.access_state)
        except CLEW_ERRORS:
            # while the database is away nobody can have made a user
            if known is None:
                raise
        finally:
            self._asking.release()
        assert self._state is not None
        return self._state


def bearer_of(authorization: str) -> str | None:
    """Return the token or key of an Authorization header, None where it holds none."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _let_in(account: Account | None) -> Caller | None:
    return None if account is None or account.disabled else caller_of(account)


def _user_key(state: AccessState | None) -> bytes | None:
    if state is None or state.secret is None:
        return None
    return hashlib.sha256(b"clew user session\0" + state.secret.encode()).digest()


def _signed(body: str, key: bytes) -> str:
    return hmac.new(key, body.encode("utf-8", "surrogateescape"), "sha256").hexdigest()
