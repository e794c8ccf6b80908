"""What kind of file something is: by its first bytes where they tell, else by its name."""

import codecs
import io
import os.path
import re
import zipfile
from urllib.parse import unquote

from clew_ingest.errors import UnreadableSource, UnsupportedMediaType

TEXT = "text/plain"
RST = "text/x-rst"
MARKDOWN = "text/markdown"
HTML = "text/html"
CSV = "text/csv"
TSV = "text/tab-separated-values"
JSON = "application/json"
JSON_LINES = "application/jsonl"
N_TRIPLES = "application/n-triples"
TURTLE = "text/turtle"
PDF = "application/pdf"
MAIL = "message/rfc822"
MAILBOX = "application/mbox"
CALENDAR = "text/calendar"
CONTACTS = "text/vcard"
_OFFICE = "application/vnd.openxmlformats-officedocument"
DOCX = f"{_OFFICE}.wordprocessingml.document"
PPTX = f"{_OFFICE}.presentationml.presentation"
XLSX = f"{_OFFICE}.spreadsheetml.sheet"
_OPEN = "application/vnd.oasis.opendocument"
ODT = f"{_OPEN}.text"
ODP = f"{_OPEN}.presentation"
ODS = f"{_OPEN}.spreadsheet"
EPUB = "application/epub+zip"

BY_EXTENSION = {
    ".txt": TEXT,
    ".text": TEXT,
    ".log": TEXT,
    ".rst": RST,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".mdx": MARKDOWN,
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".csv": CSV,
    ".tsv": TSV,
    ".json": JSON,
    ".jsonl": JSON_LINES,
    ".ndjson": JSON_LINES,
    ".nt": N_TRIPLES,
    ".ttl": TURTLE,
    ".pdf": PDF,
    ".eml": MAIL,
    ".mbox": MAILBOX,
    ".ics": CALENDAR,
    ".vcf": CONTACTS,
    ".docx": DOCX,
    ".pptx": PPTX,
    ".xlsx": XLSX,
    ".odt": ODT,
    ".odp": ODP,
    ".ods": ODS,
    ".epub": EPUB,
}
"""Media type of each file extension that is read."""

HEAD_BYTES = 4096
"""How much of a file without an extension is looked at to tell whether it is text."""

ARCHIVES = frozenset({DOCX, PPTX, XLSX, ODT, ODP, ODS, EPUB})
"""Media types whose files are ZIP archives."""

ALWAYS_TRIPLES = frozenset({N_TRIPLES, TURTLE})
"""Media types whose files are knowledge bases, whether it is said or not."""

_SYNONYMS = {
    "application/x-turtle": TURTLE,
    "application/xhtml+xml": HTML,
    "text/x-markdown": MARKDOWN,
    "text/prs.fallenstein.rst": RST,
    "text/x-vcard": CONTACTS,
    "application/csv": CSV,
    "text/json": JSON,
    "application/x-ndjson": JSON_LINES,
    "application/x-jsonlines": JSON_LINES,
    "application/jsonlines": JSON_LINES,
    "application/json-lines": JSON_LINES,
}
_PARTS = (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX))
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PDF = b"%PDF-"
_OUTLOOK = (".msg", ".oft")
_REMEDY = (
    "Clew reads " + ", ".join(sorted(key[1:] for key in BY_EXTENSION))
    + ", these packed by gzip, and text without an extension."
)  # fmt: skip
_GZIP = ".gz"
_EXTENSION = re.compile(r"\.\w{1,12}$")
_SCRIPT = b"#!"
_MAILBOX = re.compile(rb"From [^\r\n]*\d{4}[^\r\n]*\r?\n(?:>?[\w-]+:[^\n]*\n)")
"""How a file begins that holds e-mails one after the other (mbox)."""


def media_type_of_name(name: str) -> str | None:
    """Return the media type that a file's extension stands for, or None where it is not read.

    What is packed by gzip has that of its name without ".gz".
    """
    bare = unpacked_name(name)
    if bare != name and has_no_extension(bare):
        return TEXT
    return BY_EXTENSION.get(os.path.splitext(bare)[1].lower())


def unpacked_name(name: str) -> str:
    """Return the name that a file has once it is unpacked: that without ".gz"."""
    return name[: -len(_GZIP)] if name.lower().endswith(_GZIP) else name


def has_no_extension(name: str) -> bool:
    """Whether a name says nothing about the kind of file: README, LICENSE."""
    return not _EXTENSION.search(os.path.basename(name))


