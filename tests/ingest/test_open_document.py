"""OpenDocument: texts, slides and sheets as LibreOffice writes them."""

import io
import zipfile

import pytest

from clew_ingest.errors import UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.file_reader import FileReader
from clew_ingest.reading.read_document import ReadDocument, each_place
from clew_ingest.reading.readers import read

_SPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "draw": "drawing",
        "style": "style",
        "show": "presentation",
        "fo": "xsl-fo-compatible",
        "svg": "svg-compatible",
        "chart": "chart",
    }.items()
)
STYLES = (
    '<style:style style:name="P1" style:parent-style-name="Title"/>'
    '<style:style style:name="up"><style:text-properties style:text-position="super 58%"/>'
    '</style:style><style:style style:name="low"><style:text-properties '
    'style:text-position="sub 58%"/></style:style><style:style style:name="bold">'
    '<style:text-properties fo:font-weight="bold"/></style:style>'
)
TWO_ROWS = 'table:number-rows-spanned="2"'
OBJECT = '<draw:object xlink:href="./Object 1"/>'


def packed(kind: str, body: str, more: dict[str, str] | None = None) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        content = (
            f"<office:document-content {_SPACES} xmlns:xlink='http://www.w3.org/1999/xlink'>"
            f"<office:automatic-styles>{STYLES}</office:automatic-styles><office:body>"
            f"<office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
        )
        for name, text in {"content.xml": content, **(more or {})}.items():
            archive.writestr(name, text)
    return target.getvalue()


def document(kind: str, body: str, more: dict[str, str] | None = None) -> ReadDocument:
    (found,) = read(packed(kind, body, more), "a.zip", IngestLimits()).documents
    return found


def cell(text: str, more: str = "") -> str:
    said = f"<text:p>{text}</text:p>" if text else ""
    return f"<table:table-cell {more}>{said}</table:table-cell>"


def row(*cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(cells)}</table:table-row>"


def test_a_text_has_headings_lists_tables_and_notes() -> None:
    note = (
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>By &lt;Bo&gt;"
        "</text:p></text:note-body></text:note>"
    )
    box = (
        "<draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box>"
        "<svg:desc>A mill</svg:desc></draw:frame>"
    )
    found = document(
        "text",
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
        '<text:p text:style-name="P1">The mill</text:p>'
        '<text:h text:outline-level="1">Costs</text:h><text:section>'
        f"<text:p>Paid{note} in<text:s text:c='2'/>May<office:annotation><text:p>remark</text:p>"
        f"</office:annotation>.<text:line-break/>{box}Area 5 m<text:span text:style-name='up'>2"
        "</text:span>, H<text:span text:style-name='low'>2</text:span>O</text:p></text:section>"
        "<text:list><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>one a"
        "</text:p></text:list-item></text:list></text:list-item></text:list>"
        f"<table:table><table:table-header-rows>{row(cell('Item'), cell('Sum'), cell('Paid'))}"
        f"</table:table-header-rows>{row(cell('Rent', TWO_ROWS), cell('3'))}"
        f"{row('<table:covered-table-cell/>', cell('4'), cell('☒'))}</table:table>"
        '<text:h text:outline-level="2">Later</text:h><text:p>Done.</text:p>',
    )
    assert found.title == "The mill"
    paragraphs = found.text.split("\n\n")
    assert paragraphs == [
        "Costs",
        "Paid[1] in May.\nArea 5 m², H2O",
        "In a box",
        "A mill",
        "one",
        "one a",
        "Item: Rent; Sum: 3.",
        "Item: Rent; Sum: 4; Paid: [x].",
        "Later",
        "Done.",
        "[1] By <Bo>",
    ]
    assert each_place(found.places, len(paragraphs))[9].heading == "Costs › Later"


def test_slides_are_told_by_their_number_from_the_top_down() -> None:
    chart = (
        f"<office:document-content {_SPACES}><office:body><chart:chart><chart:title><text:p>Sold"
        "</text:p></chart:title><table:table><table:table-header-rows>"
        f"{row(cell(''), cell('Q1'))}</table:table-header-rows>{row(cell('East'), cell('7'))}"
        "</table:table></chart:chart></office:body></office:document-content>"
    )

    def frame(inside: str, y: int, more: str = "") -> str:
        return f'<draw:frame svg:y="{y}cm" {more}>{inside}</draw:frame>'

    def kind(name: str) -> str:
        return f'show:class="{name}"'

    def text(said: str) -> str:
        return f"<draw:text-box><text:p>{said}</text:p></draw:text-box>"

    found = document(
        "presentation",
        f"<draw:page>{frame(text('Lower'), 9)}{frame(text('Upper'), 3)}"
        f"{frame(text('Plan'), 12, kind('title'))}"
        f"{frame(text('1'), 0, kind('page-number'))}<show:notes>"
        f"{frame(text('Greet Bo.'), 1, kind('notes'))}</show:notes></draw:page>"
        f"<draw:page>{frame(OBJECT, 1)}</draw:page>",
        {"Object 1/content.xml": chart},
    )
    paragraphs = found.text.split("\n\n")
    assert (found.title, paragraphs) == (
        "Plan",
        ["Upper", "Lower", "Notes:", "Greet Bo.", "Sold", "East; Q1: 7."],
    )
    assert [one.page for one in each_place(found.places, 6)] == [1, 1, 1, 1, 2, 2]


def test_sheets_say_what_is_seen_in_their_cells() -> None:
    bold = 'table:style-name="bold"'
    sheet = (
        '<table:table table:name="Stock">'
        f"{row(cell('Part', bold), cell('Price', bold), cell('', bold), cell('Bought', bold))}"
        f"{row(cell('Pump', TWO_ROWS), cell('1,2 €'), cell(''))}"
        + row("<table:covered-table-cell/>", cell("7 €"), cell(""), cell("x"))
        + row(
            *(cell(""), cell("8 €"), cell("")),
            cell("3/5/24", 'office:date-value="2024-03-05T00:00:00"'),
            cell("", 'table:number-columns-repeated="16380"'),
            more='table:number-rows-repeated="2"',
        )
        + row(
            cell("", 'table:number-columns-repeated="16384"'),
            more='table:number-rows-repeated="1048570"',
        )
        + "</table:table>"
    )
    assert document("spreadsheet", sheet).text.split("\n\n") == [
        "Part: Pump; Price: 1,2 €.",
        "Part: Pump; Price: 7 €; Bought: x.",
        "Price: 8 €; Bought: 2024-03-05.",
        "Price: 8 €; Bought: 2024-03-05.",
    ]


def test_a_password_is_told() -> None:
    data = packed("text", "", {"META-INF/manifest.xml": "<encryption-data/>"})
    with pytest.raises(UnreadableSource, match="protected by a password"):
        read(data, "a.odt", IngestLimits())


@pytest.mark.parametrize("data", [packed("text", "")[:-40], packed("text", "<text:p>")])
def test_a_broken_file_is_refused(data: bytes, limits: IngestLimits) -> None:
    with FileReader(limits) as reader, pytest.raises(UnreadableSource, match="broken"):
        reader.read(data, "a.odt")
