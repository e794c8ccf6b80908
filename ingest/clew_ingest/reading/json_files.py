"""JSON and JSON Lines: records with texts, or what the values say, together as they belong.

Of JSON without records what lies in objects is a line, "path: value". A list of objects, or of
lists, is a table: each of them is a row, "column: value; column: value.". A list within a row is a
table below, whose rows begin with what tells that row.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from clew_ingest.errors import UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.chats import messages_of
from clew_ingest.reading.markdown_text import row_text
from clew_ingest.reading.media_types import JSON, JSON_LINES
from clew_ingest.reading.read_document import (
    HEADING_MARK,
    Place,
    ReadDocument,
    ReadResult,
    placed_text,
)
from clew_ingest.reading.records import (
    ID_FIELDS,
    RECORD_REMEDY,
    TITLE_FIELDS,
    collection,
    has_text,
    is_text,
    loaded_json,
    other_fields,
    record_document,
)
from clew_ingest.reading.table_headers import names_columns

_TEXT_WORDS = 5
"""A string of so many words is a text, and no mere value."""
_Cell = tuple[str, str]
"""The name of a column, and what stands in it."""
_Owned = tuple[list[_Cell], list[Any]]
"""A list, and the cells that tell the row in which it lies."""


def read_json(text: str, name: str, limits: IngestLimits) -> ReadResult:
    """Read a JSON file: a chat, a record, a list of records, a mapping of titles to texts, any
    JSON, or JSON Lines by another name. Records become a collection, all else is one document.
    """
    try:
        value = loaded_json(text)
    except UnreadableSource as error:
        if _begins_with_object(text):
            return read_json_lines(text, name, limits)
        raise UnreadableSource(error.message, remedy=RECORD_REMEDY) from error
    if messages := messages_of(value):
        chat = value.get("name") if isinstance(value, dict) else None
        title = chat if isinstance(chat, str) and chat.strip() else name
        return ReadResult(JSON, [ReadDocument(title, "\n\n".join(messages))])
    if has_text(value):
        return ReadResult(JSON, [_whole_record(value)])
    if isinstance(value, list) and any(map(has_text, value)):
        return collection(JSON, enumerate(value, 1), "record", limits)
    if isinstance(value, dict) and _is_titles_to_texts(value):
        pairs = ({"title": title, "text": body} for title, body in value.items())
        return collection(JSON, enumerate(pairs, 1), "record", limits)
    return _document(JSON, name, value)


def _whole_record(record: dict[Any, Any]) -> ReadDocument:
    """Return the only record of a file: its text, and what its other fields tell that are more
    than values.
    """
    document = record_document(record)
    more = {name: value for name, value in other_fields(record).items() if _tells(value)}
    text, places = placed_text([(document.text, Place()), *said_by(more)])
    return replace(document, text=text, key="", places=places)


def _tells(value: Any) -> bool:
    """Whether an object or a list holds texts: words within it, or sentences where it is a list of
    strings, of which short ones are tags.
    """
    if not isinstance(value, dict | list):
        return False
    if is_text(value):
        return any(len(item.split()) >= _TEXT_WORDS for item in value)
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict | list):
            stack += item.values() if isinstance(item, dict) else item
        elif isinstance(item, str) and any(map(str.isalpha, item)):
            return True
    return False


def _begins_with_object(text: str) -> bool:
    """Whether what is no JSON as a whole begins with a line that is an object: JSON Lines."""
    return isinstance(_value_of(text.lstrip().partition("\n")[0]), dict)


def read_json_lines(text: str, name: str, limits: IngestLimits) -> ReadResult:
    """Read JSON Lines: a record a line. A malformed line costs that record.

    Where no line is a record with a text they are one document, and malformed ones stay as they
    are written.
    """
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if any(has_text(_value_of(line)) for _, line in lines):
        return collection(JSON_LINES, lines, "line", limits)
    return _document(JSON_LINES, name, [_value_of(line) for _, line in lines])


def _value_of(line: str) -> Any:
    """Return what a line of JSON says, or the line where it is malformed."""
    try:
        return loaded_json(line)
    except UnreadableSource:
        return line


def _document(media_type: str, name: str, value: Any) -> ReadResult:
    text, places = placed_text(said_by(value))
    return ReadResult(media_type, [ReadDocument(name, text, places=places)])


def said_by(value: Any) -> Iterator[tuple[str, Place]]:
    """Yield what JSON says, a line or row each, and under which path a table stands."""
    stack: list[tuple[str, Any]] = [("", value)]
    while stack:
        path, item = stack.pop()
        if isinstance(item, dict):
            stack += [(_joined(path, key), child) for key, child in reversed(item.items())]
        elif _is_table(item):
            yield from _tables(path, item)
        elif isinstance(item, list):
            stack += [(path, child) for child in reversed(item)]
        elif text := _text(item):
            yield (f"{path}: {text}" if path else text), Place()


def _tables(path: str, items: list[Any]) -> Iterator[tuple[str, Place]]:
    """Yield the rows of a list, then those of the lists within its rows, column by column."""
    waiting: list[tuple[tuple[str, ...], list[_Owned]]] = [((path,) if path else (), [([], items)])]
    for path_of, owned in waiting:
        below: dict[str, list[_Owned]] = {}
        place = Place(heading=HEADING_MARK.join(path_of))
        texts = [text for one in owned for text in _rows(path_of, one, below)]
        if texts and path_of:
            yield place.heading, place
        yield from ((text, place) for text in texts)
        waiting += [((*path_of, *filter(None, [name])), lists) for name, lists in below.items()]


def _rows(path: tuple[str, ...], owned: _Owned, below: dict[str, list[_Owned]]) -> Iterator[str]:
    """Yield the rows of a list; ``below`` takes the lists within them, by their columns."""
    owner, items = owned
    if all(isinstance(item, list) and not _is_table(item) for item in items):
        rows = [[_text(cell) for cell in item] for item in items if item]
        names = rows.pop(0) if len(rows) > 1 and names_columns(rows) else []
        whose, texts = _columns(owner)
        yield from (row_text([*whose, *names], [*texts, *cells]) for cells in rows)
        return
    for number, item in enumerate(items, 1):
        cells: list[_Cell] = []
        lists: list[tuple[str, list[Any]]] = []
        for name, value in _fields(item):
            if _is_table(value):
                lists.append((name, value))
            elif text := _values(value):
                cells.append((name, text))
        if cells:
            yield row_text(*_columns([*owner, *cells]))
        for name, inner in lists:
            below.setdefault(name, []).append(([*owner, _telling(path, cells, number)], inner))


def _fields(item: Any) -> Iterator[tuple[str, Any]]:
    """Yield the columns of a row, those of objects within it by their path."""
    stack = [("", item)]
    while stack:
        path, value = stack.pop()
        if isinstance(value, dict):
            stack += [(_joined(path, key), child) for key, child in reversed(value.items())]
        else:
            yield path, value


def _telling(path: tuple[str, ...], cells: list[_Cell], number: int) -> _Cell:
    """Return the cell that tells a row from the others: its title, its id, else its first; or its
    number.
    """
    known = dict(reversed(cells))
    names = [name for name in (*TITLE_FIELDS, *ID_FIELDS) if name in known]
    name = next(iter(names), cells[0][0] if cells else "")
    return _joined(path[-1] if path else "", name), known.get(name, str(number))


def _columns(cells: Iterable[_Cell]) -> tuple[list[str], list[str]]:
    return [name for name, _ in cells], [text for _, text in cells]


def _joined(path: str, key: str) -> str:
    return f"{path}.{key}" if path and key else path or key


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict | list) for item in value)


def _values(value: Any) -> str:
    """Return a value, or a list of values, as one cell."""
    return ", ".join(filter(None, map(_text, value if isinstance(value, list) else [value])))


def _text(value: Any) -> str:
    return " ".join(str(value).split()) if value is not None else ""


def _is_titles_to_texts(value: dict[Any, Any]) -> bool:
    return bool(value) and all(
        is_text(item) and (isinstance(item, list) or len(item.split()) >= _TEXT_WORDS)
        for item in value.values()
    )
