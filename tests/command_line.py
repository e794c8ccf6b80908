"""Calls the command line in this process: a new one takes seconds to load everything."""

import contextlib
import io
import os
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from unittest import mock

from clew.cli.app import main
from clew.cli.output import console, errors


class Done(NamedTuple):
    """What a command printed."""

    stdout: str
    stderr: str


@contextlib.contextmanager
def as_wide_as(width: int) -> Iterator[None]:
    """Let commands print that wide, whatever terminal or worker they are called in.

    Given back after: a console with a width of its own does not look at its terminal's.
    """
    with mock.patch.object(console, "_width", width), mock.patch.object(errors, "_width", width):
        yield


def call_clew(
    environment: Mapping[str, str], *arguments: str, code: int = 0, width: int = 160
) -> Done:
    """Run a command with this environment alone, in a terminal so wide; it ends with ``code``."""
    out, err = io.StringIO(), io.StringIO()
    ended: object = 0
    with (
        as_wide_as(width),
        mock.patch.dict(os.environ, environment, clear=True),
        mock.patch.object(sys, "argv", ["clew", *arguments]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            ended = end.code
    done = Done(out.getvalue(), err.getvalue())
    assert (ended or 0) == code, done.stdout + done.stderr
    return done
