"""Describes bodies that come in two forms, multipart and JSON: flask-openapi3 knows one a view."""

from flask_openapi3 import MediaType, OpenAPI, RequestBody, Schema

from clew_web.api.bench_models import BenchUpload, NewBench
from clew_web.api.models import Records, Request, Upload

MULTIPART = "multipart/form-data"
BODIES: dict[str, dict[str, type[Request]]] = {
    "/api/v1/documents": {MULTIPART: Upload, "application/json": Records},
    "/api/v1/bench": {MULTIPART: BenchUpload, "application/json": NewBench},
}


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
