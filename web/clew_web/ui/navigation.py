"""The pages by group, as the header shows them: groups above, the pages of this one's below."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import request, url_for

from clew.results.access import Role
from clew_web.backend import current_caller
from clew_web.ui.blueprint import ui


@dataclass(frozen=True)
class Page:
    """A page of the header. ``below``: endpoints of pages that belong to it; ``role``: of callers
    who may see it.
    """

    endpoint: str
    label: str
    below: Sequence[str] = ()
    role: Role = "reader"

    @property
    def here(self) -> bool:
        """Whether the request is for this page, or for one below it."""
        return request.endpoint == self.endpoint or request.endpoint in self.below


@dataclass(frozen=True)
class Group:
    """Pages that belong together, for callers of a role; one page is its own group."""

    label: str
    pages: Sequence[Page]
    role: Role = "reader"

    @property
    def here(self) -> bool:
        """Whether the request is for one of its pages."""
        return any(page.here for page in self.pages)


GROUPS = (
    Group("Home", (Page("ui.home", "Home"),)),
    Group("Ask", (Page("ui.ask", "Ask"),)),
    Group(
        "Data",
        (
            Page("ui.documents", "Documents", ("ui.document", "ui.chunk")),
            Page("ui.corpora", "Corpora", ("ui.corpus",)),
            Page("ui.entities", "Entities", ("ui.entity", "ui.reviews", "ui.merges")),
            Page("ui.graph", "Graph", ("ui.graph_tools",)),
        ),
    ),
    Group(
        "Work",
        (
            Page("ui.jobs", "Jobs", ("ui.job",)),
            Page("ui.schedules", "Schedules", ("ui.add_schedule", "ui.change_schedule")),
            Page(
                "ui.webhooks",
                "Webhooks",
                ("ui.retry_delivery",),
                role="editor",
            ),
            Page("docs.page", "API"),
        ),
    ),
    Group(
        "Quality",
        (
            Page("ui.bench", "Bench", ("ui.start_bench", "ui.compare_bench_runs", "ui.bench_run")),
            Page("ui.models", "Models", ("ui.train_model", "ui.serve_model")),
        ),
    ),
    Group(
        "Admin",
        (
            Page("ui.users", "Users"),
            Page("ui.audit", "Audit log"),
            Page("ui.settings", "Settings"),
        ),
        role="admin",
    ),
)


@ui.app_context_processor
def navigation() -> dict[str, Any]:
    """Return the groups that the caller may use, the one that the request is for, and the address
    that shows the page where that of the request does not: a form was sent there.
    """
    caller = current_caller()
    groups = [
        replace(group, pages=[page for page in group.pages if caller.may(page.role)])
        for group in GROUPS
        if caller.may(group.role)
    ]
    group = next((one for one in groups if one.here), None)
    pages = () if group is None or request.method == "GET" else group.pages
    address = next((url_for(page.endpoint) for page in pages if page.here), None)
    return {"nav_groups": groups, "nav_group": group, "live_address": address}
