"""Files of triples: TSV, CSV, JSON Lines, N-Triples and Turtle, statement by statement.

Plain formats hold names; RDF holds terms, which `triple_spool.py` gives names.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from clew_ingest.errors import UnreadableSource
from clew_ingest.reading import media_types
from clew_ingest.reading.tables import delimiter_of
from clew_ingest.reading.text_decoding import clean_line, decode

Kind = Literal["name", "iri", "node", "literal"]
"""What a term is: a name as people write it, an address, a node without a name, a value."""


class Term(NamedTuple):
    """A part of a statement. ``text``: the name, the address, the node's label or the value."""

    text: str
    kind: Kind = "name"
    datatype: str = ""
    language: str = ""


class Statement(NamedTuple):
    """What line number ``line`` (from 1) says."""

    line: int
    subject: Term
    relation: Term
    object: Term


@dataclass(frozen=True)
class BadLine:
    """A line that is no triple, and why."""

    line: int
    reason: str


Read = Iterator[Statement | BadLine]

FIELDS = (
    ("subject", "head", "s", "h"),
    ("relation", "predicate", "property", "p", "r"),
    ("object", "tail", "o", "t"),
)
"""What the three parts of a triple are called, in a header or as fields of JSON."""

LONGEST = 20_000
"""Characters of the longest part of a triple."""

_ADDRESS = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]*:[^\s<>]+)>|((?:https?|ftp)://[^\s<>]+)")

_NODE = re.compile(r"_:\S+")
"""How N-Triples, and tables of its statements, write a node without a name."""

_REMEDY = "A line is subject, relation and object, as TSV, CSV, JSON Lines, N-Triples or Turtle."


def read_statements(data: bytes, media_type: str) -> Read:
    """Yield what the lines of a file state, and those that are no triples.

    Raises UnsupportedMediaType (a kind of UnreadableSource) for files of another type, and
    UnreadableSource where the file is broken as a whole.
    """
    reader = _READERS.get(media_type)
    if reader is None:
        raise UnreadableSource(f"Files of the type {media_type} hold no triples.", remedy=_REMEDY)
    return reader(decode(data))


def _tsv(text: str) -> Read:
    rows = ((number, line.split("\t")) for number, line in enumerate(_lines(text), 1))
    return _rows(rows)


def _csv(text: str) -> Read:
    csv.field_size_limit(max(len(text), 1))  # what is too long is told as such, with its line
    delimiter = delimiter_of(text, len(FIELDS))
    rows = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)

    def numbered() -> Iterator[tuple[int, list[str]]]:
        while True:
            before = rows.line_num + 1
            try:
                yield before, next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                raise UnreadableSource(
                    f"The table is broken at line {rows.line_num}: {error}.",
                    remedy="Save it as CSV in UTF-8, with text in double quotes.",
                ) from error

    return _rows(numbered())


def _rows(rows: Iterator[tuple[int, list[str]]]) -> Read:
    first = True
    for number, row in rows:
        cells = [_clean(cell) for cell in row]
        if not any(cells):
            continue
        header = first and len(cells) == 3 and _is_header(cells)
        first = False
        if not header:
            yield _named(number, cells)


def _clean(cell: str) -> str:
    if cell.isascii() and cell.isprintable() and "  " not in cell and len(cell) <= LONGEST:
        return cell.strip()
    return clean_line(cell, LONGEST + 1)


def _is_header(cells: list[str]) -> bool:
    return all(cell.casefold() in names for cell, names in zip(cells, FIELDS, strict=True))


def _named(number: int, cells: list[str]) -> Statement | BadLine:
    if len(cells) != 3:
        return BadLine(number, f"It has {len(cells)} columns, not subject, relation and object.")
    for cell, names in zip(cells, FIELDS, strict=True):
        if not any(character.isprintable() and not character.isspace() for character in cell):
            return BadLine(number, f"Its {names[0]} is empty.")
        if len(cell) > LONGEST:
            return BadLine(number, f"Its {names[0]} has more than {LONGEST:,} characters.")
    # where the relation is an address, the others are addresses of things, and no web pages
    terms = map(_plain_term if _ADDRESS.fullmatch(cells[1]) else Term, cells)
    return Statement(number, *terms)


def _plain_term(cell: str) -> Term:
    if found := _ADDRESS.fullmatch(cell):
        return Term(found[1] or found[2], "iri")
    return Term(cell, "node") if _NODE.fullmatch(cell) else Term(cell)


