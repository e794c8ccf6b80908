"""What the facade tells of a document: its state, its text, what was found in it."""

from typing import Literal

from clew.results.result import Result

DocumentState = Literal["accepted", "ready", "failed"]


class DocumentInfo(Result):
    """A document and the state of its indexing; ``error`` says why it failed.

    ``kind``: 'text', 'collection' for a file whose records are documents of their own, or
    'knowledge-base' for one whose lines are triples.
    ``bytes``: of the file; None for a record, which has none of its own. ``seconds`` of work,
    language-model calls and their tokens are what indexing this version took; a file of records
    has none of its own. ``failed_chunks``: those of it, or of its records, on which the extractor
    failed, so that its triples are missing; they are tried again when the document comes again.
    ``left_out``: what of it could not be read, such as pages that are pictures; None for nothing.
    """

    id: str
    uri: str
    title: str
    media_type: str
    kind: Literal["text", "collection", "knowledge-base"]
    status: DocumentState
    error: str | None
    parent_id: str | None
    bytes: int | None
    chunks: int
    records: int
    accepted_at: str
    ready_at: str | None
    triples: int = 0
    seconds: float = 0.0
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failed_chunks: int = 0
    left_out: str | None = None


class ChunkText(Result):
    """A chunk of a document, in its place; ``pages`` and ``headings`` as of a `ScoredChunk`."""

    id: str
    position: int
    text: str
    pages: tuple[int, ...] = ()
    headings: tuple[str, ...] = ()


class EntityInfo(Result):
    """An entity; ``chunk_count``: chunks that mention it; ``triple_count``: triples it is head or
    tail of (of one knowledge base, where that is asked for).
    """

    id: str
    name: str
    type: str
    chunk_count: int
    triple_count: int = 0


class TripleInfo(Result):
    """A statement of a document: ``head`` and ``tail`` as the extractor gave them.

    ``text``: its textual triplet; ``sentence``: the one it stands in, None where the extractor
    does not say; ``extractor``: rules, llm, ready-made or knowledge-base. Of a knowledge base,
    ``line``: where it stands (from 1), and ``chunk_id`` is "".
    """

    head: str
    predicate: str
    tail: str
    text: str
    sentence: str | None
    extractor: str
    chunk_id: str
    head_id: str
    tail_id: str
    line: int | None = None


class DocumentDetail(Result):
    """A document with its chunks in order, the entities it mentions most, and its triples.

    Of ``document.triples`` triples the first few hundred are here, in the order of the text.
    """

    document: DocumentInfo
    chunks: tuple[ChunkText, ...]
    entities: tuple[EntityInfo, ...]
    triples: tuple[TripleInfo, ...] = ()


class FoundEntity(Result):
    """An entity as a sentence or a chunk mentions it."""

    id: str
    name: str
    type: str


class NamedDocument(Result):
    """A document whose title a sentence names."""

    id: str
    title: str


class SentenceProvenance(Result):
    """A sentence with what was found in it: ``heads`` it is about, ``tails`` it mentions beside
    them, documents that it ``names``, and the triples that it states."""

    id: str
    text: str
    heads: tuple[FoundEntity, ...]
    tails: tuple[FoundEntity, ...]
    names: tuple[NamedDocument, ...]
    triples: tuple[TripleInfo, ...]


class ChunkProvenance(Result):
    """A chunk, from its document down to the triples.

    ``mentions``: all entities of the chunk, its title's too; ``triples``: those of which the
    extractor does not say which sentence states them.
    """

    id: str
    document_id: str
    document: str
    position: int
    title: str
    text: str
    mentions: tuple[FoundEntity, ...]
    sentences: tuple[SentenceProvenance, ...]
    triples: tuple[TripleInfo, ...]
