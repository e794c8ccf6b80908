"""What a run tells while it goes on, and when it has ended."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Literal

from clew_ingest.reading.sources import SkippedSource

Stage = Literal["accept", "read", "parse", "extract", "embed", "write", "link", "resolve"]
STAGES: tuple[Stage, ...] = (
    *("accept", "read", "parse", "extract", "embed", "write", "link", "resolve"),
)
"""The stages of ingest, in order. ``read`` to ``write`` overlap. ``extract``: triples by a language
model or from a file; those by rules are made while parsing. ``link``: sentences to the documents
that they name by their titles."""


@dataclass(frozen=True, kw_only=True)
class Counts:
    """What a run has done; counts only grow.

    ``unchanged``: documents and records whose version was ready already; ``superseded``: those
    deleted or replaced during the run; ``entities``: new ones. ``chunks`` and what hangs on them
    are those that were written, ``parsed`` those that were read so far; ``kept_chunks``: those that
    the graph had already.
    ``triples_total``: what knowledge bases state, ``triples_kept``: of these what the graph had.
    ``triples_dropped``: items of an extractor's replies that were no usable triples;
    ``extractions_failed``: chunks without triples for that. ``merges`` of entities were made;
    ``reviews``: pairs of entities that wait for a person. ``read_in_part``: documents of which
    something could not be read, as they say.
    """

    ready: int = 0
    unchanged: int = 0
    superseded: int = 0
    parsed: int = 0
    chunks: int = 0
    sentences: int = 0
    entities: int = 0
    mentions: int = 0
    triples: int = 0
    triples_total: int = 0
    triples_kept: int = 0
    kept_chunks: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    triples_dropped: int = 0
    extractions_failed: int = 0
    merges: int = 0
    reviews: int = 0
    read_in_part: int = 0


@dataclass(frozen=True)
class FailedDocument:
    """A document that could not be ingested, and why; its Document says the same."""

    id: str
    uri: str
    error: str


@dataclass(frozen=True, kw_only=True)
class IngestProgress(Counts):
    """Where a run stands. ``documents_total`` grows when a file of records is opened.

    ``seconds``: how long each stage has worked so far (stages overlap); ``failed``: the document
    that has just failed, else None.
    """

    stage: Stage
    documents_done: int
    documents_failed: int
    documents_total: int
    seconds: dict[str, float]
    failed: FailedDocument | None = None


@dataclass(frozen=True)
class AcceptedSource:
    """A source as a Document. ``changed`` is False where this version is ready already; ``error``
    says why its bytes could not be had (then the Document has failed, unless an earlier version
    of it is ready: that stays). ``gone``: it is not there any more, as its server says.
    ``failed_before``: this version failed, or an extractor on chunks of it, and is tried again.
    """

    id: str
    uri: str
    changed: bool
    error: str | None = None
    gone: bool = False
    failed_before: bool = False


@dataclass(frozen=True)
class AcceptReport:
    """What became of the sources that were given, in their order, and what was left out."""

    sources: tuple[AcceptedSource, ...]
    skipped: tuple[SkippedSource, ...] = ()

    @property
    def pending(self) -> tuple[str, ...]:
        """Ids of the Documents that wait to be processed."""
        return tuple(item.id for item in self.sources if item.changed and item.error is None)

    @property
    def unchanged(self) -> int:
        """How many sources are ready in their version already."""
        return sum(not item.changed and item.error is None for item in self.sources)

    @property
    def gone(self) -> dict[str, str]:
        """The ids of the sources that are not there any more, by their addresses."""
        return {item.uri: item.id for item in self.sources if item.gone}

    @property
    def failed(self) -> tuple[FailedDocument, ...]:
        """The sources whose bytes could not be had."""
        return tuple(
            FailedDocument(item.id, item.uri, item.error)
            for item in self.sources
            if item.error is not None
        )


@dataclass(frozen=True, kw_only=True)
class IngestReport(Counts):
    """What a run did. ``skipped``: what was found among the sources and left out."""

    failed: tuple[FailedDocument, ...]
    seconds: dict[str, float]
    wall_seconds: float
    skipped: tuple[SkippedSource, ...] = ()

    def after(self, accepted: AcceptReport) -> "IngestReport":
        """Return this report with what ``accepted`` says of the sources it did not process."""
        return replace(
            self,
            unchanged=self.unchanged + accepted.unchanged,
            failed=(*accepted.failed, *self.failed),
            skipped=(*accepted.skipped, *self.skipped),
        )


ProgressCallback = Callable[[IngestProgress], None]


class Tally:
    """Counts of a run, shared by its threads; tells ``callback`` about each change.

    ``total``: the documents that are known of.
    """

    def __init__(self, callback: ProgressCallback | None = None, total: int = 0) -> None:
        self._callback = callback
        self._total = total
        self._counts = Counts()
        self._failed: list[FailedDocument] = []
        self._seconds: dict[str, float] = {}
        self._started = time.monotonic()
        self._lock = threading.RLock()

    @contextmanager
    def timed(self, stage: Stage) -> Iterator[None]:
        """Add the time spent within to the stage's seconds."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self.spend(stage, time.monotonic() - begun)

    def spend(self, stage: Stage, seconds: float) -> None:
        """Add ``seconds`` to the stage's."""
        with self._lock:
            self._seconds[stage] = self._seconds.get(stage, 0.0) + seconds

    def add(self, stage: Stage, *, total: int = 0, **counts: int) -> None:
        """Add to ``Counts`` by name, and ``total`` to the documents known of; then tell."""
        with self._lock:
            self._total += total
            grown = {name: getattr(self._counts, name) + more for name, more in counts.items()}
            self._counts = replace(self._counts, **grown)
            self._tell(stage, None)

    def fail(self, stage: Stage, document: FailedDocument) -> None:
        """Note a failed document, and tell."""
        with self._lock:
            self._failed.append(document)
            self._tell(stage, document)

    def report(self) -> IngestReport:
        """Return the counts as the run's report."""
        with self._lock:
            return IngestReport(
                **vars(self._counts),
                failed=tuple(self._failed),
                seconds=dict(self._seconds),
                wall_seconds=time.monotonic() - self._started,
            )

    def _tell(self, stage: Stage, failed: FailedDocument | None) -> None:
        if self._callback is None:
            return
        counts, failures = self._counts, len(self._failed)
        self._callback(
            IngestProgress(
                **vars(counts),
                stage=stage,
                documents_done=counts.ready + counts.unchanged + counts.superseded + failures,
                documents_failed=failures,
                documents_total=self._total,
                seconds=dict(self._seconds),
                failed=failed,
            )
        )