def _json_lines(text: str) -> Read:
    for number, line in enumerate(_lines(text), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield BadLine(number, "It is not valid JSON.")
            continue
        cells = _cells(value)
        if isinstance(cells, str):
            yield BadLine(number, cells)
        else:
            yield _named(number, cells)


def _cells(value: Any) -> list[str] | str:
    """Return the three parts that a line of JSON states, or why it does not."""
    if isinstance(value, dict):
        parts = [next((value[name] for name in names if name in value), None) for names in FIELDS]
    elif isinstance(value, list):
        parts = value
    else:
        return "It is neither an object nor a list."
    for part, names in zip(parts, FIELDS, strict=False):
        if part is None:
            return f"It has no {names[0]}."
        if not isinstance(part, str | int | float):
            return f"Its {names[0]} is neither a text nor a number."
    return [_clean(_written(part)) for part in parts]


def _written(part: Any) -> str:
    return json.dumps(part) if isinstance(part, bool) else str(part)


def _n_triples(text: str) -> Read:
    from rdflib.plugins.parsers.ntriples import ParseError, W3CNTriplesParser

    found: list[tuple[Any, Any, Any]] = []

    class Sink:
        def triple(self, *parts: Any) -> None:
            found.append(parts)

    parser = W3CNTriplesParser(sink=Sink())  # type: ignore[arg-type]
    for number, line in enumerate(_lines(text), 1):
        parser.line = line
        try:
            parser.parseline()
        except (ParseError, ValueError) as error:
            yield BadLine(number, f"It is no N-Triples: {str(error)[:120]}.")
            continue
        for parts in found:
            yield _of_terms(number, parts)
        found.clear()


_BASE = "http://base.invalid/"
"""Where addresses of Turtle begin that say it nowhere; rdflib fails without one."""


def _turtle(text: str) -> Read:
    from rdflib import Graph
    from rdflib.plugins.parsers.notation3 import BadSyntax, RDFSink, SinkParser

    found: list[tuple[int, tuple[Any, Any, Any]]] = []

    class Sink(RDFSink):
        def makeStatement(self, quadruple: Any, why: Any = None) -> None:
            formula, relation, subject, object_ = quadruple
            parts = [self.normalise(formula, x) for x in (subject, relation, object_)]
            found.append((parser.lines + 1, (parts[0], parts[1], parts[2])))

    parser = SinkParser(Sink(Graph()), baseURI=_BASE, turtle=True)
    parser.startDoc()
    at = 0
    while True:
        try:
            at = parser.skipSpace(text, at)
            if at < 0:
                break
            at = parser.directiveOrStatement(text, at)
        except BadSyntax as error:
            yield BadLine(error.lines + 1, f"It is no Turtle: {error._why}.")
            return
        except (AssertionError, IndexError, RecursionError, ValueError) as error:
            # what rdflib makes of a file that is cut off, or nested too deeply
            reason = str(error) or "it is cut off"
            yield BadLine(parser.lines + 1, f"It is no Turtle: {reason}.")
            return
        if at < 0:
            yield BadLine(parser.lines + 1, "It is no Turtle: a statement was expected.")
            return
        for line, parts in found:
            yield _of_terms(line, parts)
        found.clear()


def _of_terms(number: int, parts: tuple[Any, Any, Any]) -> Statement | BadLine:
    terms = [_term(part) for part in parts]
    if any(len(term.text) > LONGEST for term in terms):
        return BadLine(number, f"A part of it has more than {LONGEST:,} characters.")
    if not all(term.text.strip() for term in terms):
        return BadLine(number, "A part of it is empty.")
    return Statement(number, *terms)


def _term(part: Any) -> Term:
    from rdflib import BNode, Literal, URIRef

    if isinstance(part, Literal):
        datatype = str(part.datatype or "")
        return Term(clean_line(str(part), LONGEST + 1), "literal", datatype, part.language or "")
    if isinstance(part, BNode):
        return Term(str(part), "node")
    return Term(str(part), "iri" if isinstance(part, URIRef) else "name")


_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def _lines(text: str) -> Iterator[str]:
    """Yield the lines one by one: a list of them takes several times the memory of the text."""
    return (match[0].rstrip("\r\n") for match in _LINE.finditer(text))


_READERS: dict[str, Callable[[str], Read]] = {
    media_types.TSV: _tsv,
    media_types.TEXT: _tsv,
    media_types.CSV: _csv,
    media_types.JSON_LINES: _json_lines,
    media_types.N_TRIPLES: _n_triples,
    media_types.TURTLE: _turtle,
}
"""Readers by media type. A plain text is read as TSV, which often bears the name .txt."""
