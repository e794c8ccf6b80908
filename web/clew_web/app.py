"""`create_app`: the web server's application. `clew_web/server.py` serves it."""

from importlib.metadata import version
from typing import Any

from flask_openapi3 import Info, OpenAPI, SecurityScheme

from clew.jobs.health import ANSWER_S
from clew.settings import Settings
from clew_web import errors, guard, observed
from clew_web.access import COOKIE, Access, configured_token, require_administrator
from clew_web.api import BLUEPRINTS, HEALTH, METRICS
from clew_web.api.docs import describe, docs
from clew_web.backend import Backend, Questions
from clew_web.errors import ErrorModel, validation_response
from clew_web.mcp import mcp
from clew_web.policy import public
from clew_web.ui import ui

FORM_OVERHEAD = 1024 * 1024


def create_app(
    clew: Any = None, settings: Settings | None = None, questions: Questions | None = None
) -> OpenAPI:
    """Return the application.

    ``clew`` is the facade and ``questions`` hands questions to the workers; both are made from
    ``settings`` (else from every source of settings) where they are not given. Raises
    InvalidSetting where the server would listen beyond loopback without an administrator, and what
    the database raises where that has to be asked of it.
    """
    settings = settings or getattr(clew, "settings", None) or Settings.load()
    token = configured_token(settings)
    if clew is None:
        from clew import Clew

        clew = Clew(settings)
        clew.resources.patience_s = ANSWER_S
    require_administrator(settings, token, clew)
    access = Access(token, settings.home / "web" / "ended-sessions", clew)
    access.prepare()
    if questions is None:
        from clew.jobs import questions as worker_questions

        questions = worker_questions
    app = OpenAPI(
        "clew_web",
        info=Info(title="Clew", version=version("clew"), description=DESCRIPTION),
        security_schemes={
            "token": SecurityScheme(
                type="http", scheme="bearer", description="The access token, or an API key."
            ),
            "session": SecurityScheme(
                **{"type": "apiKey", "in": "cookie", "name": COOKIE},
                description="Of the login page.",
            ),
        },
        doc_ui=False,
        validation_error_model=ErrorModel,
        validation_error_callback=validation_response,
    )
    app.config.update(
        MAX_CONTENT_LENGTH=settings.upload_limit_mib * 1024 * 1024 + FORM_OVERHEAD,
        MAX_FORM_PARTS=2000,
        SEND_FILE_MAX_AGE_DEFAULT=3600,
    )
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    app.extensions["clew"] = Backend(clew, questions, settings, access)
    observed.install(app)
    guard.install(app, settings, access)
    errors.install(app, settings)
    for blueprint in (*BLUEPRINTS, HEALTH, METRICS):
        app.register_api(blueprint)
    describe(app)
    app.register_blueprint(docs)
    app.register_blueprint(mcp)
    app.register_blueprint(ui)
    public(app.view_functions["static"])
    return app


DESCRIPTION = """Answers questions whose evidence is spread over many documents, from one graph,
with the evidence shown. Every error has the shape {"error": {"code", "message", "remedy"}}; below
/v1, OpenAI's."""
