"""Readers: from a file's bytes to plain text. They run in a child process that can be killed.

What Office and LibreOffice wrote becomes HTML, and HTML becomes Markdown: what tables say is
decided in one place.
"""

import errno
import gzip
import io
import os.path
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from clew_ingest.errors import (
    SourceTooLarge,
    UnreadableSource,
    UnsupportedMediaType,
    protected,
)
from clew_ingest.limits import MIB, IngestLimits
from clew_ingest.reading import media_types
from clew_ingest.reading.attachments import attached_parts, placed_parts
from clew_ingest.reading.bounded_pdf import bounded_pdf
from clew_ingest.reading.calendar_events import read_calendar
from clew_ingest.reading.contacts import read_contacts
from clew_ingest.reading.docx_markup import with_plain_markup
from clew_ingest.reading.epub import read_epub
from clew_ingest.reading.front_matter import columns_of, numbered_title, parted, title_of
from clew_ingest.reading.html_page import markdown_of, read_page
from clew_ingest.reading.json_files import read_json, read_json_lines
from clew_ingest.reading.mail import Attachment, MailText, mails_of, read_mail
from clew_ingest.reading.markdown_text import paragraphs_of, row_text, without_wiki_links
from clew_ingest.reading.open_document import OpenDocument, read_ods
from clew_ingest.reading.parted_words import joined_words
from clew_ingest.reading.pdf_text import read_pdf_text
from clew_ingest.reading.read_document import (
    HEADING_MARK,
    Place,
    ReadDocument,
    ReadResult,
    placed_text,
    without_first_paragraph,
)
from clew_ingest.reading.records import collection, key_of_text
from clew_ingest.reading.slides import html_of_slides
from clew_ingest.reading.tables import read_csv
from clew_ingest.reading.text_decoding import clean, clean_line, decode
from clew_ingest.reading.underlined import parts_of
from clew_ingest.reading.workbooks import read_xlsx


def check_archive(data: bytes, limits: IngestLimits) -> None:
    """Raise SourceTooLarge for an archive beyond the limits, UnreadableSource for a broken one.

    The sizes are those the archive's directory declares; Python's zipfile never unpacks more
    than is declared, so that a lie makes the reading fail and not the memory.
    """
    entries = media_types.archive_entries(data)
    if len(entries) > limits.archive_entries:
        raise SourceTooLarge(
            f"The file holds {len(entries)} parts, more than {limits.archive_entries}.",
            remedy="Split it into several files.",
        )
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > limits.unpacked_bytes:
        raise SourceTooLarge(
            f"The file unpacks to {unpacked // MIB} MiB, more than {limits.unpacked_limit_mib}.",
            remedy="Split it, or raise CLEW_UNPACKED_LIMIT_MIB.",
        )
    if unpacked > MIB and unpacked > limits.unpacked_ratio * len(data):
        raise SourceTooLarge(
            f"The file unpacks to {unpacked // max(1, len(data))} times its size, more than "
            f"{limits.unpacked_ratio} times: it looks like a ZIP bomb.",
            remedy="Save it again from the program that made it.",
        )
    if any(entry.flag_bits & 1 for entry in entries):
        raise protected()


Reader = Callable[[bytes, str, IngestLimits], ReadResult]
_TITLE_STYLE = "p[style-name='Title'] => h1:fresh\np.Title => h1:fresh"
"""What mammoth makes of the paragraph that Word calls the title; by itself it makes it a text."""
_NOTE = re.compile(r"(?:foot|end)note-\d+$")
_TO_MARK = re.compile(r"#(?:foot|end)note-ref-\d+$")
"""What mammoth calls notes, and where their arrows lead."""
MACHINE_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EIO})
"""What is never the fault of a file: a full disk, too many open files, a disk that is broken."""
GZIP = b"\x1f\x8b"
"""What a file that is packed by gzip begins with."""
_JUNK_TITLE = re.compile(
    r"^(?:\(?(?:untitled|anonymous|unspecified|unknown|no title)\)?"
    r"|(?:word )?document ?\d*|microsoft \w+ - .*|.*\.(?:docx?|indd|tex|dvi|qxd)|\W*)$",
    re.I,
)


