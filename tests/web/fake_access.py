"""The users, keys and audit log of the fake facade: in memory, with real seals on the keys."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from clew.access.keys import new_key
from clew.access.users import unknown_user
from clew.errors import UnknownApiKey
from clew.results.access import (
    AccessState,
    Account,
    ApiKey,
    AuditEntry,
    NewApiKey,
    Role,
    Scope,
    User,
)
from clew_cypher.corpora import unknown_corpus

SECRET = "5" * 64
WHEN = "2026-11-21T03:00:00+00:00"
ENDS = "2027-02-19T03:00:00+00:00"


@dataclass
class KeptUser:
    role: Role
    password: str | None
    corpora: set[str]
    all_corpora: bool = False
    disabled: bool = False
    epoch: int = 0


@dataclass
class KeptKey:
    id: str
    name: str
    user: str
    key: str
    scopes: tuple[Scope, ...]
    state: Any = field(default="valid")


class FakeAccess:
    """Nobody is a user at first. Reads are counted in ``looked_up``."""

    stored: dict[str, Any]

    def __init__(self) -> None:
        self.accounts: dict[str, KeptUser] = {}
        self.keys: dict[str, KeptKey] = {}
        self.entries: list[AuditEntry] = []
        self.looked_up: list[str] = []

    def users(self) -> list[User]:
        return [self._user(name) for name in sorted(self.accounts)]

    def create_user(
        self,
        name: str,
        role: Role = "reader",
        *,
        password: str | None = None,
        corpora: Any = (),
        all_corpora: bool = False,
    ) -> User:
        for corpus in corpora:
            if corpus not in self.stored:
                raise unknown_corpus(corpus)
        self.accounts[name] = KeptUser(role, password, set(corpora), all_corpora)
        return self._user(name)

    def change_user(
        self,
        name: str,
        *,
        role: Role | None = None,
        disabled: bool | None = None,
        all_corpora: bool | None = None,
        password: str | None = None,
    ) -> User:
        user = self._kept(name)
        user.role = role or user.role
        user.disabled = user.disabled if disabled is None else disabled
        user.all_corpora = user.all_corpora if all_corpora is None else all_corpora
        user.password = password or user.password
        user.epoch += password is not None or disabled is True
        return self._user(name)

    def delete_user(self, name: str) -> int:
        self._kept(name)
        del self.accounts[name]
        mine = [key for key in self.keys if self.keys[key].user == name]
        for key in mine:
            del self.keys[key]
        return len(mine)

    def grant(self, name: str, corpus: str) -> User:
        self._kept(name)
        if corpus not in self.stored:
            raise unknown_corpus(corpus)
        self._kept(name).corpora.add(corpus)
        return self._user(name)

    def revoke(self, name: str, corpus: str) -> User:
        self._kept(name).corpora.discard(corpus)
        return self._user(name)

    def api_keys(self) -> list[ApiKey]:
        return [
            ApiKey(
                id=key.id,
                name=key.name,
                user=key.user,
                scopes=key.scopes,
                state=key.state,
                created_at=WHEN,
                expires_at=ENDS,
            )
            for key in reversed(self.keys.values())
        ]

    def create_api_key(self, user: str, name: str, scopes: Any, days: int = 90) -> NewApiKey:
        self._kept(user)
        key_id, key = new_key(SECRET)
        self.keys[key_id] = KeptKey(key_id, name, user, key, tuple(scopes))
        return NewApiKey(id=key_id, user=user, key=key, expires_at=ENDS)

    def revoke_api_key(self, key_id: str) -> None:
        if key_id not in self.keys:
            raise UnknownApiKey(f"There is no API key {key_id!r}.", remedy="List them.")
        self.keys[key_id].state = "revoked"

    def access_state(self) -> AccessState:
        self.looked_up.append("state")
        return AccessState(
            secret=SECRET if self.accounts else None,
            users=len(self.accounts),
            administrators=sum(
                user.role == "admin" and not user.disabled and user.password is not None
                for user in self.accounts.values()
            ),
        )

    def account(self, name: str) -> Account | None:
        self.looked_up.append(name)
        return self._account(name) if name in self.accounts else None

    def account_of_key(self, key: str) -> Account | None:
        self.looked_up.append("key")
        for kept in self.keys.values():
            if kept.key == key and kept.state == "valid":
                account = self._account(kept.user)
                return account.model_copy(update={"scopes": kept.scopes, "key_name": kept.name})
        return None

    def log_in(self, name: str, password: str) -> Account | None:
        user = self.accounts.get(name)
        right = user is not None and user.password == password and not user.disabled
        return self._account(name) if right else None

    def record(
        self, who: str, action: str, target: str, outcome: str = "done", address: str = ""
    ) -> None:
        entry = AuditEntry(
            id=f"l{len(self.entries)}",
            at=datetime.now(UTC).isoformat(),
            who=who,
            action=action,
            target=target,
            outcome=outcome,
            address=address,
        )
        self.entries.insert(0, entry)

    def audit(
        self, who: str = "", action: str = "", limit: int = 50, offset: int = 0
    ) -> list[AuditEntry]:
        found = [
            entry
            for entry in self.entries
            if who in ("", entry.who) and entry.action.startswith(action)
        ]
        return found[offset : offset + limit]

    def audit_count(self, who: str = "", action: str = "") -> int:
        return len(self.audit(who, action, limit=len(self.entries)))

    def _kept(self, name: str) -> KeptUser:
        if name not in self.accounts:
            raise unknown_user(name)
        return self.accounts[name]

    def _account(self, name: str) -> Account:
        user = self.accounts[name]
        return Account(
            name=name,
            role=user.role,
            disabled=user.disabled,
            all_corpora=user.all_corpora,
            corpora=frozenset(user.corpora),
            epoch=user.epoch,
        )

    def _user(self, name: str) -> User:
        user = self.accounts[name]
        return User(
            name=name,
            role=user.role,
            disabled=user.disabled,
            all_corpora=user.all_corpora or user.role == "admin",
            corpora=tuple(sorted(user.corpora)),
            can_log_in=user.password is not None and not user.disabled,
            keys=sum(key.user == name and key.state == "valid" for key in self.keys.values()),
            created_at=WHEN,
        )
