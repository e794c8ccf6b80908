"""API keys as they are kept: a digest, scopes, an end."""

from collections.abc import Sequence
from datetime import datetime

from clew_cypher.store import GraphStore, Row


def create_api_key(
    store: GraphStore,
    key_id: str,
    user: str,
    *,
    name: str,
    digest: str,
    scopes: Sequence[str],
    expires_at: datetime,
) -> bool:
    """Keep a key; False where there is no such user."""
    return bool(
        store.write(
            "create_api_key",
            id=key_id,
            user=user,
            name=name,
            digest=digest,
            scopes=list(scopes),
            expires_at=expires_at,
        )
    )


def get_api_key(store: GraphStore, key_id: str) -> Row | None:
    """Return {digest, scopes, key_name, live, noted, name, role, disabled, all_corpora, corpora} of
    a key and its user, None where there is no such key."""
    rows = store.read("api_key", id=key_id)
    return rows[0] if rows else None


def list_api_keys(store: GraphStore) -> list[Row]:
    """Return rows {id, name, user, scopes, state, created_at, expires_at, last_used_at},
    newest first."""
    return store.read("list_api_keys")


def note_key_use(store: GraphStore, key_id: str) -> None:
    """Note that a key is used now."""
    store.write("note_key_use", id=key_id)


def revoke_api_key(store: GraphStore, key_id: str) -> bool:
    """End a key for good; False where there is none of that id."""
    return bool(store.write("revoke_api_key", id=key_id))
