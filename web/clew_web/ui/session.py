"""Log in with a name and password, or with the access token, and out again."""

from urllib.parse import urlsplit

from flask import Response, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from clew.results.access import Account
from clew_web.access import COOKIE, SESSION_S
from clew_web.audit import keep
from clew_web.backend import backend
from clew_web.errors import Refused
from clew_web.guard import count_wrong_token
from clew_web.policy import Corpora, allows, public
from clew_web.ui.blueprint import ui

LONGEST_NAME = 64


@ui.get("/login")
@public
def login() -> BaseResponse | str:
    """The page that asks who it is."""
    if not backend().access.required:
        return redirect(url_for("ui.home"))
    return _page(_own_page(request.args.get("next", "")))


@ui.post("/login")
@public
def log_in() -> BaseResponse:
    """Set the session cookie where name and password, or the token, are right; else count it."""
    access = backend().access
    if not access.required:
        return redirect(url_for("ui.home"))
    following = _own_page(request.form.get("next", ""))
    name = request.form.get("name", "").strip().lower()
    account = None
    if name:
        account = _checked(name, request.form.get("password", ""))
        problem = None if account else "Name and password do not fit."
    else:
        right = access.token_is_right(request.form.get("token", "").strip())
        problem = None if right else "That is not the access token."
    if problem is not None:
        count_wrong_token(access, request.remote_addr or "")
        return make_response(_page(following, f"{problem} Check for missing characters."), 401)
    response = redirect(following)
    response.set_cookie(
        COOKIE,
        access.new_session(account),
        max_age=SESSION_S,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure,
    )
    return response


@ui.post("/logout")
@allows("reader", Corpora.NONE)
def logout() -> BaseResponse:
    """End the session: its cookie, or a copy of it, lets nobody in any more."""
    backend().access.end_session(request.cookies.get(COOKIE, ""))
    response: Response = make_response(redirect(url_for("ui.login")))
    response.delete_cookie(COOKIE, httponly=True, samesite="Lax", secure=request.is_secure)
    return response


def _checked(name: str, password: str) -> Account | None:
    """Return the account where both are right.

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
        keep(known if there else "an unknown name", "ui.log_in", outcome="access_denied")
        return None
    accounts.forget(known)
    keep(account.name, "ui.log_in")
    return account


def _page(following: str, problem: str = "") -> str:
    access = backend().access
    return render_template(
        "login.html",
        next=following,
        problem=problem,
        by_name=access.has_users,
        by_token=access.has_token,
    )


def _own_page(address: str) -> str:
    """Return the address if it is a path of this site, else the home page's."""
    parts = urlsplit(address)
    own = address.startswith("/") and not address.startswith(("//", "/\\"))
    if not own or parts.scheme or parts.netloc or any(ord(sign) < 32 for sign in address):
        return url_for("ui.home")
    return address
