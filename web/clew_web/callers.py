"""Who calls: what they are, and which corpora they may see."""

from collections.abc import Collection
from dataclasses import dataclass

from clew.results.access import ROLES, SCOPES, Account, Role, Scope
from clew_cypher.corpora import unknown_corpus
from clew_web.errors import Refused


def scope_of(role: Role) -> Scope:
    """Return the scope that a key needs for what a role may do."""
    return SCOPES[ROLES.index(role)]


@dataclass(frozen=True)
class Caller:
    """One who was let in, or nobody. ``name`` stands in the audit log; ``corpora``: None for all;
    ``scopes``: of an API key, None for a person; ``user``: the name of the user behind."""

    name: str
    role: Role | None
    corpora: frozenset[str] | None
    scopes: tuple[Scope, ...] | None = None
    user: str | None = None

    def may(self, role: Role | None, also: Collection[Scope] = ()) -> bool:
        """Return whether the caller may do what needs this role; None: what anyone may.

        ``also``: scopes that do for it beside the role's own.
        """
        if role is None:
            return True
        if not self.is_at_least(role):
            return False
        return self.scopes is None or not {scope_of(role), *also}.isdisjoint(self.scopes)

    def is_at_least(self, role: Role) -> bool:
        """Return whether the caller has this role, or a higher one, whatever a key's scopes."""
        return self.role is not None and ROLES.index(self.role) >= ROLES.index(role)

    def sees(self, corpus: str | None) -> bool:
        """Return whether the caller may know of this corpus; None: of what is of no corpus."""
        return corpus is None or self.corpora is None or corpus in self.corpora

    def check(self, corpus: str) -> str:
        """Return the corpus; raise the UnknownCorpus of one that is not there for the caller, and
        Refused for "", the default of who sees none."""
        if not self.sees(corpus):
            if not corpus:
                raise Refused(
                    403,
                    "No corpus is granted to you.",
                    remedy="An administrator can grant you one.",
                )
            raise unknown_corpus(corpus)
        return corpus


NOBODY = Caller("nobody", None, frozenset())
ANYONE_HERE = Caller("anyone on this machine", "admin", None)
"""Whoever reaches a server on loopback that has no users and no token."""
TOKEN_HOLDER = Caller("the access token", "admin", None)


def caller_of(account: Account) -> Caller:
    """Return the caller that an account stands for."""
    sees_all = account.all_corpora or account.role == "admin"
    return Caller(
        name=account.name if account.scopes is None else f"{account.name} (key {account.key_name})",
        role=account.role,
        corpora=None if sees_all else account.corpora,
        scopes=account.scopes,
        user=account.name,
    )
