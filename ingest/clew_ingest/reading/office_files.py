"""Texts and slides of Office and LibreOffice: they become HTML, and HTML becomes Markdown, so that
what tables say is decided in one place.
"""

import io
import re
from collections.abc import Iterable
from typing import Any

from clew_ingest.limits import IngestLimits
from clew_ingest.reading import media_types
from clew_ingest.reading.declared_titles import office_title
from clew_ingest.reading.docx_markup import with_plain_markup
from clew_ingest.reading.html_page import markdown_of
from clew_ingest.reading.markdown_text import paragraphs_of
from clew_ingest.reading.marked_texts import marked
from clew_ingest.reading.open_document import OpenDocument
from clew_ingest.reading.read_document import (
    HEADING_MARK,
    Place,
    ReadDocument,
    ReadResult,
    placed_text,
)
from clew_ingest.reading.slides import html_of_slides

_TITLE_STYLE = "p[style-name='Title'] => h1:fresh\np.Title => h1:fresh"
"""What mammoth makes of the paragraph that Word calls the title; by itself it makes it a text."""
_NOTE = re.compile(r"(?:foot|end)note-\d+$")
_TO_MARK = re.compile(r"#(?:foot|end)note-ref-\d+$")
"""What mammoth calls notes, and where their arrows lead."""


def read_docx(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    """Return the document of a Word file."""
    from mammoth import convert_to_html
    from markitdown.converter_utils.docx.pre_process import pre_process_docx

    plain = with_plain_markup(pre_process_docx(io.BytesIO(data)))
    found = convert_to_html(plain, style_map=_TITLE_STYLE)
    markdown = _office_markdown(found.value)
    return marked(media_types.DOCX, markdown, lambda found: office_title(data) or found or title)


def _with_numbered_notes(soup: Any) -> None:
    """Begin each note with its mark in the text, [1], and not end it with an arrow back there."""
    for number, note in enumerate(soup("li", id=_NOTE), 1):
        for arrow in note("a", href=_TO_MARK):
            arrow.decompose()
        (note.find("p") or note).insert(0, f"[{number}] ")


def read_pptx(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    """Return the document of a PowerPoint file; its slides are its pages."""
    return _slides(media_types.PPTX, html_of_slides(data), office_title(data), title)


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


def read_odt(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    """Return the document of an OpenDocument text."""
    document = OpenDocument(data)
    markdown = _office_markdown(document.html_of_text())
    return marked(media_types.ODT, markdown, lambda found: document.title() or found or title)


def read_odp(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    """Return the document of an OpenDocument presentation; its slides are its pages."""
    document = OpenDocument(data)
    return _slides(media_types.ODP, document.html_of_slides(), document.title(), title)


def _office_markdown(html: str) -> str:
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(html, "html.parser")
    _with_numbered_notes(soup)
    return markdown_of(soup)
