"""Passwords that come over the network: compared, at most so often, and changed by their owner."""

from flask import request

from clew.errors import CLEW_ERRORS
from clew.results.access import Account
from clew_web.audit import keep
from clew_web.backend import backend, current_caller
from clew_web.errors import Refused
from clew_web.guard import count_wrong_token

LONGEST_NAME = 64
UNKNOWN = "an unknown name"
DENIED = "access_denied"


def checked(name: str, password: str, action: str) -> Account | None:
    """Return the account where both are right; either way it is logged as ``action``.

    Refuses (429) a name that was given too many wrong passwords, whether anybody has it or not,
    and an address that sent too many: a password can be guessed, so here even the right one has to
    wait, and nothing is compared meanwhile.
    """
    service = backend()
    accounts, known = service.access.accounts, name[:LONGEST_NAME]
    addresses, address = service.access.addresses, request.remote_addr or ""
    wait_s = accounts.wait_s(known)
    if wait_s:
        raise Refused(
            429,
            "Too many wrong passwords for this name.",
            remedy="Wait, or ask an administrator.",
            retry_after_s=wait_s,
        )
    count_wrong_token(service.access, address)
    accounts.note(known)  # before it is compared: tries that come at once count too
    try:
        account: Account | None = service.facade.log_in(name, password)
    except CLEW_ERRORS:
        accounts.take_back(known)  # nothing was compared
        addresses.take_back(address)
        raise
    if account is None:
        _keep_failure(known, action)
        return None
    accounts.forget(known)
    addresses.take_back(address)
    keep(account.name, action)
    return account


def _keep_failure(name: str, action: str) -> None:
    """Log a wrong password. Of a name that nobody has the log says only that, and no more often
    than FAILURES times in WINDOW_S seconds: there are as many such names as anybody cares to send.
    """
    service = backend()
    if service.facade.account(name) is not None:
        keep(name, action, outcome=DENIED)
        return
    # a password that was typed in place of a name must not be kept
    unknown = service.access.unknown_names
    if not unknown.wait_s(UNKNOWN):
        unknown.note(UNKNOWN)
        keep(UNKNOWN, action, outcome=DENIED)


def change_own(old: str, new: str) -> str:
    """Change the caller's own password and return the cookie of a new session: all others end.

    Refuses (403) who is no person with a password, and an old password that is wrong; raises
    InvalidRequest for a new one that is too short.
    """
    caller = current_caller()
    if caller.user is None or caller.scopes is not None:
        raise Refused(
            403,
            "Only who is logged in by name has a password to change.",
            remedy="An administrator can set that of any user.",
        )
    if checked(caller.user, old, "change own password") is None:
        raise Refused(
            403, "The old password is wrong.", remedy="An administrator can set a new one."
        )
    service = backend()
    service.facade.change_user(caller.user, password=new)
    account = service.facade.account(caller.user)
    assert account is not None  # it was changed
    return service.access.new_session(account)
