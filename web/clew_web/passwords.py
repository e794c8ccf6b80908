"""Passwords that come over the network: compared, at most so often, and changed by their owner."""

from clew.results.access import Account
from clew_web.audit import keep
from clew_web.backend import backend, current_caller
from clew_web.errors import Refused

LONGEST_NAME = 64


def checked(name: str, password: str, action: str) -> Account | None:
    """Return the account where both are right; either way it is logged as ``action``.

    Refuses (429) a name that was given too many wrong passwords, whether anybody has it or not: a
    password can be guessed, so here even the right one has to wait.
    """
    service = backend()
    accounts, known = service.access.accounts, name[:LONGEST_NAME]
    wait_s = accounts.wait_s(known)
    if wait_s:
        raise Refused(
            429,
            "Too many wrong passwords for this name.",
            remedy="Wait, or ask an administrator.",
            retry_after_s=wait_s,
        )
    accounts.note(known)  # before it is compared: tries that come at once count too
    account: Account | None = service.facade.log_in(name, password)
    if account is None:
        # a password that was typed in place of a name must not be kept
        there = service.facade.account(known) is not None
        keep(known if there else "an unknown name", action, outcome="access_denied")
        return None
    accounts.forget(known)
    keep(account.name, action)
    return account


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
