"""GET /models, POST /models/train, and which version serves: /models/{method}/…"""

from typing import Any

from flask import Response, make_response
from flask_openapi3 import APIBlueprint, Tag
from pydantic import BaseModel, Field

from clew.results.job import Job
from clew.results.training import ModelDetail, ModelVersion
from clew_web.api.models import Identifier, Name, Request
from clew_web.api.responses import SECURITY, reply
from clew_web.backend import backend
from clew_web.policy import Corpora, allows

api = APIBlueprint(
    "models",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Models", description="Train methods, and choose the versions that serve.")],
    abp_security=SECURITY,
)
SVG: Any = {
    "description": "The learning curve.",
    "content": {"image/svg+xml": {"schema": {"type": "string"}}},
}


class ModelFilter(Request):
    """Which versions to list."""

    method: Name | None = Field(None, description="Only those of this method.")
    corpus: Name | None = Field(None, description="Only those that may serve this corpus.")


class MethodPath(Request):
    """A method in the address."""

    method: Name = Field(description="Name of the method.")


class VersionPath(MethodPath):
    """A version in the address."""

    version: Identifier = Field(description="Name of the version.")


class NewTraining(Request):
    """A training to start."""

    method: Name = Field(description="The method; GET /models/methods names those that learn.")
    corpus: Name | None = Field(None, description="Corpus; unset: the default one.")
    options: dict[str, Any] = Field(
        default_factory=dict, description="Of the method: GET /models/methods has their schema."
    )
    sample: bool = Field(
        False, description="Learn from the sample corpus' questions instead of the graph."
    )


class ServedCorpus(Request):
    """Which corpus is meant."""

    corpus: Name | None = Field(
        None, description="Corpus that a general version shall serve; unset: the version's own."
    )


class RolledBackCorpus(Request):
    """Whose version goes back."""

    corpus: Name | None = Field(
        None, description="Corpus; unset: the default one, or all where the versions serve all."
    )


class Trainable(BaseModel):
    """A method that learns; ``options``: their JSON Schema."""

    method: str
    summary: str
    options: dict[str, Any]


class TrainableList(BaseModel):
    """The methods that learn."""

    methods: list[Trainable]


class ModelList(BaseModel):
    """Versions, newest first, method by method."""

    models: list[ModelVersion]


class RolledBack(BaseModel):
    """The version that serves now; null: the base model does."""

    serving: ModelVersion | None


@api.get("/models", summary="Trained versions", responses={"200": ModelList})
@allows("reader", Corpora.FILTERED)
def list_models(query: ModelFilter) -> Response:
    """Versions with their figures before and after, which serve, and whose corpus moved on."""
    found = backend().clew.trained_models(query.method, query.corpus)
    return reply(ModelList(models=list(found)))


@api.get("/models/methods", summary="Methods that learn", responses={"200": TrainableList})
@allows("reader", Corpora.NONE)
def list_trainable() -> Response:
    """Each with what it learns, and the JSON Schema of its options."""
    from clew.strategies.catalogue import trainable
    from clew.training.request import training_of

    methods = [
        Trainable(
            method=spec.name,
            summary=training_of(spec.name).summary,
            options=training_of(spec.name).options.model_json_schema(),
        )
        for spec in trainable()
    ]
    return reply(TrainableList(methods=methods))


@api.post("/models/train", summary="Train a method", responses={"202": Job})
@allows("editor", Corpora.CHECKED)
def train_model(body: NewTraining) -> Response:
    """Train in a job of the queue gpu. Its progress tells the stage and the newest losses, and the
    name of the version; cancelled or interrupted, the same training goes on where it stopped.
    """
    job = start(body.method, body.corpus, body.options, sample=body.sample)
    return reply(job, 202)


@api.get("/models/<method>/<version>", summary="One version", responses={"200": ModelDetail})
@allows("reader", Corpora.CHECKED)
def get_model(path: VersionPath) -> Response:
    """A version with all that made it, and the points of its learning curve."""
    return reply(backend().clew.trained_model(path.method, path.version))


@api.get("/models/<method>/<version>/curve.svg", summary="A curve", responses={"200": SVG})
@allows("reader", Corpora.CHECKED)
def get_curve(path: VersionPath) -> Response:
    """The learning curve as a picture, also of a version that is being trained."""
    response = make_response(backend().clew.learning_curve(path.method, path.version))
    response.mimetype = "image/svg+xml"
    return response


@api.post(
    "/models/<method>/<version>/promote",
    summary="Let a version serve",
    responses={"200": ModelVersion},
)
@allows("editor", Corpora.CHECKED)
def promote_model(path: VersionPath, body: ServedCorpus) -> Response:
    """From now on, whatever it measured; running workers take it up at their next question."""
    return reply(backend().clew.promote(path.method, path.version, body.corpus))


@api.post(
    "/models/<method>/roll-back",
    summary="Let the version before serve",
    responses={"200": RolledBack},
)
@allows("editor", Corpora.CHECKED)
def roll_back_model(path: MethodPath, body: RolledBackCorpus) -> Response:
    """The version that served the corpus before serves it again."""
    serving = backend().clew.roll_back(path.method, body.corpus)
    return reply(RolledBack(serving=serving))


def start(method: str, corpus: str | None, options: dict[str, Any], *, sample: bool) -> Job:
    """Have a worker train a method; raises what is wrong with the request, UnknownCorpus."""
    from clew.evaluation.request import SAMPLE
    from clew.training.request import TrainingRequest, checked_options

    service = backend()
    name = service.corpus(corpus)
    data_set = SAMPLE if sample else None
    # before they become keywords: a stranger's names are options or nothing
    checked_options(TrainingRequest(method=method, corpus=name, options=options, data_set=data_set))
    job: Job = service.clew.submit_training(method, name, data_set=data_set, **options)
    return job