def read(
    data: bytes,
    name: str,
    limits: IngestLimits,
    *,
    title: str | None = None,
    declared_type: str | None = None,
) -> ReadResult:
    """Return a file's documents. Its type is that of its bytes, else ``declared_type``, else that
    of ``name``; its title is its own, else ``title``, else its name.

    Raises UnreadableSource, UnsupportedMediaType or SourceTooLarge.
    """
    if len(data) > limits.file_bytes:
        raise too_large(len(data), limits)
    bare = media_types.unpacked_name(name)
    if bare != name and data.startswith(GZIP):
        data = unpacked(data, limits)
        name, title = bare, title or title_of_name(bare)
    if not data.strip(b"\x00 \t\r\n"):
        raise UnreadableSource("The file is empty.", remedy="Nothing was lost: add it when filled.")
    media_type = media_types.detect(data, name, declared_type)
    if media_type in media_types.ARCHIVES:
        check_archive(data, limits)
    title = title or title_of_name(name)
    if media_type not in _READERS:
        raise UnsupportedMediaType("It holds triples and no text.", remedy="Add it by itself.")
    result = _READERS[media_type](data, title, limits)
    if result.collection:  # its records were checked one by one
        return result
    checked = _checked(result.documents[0], media_type, title, limits)
    return replace(result, documents=[checked])


