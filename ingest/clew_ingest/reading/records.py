"""Records, of JSON and of tables, as documents of a collection."""

import hashlib
import html
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from clew_ingest.errors import SourceTooLarge, UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.read_document import (
    METADATA_BYTES,
    ReadDocument,
    ReadResult,
    SkippedRecord,
)
from clew_ingest.reading.text_decoding import clean, clean_line

TITLE_FIELDS = ("title", "name", "heading", "headline")
"""Fields that hold a record's title; the first that is there counts."""

TEXT_FIELDS = (
    "text",
    "content",
    "contents",
    "body",
    "passage",
    "paragraph",
    "paragraph_text",
    "sentences",
    "abstract",
)
"""Fields that hold a record's text (a string, or a list of strings)."""

ID_FIELDS = ("id", "_id", "doc_id", "docid", "uri", "url")
"""Fields that tell records apart."""

_ESCAPED = re.compile(
    r"&(?:amp|apos|gt|hellip|lt|[lr][ds]quo|[mn]dash|nbsp|quot|#\d{2,7}|#x[\da-f]{2,6});",
    re.IGNORECASE,
)
RECORD_REMEDY = 'A record is an object such as {"title": "…", "text": "…"}.'
"""What to do about a file without records that can be read."""


def collection(
    media_type: str,
    records: Iterable[tuple[int, Any]],
    unit: str,
    limits: IngestLimits,
    read: Callable[[Any], ReadDocument] | None = None,
) -> ReadResult:
    """Return the collection of numbered records: objects, or JSON text still to be read, or what
    ``read`` reads.

    What cannot be read is listed with its number. Raises UnreadableSource if nothing can, and
    SourceTooLarge beyond the limit of records.
    """
    documents: dict[str, ReadDocument] = {}
    keys = _Keys()
    skipped: list[SkippedRecord] = []
    for count, (number, record) in enumerate(records, 1):
        if count > limits.collection_records:
            raise SourceTooLarge(
                f"The file holds more than {limits.collection_records} records.",
                remedy="Split it into several files.",
            )
        try:
            document = read(record) if read else _read_record(record)
            if len(document.text.encode()) > limits.text_bytes:
                raise SourceTooLarge(f"The text is longer than {limits.text_limit_mib} MiB.")
        except UnreadableSource as error:
            skipped.append(SkippedRecord(f"{unit} {number}", str(error)))
            continue
        key = keys.key_of(document, documents)
        documents[key] = replace(document, key=key)
    if not documents:
        reason = f" {skipped[0].key}: {skipped[0].reason}" if skipped else ""
        raise UnreadableSource(
            f"The file holds no readable {unit if read else 'record'}.{reason}",
            remedy="" if read else RECORD_REMEDY,
        )
    return ReadResult(media_type, list(documents.values()), True, skipped)


def _read_record(record: Any) -> ReadDocument:
    return record_document(loaded_json(record) if isinstance(record, str) else record)


class _Keys:
    """Tells records apart that share a key: ``x``, ``x~2``, ``x~3`` …, those of one text alike."""

    def __init__(self) -> None:
        self._looked: dict[str, int] = {}
        self._by_text: dict[tuple[str, str], str] = {}

    def key_of(self, document: ReadDocument, documents: Mapping[str, ReadDocument]) -> str:
        """Return the first key that is free in ``documents``, or has this document's text.

        Each key is looked at once, however many records share it.
        """
        base, text = document.key, document.text
        while (base, text) not in self._by_text:
            copy = self._looked[base] = self._looked.get(base, 0) + 1
            key = base if copy == 1 else f"{base}~{copy}"
            there = documents[key].text if key in documents else text
            self._by_text.setdefault((base, there), key)
        return self._by_text[base, text]


def record_document(record: Any) -> ReadDocument:
    """Return a record's document. Raises UnreadableSource where it has no text.

    Its key is its id, else its title, else a hash of its text; without a title, the first words
    of the text stand for it. Signs written as in HTML, "AT&amp;T", are the signs: records often
    come from pages, and nobody asks for them as they are written there.
    """
    if not isinstance(record, dict):
        raise UnreadableSource(f"This is a {type(record).__name__}, not an object.")
    text_field = _field(record, TEXT_FIELDS)
    text = clean(_unescaped(_joined(record[text_field]))) if text_field else ""
    if not any(character.isalnum() for character in text):
        raise UnreadableSource(f"The record has no text ({', '.join(TEXT_FIELDS[:4])}, …).")
    title_field = _field(record, TITLE_FIELDS)
    title = clean_line(_unescaped(str(record[title_field]))) if title_field else ""
    id_field = next((name for name in ID_FIELDS if isinstance(record.get(name), str | int)), None)
    key = clean_line(str(record[id_field])) if id_field else ""
    key = key or title or key_of_text(text)
    metadata = other_fields(record)
    if len(json.dumps(metadata)) > METADATA_BYTES:
        metadata = {}
    return ReadDocument(title or " ".join(text.split()[:8]), text, key, metadata)


def other_fields(record: dict[Any, Any]) -> dict[str, Any]:
    """Return a record's fields but those that hold its title and its text."""
    read = (_field(record, TITLE_FIELDS), _field(record, TEXT_FIELDS))
    return {str(name): value for name, value in record.items() if name not in read}


def key_of_text(text: str) -> str:
    """Return the key of a record that has nothing but its text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def has_text(record: Any) -> bool:
    """Whether something is a record with a text."""
    return isinstance(record, dict) and _field(record, TEXT_FIELDS) is not None


def is_text(value: Any) -> bool:
    """Whether a value may be a record's text: a string, or a list of strings."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, str) for item in value)
    return isinstance(value, str) and bool(value.strip())


def loaded_json(text: str) -> Any:
    """Return what JSON text says. Raises UnreadableSource for what is none."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise UnreadableSource(f"This is not valid JSON: {error}.") from error
    except RecursionError as error:
        raise UnreadableSource("The JSON is nested too deeply to be read.") from error


def _field(record: dict[Any, Any], names: Iterable[str]) -> str | None:
    return next((name for name in names if is_text(record.get(name))), None)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: html.unescape(found[0]), text)


def _joined(value: str | list[str]) -> str:
    return value if isinstance(value, str) else " ".join(value)
