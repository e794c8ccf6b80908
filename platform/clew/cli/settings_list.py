"""`clew settings`: every setting with its value and where the value came from."""

import os
from typing import Annotated

import typer
from pydantic import SecretStr

from clew.cli.output import console, print_json, table
from clew.settings import ENVIRONMENT_PREFIX, Settings, all_settings, file_values


def settings(
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """List every setting: its value, where that came from, and what it means."""
    values = Settings.load()
    from_file = file_values({})
    rows = []
    for name, field in all_settings().items():
        value = values.value(name)
        shown = "••••••" if isinstance(value, SecretStr) else str(value)
        source = "default"
        if name in from_file:
            source = "file"
        variables = {f"{ENVIRONMENT_PREFIX}{name.upper()}"}
        if name.startswith("neo4j_"):
            variables.add(name.upper())
        if variables & os.environ.keys():
            source = "environment"
        rows.append((name, shown, source, field.description or ""))
    if as_json:
        print_json({name: {"value": shown, "source": source} for name, shown, source, _ in rows})
        return
    console.print(table("Settings", ("name", "value", "from", "meaning"), rows))
