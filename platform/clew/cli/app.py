"""Puts the command groups together and turns errors into one clear sentence."""

import importlib
import sys
from importlib.metadata import version
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from clew.cli.output import errors, show_error
from clew.errors import CLEW_ERRORS, PlatformError

COMMANDS = {
    "ask": "questions.ask",
    "search": "questions.search",
    "ingest": "ingest.ingest",
    "delete": "documents.delete",
    "jobs": "jobs.jobs",
    "mcp": "mcp.mcp",
    "up": "services.up",
    "down": "services.down",
    "status": "services.status",
    "doctor": "services.doctor",
    "check": "check.check",
    "backup": "backup.backup",
    "restore": "backup.restore",
    "audit": "access.audit",
    "bench": "bench.bench",
    "demo": "demo.demo",
    "strategies": "strategies.strategies",
    "settings": "settings_list.settings",
    "documents": "documents.app",
    "entities": "entities.app",
    "corpora": "corpora.app",
    "users": "access.users_app",
    "keys": "access.keys_app",
    "train": "training.app",
    "schedules": "schedules.app",
    "webhooks": "webhooks.app",
    "graph": "graph.app",
}
"""Each command with the module in `clew.cli` that has it, and the function, or group, in there."""

INTERRUPTED = 130
"""The exit code that typer makes of an interrupt."""
MARKUP: Literal["markdown"] = "markdown"


class Commands(TyperGroup):
    """Finds a command when it is named: `clew up` needs little of what all of them import."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        # click names those that are spelled alike out of `commands`
        for name in [cmd_name] if cmd_name in COMMANDS else COMMANDS:
            if name not in self.commands:
                self.commands[name] = _command(name)
        return self.commands.get(cmd_name)


def _command(name: str) -> Any:
    where, _, attribute = COMMANDS[name].partition(".")
    module = importlib.import_module(f"clew.cli.{where}")
    made = typer.Typer(add_completion=False, rich_markup_mode=MARKUP)
    found = getattr(module, attribute)
    if isinstance(found, typer.Typer):
        made.add_typer(found, name=name)
        return typer.main.get_group(made).commands[name]
    made.command(name, epilog=getattr(module, "EPILOG", None))(found)
    return typer.main.get_command(made)


app = typer.Typer(
    name="clew",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=MARKUP,
    pretty_exceptions_enable=False,
    help="""Answers questions whose evidence is spread over many documents.

First steps: `clew demo` shows everything on a sample corpus.
Then `clew up`, `clew ingest my-folder`, `clew ask "…"`; `clew down` stops.""",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(version("clew"))
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and end."
        ),
    ] = False,
) -> None:
    return


def main() -> None:
    """Run the command line. Errors meant for people end with their exit code, one sentence each."""
    try:
        app()
    except CLEW_ERRORS as error:
        show_error(error)
        sys.exit(error.exit_code)
    except OSError as error:  # a full disk, a file that may not be written
        if error.strerror is None:
            raise
        place = f"{error.filename}: " if error.filename else ""
        failed = PlatformError(f"{place}{error.strerror}.")
        show_error(failed)
        sys.exit(failed.exit_code)
    except SystemExit as ended:
        if ended.code == INTERRUPTED:
            errors.print("Interrupted.")
        raise
