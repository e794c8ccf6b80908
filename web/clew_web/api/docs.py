"""GET /openapi.json and /docs: the description of the API, and a page that shows it, offline."""

from importlib.resources import files

from flask import Blueprint, Response, current_app, jsonify, render_template, send_file
from werkzeug.exceptions import NotFound

from clew_web.policy import protected, public

docs = Blueprint("docs", __name__)

SWAGGER_FILES = {
    "swagger-ui.css": "css/swagger-ui.css",
    "swagger-ui-bundle.js": "js/swagger-ui-bundle.js",
}


@docs.get("/openapi.json")
@protected
def openapi_json() -> Response:
    """The OpenAPI 3.1 description of every operation."""
    return jsonify(current_app.api_doc)  # type: ignore[attr-defined]


@docs.get("/docs")
@protected
def page() -> str:
    """Swagger UI over it."""
    return render_template("docs.html")


@docs.get("/docs/<name>")
@public
def swagger_file(name: str) -> Response:
    """A file of Swagger UI, from the package that ships it."""
    if name not in SWAGGER_FILES:
        raise NotFound()
    folder = files("flask_openapi3_swagger") / "templates" / "swagger"
    return send_file(str(folder / SWAGGER_FILES[name]), max_age=86400)
