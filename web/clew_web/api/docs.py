"""GET /openapi.json and /docs: the description of the API, and a page that shows it, offline."""

from importlib.resources import files

from flask import Blueprint, Response, current_app, jsonify, render_template, send_file
from flask_openapi3 import MediaType, OpenAPI, RequestBody, Schema
from werkzeug.exceptions import NotFound

from clew_web.api.bench_models import BenchUpload, NewBench
from clew_web.api.models import Records, Request, Upload
from clew_web.policy import Corpora, allows, public

docs = Blueprint("docs", __name__)

SWAGGER_FILES = {
    "swagger-ui.css": "css/swagger-ui.css",
    "swagger-ui-bundle.js": "js/swagger-ui-bundle.js",
}

MULTIPART = "multipart/form-data"
BODIES: dict[str, dict[str, type[Request]]] = {
    "/api/v1/documents": {MULTIPART: Upload, "application/json": Records},
    "/api/v1/bench": {MULTIPART: BenchUpload, "application/json": NewBench},
}
"""Bodies that come in two forms, of which flask-openapi3 knows one a view."""


def describe_bodies(app: OpenAPI) -> None:
    """Put both forms of every such body into the OpenAPI document."""
    for path, models in BODIES.items():
        content = {}
        for mimetype, model in models.items():
            schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
            for name, definition in schema.pop("$defs", {}).items():
                app.components_schemas.setdefault(name, Schema(**definition))
            content[mimetype] = MediaType(schema=Schema(**schema))
        app.paths[path].post.requestBody = RequestBody(content=content, required=True)


@docs.get("/openapi.json")
@allows("reader", Corpora.NONE)
def openapi_json() -> Response:
    """The OpenAPI 3.1 description of every operation."""
    return jsonify(current_app.api_doc)  # type: ignore[attr-defined]


@docs.get("/docs")
@allows("reader", Corpora.NONE)
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
