"""A question's events on a Redis stream, from the worker that answers to whoever reads them.

The reader makes the stream and keeps it alive; the worker adds to it only while it exists
(NOMKSTREAM). So a reader that goes away, whether it says so or is killed, stops the worker at its
next event, and nothing is left behind.
"""

import json
from typing import Any

from redis import Redis

from clew.results.evidence import AskEvent

MAX_EVENTS = 20_000
ABANDONED_AFTER_S = 60
"""A stream that nobody has read from for this long is gone."""
KEEP_ALIVE_S = 10.0
BLOCK_MS = 1000
BATCH = 200

SUBMITTED, TAKEN = "submitted", "taken"
LAST_EVENTS = ("answer", "error")
TOLD = ("progress", "trace", "card", "round")
"""Say how the retrieval goes; the evidence then takes their place."""


def stream_key(question_id: str) -> str:
    """Return the key of a question's stream."""
    return f"clew:question:{question_id}"


class QuestionReader:
    """The end that asks: makes the stream, reads it, removes it."""

    def __init__(self, client: Redis, question_id: str) -> None:
        self._client = client
        self._key = stream_key(question_id)
        self._position = "0"

    def open(self) -> None:
        """Make the stream. Raises redis' errors where the server is not there."""
        with self._client.pipeline(transaction=True) as pipe:
            pipe.xadd(self._key, {"event": SUBMITTED, "data": "{}"})
            pipe.expire(self._key, ABANDONED_AFTER_S)
            made = pipe.execute()
        self._position = made[0]

    def read(self, block_ms: int = BLOCK_MS) -> list[tuple[str, dict[str, Any]]]:
        """Return the events that have come, waiting up to ``block_ms`` for the first."""
        streams: Any = self._client.xread({self._key: self._position}, count=BATCH, block=block_ms)
        entries = streams[0][1] if streams else []
        if entries:
            self._position = entries[-1][0]
        return [(fields["event"], json.loads(fields["data"])) for _, fields in entries]

    def keep_alive(self) -> bool:
        """Put off the stream's end; False if it is gone."""
        return bool(self._client.expire(self._key, ABANDONED_AFTER_S))

    def close(self) -> None:
        """Remove the stream, which tells the worker to stop."""
        self._client.delete(self._key)


class QuestionWriter:
    """The end that answers. Each method returns False once nobody reads any more."""

    def __init__(self, client: Redis, question_id: str) -> None:
        self._client = client
        self._key = stream_key(question_id)

    def take(self, worker: str) -> bool:
        """Say who works on the question."""
        return self._add(TAKEN, json.dumps({"worker": worker}))

    def add(self, event: AskEvent) -> bool:
        """Publish an event."""
        return self._add(event.event, json.dumps(event.data))

    def is_read(self) -> bool:
        """Look whether somebody reads, and publish nothing."""
        return bool(self._client.exists(self._key))

    def _add(self, event: str, data: str) -> bool:
        added = self._client.xadd(
            self._key,
            {"event": event, "data": data},
            maxlen=MAX_EVENTS,
            approximate=True,
            nomkstream=True,
        )
        return added is not None
