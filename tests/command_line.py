"""Calls the command line in this process: a new one takes seconds to load everything."""

import contextlib
import io
import os
import sys
from collections.abc import Mapping
from typing import NamedTuple
from unittest import mock

from clew.cli.app import main
from clew.cli.output import console, errors


class Done(NamedTuple):
    """What a command printed."""

    stdout: str
    stderr: str


def call_clew(
    environment: Mapping[str, str], *arguments: str, code: int = 0, width: int = 160
) -> Done:
    """Run a command with this environment alone, in a terminal so wide; it ends with ``code``."""
    out, err = io.StringIO(), io.StringIO()
    console.width = errors.width = width
    ended: object = 0
    with (
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
