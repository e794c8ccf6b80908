"""GET /openapi.json and /docs: the description of the API, and a page that shows it, offline."""

from importlib.resources import files
from typing import Any

from flask import Blueprint, Response, current_app, jsonify, render_template, send_file
from flask_openapi3 import Header, MediaType, OpenAPI, Operation, RequestBody, Schema
from flask_openapi3 import Response as ResponseObject
from pydantic import BaseModel
from werkzeug.exceptions import NotFound

from clew_web.api.bench_models import BenchUpload, NewBench
from clew_web.api.examples import EXAMPLES
from clew_web.api.models import Records, Request, Upload
from clew_web.api.openai import OpenAiError
from clew_web.api.responses import EVENTS
from clew_web.errors import ErrorModel
from clew_web.policy import Corpora, allows, public
from clew_web.wording import MESSAGES

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


REFUSALS = (400, 401, 403, 404, 405, 409, 413, 415, 421, 422, 429, 431, 502, 503, 504)
"""What any operation may be answered with: by the view, by what every request passes before it
(`guard`), or by the server, which refuses a header that is too large (`server`)."""
OF_ANYONE = (400, 405, 413, 415, 421, 422, 431)
"""Those of operations that anyone may call, and that ask nothing of the database."""
WAITS = (429, 503)
RETRY_AFTER = Header(
    description="Seconds to wait before the next try.", schema=Schema(type="integer", minimum=0)
)


def describe(app: OpenAPI) -> None:
    """Put into the OpenAPI document what routes do not say themselves: both forms of a body that
    has two, examples of bodies, and every status that a request may be refused with."""
    for path, models in BODIES.items():
        content = {
            mimetype: MediaType(schema=_schema(app, model, nulls=mimetype != MULTIPART))
            for mimetype, model in models.items()
        }
        app.paths[path].post.requestBody = RequestBody(content=content, required=True)
    streamed = app.paths["/v1/chat/completions"].post.responses["200"].content
    streamed.update({kind: MediaType(**content) for kind, content in EVENTS.items()})
    for path, item in app.paths.items():
        error = OpenAiError if path.startswith("/v1/") else ErrorModel
        for method in ("get", "post", "put", "patch", "delete"):
            operation = getattr(item, method)
            if operation is not None:
                _add_refusals(operation, _schema(app, error))
                _add_example(operation, f"{method.upper()} {path}")


def _add_refusals(operation: Operation, error: Schema) -> None:
    """Add the statuses of REFUSALS; those that the route declares itself stay."""
    said = operation.responses or {}
    said.pop("422", None)  # flask-openapi3's own, in one shape for all
    for status in REFUSALS if operation.security else OF_ANYONE:
        refusal = ResponseObject(
            description=MESSAGES[status][0],
            content={"application/json": MediaType(schema=error)},
        )
        if status in WAITS:
            refusal.headers = {"Retry-After": RETRY_AFTER}
        said.setdefault(str(status), refusal)
    operation.responses = dict(sorted(said.items()))


def _add_example(operation: Operation, name: str) -> None:
    """Add the example of the body; flask-openapi3 keeps those of schemas only."""
    if name in EXAMPLES and isinstance(operation.requestBody, RequestBody):
        operation.requestBody.content["application/json"].example = EXAMPLES[name]


def _schema(app: OpenAPI, model: type[BaseModel], nulls: bool = True) -> Schema:
    """Return the reference to a model's schema, which is put among the components.

    ``nulls``: whether a field that need not be there may be null; a form can only leave it out.
    """
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    if not nulls:
        schema["properties"] = {k: _not_null(v) for k, v in schema["properties"].items()}
    for name, definition in schema.pop("$defs", {}).items():
        _put(app, name, Schema(**definition))
    _put(app, model.__name__, Schema(**schema))
    return Schema(**{"$ref": f"#/components/schemas/{model.__name__}"})


def _put(app: OpenAPI, name: str, schema: Schema) -> None:
    """Put a model's schema among the components; two models of one name cannot both be described.

    Raises ValueError if there is another of that name.
    """
    if app.components_schemas.setdefault(name, schema) != schema:
        raise ValueError(f"Two models that REST takes or returns are called {name}.")


def _not_null(field: dict[str, Any]) -> dict[str, Any]:
    """Return a field's schema without the choice of null."""
    choices = [one for one in field.get("anyOf", ()) if one != {"type": "null"}]
    if not choices:
        return field
    rest = {k: v for k, v in field.items() if k != "anyOf" and (k, v) != ("default", None)}
    return rest | (choices[0] if len(choices) == 1 else {"anyOf": choices})


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
