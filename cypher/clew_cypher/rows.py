"""The rows that ingest hands to the graph writer: one frozen dataclass a kind of element.

Ids are derived from content (`ids.py`), so that writing the same rows twice changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]  # [D], unit length


@dataclass(frozen=True)
class DocumentRow:
    """A file, a page or a record. ``parent_id``: the collection file whose record it is.

    ``metadata``: a record's other fields, as a JSON object; None for none.
    """

    id: str
    uri: str
    title: str
    media_type: str
    sha256: str
    parent_id: str | None = None
    metadata: str | None = None


@dataclass(frozen=True)
class ChunkRow:
    """The unit that is retrieved; ``embedding`` is of the title, a line break and the text."""

    id: str
    document_id: str
    position: int
    title: str
    text: str
    embedding: Vector


@dataclass(frozen=True)
class SentenceRow:
    """A sentence with its hyperrelation (KT-2); ``embedding`` has the title in front."""

    id: str
    chunk_id: str
    position: int
    text: str
    hyperrelation: str
    embedding: Vector


@dataclass(frozen=True)
class EntityRow:
    """An entity by its normalised name ``key``; ``aliases`` are other normalised names.

    ``embedding`` is of the key, or None where the graph has the entity already.
    """

    id: str
    key: str
    aliases: tuple[str, ...]
    embedding: Vector | None


@dataclass(frozen=True)
class MentionRow:
    """An entity in a chunk: how often, most often as which ``surface`` and spaCy ``type``.

    ``is_title``: it is the title of the chunk's document (then ``count`` may be 0).
    """

    entity_id: str
    chunk_id: str
    count: int
    surface: str
    type: str
    is_title: bool


@dataclass(frozen=True)
class RoleRow:
    """An entity's role in a sentence (KT-3): head or tail, never both."""

    entity_id: str
    sentence_id: str
    role: Literal["head", "tail"]
    type: str


@dataclass(frozen=True)
class GraphBatch:
    """What one transaction writes: whole documents, or a slice of a large one.

    ``finished`` names the documents that are complete with this batch: in the same transaction
    they turn ``ready`` and lose the chunks that only their old version had.
    """

    documents: Sequence[DocumentRow] = ()
    chunks: Sequence[ChunkRow] = ()
    sentences: Sequence[SentenceRow] = ()
    entities: Sequence[EntityRow] = ()
    mentions: Sequence[MentionRow] = ()
    roles: Sequence[RoleRow] = ()
    finished: Sequence[str] = field(default=())
