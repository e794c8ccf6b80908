"""The pages: server-rendered, thin; what changes on them comes from REST."""

from clew_web.ui import ask, bench, documents, home, session  # noqa: F401
from clew_web.ui.blueprint import ui

__all__ = ["ui"]
