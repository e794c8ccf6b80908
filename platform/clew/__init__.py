"""Clew: answers questions whose evidence is spread over many documents, with the evidence shown."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.async_clew import AsyncClew
    from clew.clew import Clew
    from clew.results.evidence import Answer, Citation, Evidence
    from clew.settings import Settings

__version__ = "0.1.0"
__all__ = ["Answer", "AsyncClew", "Citation", "Clew", "Evidence", "Settings"]


_MODULES = {
    "Answer": "clew.results.evidence",
    "AsyncClew": "clew.async_clew",
    "Citation": "clew.results.evidence",
    "Clew": "clew.clew",
    "Evidence": "clew.results.evidence",
    "Settings": "clew.settings",
}
"""Loaded when first asked for: `clew --help` need not wait for the graph layer, and nothing is
loaded before the command line can tell an interrupt."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
