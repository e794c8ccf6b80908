"""Webhooks: addresses that are told when jobs end.

The ledger says which jobs ended, and a delivery for each webhook is entered there, so that a worker
that dies loses none: it is sent until it is answered by 2xx, at most seven times within half a day.
A delivery may come twice, with the same id, where a worker died before it could note the answer.

A webhook is told of one job at a time, several webhooks at once; one that does not answer is left
alone for a while, so that it keeps none of the others waiting.

What is sent is a POST of JSON, signed: `X-Clew-Signature: t=UNIX-TIME,v1=HEX`, where HEX is the
HMAC-SHA-256, by the webhook's secret, of `UNIX-TIME.` and the body. A receiver computes the same
and refuses what is older than some minutes.
"""

import hashlib
import hmac
import http.client
import ipaddress
import json
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from clew.errors import InvalidRequest, InvalidSetting, UnknownWebhook
from clew.jobs.kinds import KINDS
from clew.jobs.periodic import Periodic
from clew.results.webhook import NewWebhook, Webhook, WebhookDelivery
from clew.settings import Settings
from clew_cypher.corpora import get_corpus
from clew_cypher.jobs import webhooks as kept
from clew_cypher.store import GraphStore, Row
from clew_ingest.errors import AddressRefused, IngestError
from clew_ingest.reading.fetching import Address, check_reachable, is_public, post

if TYPE_CHECKING:
    from clew.resources.resources import Resources

log = logging.getLogger(__name__)

WAITS_S = (10.0, 60.0, 300.0, 1800.0, 7200.0, 28_800.0)
"""Between two tries; after the last one the delivery has failed."""
GIVE_UP_S = sum(WAITS_S)
"""A delivery that is older than so many seconds has failed at its next try that does: those of one
webhook wait for each other, too."""
LONGEST_REST_S = 300.0
"""So long, at most, nothing is tried at a webhook that did not answer."""
SENDERS = 8
"""Webhooks that a worker tells at once."""
TIMEOUT_S = 10.0
LEASE_S = 3 * TIMEOUT_S
OVERLAP_S = 120.0
RESOLVE_S = 2.0
KEEP_DAYS = 90
LONGEST_URL = 2000
LONGEST_ERROR = 300
ALLOW = "Whoever runs Clew can allow its network by the setting webhook_networks."


def add_webhook(
    resources: "Resources", corpus: str, url: str, kinds: Sequence[str] = ()
) -> NewWebhook:
    """Make a webhook; see ``Clew.add_webhook``."""
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise InvalidRequest(
            f"{unknown[0]!r} is no kind of job.", remedy=f"There are: {', '.join(KINDS)}."
        )
    if len(url) > LONGEST_URL:
        raise InvalidRequest(f"The URL has over {LONGEST_URL} characters.")
    get_corpus(resources.store, corpus)
    try:
        check_reachable(url, RESOLVE_S, allowed=allowed_by(resources.settings))
    except AddressRefused as refused:
        raise AddressRefused(refused.message, remedy=ALLOW) from refused
    secret = secrets.token_urlsafe(32)
    row = kept.create_webhook(
        resources.store,
        f"h{secrets.token_hex(8)}",
        url=url,
        secret=secret,
        corpus=corpus,
        kinds=list(dict.fromkeys(kinds)),
    )
    return NewWebhook(**row, secret=secret)


def list_webhooks(store: GraphStore, corpus: str | None) -> list[Webhook]:
    """Return the webhooks of a corpus, or of all, newest first."""
    return [Webhook(**row) for row in kept.list_webhooks(store, corpus)]


def get_webhook(store: GraphStore, webhook_id: str) -> Webhook:
    """Return a webhook. Raises UnknownWebhook."""
    row = kept.get_webhook(store, webhook_id)
    if row is None:
        raise unknown_webhook(webhook_id)
    return Webhook(**row)


def list_deliveries(store: GraphStore, webhook_id: str, limit: int) -> list[WebhookDelivery]:
    """Return what a webhook was told, newest first. Raises UnknownWebhook."""
    get_webhook(store, webhook_id)
    rows = kept.list_deliveries(store, webhook_id, limit)
    return [WebhookDelivery(**row) for row in rows]


def retry_delivery(store: GraphStore, webhook_id: str, job_id: str) -> WebhookDelivery:
    """Tell a webhook of a job again, now; see ``Clew.retry_delivery``."""
    get_webhook(store, webhook_id)
    row = kept.retry_delivery(store, webhook_id, job_id)
    if row is None:
        raise UnknownWebhook(
            f"The webhook {webhook_id!r} was not told of a job {job_id!r}.",
            remedy=f"`clew webhooks sent {webhook_id}` lists what it was told.",
        )
    return WebhookDelivery(**row)


def delete_webhook(store: GraphStore, webhook_id: str) -> None:
    """Delete a webhook with its history. Raises UnknownWebhook."""
    if not kept.delete_webhook(store, webhook_id):
        raise unknown_webhook(webhook_id)