def unpacked(data: bytes, limits: IngestLimits) -> bytes:
    """Return what gzip packed. Raises UnreadableSource for broken data, SourceTooLarge."""
    try:
        with gzip.open(io.BytesIO(data)) as packed:
            found = packed.read(limits.file_bytes + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableSource(
            f"The file is broken: {error}.", remedy="Pack it again, or add it unpacked."
        ) from error
    if len(found) > limits.file_bytes:
        raise SourceTooLarge(
            f"The file unpacks to more than {limits.file_limit_mib} MiB.",
            remedy="Split it into several files, or raise CLEW_FILE_LIMIT_MIB.",
        )
    return found


def too_large(size: int, limits: IngestLimits) -> SourceTooLarge:
    """Return the error for a file of ``size`` bytes."""
    return SourceTooLarge(
        f"The file has {size / 1048576:.0f} MiB, more than {limits.file_limit_mib}.",
        remedy="Split it, or raise CLEW_FILE_LIMIT_MIB.",
    )


def lacks_memory(error: BaseException) -> bool:
    """Whether an error is for want of memory, or came up while one of that kind was handled."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, MemoryError):
        found = found.__context__
    return found is not None


def broken(error: Exception) -> UnreadableSource:
    """Return the error of a file on which a library failed: whatever it raises, that is the file's
    fault. Raises ``error`` again where it is the machine's.
    """
    if isinstance(error, OSError) and error.errno in MACHINE_ERRORS:
        raise error
    cause = f"{type(error).__name__}: {error}".rstrip(": ")[:300]
    return UnreadableSource(
        f"The file is broken or protected ({cause}).",
        remedy="Open it in the program that made it and save it again.",
    )


def _checked(
    document: ReadDocument, media_type: str, fallback_title: str, limits: IngestLimits
) -> ReadDocument:
    text = clean(document.text)
    if not any(character.isalnum() for character in text):
        remedy = "What has a title or fields alone need not be indexed."
        if media_type == media_types.PDF:
            remedy = "Scanned pages need text recognition first."
        raise UnreadableSource("No text was found in the file.", remedy=remedy)
    if len(text.encode()) > limits.text_bytes:
        raise SourceTooLarge(
            f"The text is longer than {limits.text_limit_mib} MiB.",
            remedy="Split it into several files, or raise CLEW_TEXT_LIMIT_MIB.",
        )
    title = clean_line(document.title) or fallback_title
    first, _, rest = text.partition("\n\n")
    places = document.places
    if first.strip() == title and rest.strip():
        text = rest.strip()  # a chunk has its document's title beside it anyway
        places = without_first_paragraph(places)
    return replace(document, text=text, title=title, places=places)


def title_of_name(name: str) -> str:
    """Return the title that a file has by its name alone."""
    stem = os.path.splitext(os.path.basename(name.rstrip("/")))[0]
    return clean_line(stem.replace("_", " ")) or "Untitled"


def _marked(
    media_type: str, markdown: str, title: Callable[[str], str], *, written: bool = False
) -> ReadResult:
    """Return the document of a Markdown text; ``title`` chooses, given that of the text;
    ``written``: see `paragraphs_of`."""
    found, parts = paragraphs_of(markdown, written=written)
    named = title(found)
    # the title stands beside each passage anyway
    text, places = placed_text(
        (text, Place(heading=HEADING_MARK.join(name for name in path if name != clean_line(named))))
        for text, path in parts
    )
    return ReadResult(media_type, [ReadDocument(named, text, places=places)])


def _read_text(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    fields, text = parted(clean_line_ends(decode(data)))
    heading, parts = parts_of(joined_words(text, typeset=False))
    named = numbered_title(title_of(fields) or heading, fields, title) or title
    if told := row_text(*columns_of(fields)):
        said_again = len(parts) > 1 and parts[0][0] == named
        parts[:said_again] = [(told, Place())]
    text, places = placed_text(parts)
    document = ReadDocument(named, text, metadata=dict(fields), places=places)
    return ReadResult(media_types.TEXT, [replace(document, fields_first=bool(told))])


def _read_mail(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    return ReadResult(media_types.MAIL, [replace(_mail(data, title, limits), key="")])


def _read_mailbox(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    mails = enumerate(mails_of(data), 1)

    def read_one(mail: bytes) -> ReadDocument:
        with _one_of_several(limits):
            return _checked(_mail(mail, title, limits), media_types.MAIL, title, limits)

    return collection(media_types.MAILBOX, mails, "e-mail", limits, read_one)


def _mail(data: bytes, title: str, limits: IngestLimits) -> ReadDocument:
    mail = read_mail(data)
    shown = [part for text in mail.texts for part in placed_parts(_shown(text, title, limits))]
    room = limits.text_bytes - sum(len(text.encode()) for text, _ in shown)
    attached = attached_parts(mail.attachments, room, limits, _read_attached)
    text, places = placed_text([(mail.line, Place()), *shown, *attached])
    key = mail.id or key_of_text(text)
    return ReadDocument(mail.subject or title, text, key, dict(mail.fields), places)


def _read_calendar(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    name, events = read_calendar(decode(data))
    named = name or (events[0].name if len(events) == 1 else "") or title
    text, places = placed_text(
        (text, Place(heading=event.name if event.name != named else ""))
        for event in events
        for text in (event.line, event.description)
    )
    return ReadResult(media_types.CALENDAR, [ReadDocument(named, text, places=places)])


def _read_contacts(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    contacts = read_contacts(decode(data))
    named = contacts[0][0] if len(contacts) == 1 else ""
    text = "\n\n".join(line for _, line in contacts)
    return ReadResult(media_types.CONTACTS, [ReadDocument(named or title, text)])


def _shown(text: MailText, title: str, limits: IngestLimits) -> ReadDocument:
    if text.is_html:
        return _read_html(text.text.encode(), title, limits).documents[0]
    return ReadDocument(title, clean(text.text))


def _read_attached(attachment: Attachment, kind: str | None, limits: IngestLimits) -> ReadResult:
    with _one_of_several(limits):
        return read(attachment.data, attachment.name, limits, declared_type=kind)


@contextmanager
def _one_of_several(limits: IngestLimits) -> Iterator[None]:
    """Let UnreadableSource stand for whatever is wrong with what is read within a file."""
    try:
        yield
    except UnreadableSource:
        raise
    except Exception as error:
        if lacks_memory(error):
            raise SourceTooLarge(
                f"Reading it takes more than {limits.reader_memory_mib} MiB of memory."
            ) from error
        raise broken(error) from error


def _read_markdown(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    markdown = without_wiki_links(clean_line_ends(decode(data)))
    fields, _ = parted(markdown)
    result = _marked(
        media_types.MARKDOWN,
        markdown,
        lambda found: numbered_title(found, fields, title) or title,
        written=True,
    )
    told = bool(columns_of(fields)[0])
    document = replace(result.documents[0], metadata=dict(fields), fields_first=told)
    return replace(result, documents=[document])


def clean_line_ends(text: str) -> str:
    """Return ``text`` with ``\\n`` as its only line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _read_html(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    page = read_page(data)
    return _marked(media_types.HTML, page.markdown, lambda _: page.title or title)


def _read_epub(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    declared, pages = read_epub(data)
    found = ""
    parts = []
    for page in pages:
        heading, paragraphs = paragraphs_of(page.markdown)
        found = found or heading
        parts += [(text, Place(heading=HEADING_MARK.join(path))) for text, path in paragraphs]
    text, places = placed_text(parts)
    named = declared or found or title
    return ReadResult(media_types.EPUB, [ReadDocument(named, text, places=places)])


def _read_pdf(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    from pdfminer.pdfdocument import PDFPasswordIncorrect

    try:
        with bounded_pdf(limits):
            return _read_bounded_pdf(data, title, limits)
    except PDFPasswordIncorrect as error:
        raise protected() from error


def _read_bounded_pdf(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    from pdfminer.pdfdocument import PDFDocument
    from pdfminer.pdfparser import PDFParser

    found = read_pdf_text(data, limits)
    text, places = placed_text(found.paragraphs)
    named = _pdf_title(PDFDocument(PDFParser(io.BytesIO(data)))) or found.title or title
    return ReadResult(media_types.PDF, [ReadDocument(named, text, places=places)])


def _pdf_title(document: Any) -> str:
    from pdfminer.utils import decode_text

    for info in document.info:
        value = info.get("Title")
        if isinstance(value, bytes):
            found = clean_line(decode_text(value))
            return "" if _JUNK_TITLE.match(found) else found
    return ""


def _read_docx(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    from mammoth import convert_to_html
    from markitdown.converter_utils.docx.pre_process import pre_process_docx

    plain = with_plain_markup(pre_process_docx(io.BytesIO(data)))
    found = convert_to_html(plain, style_map=_TITLE_STYLE)
    markdown = _office_markdown(found.value)
    return _marked(media_types.DOCX, markdown, lambda found: _office_title(data) or found or title)


def _with_numbered_notes(soup: Any) -> None:
    """Begin each note with its mark in the text, [1], and not end it with an arrow back there."""
    for number, note in enumerate(soup("li", id=_NOTE), 1):
        for arrow in note("a", href=_TO_MARK):
            arrow.decompose()
        (note.find("p") or note).insert(0, f"[{number}] ")


def _read_pptx(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    return _slides(media_types.PPTX, html_of_slides(data), _office_title(data), title)


def _slides(media_type: str, slides: Iterable[str], declared: str, fallback: str) -> ReadResult:
    found = ""
    parts = []
    for number, html in enumerate(slides, 1):
        heading, paragraphs = paragraphs_of(_office_markdown(html))
        found = found or heading
        parts += [(text, Place(number, HEADING_MARK.join(path))) for text, path in paragraphs]
    text, places = placed_text(parts)
    named = declared or found or fallback
    return ReadResult(media_type, [ReadDocument(named, text, places=places)])


def _read_odt(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    document = OpenDocument(data)
    markdown = _office_markdown(document.html_of_text())
    return _marked(media_types.ODT, markdown, lambda found: document.title() or found or title)


def _read_odp(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    document = OpenDocument(data)
    return _slides(media_types.ODP, document.html_of_slides(), document.title(), title)


def _office_markdown(html: str) -> str:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(html, "html.parser")
    _with_numbered_notes(soup)
    return markdown_of(soup)


def _office_title(data: bytes) -> str:
    from xml.etree.ElementTree import fromstring

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if "docProps/core.xml" not in archive.namelist():
            return ""
        core = fromstring(archive.read("docProps/core.xml"))
    found = clean_line(core.findtext("{http://purl.org/dc/elements/1.1/}title") or "")
    junk = _JUNK_TITLE.match(found) or found.lower() in ("powerpoint presentation", "document")
    return "" if junk else found


def _read_json(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    return read_json(decode(data), title, limits)


def _read_json_lines(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    return read_json_lines(clean_line_ends(decode(data)), title, limits)


def _read_csv(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    return read_csv(clean_line_ends(decode(data)), media_types.CSV, title, limits)


def _read_tsv(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    return read_csv(clean_line_ends(decode(data)), media_types.TSV, title, limits)


_READERS: dict[str, Reader] = {
    media_types.TEXT: _read_text,
    media_types.MARKDOWN: _read_markdown,
    media_types.HTML: _read_html,
    media_types.CSV: _read_csv,
    media_types.TSV: _read_tsv,
    media_types.JSON: _read_json,
    media_types.JSON_LINES: _read_json_lines,
    media_types.EPUB: _read_epub,
    media_types.PDF: _read_pdf,
    media_types.MAIL: _read_mail,
    media_types.MAILBOX: _read_mailbox,
    media_types.CALENDAR: _read_calendar,
    media_types.CONTACTS: _read_contacts,
    media_types.DOCX: _read_docx,
    media_types.PPTX: _read_pptx,
    media_types.XLSX: read_xlsx,
    media_types.ODT: _read_odt,
    media_types.ODP: _read_odp,
    media_types.ODS: read_ods,
}
