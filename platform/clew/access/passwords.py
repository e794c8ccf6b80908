"""Passwords: Argon2id (argon2-cffi's defaults: RFC 9106 with 64 MiB), never kept as they are."""

import threading
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from clew.errors import InvalidRequest, TooManyLogins

SHORTEST = 10
LONGEST = 1000
AT_ONCE = 2
"""Passwords compared at once: each takes 64 MiB and a core for some 50 ms."""
WAIT_S = 5.0

_hasher = PasswordHasher()
_comparing = threading.BoundedSemaphore(AT_ONCE)


def hashed(password: str) -> str:
    """Return what is kept of a password. Raises InvalidRequest for one that can be guessed."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidRequest(
            f"The password has {len(password)} characters.",
            remedy=f"Use {SHORTEST} to {LONGEST}; several words are good.",
        )
    return _hasher.hash(password.encode("utf-8", "surrogateescape"))


def matches(kept: str | None, password: str) -> bool:
    """Return whether this is the password; takes as long where there is none to compare with.

    Raises TooManyLogins where others are being compared for too long.
    """
    if not _comparing.acquire(timeout=WAIT_S):
        raise TooManyLogins("Too many people are logging in at once.", remedy="Try again.")
    try:
        given = password[: LONGEST + 1].encode("utf-8", "surrogateescape")
        return _hasher.verify(kept or _nobodys(), given) and kept is not None
    except (VerificationError, InvalidHashError):
        return False
    finally:
        _comparing.release()


@cache
def _nobodys() -> str:
    return _hasher.hash(b"a password that nobody has")
