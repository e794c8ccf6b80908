"""The command line: one module a command group."""

from clew.cli.app import main

__all__ = ["main"]
