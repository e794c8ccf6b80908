"""What a command changes goes into the audit log, as what is changed over the web does."""

import contextlib
import getpass
from collections.abc import Iterator

from clew.access.audit import DONE
from clew.clew import Clew
from clew.errors import CLEW_ERRORS


@contextlib.contextmanager
def logged(clew: Clew, action: str, target: str) -> Iterator[None]:
    """Log what is done within, and how it ends; names only, never a password or a key."""
    outcome = DONE
    try:
        yield
    except BaseException as error:  # an interrupt, too, left something undone
        outcome = type(error).__name__
        raise
    finally:
        # what failed because the database is away cannot be logged there either
        with contextlib.suppress(*CLEW_ERRORS):
            written = target.encode("utf-8", "replace").decode()
            clew.record(f"command line ({_user()})", action, written, outcome)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container may run under a number alone
        return "unknown"
