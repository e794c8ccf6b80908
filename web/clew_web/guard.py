"""What every request passes before its view, and what every response carries."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from flask import Flask, Request, Response, current_app, g, redirect, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.sansio.http import parse_cookie
from werkzeug.utils import cached_property
from werkzeug.wrappers import Response as BaseResponse

from clew.errors import CLEW_ERRORS
from clew.settings import Settings
from clew.settings.loopback import is_loopback
from clew_web.access import COOKIE, SESSION_S, Access, bearer_of
from clew_web.audit import note_change
from clew_web.callers import NOBODY, scope_of
from clew_web.errors import Refused, wants_page
from clew_web.policy import PUBLIC, SAFE_METHODS, policy_of

MISSING = "This needs an access token, an API key or a login."
JSON_LIMIT = 2 * 1024 * 1024
STRANGER_LIMIT = 16 * 1024
"""Longest body of who has not proven anything: the form of the login page."""
FORM_DATA = "multipart/form-data"
CUT = "clew.cut"
"""Key of the WSGI environment: whether the server read no further than the limit of the sender."""
OWN_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}


def _policy(directives: dict[str, str]) -> str:
    return "; ".join(f"{name} {sources}" for name, sources in directives.items())


CONTENT_SECURITY_POLICY = _policy(OWN_POLICY)
FRAMING_HEADERS = {"Content-Security-Policy": _policy({**OWN_POLICY, "frame-src": "'self'"})}
"""Of a page that shows a report: it may frame what comes from here."""

REPORT_HEADERS = {
    # sandbox: the report's own scripts run, as nobody: no cookies, no calls, not the page around it
    "Content-Security-Policy": _policy(
        {
            "sandbox": "allow-scripts",
            "default-src": "'none'",
            "script-src": "'unsafe-inline'",
            "style-src": "'unsafe-inline'",
            "img-src": "data:",
            "base-uri": "'none'",
            "form-action": "'none'",
            "frame-ancestors": "'self'",
        }
    ),
    "X-Frame-Options": "SAMEORIGIN",
    # browsers refuse to open a sandboxed page by itself with any other value
    "Cross-Origin-Opener-Policy": "unsafe-none",
}
"""Of a report of the bench, a page with inline script and style of its own."""

HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class AnyCookies(Request):
    """A request that can be read whatever cookies came with it: those of everything else on this
    host come too, and Werkzeug fails at one that is not UTF-8.
    """

    @cached_property
    def cookies(self) -> MultiDict[str, str]:  # type: ignore[override]
        """The cookies by name."""
        return cookies_of(self.headers.get("Cookie", ""))


def cookies_of(header: str) -> MultiDict[str, str]:
    """Return the cookies of a header as WSGI hands it on; what is not UTF-8 is replaced."""
    return parse_cookie(header.encode("latin-1").decode(errors="replace"))


def install(app: Flask, settings: Settings, access: Access) -> None:
    """Put the checks in front of every view, and the headers on every response."""
    app.request_class = AnyCookies
    loopback = is_loopback(settings.web_host)

    @app.before_request
    def check() -> BaseResponse | None:
        if loopback:
            refuse_foreign_host()
        refuse_cross_site()
        refused = let_in(access)
        if refused is not None:
            return refused
        limit_body()
        return None

    @app.after_request
    def log(response: Response) -> Response:
        note_change(response)
        return response

    @app.after_request
    def headers(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        endpoint = request.endpoint
        anyones = endpoint is not None and policy_of(app, endpoint) == PUBLIC
        if not anyones or "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = "no-store"
        return response


def refuse_foreign_host() -> None:
    """Refuse a Host that is not this machine: a page elsewhere may have rebound its name to us."""
    try:
        name = urlsplit(f"//{request.headers.get('Host', '')}").hostname or ""
    except ValueError:
        name = ""
    if not is_loopback(name):
        raise Refused(
            421,
            "This server answers to localhost only.",
            remedy="Open it as http://127.0.0.1 with its port, or set web_host and a token.",
        )


def refuse_cross_site() -> None:
    """Refuse what changes something on behalf of another site's page."""
    if request.method in SAFE_METHODS:
        return
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        foreign = site not in ("same-origin", "none")
    else:
        origin = request.headers.get("Origin")
        own = f"{request.scheme}://{request.host}"
        foreign = origin is not None and origin.lower() not in (own.lower(), own.lower() + "/")
    if foreign:
        raise Refused(403, "Another site's page may not do this.")


