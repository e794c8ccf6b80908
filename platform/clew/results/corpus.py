"""What the facade tells of corpora, documents, jobs and the graph. All frozen, all JSON."""

from typing import Any, Literal

from pydantic import Field

from clew.results.result import Result
from clew_cypher.kinds import DEFAULT_EXTRACTOR


class CorpusInfo(Result):
    """A corpus with how full it is; ``embedder`` is None until something was indexed.

    ``extractor``: who makes the triples of what is ingested: rules, llm, model, none or file:PATH.
    ``entities`` have a name; arguments of triples that name nothing are not counted.
    ``failed_chunks``: those on which the extractor failed; ingesting their documents again tries
    them again. ``of_bench``: the bench made it for a data set, so that lists keep it apart.
    """

    name: str
    revision: int
    embedder: str | None
    documents: int
    failed: int
    pending: int
    chunks: int
    sentences: int
    entities: int
    mentions: int
    extractor: str = DEFAULT_EXTRACTOR
    triples: int = 0
    failed_chunks: int = 0
    of_bench: bool = False


class GrowthDay(Result):
    """What a corpus held at the end of a day (UTC), counted over the documents that it has now."""

    day: str
    documents: int
    chunks: int
    triples: int


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


class AcceptedDocument(Result):
    """A source that was taken in. ``changed`` is False where it is ready in this version already;
    ``error`` says why its bytes could not be had. ``gone``: its server says that it is not there
    any more. ``failed_before``: this version failed, or an extractor on chunks of it, and is tried
    again."""

    id: str
    uri: str
    changed: bool
    error: str | None
    gone: bool = False
    failed_before: bool = False


class SkippedSource(Result):
    """Something that was found and is not read, and why."""

    uri: str
    reason: str


class Accepted(Result):
    """What came of accepting sources."""

    documents: tuple[AcceptedDocument, ...]
    skipped: tuple[SkippedSource, ...]

    @property
    def pending(self) -> list[str]:
        """Ids of the documents that wait to be indexed."""
        return [d.id for d in self.documents if d.changed and d.error is None]

    @property
    def unchanged(self) -> int:
        """How many are ready in this version already."""
        return sum(not d.changed and d.error is None for d in self.documents)

    @property
    def failed_before(self) -> int:
        """How many failed in this version, in whole or in part, and are tried again."""
        return sum(d.failed_before for d in self.documents)

    @property
    def new_or_changed(self) -> int:
        """How many were never tried in this version."""
        return sum(d.changed and not d.failed_before for d in self.documents)

    @property
    def unreadable(self) -> int:
        """How many could not be read, and are as they were before."""
        return sum(not d.changed and d.error is not None for d in self.documents)

    @property
    def gone(self) -> dict[str, str]:
        """The ids of those that are not there any more, by their addresses."""
        return {d.uri: d.id for d in self.documents if d.gone}


class Vanished(Result):
    """Documents whose file or page is not there any more: their ids by their addresses.

    ``emptied``: the folders and buckets among the sources that hold no file that is read.
    """

    documents: dict[str, str]
    emptied: tuple[str, ...]


class FailingDocument(Result):
    """A document that cannot be ingested, and why."""

    uri: str
    error: str


class DryRun(Result):
    """What an ingest would do. Documents are texts, pages and the records of files.

    Each is ``new``, ``changed`` (the graph has it in another version, or not whole), one that
    ``failed_before`` in this version, or ``unchanged``; of these, ``failed`` would fail, and
    ``failing`` are the first of them. ``kept_chunks``: those that stay as they are; ``triples``:
    lines of knowledge bases. ``llm_cached``: calls that cost nothing, since their replies are kept;
    tokens are those of the ``llm_calls``. ``seconds``: until it is done, ``stages``: of work, which
    overlaps, at the speed ``measured`` there; ``assumptions``: what the figures rest on beside
    that.
    """

    corpus: str
    extractor: str
    new: int
    changed: int
    unchanged: int
    failed: int
    failing: tuple[FailingDocument, ...]
    skipped: tuple[SkippedSource, ...]
    chunks: int
    kept_chunks: int
    text_tokens: int
    llm_calls: int
    llm_cached: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    stages: dict[str, float]
    measured: str
    assumptions: tuple[str, ...]
    triples: int = 0
    failed_before: int = 0


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


class Deletion(Result):
    """What a deletion removed."""

    documents: int
    chunks: int
    sentences: int
    entities: int


class GraphNode(Result):
    """A node to draw. ``size``: chunks of an entity, those drawn of a document, 1 for a chunk;
    ``text``: a chunk's."""

    id: str
    kind: Literal["entity", "chunk", "document"]
    label: str
    type: str
    size: int
    text: str = ""
    document_id: str | None = None


class GraphEdge(Result):
    """An edge to draw, between the ids of two nodes of a Graph; ``text``: what a triple says."""

    source: str
    target: str
    kind: str
    weight: float = 1.0
    text: str = ""


class Graph(Result):
    """A part of the graph; ``truncated``: the limit cut something off."""

    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    truncated: bool


JobState = Literal["queued", "running", "done", "failed", "cancelled", "set_aside"]


class Job(Result):
    """A job of the ledger. ``progress`` holds counts and stages; ``corpus_deleted``: its corpus was
    deleted since, and one of that name is another."""

    id: str
    kind: str
    corpus: str
    state: JobState
    attempt: int
    progress: dict[str, Any]
    error: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    corpus_deleted: bool = False


class UploadResult(Result):
    """What an upload led to; ``job_id`` is null where nothing is left to be done.

    ``fetching``: addresses that the job fetches; their documents are there once it has.
    """

    job_id: str | None
    documents: tuple[AcceptedDocument, ...]
    fetching: tuple[str, ...] = ()
    skipped: tuple[SkippedSource, ...] = ()
    new_corpus: str | None = Field(
        None, description="Name of the corpus that this upload made; null where it was there."
    )


class JobCount(Result):
    """How many jobs of a kind are in a state."""

    kind: str
    state: str
    jobs: int


class JobEvent(Result):
    """A line of a job's log: what happened, and when."""

    at: str
    text: str


class Retried(Result):
    """What is done again by ``job`` (None where nothing could be): so many ``documents``.

    ``left``: those that cannot, and why.
    """

    job: Job | None
    documents: int
    left: tuple[SkippedSource, ...]


class LoadedModel(Result):
    """A model that a process holds: ``mib`` of memory on ``device``; when it was used last.

    ``kind``: what ``name`` is one of, without corpus and version.
    """

    name: str
    kind: str
    device: str
    mib: float
    load_seconds: float
    idle_seconds: float


class ServiceHealth(Result):
    """One service: up or not, with what was seen and what to do.

    Of workers also the ``models`` that they hold, and the ``memory_mib`` of their processes.
    """

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    models: tuple[LoadedModel, ...] = ()
    memory_mib: float | None = None


class Health(Result):
    """Whether questions can be answered now, service by service."""

    ok: bool
    services: tuple[ServiceHealth, ...]
