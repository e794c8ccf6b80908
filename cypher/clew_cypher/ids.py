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


def corpus_key(name: str) -> str:
    """Return the token that stands for a corpus in full-text indexes: decimal digits only.

    An analyzer neither splits digits nor takes their stem, so that two corpora stay two.
    """
    return str(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big"))
