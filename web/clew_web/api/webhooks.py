"""GET and POST /webhooks; one webhook: its deliveries, one of them again, delete."""

from flask import Response, make_response
from flask_openapi3 import APIBlueprint, Tag
from pydantic import BaseModel, Field

from clew.results.webhook import NewWebhook, Webhook, WebhookDelivery
from clew_web.api.models import CorpusChoice, Identifier, Name, Plain, Request
from clew_web.api.responses import SECURITY, reply
from clew_web.backend import backend
from clew_web.policy import Corpora, allows

api = APIBlueprint(
    "webhooks",
    __name__,
    url_prefix="/api/v1",
    abp_tags=[Tag(name="Webhooks", description="Addresses that are told when jobs end.")],
    abp_security=SECURITY,
)


class WebhookBody(CorpusChoice):
    """Whom to tell, and of what."""

    url: Plain = Field(min_length=1, max_length=2000, description="http(s) address to tell.")
    kinds: list[Name] = Field(
        default_factory=list, max_length=20, description="Kinds of jobs; none: any."
    )


class WebhookPath(Request):
    """A webhook in the address."""

    webhook_id: Identifier = Field(description="Id of the webhook.")


class DeliveryPath(WebhookPath):
    """What a webhook was told of a job, in the address."""

    job_id: Identifier = Field(description="Id of the job.")


class DeliveryFilter(Request):
    """Which deliveries to list."""

    limit: int = Field(20, ge=1, le=500, description="At most so many, newest first.")


class WebhookList(BaseModel):
    """Webhooks, newest first."""

    webhooks: list[Webhook]


class WebhookDeliveryList(BaseModel):
    """Deliveries of a webhook, newest first."""

    deliveries: list[WebhookDelivery]


@api.get("/webhooks", summary="The webhooks", responses={"200": WebhookList})
@allows("editor", Corpora.FILTERED)
def list_webhooks(query: CorpusChoice) -> Response:
    """Of one corpus, or of all that the caller may see; never with a secret."""
    return reply(WebhookList(webhooks=backend().clew.webhooks(query.corpus)))


@api.post("/webhooks", summary="Add a webhook", responses={"201": NewWebhook})
@allows("editor", Corpora.CHECKED)
def add_webhook(body: WebhookBody) -> Response:
    """The secret is told this once. A delivery is a POST of {"event", "delivery", "job"}, signed in
    X-Clew-Signature: t=TIME,v1=HEX, the HMAC-SHA-256 of "TIME.BODY" by the secret; it is tried
    again, after 10 s up to 8 h, until the answer is 2xx. Addresses inside the network are refused.
    """
    corpus = backend().corpus(body.corpus)
    return reply(backend().clew.add_webhook(corpus, body.url, body.kinds), 201)


@api.get(
    "/webhooks/<webhook_id>/deliveries",
    summary="What it was told",
    responses={"200": WebhookDeliveryList},
)
@allows("editor", Corpora.CHECKED)
def list_deliveries(path: WebhookPath, query: DeliveryFilter) -> Response:
    """Each with its state, its tries, the last answer and the next try."""
    found = backend().clew.webhook_deliveries(path.webhook_id, query.limit)
    return reply(WebhookDeliveryList(deliveries=found))


@api.post(
    "/webhooks/<webhook_id>/deliveries/<job_id>/retry",
    summary="Tell it again",
    responses={"202": WebhookDelivery},
)
@allows("editor", Corpora.CHECKED)
def retry_delivery(path: DeliveryPath) -> Response:
    """At the next look of a worker, whatever was answered before; with the same delivery id."""
    return reply(backend().clew.retry_delivery(path.webhook_id, path.job_id), 202)


@api.delete("/webhooks/<webhook_id>", summary="Delete it", responses={"204": None})
@allows("editor", Corpora.CHECKED)
def delete_webhook(path: WebhookPath) -> Response:
    """Delete it with its history; what was not delivered yet will not be."""
    backend().clew.delete_webhook(path.webhook_id)
    return make_response("", 204)