def unknown_webhook(webhook_id: str) -> UnknownWebhook:
    """Return the error for a webhook that does not exist."""
    return UnknownWebhook(
        f"There is no webhook {webhook_id!r}.", remedy="`clew webhooks` lists them."
    )


def allowed_by(settings: Settings) -> Callable[[Address], bool]:
    """Return which addresses webhooks may reach. Raises InvalidSetting for a wrong network."""
    try:
        networks = [
            ipaddress.ip_network(part.strip())
            for part in settings.webhook_networks.split(",")
            if part.strip()
        ]
    except ValueError as error:
        raise InvalidSetting(
            f"webhook_networks is no list of networks: {error}.",
            remedy="Write such as 10.0.0.0/8,192.168.7.0/24.",
        ) from error
    return lambda address: is_public(address) or any(address in one for one in networks)


def signature(secret: str, body: bytes, now_s: int) -> str:
    """Return the value of X-Clew-Signature."""
    signed = hmac.new(secret.encode(), f"{now_s}.".encode() + body, hashlib.sha256)
    return f"t={now_s},v1={signed.hexdigest()}"


class Deliverer(Periodic):
    """Tells webhooks of the jobs that ended, every ``webhook_look_s`` seconds.

    Every worker that runs jobs has one. ``waits_s``: seconds between two tries.
    """

    name = "webhooks"
    stop_s = TIMEOUT_S

    def __init__(
        self, store: GraphStore, settings: Settings, waits_s: Sequence[float] = WAITS_S
    ) -> None:
        super().__init__(settings.webhook_look_s)
        self._store = store
        self._settings = settings
        self._waits_s = waits_s

    def clean(self) -> None:
        """Delete deliveries that are settled for long."""
        kept.delete_old_deliveries(self._store, days=KEEP_DAYS)

    def look(self) -> int:
        """Enter what ended, try what is due until nothing is, and return how many tries that were.

        What ends or comes due while webhooks are waited for is seen to meanwhile.
        """
        if not kept.list_webhooks(self._store):
            return 0
        kept.enter_deliveries(self._store, OVERLAP_S)
        tried = 0
        trying: set[Future[None]] = set()
        with ThreadPoolExecutor(SENDERS, "webhook") as senders:
            while not self._over.is_set():
                busy = len(trying) == SENDERS
                delivery = None if busy else kept.take_delivery(self._store, LEASE_S)
                if delivery is not None:
                    trying.add(senders.submit(self._try, delivery))
                    tried += 1
                    continue
                if not trying:
                    break
                ended, trying = wait(trying, self._settings.webhook_look_s, FIRST_COMPLETED)
                for one in ended:
                    one.result()
                kept.enter_deliveries(self._store, OVERLAP_S)
        return tried

    def _try(self, delivery: Row) -> None:
        status, error = self._send(delivery)
        attempt: int = delivery["attempt"]
        last = attempt > len(self._waits_s) or delivery["age_s"] > GIVE_UP_S
        state = "delivered" if error is None else "failed" if last else "queued"
        wait_s = self._waits_s[attempt - 1] if state == "queued" else 0.0
        silent = 0 if status else delivery["silent"] + (delivery["job"] is not None)
        kept.settle_delivery(
            self._store,
            delivery,
            state=state,
            status=status,
            error=error,
            wait_s=wait_s,
            silent=silent,
            rest_s=self._rest_s(silent),
        )
        if error is not None:
            log.warning("Webhook %s, try %d: %s", delivery["id"], attempt, error)

    def _rest_s(self, silent: int) -> float:
        """Return how long a webhook is left alone after so many tries without an answer."""
        if not silent or not self._waits_s:
            return 0.0
        return min(self._waits_s[min(silent, len(self._waits_s)) - 1], LONGEST_REST_S)

    def _send(self, delivery: Row) -> tuple[int | None, str | None]:
        """Return the status of the answer, None where there was none, and what was wrong."""
        if delivery["job"] is None:
            return None, "The job is no longer kept."
        body = _body(delivery)
        headers = {
            "Content-Type": "application/json",
            "X-Clew-Delivery": delivery["id"],
            "X-Clew-Signature": signature(delivery["secret"], body, int(time.time())),
        }
        try:
            allowed = allowed_by(self._settings)
            status = post(delivery["url"], body, headers, TIMEOUT_S, allowed=allowed)
        except AddressRefused as refused:
            return None, f"{refused.message} {ALLOW}"
        except (OSError, http.client.HTTPException, IngestError, InvalidSetting) as error:
            return None, f"{type(error).__name__}: {error}"[:LONGEST_ERROR]
        except Exception as error:  # one that cannot be sent must not keep the others waiting
            log.exception("Webhook %s could not be told.", delivery["id"])
            return None, f"An unexpected error ({type(error).__name__}): {error}"[:LONGEST_ERROR]
        if 200 <= status < 300:
            return status, None
        return status, f"It answered {status}."


def _body(delivery: Row) -> bytes:
    value: dict[str, Any] = {
        "event": "job.ended",
        "delivery": delivery["id"],
        "job": delivery["job"],
    }
    return json.dumps(value, ensure_ascii=False).encode()
