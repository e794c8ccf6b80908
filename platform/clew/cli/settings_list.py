"""`clew settings`: every setting with its value and where the value came from."""

from typing import Annotated

import typer

from clew.cli.output import console, print_json, table
from clew.settings import Settings
from clew.settings.listing import settings_list


def settings(
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List every setting: its value, where that came from, and what it means."""
    found = settings_list(Settings.load())
    if as_json:
        print_json({one.name: {"value": one.value, "source": one.source} for one in found})
        return
    rows = [(one.name, one.value, one.source, one.meaning) for one in found]
    console.print(table("Settings", ("name", "value", "from", "meaning"), rows))
