"""The pages: server-rendered, thin; what changes on them comes from REST."""

from clew_web.ui import (  # noqa: F401
    access,
    ask,
    bench,
    bench_shown,
    documents,
    graph,
    home,
    models,
    schedules,
    session,
)
from clew_web.ui.blueprint import ui

__all__ = ["ui"]
