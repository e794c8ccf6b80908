"""Fingerprints: the settings that a document is indexed with, as one short text.

A document that is ready under another fingerprint has changed, although its bytes have not.
"""

from clew_cypher.ids import content_id

VERSION = 1
"""To be raised when the pipeline makes other rows of the same document."""


def document_fingerprint(parser: str, chunk_tokens: int, extraction: str) -> str:
    """Return the fingerprint of documents that are indexed with these settings.

    ``parser``: the spaCy pipeline's name; ``extraction``: its ``fingerprint``.
    """
    return content_id("f", str(VERSION), parser, str(chunk_tokens), extraction)
