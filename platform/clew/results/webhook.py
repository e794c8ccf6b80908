"""Webhooks as users see them, and what they were told."""

from typing import Literal

from clew.results.result import Result


class Webhook(Result):
    """An address that is told when a job of a corpus ends; ``kinds``: of these, () of any."""

    id: str
    url: str
    corpus: str
    kinds: tuple[str, ...]
    created_at: str


class NewWebhook(Webhook):
    """The same with the secret that signs what is sent, shown this once."""

    secret: str


class WebhookDelivery(Result):
    """That a webhook is told of a job. ``status``: the last answer's; ``next_at``: the next try."""

    id: str
    job_id: str
    state: Literal["queued", "delivered", "failed"]
    attempt: int
    status: int | None
    error: str | None
    created_at: str
    tried_at: str | None
    next_at: str | None
