"""An example of every body of JSON, which the OpenAPI document and its page show."""

from typing import Any

from clew.strategies.catalogue import STRATEGIES, trainable

_FIRST, _SECOND = (spec.name for spec in STRATEGIES[:2])
_QUESTION = {
    "question": "Where was the engineer of the Brumholt lighthouse born?",
    "corpus": "papers",
    "strategy": _FIRST,
    "k": 5,
    "documents": {"names": ["report-*"], "added_from": "2026-01-01"},
}

_QUERY = _QUESTION | {
    "question": "And who was her teacher?",
    "history": [
        {"question": "Who built the Brumholt lighthouse?", "answer": "Edda Castellan built it."}
    ],
}

EXAMPLES: dict[str, Any] = {
    "POST /api/v1/search": _QUESTION,
    "POST /api/v1/query": _QUERY,
    "POST /api/v1/query/stream": _QUERY,
    "POST /api/v1/corpora": {"name": "papers", "extractor": "rules"},
    "PATCH /api/v1/corpora/{corpus}": {"extractor": "rules"},
    "POST /api/v1/documents": {
        "corpus": "papers",
        "records": [
            {
                "title": "Ada Lovelace",
                "text": "Ada Lovelace was born in London in 1815.",
                "uri": "people:ada-lovelace",
            }
        ],
    },
    "POST /api/v1/documents/retry": {"corpus": "papers", "document_ids": ["d1f0c2a9e4b7"]},
    "POST /api/v1/corpora/{corpus}/merges": {"a": "e5a1c0d2", "b": "e7b3f4a8"},
    "POST /api/v1/corpora/{corpus}/reviews/{review_id}": {"verdict": "different"},
    "POST /api/v1/bench": {
        "data_set": "corpus:papers",
        "synthetic": 50,
        "strategies": [_FIRST, _SECOND],
        "reader": "none",
        "seed": 0,
    },
    "POST /api/v1/models/train": {
        "method": trainable()[0].name,
        "corpus": "papers",
        "options": {"examples": 400},
    },
    "POST /api/v1/models/{method}/{version}/promote": {"corpus": "papers"},
    "POST /api/v1/models/{method}/roll-back": {"corpus": "papers"},
    "POST /api/v1/schedules": {
        "name": "Nightly papers",
        "corpus": "papers",
        "cron": "0 3 * * *",
        "zone": "Europe/Berlin",
        "reindex": {"sources": ["https://example.org/news"], "gone": "keep"},
    },
    "POST /api/v1/webhooks": {
        "corpus": "papers",
        "url": "https://example.org/hook",
        "kinds": ["ingest"],
    },
    "POST /api/v1/users": {"name": "ada", "role": "editor", "corpora": ["papers"]},
    "PATCH /api/v1/users/{name}": {"role": "reader"},
    "PUT /api/v1/me/password": {"old": "the password until now", "new": "another, longer one"},
    "POST /api/v1/keys": {
        "user": "ada",
        "name": "nightly crawler",
        "scopes": ["query", "ingest"],
        "days": 90,
    },
    "POST /v1/chat/completions": {
        "model": f"{_FIRST}@papers",
        "messages": [{"role": "user", "content": "Who supervised the author of the report?"}],
        "stream": False,
    },
}
"""By method and path. What is named in them is made up."""
