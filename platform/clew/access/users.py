"""Users: made, changed, granted corpora.

There is always an administrator who can log in once there is a user.
"""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args

from clew.access.passwords import hashed, matches
from clew.errors import InvalidRequest, UnknownUser
from clew.results.access import AccessState, Account, Role, User
from clew_cypher.access import users as kept
from clew_cypher.access.users import UserRow
from clew_cypher.corpora import get_corpus, unknown_corpus
from clew_cypher.store import GraphStore

NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")


def access_state(store: GraphStore) -> AccessState:
    """Return whether there are users, and the secret that signs sessions and keys."""
    return AccessState(**kept.access_state(store))


def list_users(store: GraphStore) -> list[User]:
    """Return the users by name."""
    return [
        User(
            name=row["name"],
            role=row["role"],
            disabled=row["disabled"],
            all_corpora=row["all_corpora"] or row["role"] == "admin",
            corpora=tuple(row["corpora"]),
            can_log_in=row["has_password"] and not row["disabled"],
            keys=row["keys"],
            created_at=row["created_at"],
        )
        for row in kept.list_users(store)
    ]


def one_user(store: GraphStore, name: str) -> User:
    """Return a user. Raises UnknownUser."""
    for user in list_users(store):
        if user.name == name:
            return user
    raise unknown_user(name)


def account(store: GraphStore, name: str) -> Account | None:
    """Return what requests of a user are judged by, None where there is none of that name."""
    row = kept.get_user(store, name)
    return None if row is None else _account(row)


def log_in(store: GraphStore, name: str, password: str) -> Account | None:
    """Return the account where name and password are right and it is not disabled.

    Takes as long whatever is wrong. Raises TooManyLogins.
    """
    row = kept.get_user(store, name) if NAME.fullmatch(name) else None
    if not matches(row.password if row else None, password) or row is None or row.disabled:
        return None
    return _account(row)


def create_user(
    store: GraphStore,
    name: str,
    role: Role,
    *,
    password: str | None = None,
    corpora: Sequence[str] = (),
    all_corpora: bool = False,
) -> User:
    """Make a user; without a password only keys act for them.

    Raises InvalidRequest for a wrong name, role or password, a name that is taken, and for a first
    user who is no administrator with a password: nobody could make others; UnknownCorpus.
    """
    if not NAME.fullmatch(name):
        raise InvalidRequest(
            f"{name!r} is no name of a user.",
            remedy="Use up to 64 small letters, digits and . _ @ + -, such as an address of mail.",
        )
    _check_role(role)
    new = UserRow(
        name=name,
        role=role,
        all_corpora=all_corpora,
        password=None if password is None else hashed(password),
        epoch=time.time_ns() // 1_000_000,  # not that of a deleted user of this name
    )

    def change(present: UserRow | None, administrators: int) -> UserRow:
        if present is not None:
            raise InvalidRequest(
                f"There is a user {name!r} already.", remedy="Change that one, or use another name."
            )
        if not administrators and (role != "admin" or new.password is None):
            raise InvalidRequest(
                "The first user must be an administrator who can log in.",
                remedy="Make one with the role admin and a password: it can make the others.",
            )
        return new

    missing = kept.change_users(store, name, change, tuple(dict.fromkeys(corpora)))
    if missing:
        raise unknown_corpus(missing[0])
    return one_user(store, name)


def change_user(
    store: GraphStore,
    name: str,
    *,
    role: Role | None = None,
    disabled: bool | None = None,
    all_corpora: bool | None = None,
    password: str | None = None,
) -> User:
    """Change what is given; a new password, or disabling, ends the user's sessions.

    Raises UnknownUser, and InvalidRequest where no administrator who can log in would be left.
    """
    if role is not None:
        _check_role(role)
    new_password = None if password is None else hashed(password)

    def changed(user: UserRow) -> UserRow:
        return replace(
            user,
            role=user.role if role is None else role,
            disabled=user.disabled if disabled is None else disabled,
            all_corpora=user.all_corpora if all_corpora is None else all_corpora,
            password=new_password or user.password,
            epoch=user.epoch + (new_password is not None or disabled is True),
        )

    kept.change_users(store, name, _keeping_an_administrator(name, changed))
    return one_user(store, name)


def delete_user(store: GraphStore, name: str) -> int:
    """Delete a user with their grants and API keys; return how many keys those were.

    Raises UnknownUser, and InvalidRequest where no administrator who can log in would be left.
    """
    gone = _keeping_an_administrator(name, lambda user: replace(user, disabled=True))
    return kept.delete_user(store, name, gone)


def grant(store: GraphStore, name: str, corpus: str) -> User:
    """Let a user see a corpus. Raises UnknownUser, UnknownCorpus."""
    one_user(store, name)
    get_corpus(store, corpus)
    if not kept.grant(store, name, corpus):
        raise unknown_corpus(corpus)  # deleted meanwhile
    return one_user(store, name)


def revoke(store: GraphStore, name: str, corpus: str) -> User:
    """Take a grant back. Raises UnknownUser, and InvalidRequest where there is no such grant."""
    user = one_user(store, name)
    if not kept.revoke(store, name, corpus):
        raise InvalidRequest(
            f"The corpus {corpus!r} is not granted to {name}.",
            remedy="What is granted: " + (", ".join(user.corpora) or "no corpus by itself") + ".",
        )
    return one_user(store, name)


def unknown_user(name: str) -> UnknownUser:
    """Return the error for a user that does not exist."""
    return UnknownUser(f"There is no user {name!r}.", remedy="`clew users` lists them.")


def _keeping_an_administrator(
    name: str, changed: Callable[[UserRow], UserRow]
) -> Callable[[UserRow | None, int], UserRow]:
    def change(present: UserRow | None, administrators: int) -> UserRow:
        if present is None:
            raise unknown_user(name)
        new = changed(present)
        if _leads(present) and not _leads(new) and administrators <= 1:
            raise InvalidRequest(
                f"{name} is the only administrator who can log in.",
                remedy="Make somebody else an administrator with a password first.",
            )
        return new

    return change


def _leads(user: UserRow) -> bool:
    return user.role == "admin" and not user.disabled and user.password is not None


def _check_role(role: str) -> None:
    if role not in get_args(Role):
        raise InvalidRequest(
            f"{role!r} is no role.", remedy=f"Roles are {', '.join(get_args(Role))}."
        )


def _account(row: UserRow) -> Account:
    return Account(
        name=row.name,
        role=row.role,
        disabled=row.disabled,
        all_corpora=row.all_corpora,
        corpora=frozenset(row.corpora),
        epoch=row.epoch,
    )
