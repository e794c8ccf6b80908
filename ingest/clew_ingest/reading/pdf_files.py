"""A PDF to a document: its text (`reading/pdf_text.py`) within bounds, and its title."""

import io
from collections.abc import Sequence

from clew_ingest.errors import protected
from clew_ingest.limits import IngestLimits
from clew_ingest.reading import media_types
from clew_ingest.reading.bounded_pdf import bounded_pdf
from clew_ingest.reading.declared_titles import pdf_title
from clew_ingest.reading.pdf_text import PdfText, read_pdf_text
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
    document = ReadDocument(named, text, places=places, left_out=_left_out(found))
    return ReadResult(media_types.PDF, [document])


def _left_out(found: PdfText) -> str:
    """Return in a sentence of which pages nothing was read; "" where there are none."""
    if not found.unread:
        return ""
    pages = "page" if len(found.unread) == 1 else "pages"
    return (
        f"Nothing was read of {pages} {_ranges(found.unread)}: there are pictures (scans, "
        "perhaps), or letters that no font names. Have the text recognised (OCR) and add the "
        "document again."
    )


def _ranges(numbers: Sequence[int]) -> str:
    """Return rising numbers in words: 2, 4–7 and 9."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    said = [f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs]
    return " and ".join(filter(None, [", ".join(said[:-1]), said[-1]]))
