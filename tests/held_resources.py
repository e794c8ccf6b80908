"""Resources that use what a test holds already, so that nothing is loaded or opened twice."""

from collections.abc import Callable
from typing import Any

from clew.resources.resources import Resources
from clew.settings import Settings


def held_resources(
    settings: Settings, store: Any = None, embedder: Any = None, parser: Any = None
) -> Resources:
    """Return resources of ``settings`` with the given parts in place of their own.

    Not to be closed where ``store`` is shared.
    """
    resources = Resources(settings)
    resources._store = store
    for key, part in (("embedder", embedder), ("parser", parser)):
        if part is not None:
            resources.models.get(key, _giving(part), name=key)
    return resources


def _giving(part: Any) -> Callable[[], Any]:
    return lambda: part


def like(resources: Resources, **changes: Any) -> Resources:
    """Return resources with other settings (flat names) and the same store and models."""
    settings = resources.settings.changed(**changes)
    return held_resources(settings, resources.store, resources.embedder, resources.parser)
