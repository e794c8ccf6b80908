"""Ids derived from content: the same thing has the same id, whoever writes it and when."""

import hashlib

ID_LENGTH = 25
"""Characters of an id: its kind and 24 hex digits."""


def content_id(kind: str, *parts: str) -> str:
    """Return ``kind`` and 24 hex digits (96 bits) of the SHA-256 over the length-prefixed parts.

    Kinds in use: ``d`` document(corpus, uri), ``c`` chunk(document id, title, text, what tells it
    from others of this text), ``s`` sentence(chunk id, position, text), ``e`` entity (see
    :func:`entity_id`), ``t`` triple(chunk id, sentence position, head id, predicate, tail id),
    or, of a knowledge base, triple(document id, head id, relation, tail id).
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return f"{kind}{digest.hexdigest()[:24]}"


ENTITY_KINDS = ("", "person", "people", "value")
"""What tells homonyms apart: things of two kinds are never one; "" is all else."""


def entity_id(corpus: str, key: str, kind: str = "") -> str:
    """Return the id of the entity of a normalised name; ``kind``: one of ENTITY_KINDS."""
    if kind not in ENTITY_KINDS:
        raise ValueError(f"{kind!r} is none of {ENTITY_KINDS}.")
    return content_id("e", corpus, key, kind) if kind else content_id("e", corpus, key)


def corpus_key(name: str) -> str:
    """Return the token that stands for a corpus in full-text indexes: decimal digits only.

    An analyzer neither splits digits nor takes their stem, so that two corpora stay two.
    """
    return str(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big"))
