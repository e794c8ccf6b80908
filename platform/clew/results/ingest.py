"""What came of taking sources in, and what would come of it."""

from pydantic import Field

from clew.results.result import Result


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
