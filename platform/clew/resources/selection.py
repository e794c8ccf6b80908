"""Which documents of a corpus a question is asked of."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Selection:
    """Documents that fit what was asked for; ``said``: that, in words.

    ``chunks``: how many they have, of the ``total_chunks`` of the corpus.
    """

    document_ids: frozenset[str]
    chunks: int
    total_chunks: int
    said: str
