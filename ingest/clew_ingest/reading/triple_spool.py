"""The statements of a file on disk: read once, checked as a whole, then handed out in batches.

Names need the whole file, since a term's label may stand behind its first use; and a bad line is
to be told of before anything is written. Memory stays that of the file's text.
"""

import re
import sqlite3
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import unquote

from clew_ingest.errors import UnreadableSource
from clew_ingest.parsing.entity_names import MAX_NAME, normalise_name
from clew_ingest.reading.triple_files import BadLine, Statement, Term, read_statements

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
CONCEPT = "CONCEPT"
BAD_TOLD = 5
"""Bad lines that an error names."""
_BAD_COUNTED = 1_000
_XSD = "http://www.w3.org/2001/XMLSchema#"
_DATES = ("date", "dateTime", "gYear", "gYearMonth", "gMonthDay", "gDay", "gMonth", "duration")
_NUMBERS = (
    *("integer", "decimal", "float", "double", "int", "long", "short", "byte"),
    *("nonNegativeInteger", "positiveInteger", "negativeInteger", "nonPositiveInteger"),
    *("unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte"),
)
_TYPES = {
    **{_XSD + name: "DATE" for name in _DATES},
    **{_XSD + name: "CARDINAL" for name in _NUMBERS},
    _XSD + "time": "TIME",
}
_NUMBER = re.compile(r"[-+]?\d[\d,.]*(?:[eE][-+]?\d+)?")
_DATE = re.compile(r"[-+]?\d{4,}-\d\d(?:-\d\d(?:T[\d:.]+(?:Z|[-+]\d\d:?\d\d)?)?)?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PATH = re.compile(r"[./]*[^\W\d]\w*(?:[./]+\w+){2,}")
"""Relations as Freebase has them: /people/person/place_of_birth, people.person.place_of_birth."""
_PREFIXED = re.compile(r"[A-Za-z][\w.-]*:(?=\w)")
"""What abbreviates an address: the ``dbo:`` of dbo:birthPlace."""
_ID = re.compile(r"/\S+|[A-Za-z][A-Za-z0-9+.-]*://\S+")
"""Names that are ids or addresses, of which each sign counts: /m/02hrh0_."""
_LEADING = re.compile(r"[+#<>=~]+|[-−–](?=\d)")
_TRAILING = re.compile(r"[+#<>=~]+$")
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_NESTED = 10
"""Lists within lists that are taken apart."""


class NamedEnd(NamedTuple):
    """Head or tail of a fact: its shown name, its key, its type as of a KnowledgeEnd, its IRI."""

    name: str
    key: str
    type: str
    iri: str | None = None


class Fact(NamedTuple):
    """A statement with names: ``relation`` as it is written, in words where it is an address."""

    line: int
    head: NamedEnd
    relation: str
    relation_iri: str | None
    tail: NamedEnd
    language: str | None


class TripleSpool:
    """The statements of one file, in a database of its own; ``close`` it.

    It lies in a temporary file without a name, so that nothing is left of it whoever ends us.
    Raises UnreadableSource where a line is no triple, with the first of them, or where there is
    none. ``owner``: what no other document is called; nodes without a name are told apart by it,
    as each file has its own.
    """

    def __init__(self, data: bytes, media_type: str, owner: str) -> None:
        self._owner = owner
        self._nodes: dict[str, int] = {}
        self._base = sqlite3.connect("", isolation_level=None)
        try:
            self._base.executescript(_SCHEMA)
            self._base.execute("BEGIN")
            self._read(read_statements(data, media_type))
            self._take_lists_apart()
            self._name()
            self._base.execute("COMMIT")
        except BaseException:
            self.close()
            raise

    @property
    def total(self) -> int:
        """How many statements there are."""
        return int(self._base.execute("SELECT count(*) FROM statement").fetchone()[0])

    def facts(self, after: int, limit: int) -> tuple[list[Fact], int]:
        """Return at most ``limit`` facts behind number ``after``, and the number of the last."""
        rows = self._base.execute(_BATCH, (after, limit)).fetchall()
        return [self._fact(row) for row in rows], rows[-1][0] if rows else after

    def close(self) -> None:
        """Close the database."""
        self._base.close()

    def _read(self, found: Iterator[Statement | BadLine]) -> None:
        bad: list[BadLine] = []
        self._base.executemany(
            "INSERT INTO statement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", self._rows(found, bad)
        )
        if bad:
            more = " or more" if len(bad) >= _BAD_COUNTED else ""
            count = f"{len(bad)}{more} lines are" if len(bad) > 1 else "A line is"
            told = " ".join(f"Line {one.line}: {one.reason}" for one in bad[:BAD_TOLD])
            raise UnreadableSource(
                f"{count} no triple. {told}",
                remedy="Correct the file and ingest it again: nothing of it was taken.",
            )
        if not self.total:
            raise UnreadableSource("The file holds no triple.")

    def _rows(
        self, found: Iterator[Statement | BadLine], bad: list[BadLine]
    ) -> Iterator[tuple[int | str, ...]]:
        """Yield what is stated until a line is bad; keep labels and bad lines on the way."""
        for one in found:
            if isinstance(one, BadLine):
                bad.append(one)
                if len(bad) >= _BAD_COUNTED:
                    return
            elif one.relation.text == LABEL and one.object.kind == "literal":
                self._label(one)
            elif not bad:
                subject, object_ = self._numbered(one.subject), self._numbered(one.object)
                yield (one.line, *subject[:2], *one.relation[:2], *object_)

    def _numbered(self, term: Term) -> Term:
        """Nodes are numbered as they come: the parser calls them otherwise each time."""
        if term.kind != "node":
            return term
        number = self._nodes.setdefault(term.text, len(self._nodes) + 1)
        return Term(str(number), "node")

    def _label(self, one: Statement) -> None:
        """Keep the label that counts: English, else without language, else the first by name."""
        subject = self._numbered(one.subject)
        language = one.object.language.split("-")[0].lower()
        rank = {"en": 0, "": 1}.get(language, 2)
        self._base.execute(
            "INSERT INTO label VALUES (?, ?, ?, ?) ON CONFLICT (kind, term) DO UPDATE SET "
            "rank = excluded.rank, name = excluded.name "
            "WHERE (excluded.rank, excluded.name) < (rank, name)",
            (subject.kind, subject.text, rank, one.object.text),
        )

    def _take_lists_apart(self) -> None:
        """State of each member of a list what is stated of the list; nodes and order go."""
        first, rest = _RDF + "first", _RDF + "rest"
        if not self._base.execute("SELECT 1 FROM statement WHERE p = ?", (rest,)).fetchone():
            return
        for made in _LIST_TABLES:
            self._base.execute(made)
        for _ in range(_NESTED):
            self._base.execute("DELETE FROM member")
            self._base.execute(_MEMBERS, {"first": first, "rest": rest})
            self._base.execute(_OF_MEMBERS, {"first": first, "rest": rest})
            self._base.execute("INSERT OR IGNORE INTO taken SELECT cell FROM member")
            if not self._base.execute(_OF_LISTS, {"first": first, "rest": rest}).rowcount:
                break
        self._base.execute(_CELLS, {"first": first, "rest": rest})

    def _name(self) -> None:
        """Give each address a name, two that would have one name two names."""
        ends = self._base.execute(
            "SELECT DISTINCT term FROM (SELECT s AS term FROM statement WHERE s_kind = 'iri' "
            "UNION SELECT o FROM statement WHERE o_kind = 'iri')"
        )
        for (iri,) in ends:
            name = self._labelled("iri", iri) or readable(iri)
            key = key_of(name)
            own = int(key_of(readable(iri)) == key)
            self._base.execute("INSERT INTO name VALUES (?, ?, ?, ?)", (iri, name, key, own))
        shared = self._base.execute(
            "SELECT n.iri, n.name, n.own, (SELECT count(*) FROM name m WHERE m.key = n.key "
            "AND m.own = 1) FROM name n WHERE n.key IN "
            "(SELECT key FROM name GROUP BY key HAVING count(*) > 1)"
        ).fetchall()
        for iri, name, own, owners in shared:
            if own and owners == 1:
                continue
            segment = readable(iri)
            apart = iri if own else segment
            longer = segment if segment.startswith(name) and not own else f"{name} ({apart})"
            self._base.execute("UPDATE name SET name = ? WHERE iri = ?", (longer, iri))

    def _labelled(self, kind: str, term: str) -> str | None:
        row = self._base.execute(
            "SELECT name FROM label WHERE kind = ? AND term = ?", (kind, term)
        ).fetchone()
        return str(row[0]) if row else None

    def _fact(self, row: tuple[int | str, ...]) -> Fact:
        _, line, s, s_kind, s_name, p, p_kind, o, o_kind, datatype, language, o_name = row
        relation = str(p)
        if p_kind == "iri":
            relation = self._labelled("iri", relation) or in_words(readable(relation))
        return Fact(
            int(line),
            self._end(str(s), str(s_kind), s_name, ""),
            relation,
            str(p) if p_kind == "iri" else None,
            self._end(str(o), str(o_kind), o_name, str(datatype)),
            str(language) or None,
        )

    def _end(self, text: str, kind: str, name: int | str | None, datatype: str) -> NamedEnd:
        if kind == "node":
            labelled = self._labelled("node", text)
            shown = labelled or f"{self._owner} node {text}"
            return NamedEnd(shown, key_of(shown), "" if labelled else CONCEPT)
        if kind == "iri":
            return NamedEnd(str(name), key_of(str(name)), "", text)
        shown = text if kind == "literal" else unscored(text)
        key = key_of(shown)
        long = len(shown) > MAX_NAME and len(normalise_name(shown)) > MAX_NAME
        return NamedEnd(shown, key, CONCEPT if long else value_type(shown, datatype))


def readable(iri: str) -> str:
    """Return the last part of an address as people write it: ``…/Ada_Lovelace`` is Ada Lovelace."""
    bare = iri.rstrip("/#")
    last = re.split(r"[/#]", bare)[-1] if re.search(r"[/#]", bare) else bare.split(":")[-1]
    return unquote(last).replace("_", " ").strip() or iri


def unscored(name: str) -> str:
    """Return a name with blanks for underscores, where it has no blanks: frederick_ii; an id or an
    address stays as it is.
    """
    return name if " " in name or _ID.fullmatch(name) else name.replace("_", " ").strip() or name


@lru_cache(4096)
def in_words(relation: str) -> str:
    """Return a relation in words: ``birthPlace`` and ``birth_place`` are "birth place", and so are
    ``dbo:birthPlace`` and ``/location/person/birth_place``.
    """
    if _PATH.fullmatch(relation):
        relation = re.split(r"[./]", relation)[-1]
    elif prefix := _PREFIXED.match(relation):
        relation = relation[prefix.end() :]
    return " ".join(_CAMEL.sub(" ", relation.replace("_", " ")).lower().split()) or relation


def value_type(text: str, datatype: str = "") -> str:
    """Return the type of a value: as declared, else by its form; "" for what may be a name."""
    if datatype in _TYPES:
        return _TYPES[datatype]
    if _NUMBER.fullmatch(text):
        return "CARDINAL"
    return "DATE" if _DATE.fullmatch(text) else ""


@lru_cache(100_000)
def key_of(name: str) -> str:
    """Return the key of what a triple joins: of a name that of names, with signs at its ends that
    tell it apart (C++, C# and C, -5 and 5); a long text is cut, and what has no letter or digit
    stands for itself, as an id does.
    """
    bare = name.strip()
    key = normalise_name(bare)
    if not key or _ID.fullmatch(bare):
        key = bare
    else:
        lead, trail = _LEADING.match(bare), _TRAILING.search(bare)
        key = f"{re.sub('[−–]', '-', lead[0]) if lead else ''}{key}{trail[0] if trail else ''}"
    if len(key) <= MAX_NAME:
        return key
    return f"{key[: MAX_NAME - 20].rstrip()} … {sha256(key.encode()).hexdigest()[:12]}"


_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE statement (
  line INTEGER, s TEXT, s_kind TEXT, p TEXT, p_kind TEXT,
  o TEXT, o_kind TEXT, o_type TEXT, o_language TEXT
);
CREATE TABLE label (kind TEXT, term TEXT, rank INTEGER, name TEXT, PRIMARY KEY (kind, term));
CREATE TABLE name (iri TEXT PRIMARY KEY, name TEXT, key TEXT, own INTEGER);
CREATE INDEX name_key ON name (key);
"""

_LIST_TABLES = (
    "CREATE INDEX statement_s ON statement (s_kind, s, p)",
    "CREATE INDEX statement_o ON statement (o_kind, o)",
    "CREATE TABLE member (list TEXT, cell TEXT, PRIMARY KEY (list, cell))",
    "CREATE TABLE taken (cell TEXT PRIMARY KEY)",
)

_MEMBERS = """
INSERT INTO member
WITH RECURSIVE place (list, cell) AS (
  SELECT t.o, t.o FROM statement t
  WHERE t.o_kind = 'node' AND t.p NOT IN (:first, :rest) AND EXISTS (
    SELECT 1 FROM statement f WHERE f.s_kind = 'node' AND f.s = t.o AND f.p = :first
  )
  UNION
  SELECT list, r.o FROM place
  JOIN statement r ON r.s_kind = 'node' AND r.s = cell AND r.p = :rest
  WHERE r.o_kind = 'node'
)
SELECT list, cell FROM place
"""

_OF_MEMBERS = """
INSERT INTO statement
SELECT t.line, t.s, t.s_kind, t.p, t.p_kind, f.o, f.o_kind, f.o_type, f.o_language
FROM statement t
JOIN member m ON m.list = t.o
JOIN statement f ON f.s_kind = 'node' AND f.s = m.cell AND f.p = :first
WHERE t.o_kind = 'node' AND t.p NOT IN (:first, :rest)
"""

_OF_LISTS = """
DELETE FROM statement
WHERE o_kind = 'node' AND p NOT IN (:first, :rest) AND o IN (SELECT list FROM member)
"""

_CELLS = """
DELETE FROM statement
WHERE s_kind = 'node' AND p IN (:first, :rest) AND s IN (SELECT cell FROM taken)
"""

_BATCH = """
SELECT t.rowid, line, s, s_kind, a.name, p, p_kind, o, o_kind, o_type, o_language, b.name
FROM statement t
LEFT JOIN name a ON s_kind = 'iri' AND a.iri = s
LEFT JOIN name b ON o_kind = 'iri' AND b.iri = o
WHERE t.rowid > ?
ORDER BY t.rowid
LIMIT ?
"""
