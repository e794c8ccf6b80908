"""Ids derived from content: the same thing has the same id, whoever writes it and when."""

import hashlib


def content_id(kind: str, *parts: str) -> str:
    """Return ``kind`` and 24 hex digits (96 bits) of the SHA-256 over the length-prefixed parts.

    Kinds in use: ``d`` document(corpus, uri), ``c`` chunk(document id, position, text),
    ``s`` sentence(chunk id, position, text), ``e`` entity(corpus, key).
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return f"{kind}{digest.hexdigest()[:24]}"
