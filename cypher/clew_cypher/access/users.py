"""Users and the corpora that they may see."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from clew_cypher.store import GraphStore, Row, Transaction

SECRET_BYTES = 32


@dataclass(frozen=True)
class UserRow:
    """A user as it is kept. ``password``: its Argon2id hash, None for one who cannot log in;
    ``epoch`` grows when the sessions so far shall end."""

    name: str
    role: str
    disabled: bool = False
    all_corpora: bool = False
    password: str | None = None
    epoch: int = 0
    corpora: tuple[str, ...] = ()
    created_at: str = ""


def access_state(store: GraphStore) -> Row:
    """Return {secret, users, administrators}; the secret is None before the first user."""
    return store.read("access_state")[0]


def get_user(store: GraphStore, name: str) -> UserRow | None:
    """Return a user, None where there is none of that name."""
    return _user(store.read("user", name=name))


def list_users(store: GraphStore) -> list[Row]:
    """Return rows {name, role, disabled, all_corpora, corpora, created_at, has_password, keys}."""
    return store.read("list_users")


def change_users(
    store: GraphStore,
    name: str,
    change: Callable[[UserRow | None, int], UserRow],
    corpora: tuple[str, ...] = (),
) -> tuple[str, ...]:
    """Make or change a user; no other change of users happens meanwhile.

    ``change`` is given the user, None where there is none, and how many administrators can
    log in; it returns the user to keep, or raises. ``corpora`` are granted besides. Returns
    those of them that do not exist: then nothing was changed.
    """

    def work(transaction: Transaction) -> tuple[str, ...]:
        kept = change(*_locked(transaction, name))
        transaction.run(
            "save_user",
            name=kept.name,
            role=kept.role,
            disabled=kept.disabled,
            all_corpora=kept.all_corpora,
            password=kept.password,
            epoch=kept.epoch,
        )
        missing = tuple(
            corpus
            for corpus in corpora
            if not transaction.run("grant_corpus", name=name, corpus=corpus)
        )
        if missing:
            raise _Missing(missing)
        return ()

    try:
        return store.in_transaction(work)
    except _Missing as error:
        return error.corpora


def delete_user(
    store: GraphStore, name: str, check: Callable[[UserRow | None, int], UserRow]
) -> int:
    """Delete a user with their grants and keys, and return how many keys those were.

    ``check`` is called as the change of `change_users` is, and raises for one who has to stay.
    """

    def work(transaction: Transaction) -> int:
        check(*_locked(transaction, name))
        keys: int = transaction.run("delete_user", name=name)[0]["keys"]
        return keys

    return store.in_transaction(work)


def grant(store: GraphStore, name: str, corpus: str) -> bool:
    """Let a user see a corpus; False where the user or the corpus does not exist."""
    return bool(store.write("grant_corpus", name=name, corpus=corpus))


def revoke(store: GraphStore, name: str, corpus: str) -> bool:
    """Take a grant back; False where there was none."""
    return bool(store.write("revoke_corpus", name=name, corpus=corpus))


def _locked(transaction: Transaction, name: str) -> tuple[UserRow | None, int]:
    """Let no other change of users happen until the transaction ends; return the user, None where
    there is none, and how many administrators can log in.
    """
    transaction.run("lock_access", secret=secrets.token_hex(SECRET_BYTES))
    administrators: int = transaction.run("access_state")[0]["administrators"]
    return _user(transaction.run("user", name=name)), administrators


class _Missing(Exception):
    def __init__(self, corpora: tuple[str, ...]) -> None:
        super().__init__(corpora)
        self.corpora = corpora


def _user(rows: list[Row]) -> UserRow | None:
    if not rows:
        return None
    return UserRow(**{**rows[0], "corpora": tuple(rows[0]["corpora"])})
