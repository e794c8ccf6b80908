"""Users, API keys and the audit log, as administrators see them."""

from typing import Literal

from pydantic import Field

from clew.results.result import Result

Role = Literal["reader", "editor", "admin"]
Scope = Literal["query", "ingest", "admin"]
ROLES: tuple[Role, ...] = ("reader", "editor", "admin")
"""Each may do what those before it may."""
SCOPES: tuple[Scope, ...] = ("query", "ingest", "admin")
"""What a key may be used for: what readers, editors, administrators may do, in this order."""


class User(Result):
    """Who may log in, or have keys. ``corpora``: those that were granted; ``all_corpora``: every
    one, also those to come. Administrators see all. ``can_log_in``: there is a password; ``keys``:
    how many are neither expired nor revoked."""

    name: str
    role: Role
    disabled: bool
    all_corpora: bool
    corpora: tuple[str, ...]
    can_log_in: bool
    keys: int
    created_at: str


class ApiKey(Result):
    """A program's key, without what it is. ``scopes``: what it may be used for, at most what its
    user may do. ``last_used_at``: to the minute; None where it never was."""

    id: str
    name: str
    user: str
    scopes: tuple[Scope, ...]
    state: Literal["valid", "expired", "revoked"]
    created_at: str
    expires_at: str
    last_used_at: str | None = None


class NewApiKey(Result):
    """A key that was made. ``key`` is shown this once: only a digest of it is kept."""

    id: str
    user: str
    key: str
    expires_at: str


class AuditEntry(Result):
    """A line of the log: ``who`` did what (``action``) to what (``target``), and how it ended.

    ``outcome``: done, or why not: the code of the error. ``address``: where it came from.
    """

    id: str
    at: str
    who: str
    action: str
    target: str
    outcome: str
    address: str


class AccessState(Result):
    """Whether anybody has to prove who they are. ``secret`` signs sessions and keys; None before
    the first user."""

    secret: str | None = Field(repr=False)
    users: int
    administrators: int


class Account(Result):
    """What a request of a user is judged by. ``scopes``: of the key that it came with, None for a
    person; ``epoch``: sessions of another one have ended."""

    name: str
    role: Role
    disabled: bool
    all_corpora: bool
    corpora: frozenset[str]
    epoch: int = 0
    scopes: tuple[Scope, ...] | None = None
    key_name: str = ""
