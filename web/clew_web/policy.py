"""Who may call a route. Every view declares it; a view that does not is refused to everyone."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from flask import Flask

from clew.results.access import Role, Scope

View = TypeVar("View", bound=Callable[..., Any])

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class Corpora(Enum):
    """What a view has to do with corpora.

    CHECKED: it is about one, named in path, query or body or by what it asks for (a job, a run):
    who may not see that one gets what they would get if it did not exist. FILTERED: it lists of
    all those that the caller may see. NONE: it tells nothing of any.
    """

    CHECKED = "checked"
    FILTERED = "filtered"
    NONE = "none"


@dataclass(frozen=True)
class Policy:
    """``role``: what a caller must be at least, None for anyone; ``changing``: the same for unsafe
    methods. ``corpora`` is held by `clew_web.scoped`, for every view alike. ``also``: scopes of an
    API key that do beside the role's own."""

    role: Role | None
    changing: Role | None
    corpora: Corpora
    also: tuple[Scope, ...] = ()

    def needed(self, method: str) -> Role | None:
        """Return the role that a request with this method needs."""
        return self.role if method in SAFE_METHODS else self.changing


PUBLIC = Policy(None, None, Corpora.NONE)


def public(view: View) -> View:
    """Declare that anyone may call this view."""
    return _declared(view, PUBLIC)


def allows(role: Role, corpora: Corpora, also: tuple[Scope, ...] = ()) -> Callable[[View], View]:
    """Declare that callers of this role, or a higher one, may call this view."""
    return lambda view: _declared(view, Policy(role, role, corpora, also))


def protected(view: View) -> View:
    """Declare that readers may call this view, and editors where the method changes something."""
    return _declared(view, Policy("reader", "editor", Corpora.CHECKED))


def policy_of(app: Flask, endpoint: str) -> Policy | None:
    """Return what the endpoint's view declares, None where it declares nothing."""
    return getattr(app.view_functions[endpoint], "policy", None)


def _declared(view: View, policy: Policy) -> View:
    view.policy = policy  # type: ignore[attr-defined]
    return view
