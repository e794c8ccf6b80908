"""Triples that others extracted, from a file: JSON Lines, or documents with their triples."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from clew_ingest.errors import UnreadableSource
from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.reading.text_decoding import clean, clean_line
from clew_ingest.triples.base import ExtractedTriple
from clew_ingest.triples.ready_made_json import RecordError, array_items

TITLE_FIELDS = ("title", "document")
LIST_FIELDS = ("extracted_triples", "triples")
PREDICATE_FIELDS = ("predicate", "relation")

_REMEDY = (
    'A line is {"title": "…" or "text": "…", "head": "…", "predicate": "…", "tail": "…"}; a '
    'document is {"title": "…", "text": "…", "extracted_triples": [["head", "predicate", "tail"]]}.'
)


class ReadyMadeTriples:
    """The triples of a file, found by a document's text, else by its title.

    ``dropped``: malformed triples, by reason; ``records``: lines or documents of the file;
    ``triples``: how many there are. Texts are kept as hashes, so memory grows with triples only.
    """

    name = "ready-made"

    def __init__(self) -> None:
        self.records = 0
        self.triples = 0
        self.dropped: Counter[str] = Counter()
        self._by_text: dict[bytes, dict[str, list[ExtractedTriple]]] = {}
        self._by_title: dict[str, dict[bytes, list[ExtractedTriple]]] = {}

    def triples_of(self, title: str, text: str) -> list[ExtractedTriple]:
        """Return the triples of a document: those for exactly this text, else for this title.

        Where several documents of the file have this title with other texts, the title does not
        say which is meant: there are none. Predicates are as the file has them.
        """
        same_text = self._by_text.get(_text_key(text))
        if same_text:
            any_title = next(iter(same_text.values()))
            return list(same_text.get(_title_key(title), any_title))
        same_title = self._by_title.get(_title_key(title), {})
        return list(next(iter(same_title.values()))) if len(same_title) == 1 else []

    def has_text(self, text: str) -> bool:
        """Return whether the file has triples, or says that there are none, for exactly this text;
        white space does not matter."""
        return _text_key(text) in self._by_text

    def add(self, title: str, text: str, triple: ExtractedTriple | None) -> None:
        """Add a triple of the document with this title, this text, or both; None: it has none."""
        text_key = _text_key(text) if text else b""
        title_key = _title_key(title)
        if text_key:
            found = self._by_text.setdefault(text_key, {}).setdefault(title_key, [])
            if title_key:
                self._by_title.setdefault(title_key, {})[text_key] = found
        else:
            found = self._by_title.setdefault(title_key, {}).setdefault(b"", [])
        if triple is not None:
            found.append(triple)
            self.triples += 1


def read_ready_made(path: Path) -> ReadyMadeTriples:
    """Return the triples of a file, which is read record by record.

    ``.jsonl`` and ``.ndjson`` hold a record a line, other files one JSON document: an array of
    records, or an object whose "docs" is one. A record is a triple with its document's title or
    text, or a document with its list of triples. Raises UnreadableSource for a wrong record, with
    file, record and field; malformed triples (not three texts) are dropped and counted.
    """
    result = ReadyMadeTriples()
    try:
        with path.open(encoding="utf-8-sig") as file:
            for place, record in _records(path, file):
                result.records += 1
                _add(result, record, f"{path.name}, {place}")
    except OSError as error:
        raise UnreadableSource(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise UnreadableSource(
            f"{path.name}: after record {result.records} there is text that is not UTF-8.",
            remedy="Save the file as UTF-8.",
        ) from error
    except RecordError as error:
        raise UnreadableSource(f"{path.name}, {error}", remedy=_REMEDY) from error
    if not result.triples:
        raise UnreadableSource(f"{path.name} holds no triple.", remedy=_REMEDY)
    return result


def _records(path: Path, file: TextIO) -> Iterator[tuple[str, Any]]:
    if path.suffix.lower() not in (".jsonl", ".ndjson"):
        for number, record in enumerate(array_items(file, "docs"), 1):
            yield f"record {number}", record
        return
    for number, line in enumerate(file, 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                raise RecordError(f"line {number}: this is not valid JSON ({error}).") from error


def _add(result: ReadyMadeTriples, record: Any, place: str) -> None:
    if not isinstance(record, dict):
        raise _wrong(place, f"this is a {type(record).__name__}, not an object")
    title = clean_line(_text_field(record, TITLE_FIELDS, place))
    text = _text_field(record, ("text",), place)
    if not title and not text:
        raise _wrong(place, 'it has neither "title" (or "document") nor "text"')
    listed = next((name for name in LIST_FIELDS if name in record), None)
    if listed is None:
        found = _of_record(record, place)
        _keep(result, title, text, found)
        return
    if not isinstance(record[listed], list):
        raise _wrong(place, f'"{listed}" is not a list')
    result.add(title, text, None)
    for item in record[listed]:
        found = _of_record(item, None) if isinstance(item, dict) else _of_list(item)
        _keep(result, title, text, found)


def _keep(result: ReadyMadeTriples, title: str, text: str, found: ExtractedTriple | str) -> None:
    if isinstance(found, str):
        result.dropped[found] += 1
    else:
        result.add(title, text, found)


def _of_list(item: Any) -> ExtractedTriple | str:
    if not isinstance(item, list):
        return "not a list"
    if len(item) != 3:
        return f"{len(item)} parts instead of 3"
    return _triple(*item)


def _of_record(record: Mapping[str, Any], place: str | None) -> ExtractedTriple | str:
    """Return the triple, or why there is none; ``place``: a field that is missing is an error."""
    predicate = next((name for name in PREDICATE_FIELDS if name in record), PREDICATE_FIELDS[0])
    for name in ("head", predicate, "tail"):
        if name not in record:
            if place is not None:
                raise _wrong(place, f'the field "{name}" is missing')
            return f"{name} is missing"
    sentence = record.get("sentence")
    return _triple(
        record["head"],
        record[predicate],
        record["tail"],
        record.get("head_type"),
        record.get("tail_type"),
        sentence if isinstance(sentence, int) and sentence >= 0 else None,
    )


def _triple(
    head: Any,
    predicate: Any,
    tail: Any,
    head_type: Any = None,
    tail_type: Any = None,
    sentence: int | None = None,
) -> ExtractedTriple | str:
    parts = {"head": head, "predicate": predicate, "tail": tail}
    for name, value in parts.items():
        if not isinstance(value, str):
            return f"{name} is not a text"
        if not any(map(str.isalnum, value)):
            return f"{name} is empty"
    first, second = (kind if isinstance(kind, str) else "" for kind in (head_type, tail_type))
    return ExtractedTriple(
        clean_line(head),
        clean_line(first),
        clean_line(predicate),
        clean_line(tail),
        clean_line(second),
        sentence,
    )


def _text_field(record: Mapping[str, Any], names: tuple[str, ...], place: str) -> str:
    name = next((name for name in names if name in record), None)
    value = "" if name is None or record[name] is None else record[name]
    if not isinstance(value, str):
        raise _wrong(place, f'"{name}" is a {type(value).__name__}, not a text')
    return value


def _wrong(place: str, what: str) -> UnreadableSource:
    return UnreadableSource(f"{place}: {what}.", remedy=_REMEDY)


def _text_key(text: str) -> bytes:
    # cleaned, as the text of a document in the graph is, and without its line wraps
    return hashlib.sha256(" ".join(clean(text).split()).encode()).digest()


def _title_key(title: str) -> str:
    return normalise_name(title) or re.sub(r"\s+", " ", title).strip()
