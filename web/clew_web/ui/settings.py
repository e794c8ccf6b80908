"""The Settings page: each setting with its value, where it came from, and its meaning."""

from flask import Response, make_response, render_template, request

from clew.settings.listing import SettingInfo, settings_list
from clew_web.backend import backend
from clew_web.policy import Corpora, allows
from clew_web.ui.blueprint import ui

SOURCES = ("argument", "environment", "file", "default")


@ui.get("/settings")
@allows("admin", Corpora.NONE)
def settings() -> Response:
    """The settings of the web server by group; ``?source=`` and ``?text=`` show some of them."""
    source, text = request.args.get("source", ""), request.args.get("text", "").strip()[:200]
    every = settings_list(backend().settings)
    found = [one for one in every if _fits(one, source, text)]
    groups: dict[str, list[SettingInfo]] = {}
    for one in found:
        groups.setdefault(one.group, []).append(one)
    page = render_template(
        "settings.html",
        groups=groups.items(),
        total=len(every),
        changed=sum(one.source != "default" for one in every),
        shown=len(found),
        sources=SOURCES,
        source=source,
        text=text,
    )
    return make_response(page)


def _fits(setting: SettingInfo, source: str, text: str) -> bool:
    if source and setting.source != source:
        return False
    return text.lower() in f"{setting.name} {setting.variable} {setting.meaning}".lower()
