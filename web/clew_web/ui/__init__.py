"""The pages: server-rendered, thin; what changes on them comes from REST."""

from clew_web.ui import (  # noqa: F401
    access,
    ask,
    bench,
    bench_shown,
    corpora_pages,
    documents,
    entities,
    graph,
    home,
    jobs,
    models,
    navigation,
    schedules,
    session,
    settings,
    webhooks,
)
from clew_web.ui.blueprint import ui

__all__ = ["ui"]
