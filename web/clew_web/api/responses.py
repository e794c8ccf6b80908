"""How results become responses, and the errors every operation may answer with."""

from typing import Any

from flask import Response, make_response
from pydantic import BaseModel

from clew_web.errors import ErrorModel

ERRORS: Any = {
    "400": ErrorModel,
    "401": ErrorModel,
    "403": ErrorModel,
    "404": ErrorModel,
    "413": ErrorModel,
    "415": ErrorModel,
    "422": ErrorModel,
    "503": ErrorModel,
}

SECURITY: list[dict[str, list[Any]]] = [{"token": []}, {}]


def reply(result: BaseModel, status: int = 200) -> Response:
    """Return a result as JSON."""
    response = make_response(result.model_dump_json(), status)
    response.mimetype = "application/json"
    return response
