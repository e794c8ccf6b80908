"""Who may call a route. Every view declares it; a view that does not is refused to everyone."""

from collections.abc import Callable
from enum import Enum
from typing import Any, TypeVar

from flask import Flask

View = TypeVar("View", bound=Callable[..., Any])


class Policy(Enum):
    """PUBLIC: anyone. PROTECTED: whoever holds the access token, where one is set."""

    PUBLIC = "public"
    PROTECTED = "protected"


def public(view: View) -> View:
    """Declare that anyone may call this view."""
    view.policy = Policy.PUBLIC  # type: ignore[attr-defined]
    return view


def protected(view: View) -> View:
    """Declare that only those who hold the access token (where one is set) may call this view."""
    view.policy = Policy.PROTECTED  # type: ignore[attr-defined]
    return view


def policy_of(app: Flask, endpoint: str) -> Policy | None:
    """Return what the endpoint's view declares, None where it declares nothing."""
    return getattr(app.view_functions[endpoint], "policy", None)
