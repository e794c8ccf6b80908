"""Groups of commands that list when none of them is named: `clew documents`, `clew corpora`."""

import typer

from clew.errors import InvalidRequest


def is_listing(context: typer.Context) -> bool:
    """Return whether the group itself was called, without one of its commands.

    Raises InvalidRequest for an option before the command: it would be lost, and another corpus
    shown than the one that was named.
    """
    command = context.invoked_subcommand
    if command is None:
        return True
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = "--json" if name == "as_json" else f"--{name.replace('_', '-')}"
            raise InvalidRequest(
                f"{option} stands before the command `{command}`.",
                remedy=f"Put it behind: `clew {context.info_name} {command} … {option}`.",
            )
    return False
