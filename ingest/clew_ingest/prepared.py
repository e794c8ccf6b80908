"""Documents on their way through the pipeline: what flows from stage to stage, in order."""

from dataclasses import dataclass

from clew_cypher.rows import DocumentRow
from clew_ingest.chunking import TextChunk


@dataclass(frozen=True)
class DocumentSlice:
    """Some chunks of a document, in order; ``last``: with them it is complete."""

    row: DocumentRow
    chunks: tuple[TextChunk, ...]
    last: bool


@dataclass(frozen=True)
class DocumentFailure:
    """A document that failed after slices of it may have gone ahead."""

    row: DocumentRow
    error: str


@dataclass(frozen=True)
class CollectionEnd:
    """All records of a file have gone ahead; ``keep_ids``: the Documents that it has now."""

    row: DocumentRow
    keep_ids: tuple[str, ...]


Item = DocumentSlice | DocumentFailure | CollectionEnd
