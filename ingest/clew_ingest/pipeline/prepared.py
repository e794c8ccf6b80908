"""What the stages of the pipeline hand on, in order."""

from dataclasses import dataclass

from clew_cypher.rows import DocumentCost, DocumentRow, KeptChunk
from clew_ingest.parsing.chunking import TextChunk
from clew_ingest.parsing.units import Unit
from clew_ingest.reading.read_document import Place


@dataclass(frozen=True)
class NewUnit:
    """A unit to be parsed; ``budget``: tokens of a chunk; ``last``: it ends its document."""

    row: DocumentRow
    unit: Unit
    budget: int
    last: bool


@dataclass(frozen=True)
class KeptUnit:
    """A unit that the graph still has, by its chunks in order; without any, the document's end.

    ``lines``: where its lines stand now.
    """

    row: DocumentRow
    chunk_ids: tuple[str, ...]
    last: bool
    lines: tuple[Place, ...] = ()


@dataclass(frozen=True)
class DocumentSlice:
    """Some chunks of a document, in order; ``last``: with them it is complete.

    ``kept``: chunks of an older version that this one has too. ``costs``: what the work on it
    took so far.
    """

    row: DocumentRow
    chunks: tuple[TextChunk, ...]
    last: bool
    kept: tuple[KeptChunk, ...] = ()
    costs: tuple[DocumentCost, ...] = ()


@dataclass(frozen=True)
class DocumentFailure:
    """A document that failed after slices of it may have gone ahead.

    ``blameless``: nothing is known to be wrong with it (ReadingInterrupted, or its bytes could be
    read before).
    """

    row: DocumentRow
    error: str
    blameless: bool = False


@dataclass(frozen=True)
class CollectionEnd:
    """All records of a file have gone ahead; ``keep_ids``: the Documents that it has now."""

    row: DocumentRow
    keep_ids: tuple[str, ...]


ReadPart = NewUnit | KeptUnit | DocumentFailure | CollectionEnd
"""What reading hands to parsing."""

Item = DocumentSlice | DocumentFailure | CollectionEnd
"""What parsing hands to extraction, and extraction to embedding."""