def is_plain_text(head: bytes) -> bool:
    """Whether a file that begins so, and says no kind, is text to read: UTF-8 and no script."""
    if not head.strip() or b"\x00" in head or head.startswith(_SCRIPT):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def claimed(name: str, declared: str | None, *, served: bool) -> str | None:
    """Return the media type that something claims to have, or None where it is not read.

    The name's extension counts first, except for a page that a server sent (``served``): there
    it is the Content-Type, unless that is as vague as text/plain.
    """
    by_name, by_header = media_type_of_name(name), _declared(declared)
    if served and by_header not in (None, TEXT):
        return by_header
    return by_name or by_header


def detect(data: bytes, name: str, declared: str | None = None) -> str:
    """Return the media type of ``data``: its signature, else as declared, else the extension.

    Raises UnsupportedMediaType where none of them names a kind that is read, or where the bytes
    contradict the name.
    """
    if _is_pdf(data, name, declared):
        return PDF
    if data.startswith(_OLE) and name.lower().endswith(_OUTLOOK):
        raise UnsupportedMediaType(
            "This is an e-mail as Outlook keeps it.", remedy="Save it as EML, or print it to a PDF."
        )
    if data.startswith(_OLE):
        raise UnsupportedMediaType(
            "This is an old or encrypted Office file.",
            remedy="Save it without a password as DOCX, PPTX or XLSX.",
        )
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _office_kind(data)
    kind = _kind(data, name, declared)
    if kind is None:
        raise UnsupportedMediaType(f"Files like {_shown(name)!r} are not read.", remedy=_REMEDY)
    if kind in ARCHIVES or kind == PDF:
        raise UnreadableSource(
            f"{_shown(name)!r} is not what its name says: it is broken or another kind of file.",
            remedy="Save it again from the program that made it.",
        )
    return kind


def check_kind(data: bytes, name: str, declared: str | None = None) -> None:
    """Raise UnsupportedMediaType where nothing about a file says that it is of a kind that is read.

    Archives pass unopened: what they are is told by the process that reads them.
    """
    if not has_signature(data, name, declared) and _kind(data, name, declared) is None:
        raise UnsupportedMediaType(f"Files like {_shown(name)!r} are not read.", remedy=_REMEDY)


def has_signature(data: bytes, name: str = "", declared: str | None = None) -> bool:
    """Whether the first bytes of a file are those of a PDF, an Office file or an archive."""
    return _is_pdf(data, name, declared) or data.startswith((_OLE, b"PK"))


def _is_pdf(data: bytes, name: str, declared: str | None) -> bool:
    """Whether a file is a PDF: it begins as one; or nearly so, as where a printer wrote something
    before, and nothing says that it is a text, which may tell of such files.
    """
    head = data[:1024]
    if _PDF not in head:
        return False
    if head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(_PDF):
        return True
    kind = _kind(data, name, declared)
    return kind in (None, PDF, *ARCHIVES) or media_type_of_name(name) == PDF


def _shown(name: str) -> str:
    """Return a name as a person gave it: of an address the last part, without its encoding."""
    if "://" not in name and not name.startswith("upload:"):
        return name
    return unquote(name.partition(":")[2].rstrip("/").rpartition("/")[2])


def _kind(data: bytes, name: str, declared: str | None) -> str | None:
    kind = _declared(declared) or media_type_of_name(name)
    if kind is None and has_no_extension(name) and is_plain_text(data[:HEAD_BYTES]):
        return MAILBOX if _MAILBOX.match(data) else TEXT
    return kind


def _declared(declared: str | None) -> str | None:
    kind = (declared or "").split(";")[0].strip().lower()
    kind = _SYNONYMS.get(kind, kind)
    return kind if kind in BY_EXTENSION.values() else None


def archive_entries(data: bytes) -> list[zipfile.ZipInfo]:
    """Return what an archive's directory declares. Raises UnreadableSource for a broken one.

    NotImplementedError is zipfile's word for a form of archive that it does not read.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise UnreadableSource(
            f"The file is broken: {error}.", remedy="Save it again from the program that made it."
        ) from error


def _office_kind(data: bytes) -> str:
    entries = archive_entries(data)
    names = [entry.filename for entry in entries]
    if names[:1] == ["mimetype"] and entries[0].file_size < 100:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            said = archive.read("mimetype").decode("ascii", "replace").strip()
        if (kind := said.removesuffix("-template")) in ARCHIVES:
            return kind
    for folder, kind in _PARTS:
        if any(name.startswith(folder) for name in names):
            return kind
    raise UnsupportedMediaType("Archives are not read.", remedy="Unpack it and add the folder.")
