"""The command line: one module a command group."""

from clew.cli.entry import main

__all__ = ["main"]
