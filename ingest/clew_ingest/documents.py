"""What reading a file gives: one document, or a collection of records that are documents."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class ReadDocument:
    """A document's plain text: paragraphs, separated by an empty line each.

    ``key`` tells a collection's records apart and stays the same when others come and go; "" for
    a file that is one document. ``metadata``: a record's other fields, as they were.
    """

    title: str
    text: str
    key: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SkippedRecord:
    """A record of a collection that could not be read, and why; the others are unharmed."""

    key: str
    reason: str


@dataclass(frozen=True)
class ReadResult:
    """A file's documents. ``collection``: they are records, each a Document of its own."""

    media_type: str
    documents: Sequence[ReadDocument]
    collection: bool = False
    skipped: Sequence[SkippedRecord] = ()

    def to_json(self) -> dict[str, Any]:
        """Return what ``from_json`` turns back into this."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "ReadResult":
        """Return the result that ``to_json`` described."""
        return cls(
            media_type=value["media_type"],
            documents=[ReadDocument(**document) for document in value["documents"]],
            collection=value["collection"],
            skipped=[SkippedRecord(**record) for record in value["skipped"]],
        )