def let_in(access: Access) -> BaseResponse | None:
    """Let the caller in by the route's policy: None, or where a browser has to go first."""
    if request.endpoint is None:
        return None  # 404 and 405 tell nothing
    policy = policy_of(current_app, request.endpoint)
    if policy == PUBLIC:
        return None
    if not is_let_in(access):
        if wants_page() and request.method == "GET":
            return redirect(url_for("ui.login", next=request.full_path.rstrip("?")))
        raise Refused(401, MISSING)
    if policy is None:
        raise Refused(403, "Nobody may do this: it does not say who may.")
    needed = policy.needed(request.method)
    if needed is not None and not g.caller.may(needed, policy.also):
        if g.caller.is_at_least(needed):
            raise Refused(
                403,
                f"This needs an API key with the scope {scope_of(needed)}.",
                remedy="This key goes less far than its user: make another, with that scope too.",
            )
        raise Refused(
            403,
            f"This needs the role {needed}.",
            remedy="An administrator can give it to you; an API key needs the scope for it too.",
        )
    return None


def is_let_in(access: Access) -> bool:
    """Return whether the caller proves who they are, and remember who that is for this request.

    A wrong token or key counts against its address.
    """
    if "caller" not in g:
        authorization = request.headers.get("Authorization", "")
        g.caller = access.identify(authorization, request.cookies.get(COOKIE, "")) or NOBODY
        if g.caller is NOBODY and bearer_of(authorization) is not None:
            count_wrong_token(access, request.remote_addr or "")
    return g.caller is not NOBODY


def is_signed_in(access: Access) -> bool:
    """Return the same for what every page shows; also where the database cannot be asked."""
    try:
        return is_let_in(access)
    except CLEW_ERRORS:
        return False


def count_wrong_token(access: Access, address: str) -> None:
    """Count a wrong token; refuse an address that sent too many. The right one always lets in:
    others behind the same address may hold it.
    """
    wait_s = access.addresses.wait_s(address)
    if wait_s:
        raise Refused(429, "Too many wrong tokens, keys or passwords.", retry_after_s=wait_s)
    access.addresses.note(address)


def body_limit(app: Flask, headers: Mapping[str, str]) -> int:
    """Return the longest body, in bytes, that is received from the sender of these headers.

    Their names are those of WSGI without HTTP_, as in CONTENT_TYPE.
    """
    access: Access = app.extensions["clew"].access
    cookie = cookies_of(headers.get("COOKIE", "")).get(COOKIE, "")
    if not access.may_be_known(headers.get("AUTHORIZATION", ""), cookie):
        return STRANGER_LIMIT
    media_type, _ = parse_options_header(headers.get("CONTENT_TYPE", ""))
    largest: int = app.config["MAX_CONTENT_LENGTH"]
    return largest if media_type.lower() == FORM_DATA else JSON_LIMIT


def limit_body() -> None:
    """Hold a body that is no upload to JSON_LIMIT, and read JSON once, strictly."""
    if request.method in SAFE_METHODS:
        return
    request.max_content_length = body_limit(
        current_app,
        {
            "AUTHORIZATION": request.headers.get("Authorization", ""),
            "COOKIE": request.headers.get("Cookie", ""),
            "CONTENT_TYPE": request.content_type or "",
        },
    )
    # before anything is read: a parser that stops half-way leaves a temporary file
    if (request.content_length or 0) > (request.max_content_length or 0):
        raise RequestEntityTooLarge()
    if request.environ.get(CUT):
        raise Refused(
            503,
            "The body came before it was known who sends it.",
            remedy="Send it again.",
            retry_after_s=1,
        )
    if request.mimetype == FORM_DATA:
        return
    if not request.path.startswith(("/api/", "/v1/")) or request.endpoint is None:
        return
    if not request.content_length and "chunked" not in request.headers.get("Transfer-Encoding", ""):
        return
    encoding = request.headers.get("Content-Encoding", "identity")
    if encoding.lower() != "identity":
        raise Refused(
            415,
            f"A body that is encoded ({encoding[:40]}) is not taken here.",
            remedy="Send it as it is, without `Content-Encoding`.",
        )
    if not request.is_json:
        raise Refused(415, "The body's media type is not taken here.")
    try:
        request.get_json()
    except BadRequest as error:
        raise Refused(
            400, "The body is not valid JSON.", remedy="Check its syntax; it is UTF-8."
        ) from error
    except RecursionError as error:
        raise Refused(400, "The body's JSON is nested too deeply.") from error


def with_session(response: Response, cookie: str) -> Response:
    """Return the response, which sets the cookie of a session."""
    response.set_cookie(
        COOKIE,
        cookie,
        max_age=SESSION_S,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure,
    )
    return response
