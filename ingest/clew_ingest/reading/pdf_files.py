"""A PDF to a document: its text (`reading/pdf_text.py`) within bounds, and its title."""

import io

from clew_ingest.errors import protected
from clew_ingest.limits import IngestLimits
from clew_ingest.reading import media_types
from clew_ingest.reading.bounded_pdf import bounded_pdf
from clew_ingest.reading.declared_titles import pdf_title
from clew_ingest.reading.pdf_text import read_pdf_text
from clew_ingest.reading.read_document import ReadDocument, ReadResult, placed_text


def read_pdf(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    """Return the document of a PDF. Raises UnreadableSource where a password protects it."""
    from pdfminer.pdfdocument import PDFPasswordIncorrect

    try:
        with bounded_pdf(limits):
            return _read_bounded(data, title, limits)
    except PDFPasswordIncorrect as error:
        raise protected() from error


def _read_bounded(data: bytes, title: str, limits: IngestLimits) -> ReadResult:
    from pdfminer.pdfdocument import PDFDocument
    from pdfminer.pdfparser import PDFParser

    found = read_pdf_text(data, limits)
    text, places = placed_text(found.paragraphs)
    named = pdf_title(PDFDocument(PDFParser(io.BytesIO(data)))) or found.title or title
    return ReadResult(media_types.PDF, [ReadDocument(named, text, places=places)])
