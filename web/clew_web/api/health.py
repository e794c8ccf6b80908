"""GET /health (the process answers) and GET /health/ready (questions can be answered)."""

from flask import Response
from flask_openapi3 import APIBlueprint, Tag
from pydantic import BaseModel

from clew.errors import CLEW_ERRORS
from clew.results.health import Health, ServiceHealth
from clew_web.api.responses import reply
from clew_web.backend import backend
from clew_web.guard import is_signed_in
from clew_web.policy import public

api = APIBlueprint(
    "health", __name__, abp_tags=[Tag(name="Health", description="What is running.")]
)


class Alive(BaseModel):
    """The process answers."""

    status: str = "ok"


def current_health() -> Health:
    """Return what is running; what cannot even be asked counts as missing."""
    try:
        found: Health = backend().clew.health()
        return found
    except CLEW_ERRORS as error:
        return Health(
            ok=False,
            services=(
                ServiceHealth(name="clew", ok=False, detail=error.message, remedy=error.remedy),
            ),
        )


@api.get("/health", summary="Liveness", responses={"200": Alive})
@public
def alive() -> Response:
    """Whether the web server answers. Touches nothing else."""
    return reply(Alive())


@api.get("/health/ready", summary="Readiness", responses={"200": Health, "503": Health})
@public
def ready() -> Response:
    """Whether Neo4j, broker, worker and models are there: 503 names what is missing.

    Only those who are let in see the messages.
    """
    known = is_signed_in(backend().access)
    health = current_health()
    if not known:
        hidden = tuple(
            ServiceHealth(name=service.name, ok=service.ok, detail="")
            for service in health.services
        )
        health = Health(ok=health.ok, services=hidden)
    return reply(health, 200 if health.ok else 503)
