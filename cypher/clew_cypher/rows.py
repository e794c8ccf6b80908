"""The rows that ingest hands to the graph writer: one frozen type a kind of element.

Ids are derived from content (`ids.py`), so that writing the same rows twice changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]  # [D], unit length


@dataclass(frozen=True)
class DocumentRow:
    """A file, a page or a record. ``parent_id``: the collection file whose record it is, and
    ``parent_sha256`` that file's content, None where any will do.

    ``metadata``: its other fields, as a JSON object; None for none. ``fingerprint``: the
    settings it is indexed with; another one makes it changed, although its bytes are the same.
    ``left_out``: what of it could not be read, in a sentence; None for nothing.
    """

    id: str
    uri: str
    title: str
    media_type: str
    sha256: str
    parent_id: str | None = None
    metadata: str | None = None
    fingerprint: str | None = None
    parent_sha256: str | None = None
    left_out: str | None = None


@dataclass(frozen=True)
class ChunkRow:
    """What is retrieved; ``embedding`` is of the title, a line break and the text, without
    fields that the document began with.

    ``unit``: the hash of the part of the document that became this chunk, or ``unit_chunks`` of
    them. A later version with the same unit keeps them all as they are. ``extraction_failed``: its
    triples are missing; the document is taken up when it comes again. ``pages`` (from 1) and
    ``headings`` (paths): where the text stands in the original, one a line of the text; a single
    one is that of all lines, none: not known.
    """

    id: str
    document_id: str
    position: int
    title: str
    text: str
    embedding: Vector
    unit: str = ""
    unit_chunks: int = 1
    pages: tuple[int, ...] = ()
    headings: tuple[str, ...] = ()
    extraction_failed: bool = False


@dataclass(frozen=True)
class KeptChunk:
    """A chunk of an older version that the new one has too, at ``position``, and on which pages and
    under which headings there (see :class:`ChunkRow`).
    """

    id: str
    document_id: str
    position: int
    pages: tuple[int, ...] = ()
    headings: tuple[str, ...] = ()


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
    """An entity by its normalised name ``key``; its other names come with its mentions.

    ``embedding`` is of the key, or None where the graph has the entity already. One without a
    mention is a ``CONCEPT``: an argument of triples that names nothing.
    """

    id: str
    key: str
    embedding: Vector | None


@dataclass(frozen=True)
class MentionRow:
    """An entity in a chunk: how often, most often as which ``surface`` and spaCy ``type``.

    ``is_title``: it is the title of the chunk's document (then ``count`` may be 0). ``aliases``:
    normalised names that it goes by in the chunk, besides its key.
    """

    entity_id: str
    chunk_id: str
    count: int
    surface: str
    type: str
    is_title: bool
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class RoleRow:
    """An entity's role in a sentence (KT-3): head or tail, never both."""

    entity_id: str
    sentence_id: str
    role: Literal["head", "tail"]
    type: str


@dataclass(frozen=True)
class TripleRow:
    """A statement of a chunk (KC-1), with its textual triplet ``ttr`` (KC-2).

    ``head`` and ``tail``: the arguments as the extractor gave them; ``sentence_id``: None where
    the extractor cannot say; ``extractor``: rules, llm or ready-made. ``embedding`` is of the
    title, a line break and ``ttr``; None where ``ttr`` is the text of the sentence, whose vector it
    shares. ``caption``: the predicate as it is written ("was born in"), "" where only its base form
    is known.
    """

    id: str
    head_id: str
    tail_id: str
    head: str
    predicate: str
    tail: str
    ttr: str
    chunk_id: str
    sentence_id: str | None
    extractor: str
    embedding: Vector | None
    caption: str = ""


class KnowledgeEnd(NamedTuple):
    """What a triple of a knowledge base joins: an entity, as it is written there.

    ``key``: its normalised name, of which ``embedding``s are made; ``type``: one of spaCy's for
    values, "" where it is not known, ``CONCEPT`` for what is no name (a long text). ``iri``: None
    where it has none.
    """

    id: str
    key: str
    name: str
    type: str
    iri: str | None = None

    @property
    def named(self) -> bool:
        """Whether it is found by its name."""
        return self.type != "CONCEPT"


@dataclass(frozen=True)
class KnowledgeTripleRow:
    """A triple that a line of a knowledge base states; ``line`` from 1.

    ``relation``: as it is written, ``predicate``: in base form; ``ttr``: the triple in words.
    ``embedding`` is of ``ttr``, None where triples get none. ``language``: of a literal.
    """

    id: str
    line: int
    head: KnowledgeEnd
    relation: str
    predicate: str
    tail: KnowledgeEnd
    ttr: str
    relation_iri: str | None = None
    language: str | None = None
    embedding: Vector | None = None

    @property
    def head_id(self) -> str:
        """The id of the head."""
        return self.head.id

    @property
    def tail_id(self) -> str:
        """The id of the tail."""
        return self.tail.id

    @property
    def ends(self) -> tuple[KnowledgeEnd, KnowledgeEnd]:
        """Head and tail."""
        return self.head, self.tail


@dataclass(frozen=True)
class DocumentCost:
    """What a part of a document took: seconds of work, language-model calls and their tokens."""

    document_id: str
    seconds: float
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True)
class GraphBatch:
    """What one transaction writes: whole documents, or a slice of a large one.

    ``finished`` names the documents that are complete with this batch: in the same transaction
    they turn ``ready`` and lose the chunks that only their old version had. ``kept``: chunks of
    the old version that stay as they are.
    """

    documents: Sequence[DocumentRow] = ()
    chunks: Sequence[ChunkRow] = ()
    sentences: Sequence[SentenceRow] = ()
    entities: Sequence[EntityRow] = ()
    mentions: Sequence[MentionRow] = ()
    roles: Sequence[RoleRow] = ()
    triples: Sequence[TripleRow] = ()
    kept: Sequence[KeptChunk] = ()
    costs: Sequence[DocumentCost] = ()
    finished: Sequence[str] = field(default=())
