"""API keys: ``clew_<id>_<secret>_<seal>``.

The secret has 256 bits, so a plain SHA-256 of the key is kept: nobody can try that many, and a slow
hash such as that of passwords would cost each request what it costs a thief. The seal, made with
this database's secret, tells a key that was issued here from one that was made up, without asking
the database.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import get_args

from clew.access.users import access_state, unknown_user
from clew.errors import InvalidRequest, UnknownApiKey
from clew.results.access import Account, ApiKey, NewApiKey, Scope
from clew_cypher.access import keys as kept
from clew_cypher.store import GraphStore

FORM = re.compile(r"clew_(k[0-9a-f]{12})_([A-Za-z0-9-]{43})_([0-9a-f]{16})")
DEFAULT_DAYS = 90
MOST_DAYS = 3650


def create_api_key(
    store: GraphStore, user: str, name: str, scopes: Sequence[Scope], days: int = DEFAULT_DAYS
) -> NewApiKey:
    """Make a key that acts for a user, at most as far as ``scopes`` go, for ``days`` days.

    Raises UnknownUser, and InvalidRequest for wrong scopes, days or an empty name.
    """
    wrong = [scope for scope in scopes if scope not in get_args(Scope)]
    if wrong or not scopes:
        raise InvalidRequest(
            f"{wrong[0]!r} is no scope." if wrong else "No scope is given.",
            remedy=f"Scopes are {', '.join(get_args(Scope))}.",
        )
    if not 1 <= days <= MOST_DAYS:
        raise InvalidRequest(f"A key cannot live {days} days.", remedy=f"Use 1 to {MOST_DAYS}.")
    if not name.strip() or len(name) > 100:
        raise InvalidRequest(
            "The key has no name, or one over 100 characters.",
            remedy="Say what it is for, such as 'nightly crawler'.",
        )
    secret = access_state(store).secret
    if secret is None:
        raise unknown_user(user)
    key_id, key = new_key(secret)
    expires_at = datetime.now(UTC) + timedelta(days=days)
    if not kept.create_api_key(
        store,
        key_id,
        user,
        name=name.strip(),
        digest=_digest(key),
        scopes=list(dict.fromkeys(scopes)),
        expires_at=expires_at,
    ):
        raise unknown_user(user)
    return NewApiKey(id=key_id, user=user, key=key, expires_at=expires_at.isoformat())


def list_api_keys(store: GraphStore) -> list[ApiKey]:
    """Return the keys of all users, newest first."""
    return [ApiKey(**{**row, "scopes": tuple(row["scopes"])}) for row in kept.list_api_keys(store)]


def revoke_api_key(store: GraphStore, key_id: str) -> None:
    """End a key for good. Raises UnknownApiKey."""
    if not kept.revoke_api_key(store, key_id):
        raise UnknownApiKey(f"There is no API key {key_id!r}.", remedy="`clew keys` lists them.")


def new_key(secret: str) -> tuple[str, str]:
    """Return the id of a key that is new, and the key, sealed with the database's secret."""
    key_id = f"k{secrets.token_hex(6)}"
    # '_' parts a key
    body = f"clew_{key_id}_{secrets.token_urlsafe(32).replace('_', '-')}"
    return key_id, f"{body}_{_seal(secret, body)}"


def was_issued(secret: str, key: str) -> bool:
    """Return whether a key was made with this secret; it may have ended since."""
    if not FORM.fullmatch(key):
        return False
    body, _, seal = key.rpartition("_")
    return hmac.compare_digest(seal, _seal(secret, body))


def account_of_key(store: GraphStore, key: str) -> Account | None:
    """Return the account that a key acts for; None where it is none, has expired or was revoked."""
    form = FORM.fullmatch(key)
    row = kept.get_api_key(store, form[1]) if form else None
    if row is None or not row["live"] or not hmac.compare_digest(row["digest"], _digest(key)):
        return None
    if not row["noted"] and form is not None:
        kept.note_key_use(store, form[1])
    return Account(
        name=row["name"],
        role=row["role"],
        disabled=row["disabled"],
        all_corpora=row["all_corpora"],
        corpora=frozenset(row["corpora"]),
        scopes=tuple(row["scopes"]),
        key_name=row["key_name"],
    )


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _seal(secret: str, body: str) -> str:
    return hmac.new(b"clew api key\0" + secret.encode(), body.encode(), "sha256").hexdigest()[:16]
