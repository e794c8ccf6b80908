"""The Webhooks page: addresses that are told when jobs end, what they were told, and a form."""

from typing import Any

from flask import Response, make_response, redirect, render_template, url_for
from werkzeug.wrappers import Response as BaseResponse

from clew.errors import CLEW_ERRORS
from clew.jobs.kinds import KINDS
from clew.results.webhook import Webhook, WebhookDelivery
from clew_web.backend import backend
from clew_web.policy import Corpora, allows
from clew_web.ui.blueprint import ui
from clew_web.ui.corpora import preferred_corpus

LIVE_S = 10
SHOWN = 20


@ui.get("/webhooks")
@allows("editor", Corpora.FILTERED)
def webhooks() -> Response:
    """The webhooks with what they were told; they are added and deleted over REST."""
    return _page()


@ui.post("/webhooks/<webhook_id>/deliveries/<job_id>/retry")
@allows("editor", Corpora.CHECKED)
def retry_delivery(webhook_id: str, job_id: str) -> BaseResponse:
    """Tell a webhook of a job again."""
    try:
        backend().clew.retry_delivery(webhook_id, job_id)
    except CLEW_ERRORS as error:
        return _page(error)
    return redirect(url_for("ui.webhooks"), 303)


def _page(problem: Any = None) -> Response:
    service = backend()
    status = 200 if problem is None else problem.http_status
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
        corpora=corpora,
        corpus=preferred_corpus(corpora, filled=False),
        kinds=sorted(KINDS),
        problem=problem,
        live_s=LIVE_S,
    )
    return make_response(page, status)
