"""Log in with the access token, and out again."""

from urllib.parse import urlsplit

from flask import Response, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from clew_web.access import COOKIE, SESSION_S
from clew_web.backend import backend
from clew_web.guard import count_wrong_token
from clew_web.policy import protected, public
from clew_web.ui.blueprint import ui


@ui.get("/login")
@public
def login() -> BaseResponse | str:
    """The page that asks for the access token."""
    if not backend().access.required:
        return redirect(url_for("ui.home"))
    return render_template("login.html", next=_own_page(request.args.get("next", "")))


@ui.post("/login")
@public
def log_in() -> BaseResponse:
    """Set the session cookie where the token is right; count a wrong one."""
    access, address = backend().access, request.remote_addr or ""
    if not access.required:
        return redirect(url_for("ui.home"))
    following = _own_page(request.form.get("next", ""))
    if not access.token_is_right(request.form.get("token", "").strip()):
        count_wrong_token(access, address)
        problem = "That is not the access token. Check it for missing characters."
        page = render_template("login.html", next=following, problem=problem)
        return make_response(page, 401)
    response = redirect(following)
    response.set_cookie(
        COOKIE,
        access.new_session(),
        max_age=SESSION_S,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure,
    )
    return response


@ui.post("/logout")
@protected
def logout() -> BaseResponse:
    """End the session: its cookie, or a copy of it, lets nobody in any more."""
    backend().access.end_session(request.cookies.get(COOKIE, ""))
    response: Response = make_response(redirect(url_for("ui.login")))
    response.delete_cookie(COOKIE, httponly=True, samesite="Lax", secure=request.is_secure)
    return response


def _own_page(address: str) -> str:
    """Return the address if it is a path of this site, else the home page's."""
    parts = urlsplit(address)
    own = address.startswith("/") and not address.startswith(("//", "/\\"))
    if not own or parts.scheme or parts.netloc or any(ord(sign) < 32 for sign in address):
        return url_for("ui.home")
    return address
