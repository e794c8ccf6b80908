"""Log in with a name and password, or with the access token, and out again."""

from flask import Response, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from clew.access.passwords import LONGEST, SHORTEST
from clew.errors import InvalidRequest
from clew_web.access import COOKIE
from clew_web.backend import backend, current_caller
from clew_web.errors import Refused
from clew_web.guard import count_wrong_token, with_session
from clew_web.passwords import change_own, checked
from clew_web.policy import Corpora, allows, public
from clew_web.ui.blueprint import ui


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
        account = checked(name, request.form.get("password", ""), "ui.log_in")
        problem = None if account else "Name and password do not fit."
    else:
        right = access.token_is_right(request.form.get("token", "").strip())
        problem = None if right else "That is not the access token."
        if not right:
            count_wrong_token(access, request.remote_addr or "")
    if problem is not None:
        return make_response(_page(following, f"{problem} Check for missing characters."), 401)
    return with_session(make_response(redirect(following)), access.new_session(account))


@ui.get("/account")
@allows("reader", Corpora.NONE)
def account() -> BaseResponse | str:
    """What the caller may do, and a form for another password."""
    if current_caller().user is None:
        return redirect(url_for("ui.home"))
    return _account_page(changed="changed" in request.args)


@ui.post("/account")
@allows("reader", Corpora.NONE)
def change_own_password() -> BaseResponse:
    """Change the caller's password; every other session of theirs ends."""
    new = request.form.get("new", "")
    if new != request.form.get("again", ""):
        return make_response(_account_page("The two new passwords differ."), 422)
    try:
        cookie = change_own(request.form.get("old", ""), new)
    except (Refused, InvalidRequest) as error:
        if current_caller().user is None:
            raise
        return make_response(_account_page(str(error)), error.http_status)
    return with_session(make_response(redirect(url_for("ui.account", changed=1))), cookie)


@ui.post("/logout")
@allows("reader", Corpora.NONE)
def logout() -> BaseResponse:
    """End the session: its cookie, or a copy of it, lets nobody in any more."""
    backend().access.end_session(request.cookies.get(COOKIE, ""))
    response: Response = make_response(redirect(url_for("ui.login")))
    response.delete_cookie(COOKIE, httponly=True, samesite="Lax", secure=request.is_secure)
    return response


def _page(following: str, problem: str = "") -> str:
    access = backend().access
    return render_template(
        "login.html",
        next=following,
        problem=problem,
        by_name=access.has_users,
        by_token=access.has_token,
    )


def _account_page(problem: str = "", changed: bool = False) -> str:
    return render_template(
        "account.html", problem=problem, changed=changed, shortest=SHORTEST, longest=LONGEST
    )


def _own_page(address: str) -> str:
    """Return the address if it is a path of this site, else the home page's."""
    own = address.startswith("/") and not address.startswith(("//", "/\\"))
    if not own or any(ord(sign) < 32 for sign in address):
        return url_for("ui.home")
    return address
