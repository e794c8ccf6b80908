"""The part of the fake facade that keeps webhooks; sends nothing."""

from collections.abc import Sequence
from typing import Any

from clew.errors import UnknownWebhook
from clew.jobs.webhooks import unknown_webhook
from clew.results.webhook import NewWebhook, Webhook, WebhookDelivery
from clew_cypher.corpora import unknown_corpus

from .fake_bench import WHEN


class FakeWebhooks:
    """Webhooks in a list."""

    stored: dict[str, Any]

    webhook_list: list[Webhook]
    told: list[WebhookDelivery]

    def webhooks(self, corpus: str | None = None) -> list[Webhook]:
        return [one for one in self.webhook_list if corpus in (None, one.corpus)]

    def webhook(self, webhook_id: str) -> Webhook:
        for one in self.webhook_list:
            if one.id == webhook_id:
                return one
        raise unknown_webhook(webhook_id)

    def webhook_deliveries(self, webhook_id: str, limit: int = 20) -> list[WebhookDelivery]:
        self.webhook(webhook_id)
        return [one for one in self.told if one.id.startswith(f"{webhook_id}-")][:limit]

    def add_webhook(self, corpus: str, url: str, kinds: Sequence[str] = ()) -> NewWebhook:
        if corpus not in self.stored:
            raise unknown_corpus(corpus)
        made = Webhook(
            id=f"h-{corpus}", url=url, corpus=corpus, kinds=tuple(kinds), created_at=WHEN
        )
        self.webhook_list.append(made)
        return NewWebhook(**made.model_dump(), secret="0" * 43)

    def retry_delivery(self, webhook_id: str, job_id: str) -> WebhookDelivery:
        for place, one in enumerate(self.told):
            if one.id == f"{webhook_id}-{job_id}":
                update = {"state": "queued", "next_at": WHEN}
                self.told[place] = one.model_copy(update=update)
                return self.told[place]
        raise UnknownWebhook(f"The webhook {webhook_id!r} was not told of a job {job_id!r}.")

    def delete_webhook(self, webhook_id: str) -> None:
        self.webhook_list.remove(self.webhook(webhook_id))
