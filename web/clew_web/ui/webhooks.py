"""The Webhooks page: addresses that are told when jobs end, what they were told, and a form."""

from typing import Any

from flask import Response, make_response, redirect, render_template, request, url_for
from pydantic import ValidationError
from werkzeug.wrappers import Response as BaseResponse

from clew.errors import CLEW_ERRORS, InvalidRequest
from clew.jobs.kinds import KINDS
from clew.results.webhook import NewWebhook, Webhook, WebhookDelivery
from clew_web.api.webhooks import WebhookBody
from clew_web.backend import backend
from clew_web.errors import explain_validation
from clew_web.policy import Corpora, allows
from clew_web.ui.blueprint import ui

LIVE_S = 10
SHOWN = 20


@ui.get("/webhooks")
@allows("editor", Corpora.FILTERED)
def webhooks() -> Response:
    """The webhooks with what they were told, and a form to add one."""
    return _page()


@ui.post("/webhooks")
@allows("editor", Corpora.CHECKED)
def add_webhook() -> Response:
    """Add what the form asks for and show its secret, this once; show the form again, with the
    reason, where it is refused.
    """
    form = request.form
    asked: dict[str, Any] = {"url": form.get("url", "").strip(), "kinds": form.getlist("kinds")}
    service = backend()
    try:
        body = WebhookBody.model_validate(asked | {"corpus": form.get("corpus") or None})
        made = service.clew.add_webhook(service.corpus(body.corpus), body.url, body.kinds)
    except ValidationError as error:
        return _page(InvalidRequest(explain_validation(error)))
    except CLEW_ERRORS as error:
        return _page(error)
    return _page(made=made)


@ui.post("/webhooks/<webhook_id>/delete")
@allows("editor", Corpora.CHECKED)
def delete_webhook(webhook_id: str) -> BaseResponse:
    """Delete a webhook with its history."""
    try:
        backend().clew.delete_webhook(webhook_id)
    except CLEW_ERRORS as error:
        return _page(error)
    return redirect(url_for("ui.webhooks"), 303)


@ui.post("/webhooks/<webhook_id>/deliveries/<job_id>/retry")
@allows("editor", Corpora.CHECKED)
def retry_delivery(webhook_id: str, job_id: str) -> BaseResponse:
    """Tell a webhook of a job again."""
    try:
        backend().clew.retry_delivery(webhook_id, job_id)
    except CLEW_ERRORS as error:
        return _page(error)
    return redirect(url_for("ui.webhooks"), 303)


def _page(problem: Any = None, made: NewWebhook | None = None) -> Response:
    service = backend()
    status = 200 if problem is None else problem.http_status
    refused = problem is not None
    shown: list[tuple[Webhook, list[WebhookDelivery]]] = []
    corpora: list[Any] = []
    try:
        shown = [
            (webhook, service.clew.webhook_deliveries(webhook.id, SHOWN))
            for webhook in service.clew.webhooks()
        ]
        corpora = service.clew.corpora()
    except CLEW_ERRORS as error:
        problem = problem or error
    page = render_template(
        "webhooks.html",
        webhooks=shown,
        made=made,
        corpora=corpora,
        kinds=sorted(KINDS),
        problem=problem,
        chosen=request.form if refused else {},
        chosen_kinds=request.form.getlist("kinds") if refused else [],
        live_s=LIVE_S,
    )
    answer = make_response(page, status)
    if made is not None:
        answer.headers["Cache-Control"] = "no-store"
    return answer
