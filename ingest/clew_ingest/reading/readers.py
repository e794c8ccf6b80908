"""Readers: from a file's bytes to plain text. They run in a child process that can be killed."""

import os.path
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from clew_ingest.errors import (
    SourceTooLarge,
    UnreadableSource,
    UnsupportedMediaType,
)
from clew_ingest.limits import IngestLimits
from clew_ingest.reading import media_types
from clew_ingest.reading.attachments import attached_parts, placed_parts
from clew_ingest.reading.calendar_events import read_calendar
from clew_ingest.reading.contacts import read_contacts
from clew_ingest.reading.epub import read_epub
from clew_ingest.reading.failures import broken, lacks_memory
from clew_ingest.reading.html_page import read_page
from clew_ingest.reading.json_files import read_json, read_json_lines
from clew_ingest.reading.mail import Attachment, MailText, mails_of, read_mail
from clew_ingest.reading.markdown_text import paragraphs_of
from clew_ingest.reading.marked_texts import (
    marked,
    read_markdown,
    read_restructured_text,
    read_text,
)
from clew_ingest.reading.office_files import read_docx, read_odp, read_odt, read_pptx
from clew_ingest.reading.open_document import read_ods
from clew_ingest.reading.packed_files import GZIP, check_archive, too_large, unpacked
from clew_ingest.reading.pdf_files import read_pdf
from clew_ingest.reading.read_document import (
    HEADING_MARK,
    Place,
    ReadDocument,
    ReadResult,
    placed_text,
    without_first_paragraph,
)
from clew_ingest.reading.records import collection, key_of_text
from clew_ingest.reading.tables import read_csv
from clew_ingest.reading.text_decoding import clean, clean_line, clean_line_ends, decode
from clew_ingest.reading.workbooks import read_xlsx

Reader = Callable[[bytes, str, IngestLimits], ReadResult]


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


def _read_html(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    page = read_page(data)
    return marked(media_types.HTML, page.markdown, lambda _: page.title or title)


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


def _read_json(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    return read_json(decode(data), title, limits)


def _read_json_lines(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    return read_json_lines(clean_line_ends(decode(data)), title, limits)


def _read_csv(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    return read_csv(clean_line_ends(decode(data)), media_types.CSV, title, limits)


def _read_tsv(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    return read_csv(clean_line_ends(decode(data)), media_types.TSV, title, limits)


_READERS: dict[str, Reader] = {
    media_types.TEXT: read_text,
    media_types.RST: read_restructured_text,
    media_types.MARKDOWN: read_markdown,
    media_types.HTML: _read_html,
    media_types.CSV: _read_csv,
    media_types.TSV: _read_tsv,
    media_types.JSON: _read_json,
    media_types.JSON_LINES: _read_json_lines,
    media_types.EPUB: _read_epub,
    media_types.PDF: read_pdf,
    media_types.MAIL: _read_mail,
    media_types.MAILBOX: _read_mailbox,
    media_types.CALENDAR: _read_calendar,
    media_types.CONTACTS: _read_contacts,
    media_types.DOCX: read_docx,
    media_types.PPTX: read_pptx,
    media_types.XLSX: read_xlsx,
    media_types.ODT: read_odt,
    media_types.ODP: read_odp,
    media_types.ODS: read_ods,
}
