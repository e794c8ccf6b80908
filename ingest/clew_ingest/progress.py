"""What a run tells while it goes on, and when it has ended."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from clew_ingest.sources import SkippedSource

if TYPE_CHECKING:
    from clew_ingest.accepting import AcceptReport

Stage = Literal["accept", "read", "parse", "extract", "embed", "write", "resolve"]
STAGES: tuple[Stage, ...] = ("accept", "read", "parse", "extract", "embed", "write", "resolve")
"""The stages of ingest, in order. ``read`` to ``write`` overlap. ``extract``: triples by a language
model or from a file; those by rules are made while parsing."""


@dataclass(frozen=True)
class IngestProgress:
    """Where a run stands. Counts only grow; ``documents_total`` grows when a file of records is
    opened. ``seconds``: how long each stage has worked so far (stages overlap).

    ``failed``: the document that has just failed, else None.
    """

    stage: Stage
    documents_done: int
    documents_failed: int
    documents_total: int
    chunks: int
    sentences: int
    entities: int
    seconds: dict[str, float]
    failed: "FailedDocument | None" = None
    triples: int = 0
    kept_chunks: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True)
class FailedDocument:
    """A document that could not be ingested, and why; its Document says the same."""

    id: str
    uri: str
    error: str


@dataclass(frozen=True)
class IngestReport:
    """What a run did.

    ``unchanged``: documents and records whose version was ready already; ``superseded``: those
    deleted or replaced during the run; ``entities``: new ones; ``skipped``: what was found among
    the sources and left out. ``chunks`` and what hangs on them are those that were written;
    ``kept_chunks``: those that the graph had already. ``triples_dropped``: items of an extractor's
    replies that were no usable triples; ``extractions_failed``: chunks without triples for that.
    ``merges`` of entities were made; ``reviews``: pairs of entities that wait for a person.
    """

    ready: int
    unchanged: int
    superseded: int
    failed: tuple[FailedDocument, ...]
    chunks: int
    sentences: int
    entities: int
    mentions: int
    seconds: dict[str, float]
    wall_seconds: float
    skipped: tuple[SkippedSource, ...] = ()
    triples: int = 0
    kept_chunks: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    triples_dropped: int = 0
    extractions_failed: int = 0
    merges: int = 0
    reviews: int = 0

    def after(self, accepted: "AcceptReport") -> "IngestReport":
        """Return this report with what ``accepted`` says of the sources it did not process."""
        return replace(
            self,
            unchanged=self.unchanged + accepted.unchanged,
            failed=(*accepted.failed, *self.failed),
            skipped=(*accepted.skipped, *self.skipped),
        )


ProgressCallback = Callable[[IngestProgress], None]


@dataclass
class Tally:
    """Counts of a run, shared by its threads; tells ``callback`` about each change."""

    callback: ProgressCallback | None = None
    total: int = 0
    ready: int = 0
    unchanged: int = 0
    superseded: int = 0
    failed: list[FailedDocument] = field(default_factory=list)
    chunks: int = 0
    sentences: int = 0
    entities: int = 0
    mentions: int = 0
    triples: int = 0
    kept_chunks: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    triples_dropped: int = 0
    extractions_failed: int = 0
    merges: int = 0
    reviews: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    started: float = field(default_factory=time.monotonic)
    _lock: threading.RLock = field(default_factory=threading.RLock)

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
            self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds

    def add(self, stage: Stage, **counts: int) -> None:
        """Add to counts by name, and tell."""
        with self._lock:
            for name, count in counts.items():
                setattr(self, name, getattr(self, name) + count)
            self._tell(stage, None)

    def fail(self, stage: Stage, document: FailedDocument) -> None:
        """Note a failed document, and tell."""
        with self._lock:
            self.failed.append(document)
            self._tell(stage, document)

    def report(self) -> IngestReport:
        """Return the counts as the run's report."""
        with self._lock:
            return IngestReport(
                ready=self.ready,
                unchanged=self.unchanged,
                superseded=self.superseded,
                failed=tuple(self.failed),
                chunks=self.chunks,
                sentences=self.sentences,
                entities=self.entities,
                mentions=self.mentions,
                seconds=dict(self.seconds),
                wall_seconds=time.monotonic() - self.started,
                triples=self.triples,
                kept_chunks=self.kept_chunks,
                llm_calls=self.llm_calls,
                prompt_tokens=self.prompt_tokens,
                completion_tokens=self.completion_tokens,
                triples_dropped=self.triples_dropped,
                extractions_failed=self.extractions_failed,
                merges=self.merges,
                reviews=self.reviews,
            )

    def _tell(self, stage: Stage, failed: FailedDocument | None) -> None:
        if self.callback is not None:
            self.callback(
                IngestProgress(
                    stage=stage,
                    documents_done=self.ready + self.unchanged + self.superseded + len(self.failed),
                    documents_failed=len(self.failed),
                    documents_total=self.total,
                    chunks=self.chunks,
                    sentences=self.sentences,
                    entities=self.entities,
                    seconds=dict(self.seconds),
                    failed=failed,
                    triples=self.triples,
                    kept_chunks=self.kept_chunks,
                    llm_calls=self.llm_calls,
                    prompt_tokens=self.prompt_tokens,
                    completion_tokens=self.completion_tokens,
                )
            )
