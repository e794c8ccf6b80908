"""Small files of every kind that ingest reads, made here."""

import io
import zipfile
from collections.abc import Callable

import pytest

from clew_ingest.limits import IngestLimits

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


@pytest.fixture
def limits() -> IngestLimits:
    """The limits of a fresh installation."""
    return IngestLimits()


def make_docx(
    paragraphs: list[str],
    title: str = "",
    extra: dict[str, bytes] | None = None,
    style_of_first: str = "Heading1",
) -> bytes:
    """Return a DOCX with these paragraphs, the first one as a heading."""
    body = "".join(
        "<w:p>"
        + (f'<w:pPr><w:pStyle w:val="{style_of_first}"/></w:pPr>' if number == 0 else "")
        + f"<w:r><w:t>{text}</w:t></w:r></w:p>"
        for number, text in enumerate(paragraphs)
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/'
        'vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" ContentType="application/'
        'vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{_RELATIONS}/officeDocument" '
        'Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>',
    }
    if title:
        parts["docProps/core.xml"] = (
            f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title>'
            "</cp:coreProperties>"
        )
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
        for name, data in (extra or {}).items():
            archive.writestr(name, data)
    return target.getvalue()


def make_pdf(lines: list[str], title: str = "", pages: int = 1) -> bytes:
    """Return a PDF with these lines on each page."""
    return make_pdf_pages([lines] * pages, title)


def make_pdf_pages(pages: list[list[str]], title: str = "") -> bytes:
    """Return a PDF with these lines on its pages."""
    return make_set_pdf([[(72, 720, 12, lines)] for lines in pages], title)


def make_set_pdf(
    pages: list[list[tuple[int, int, int, list[str]]]],
    title: str = "",
    rules: str = "",
    box: str = "/MediaBox [0 0 612 792]",
    form: str = "",
) -> bytes:
    """Return a PDF with texts set on its pages: left and baseline (from the foot), size, lines.

    ``rules``: drawing operators for each page; ``form``: those of what they draw by "/X1 Do";
    ``box``: what a page says of its size.
    """
    resources = "<< /Font << /F1 3 0 R >> /XObject << /X1 7 0 R >> >>"
    kids = " ".join(f"{10 + 2 * number} 0 R" for number in range(len(pages)))
    objects = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica "
        "/Encoding << /BaseEncoding /StandardEncoding /Differences [173 /uni00AD] >> >>",
        5: f"<< /Title ({title}) >>",
        7: "<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 3 0 R "
        f">> >> /Length {len(form)} >>\nstream\n{form}\nendstream",
    }
    for number, texts in enumerate(pages):
        text = rules + "\n".join(set_text(*one) for one in texts)
        objects[10 + 2 * number] = (
            f"<< /Type /Page /Parent 2 0 R {box} "
            f"/Resources {resources} /Contents {11 + 2 * number} 0 R >>"
        )
        objects[11 + 2 * number] = f"<< /Length {len(text)} >>\nstream\n{text}\nendstream"
    data = b"%PDF-1.4\n"
    offsets = {}
    for number, content in objects.items():
        offsets[number] = len(data)
        data += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = len(data)
    data += b"xref\n0 1\n0000000000 65535 f \n"
    for number, offset in offsets.items():
        data += f"{number} 1\n{offset:010d} 00000 n \n".encode()
    data += f"trailer << /Size {max(objects) + 1} /Root 1 0 R /Info 5 0 R >>\n".encode()
    return data + f"startxref\n{table}\n%%EOF".encode()


def set_text(left: int, base: int, size: int, lines: list[str]) -> str:
    """Return the operators that set lines of a PDF's page."""
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    return f"BT /F1 {size} Tf {left} {base} Td {size + 2} TL {shown} ET"


def make_pptx(slides: list[tuple[str, str]]) -> bytes:
    """Return a PPTX with a title and a text on each slide."""
    from pptx import Presentation

    deck = Presentation()
    for title, body in slides:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
    target = io.BytesIO()
    deck.save(target)
    return target.getvalue()


def make_xlsx(sheets: dict[str, list[list[object]]]) -> bytes:
    """Return an XLSX with these rows on each sheet."""
    from openpyxl import Workbook

    workbook = Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets.items():
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
    target = io.BytesIO()
    workbook.save(target)
    return target.getvalue()


@pytest.fixture
def docx() -> Callable[..., bytes]:
    """Makes a DOCX."""
    return make_docx


@pytest.fixture
def pdf() -> Callable[..., bytes]:
    """Makes a PDF."""
    return make_pdf


@pytest.fixture
def pdf_pages() -> Callable[..., bytes]:
    """Makes a PDF of several pages."""
    return make_pdf_pages


@pytest.fixture
def set_pdf() -> Callable[..., bytes]:
    """Makes a PDF whose texts stand where one says."""
    return make_set_pdf


@pytest.fixture
def pptx() -> Callable[..., bytes]:
    """Makes a PPTX."""
    return make_pptx


@pytest.fixture
def xlsx() -> Callable[..., bytes]:
    """Makes an XLSX."""
    return make_xlsx
