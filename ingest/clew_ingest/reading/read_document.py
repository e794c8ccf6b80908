"""What reading a file gives: one document, or a collection of records that are documents."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from clew_ingest.reading.text_decoding import clean

HEADING_MARK = " › "
"""Between a heading and those below it in a path."""
METADATA_BYTES = 16 * 1024
"""Other fields of a document that are longer, as JSON, are none to choose it by."""


@dataclass(frozen=True)
class Place:
    """Where a text stands in its original: on which ``page`` (from 1; 0 where there are none), and
    under which ``heading`` (its path, "Methods › Data"; "" under none).
    """

    page: int = 0
    heading: str = ""


@dataclass(frozen=True)
class PlaceFrom:
    """From paragraph number ``paragraph`` on (from 0), the text stands at ``place``."""

    paragraph: int
    place: Place


def placed_text(parts: Iterable[tuple[str, Place]]) -> tuple[str, tuple[PlaceFrom, ...]]:
    """Return the clean text of ``parts``, each one or more paragraphs, and where they stand."""
    texts: list[str] = []
    places: list[PlaceFrom] = []
    paragraphs = 0
    for part, place in parts:
        text = clean(part)
        if not text:
            continue
        if (places[-1].place if places else Place()) != place:
            places.append(PlaceFrom(paragraphs, place))
        texts.append(text)
        paragraphs += text.count("\n\n") + 1
    return "\n\n".join(texts), tuple(places)


def without_first_paragraph(places: Iterable[PlaceFrom]) -> tuple[PlaceFrom, ...]:
    """Return where the paragraphs stand once the first of them is gone."""
    moved = {max(one.paragraph - 1, 0): one.place for one in places}
    return tuple(PlaceFrom(paragraph, place) for paragraph, place in moved.items())


def each_place(places: Sequence[PlaceFrom], paragraphs: int) -> list[Place]:
    """Return the place of each of a text's ``paragraphs``."""
    found = [Place()] * paragraphs
    for one in places:
        found[one.paragraph :] = [one.place] * max(paragraphs - one.paragraph, 0)
    return found


@dataclass(frozen=True)
class ReadDocument:
    """A document's plain text: paragraphs, separated by an empty line each.

    ``key`` tells a collection's records apart and stays the same when others come and go; "" for
    a file that is one document. ``metadata``: its other fields, as they were. ``places``: where
    its paragraphs stand, as far as the file says; in order, from the first that is known.
    ``fields_first``: its first paragraph tells fields that stood before the text. ``left_out``: in
    a sentence, what of it could not be read; "" where nothing is known to be missing.
    """

    title: str
    text: str
    key: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    places: tuple[PlaceFrom, ...] = ()
    fields_first: bool = False
    left_out: str = ""


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
            documents=[_document(document) for document in value["documents"]],
            collection=value["collection"],
            skipped=[SkippedRecord(**record) for record in value["skipped"]],
        )


def _document(value: dict[str, Any]) -> ReadDocument:
    places = (PlaceFrom(one["paragraph"], Place(**one["place"])) for one in value["places"])
    return ReadDocument(**{**value, "places": tuple(places)})
