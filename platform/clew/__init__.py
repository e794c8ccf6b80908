"""Clew: answers questions whose evidence is spread over many documents, with the evidence shown."""

from typing import TYPE_CHECKING, Any

from clew.results.evidence import Answer, Citation, Evidence
from clew.settings import Settings

if TYPE_CHECKING:
    from clew.async_clew import AsyncClew
    from clew.clew import Clew

__version__ = "0.1.0"
__all__ = ["Answer", "AsyncClew", "Citation", "Clew", "Evidence", "Settings"]


def __getattr__(name: str) -> Any:
    # The facade imports the graph layer; the CLI's --help should not wait for that.
    if name == "Clew":
        from clew.clew import Clew

        return Clew
    if name == "AsyncClew":
        from clew.async_clew import AsyncClew

        return AsyncClew
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
