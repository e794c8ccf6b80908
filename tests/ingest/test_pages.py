"""HTML, DOCX and PPTX: their text stays text, their tables keep their columns, nothing is lost."""

import io
import time
import zipfile
from collections.abc import Callable

import pytest

from clew_ingest.limits import IngestLimits
from clew_ingest.reading.readers import read

Maker = Callable[..., bytes]

SIGNS = [
    "Run ssh <user>@<host> first.",
    "Dear <Name>, the <Company> pays [x](y) & List<String>.",
    "1. item",
    "# units",
    "- 5 | 6 * 7_8_9 ~~no~~ `c` C:\\temp\\new &lt;",
    "[note]: that",
    "<div>not a part</div>",
]


def paragraphs(data: bytes, name: str, limits: IngestLimits) -> list[str]:
    return read(data, name, limits).documents[0].text.split("\n\n")


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def rows(*cells: list[str]) -> str:
    return "".join(f"<tr>{''.join(row)}</tr>" for row in cells)


def test_signs_of_markup_in_a_page_are_text(limits: IngestLimits) -> None:
    page = "".join(f"<p>{escaped(text)}</p>" for text in SIGNS)
    assert paragraphs(page.encode(), "x.html", limits) == SIGNS


def test_signs_of_markup_in_a_document_are_text(limits: IngestLimits, docx: Maker) -> None:
    data = docx(["Head", *map(escaped, SIGNS)])
    assert paragraphs(data, "x.docx", limits) == SIGNS


def test_signs_of_markup_on_a_slide_are_text(limits: IngestLimits, pptx: Maker) -> None:
    assert paragraphs(pptx([("Head", "\n".join(SIGNS))]), "x.pptx", limits) == SIGNS


def test_what_stands_within_text_leaves_no_marks(limits: IngestLimits) -> None:
    page = (
        "<p><b>1</b>. The <b>Note:</b>s of H<sub>2</sub>O, <i>x</i>y and <code>a|b &lt;c&gt;</code>"
        " <a href='http://x/(a b)'>there</a> <img src=a.png alt='a [b] &lt;c&gt;'></p>"
        "<table><tr><th>A</th><th>B</th></tr><tr><td><code>a | b</code></td>"
        "<td><pre>c | d</pre><img src=x alt='e | f'></td></tr></table>"
    )
    assert paragraphs(page.encode(), "x.html", limits) == [
        "1. The Note:s of H2O, xy and a|b <c> there a [b] <c>",
        "A: a | b; B: c | d e | f.",
    ]


def test_a_page_of_very_many_marks_is_read_in_time(limits: IngestLimits) -> None:
    page = f"<p>{'<b>word</b> <img alt=x> ' * 5_000}</p>"
    begun = time.process_time()
    assert paragraphs(page.encode(), "x.html", limits)[0].startswith("word x word")
    assert time.process_time() - begun < 30


def test_merged_cells_stand_below_their_columns(limits: IngestLimits) -> None:
    table = rows(
        ["<th>Region</th>", "<th>Quarter</th>", "<th colspan=2>Sales</th>"],
        ["<td rowspan=2>North</td>", "<td>Q1</td>", "<td>5</td>", "<td>6</td>"],
        ["<td>Q2</td>", "<td>7</td>", "<td rowspan='0'>8</td>"],
        ["<td colspan=2>Total</td>", "<td>12</td>"],
        ["<td colspan=3>South</td>"],
    )
    assert paragraphs(f"<table>{table}</table>".encode(), "x.html", limits) == [
        "Region: North; Quarter: Q1; Sales: 5; Sales: 6.",
        "Region: North; Quarter: Q2; Sales: 7; Sales: 8.",
        "Region: Total; Sales: 12; Sales: 8.",
        "Region: South; Sales: 8.",
    ]


def test_a_cell_that_spans_more_than_there_is_does_no_harm(limits: IngestLimits) -> None:
    table = rows(
        ["<td rowspan=99999>a</td>", "<td colspan=9999999>b</td>"],
        ["<td rowspan=-1>c</td>"],
    )
    page = (
        f"<table><thead><tr><th>A</th><th colspan=x>B</th></tr></thead><tbody>{table}</tbody>"
        "<tbody><tr><td>d</td><td>e</td></tr></tbody></table>"
    )
    assert paragraphs(page.encode(), "x.html", limits) == [
        "A: a; B: b.",
        "A: a; B: c.",
        "A: d; B: e.",
    ]


def with_body(docx: bytes, body: str) -> bytes:
    """Return a DOCX with this body in place of its own."""
    source = zipfile.ZipFile(io.BytesIO(docx))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name in source.namelist():
            text = source.read(name).decode()
            if name == "word/document.xml":
                before, _, rest = text.partition("<w:body>")
                text = f"{before}<w:body>{body}</w:body>{rest.partition('</w:body>')[2]}"
            archive.writestr(name, text)
    return target.getvalue()


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def cell(content: str, merged: str = "") -> str:
    inner = content if content.startswith("<") else paragraph(content)
    return f"<w:tc><w:tcPr>{merged}</w:tcPr>{inner}</w:tc>"


def table(*lines: list[str]) -> str:
    inner = "".join(f"<w:tr>{''.join(line)}</w:tr>" for line in lines)
    return f"<w:tbl>{inner}</w:tbl>"


def test_merged_cells_of_word_are_those_of_each_row(limits: IngestLimits, docx: Maker) -> None:
    merged = table(
        [cell("Region"), cell("Quarter"), cell("Sales")],
        [cell("North", '<w:vMerge w:val="restart"/>'), cell("Q1"), cell("5")],
        [cell("", "<w:vMerge/>"), cell("Q2"), cell("7 | 8")],
    )
    assert paragraphs(with_body(docx(["x"]), merged), "x.docx", limits) == [
        "Region: North; Quarter: Q1; Sales: 5.",
        "Region: North; Quarter: Q2; Sales: 7 | 8.",
    ]


def test_a_table_within_a_table_of_word_is_read(limits: IngestLimits, docx: Maker) -> None:
    inner = table([cell("Pump"), cell("142")], [cell("Hose"), cell("7")])
    outer = table([cell("A"), cell("B")], [cell("x"), cell(inner + paragraph("after"))])
    found = paragraphs(with_body(docx(["x"]), outer), "x.docx", limits)
    assert found == ["A", "B", "x", "Pump; 142.", "Hose; 7.", "after"]


def test_tables_charts_groups_and_notes_of_slides_are_read(limits: IngestLimits) -> None:
    from pptx import Presentation
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Fleet"
    place = (Inches(1), Inches(5), Inches(5), Inches(1))
    sheet = slide.shapes.add_table(3, 2, *place).table
    for number, text in enumerate(["Tug", "Crew", "Petrel", "a | b", "", "<c>"]):
        sheet.cell(number // 2, number % 2).text = text
    sheet.cell(1, 0).merge(sheet.cell(2, 0))
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, Inches(6), Inches(1), Inches(1)).text_frame.text = "In a group"
    data = CategoryChartData()
    data.categories = ["2024", "2025"]
    data.add_series("Tugs | old", (3, 4.5))
    slide.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(7), Inches(3), Inches(2), data
    )
    slide.notes_slide.notes_text_frame.text = "Say <this>.\nThen that."
    target = io.BytesIO()
    deck.save(target)
    assert paragraphs(target.getvalue(), "x.pptx", limits) == [
        "Tug: Petrel; Crew: a | b.",
        "Tug: Petrel; Crew: <c>.",
        "In a group",
        "Chart",
        "Category: 2024; Tugs | old: 3.0.",
        "Category: 2025; Tugs | old: 4.5.",
        "Notes:",
        "Say <this>.",
        "Then that.",
    ]


LONG = "The first of them says what all of it is about. " * 3


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (
            f"<article><p>{LONG}</p></article><article><p>The second.</p></article>",
            [LONG.strip(), "The second."],
        ),
        (
            f"<p>Menu</p><article><p>{LONG}</p><article><p>A remark.</p></article></article>",
            [LONG.strip(), "A remark."],
        ),
        (
            "<form><input value=x><label>Find</label><select><option>One</select><p>Leave is 30 "
            "days.</p><button>Go</button></form>",
            ["Leave is 30 days."],
        ),
        (
            "<?xml version='1.0'?><!DOCTYPE html><html><body><p>One.</p></body></html>"
            "<html><body><p>Two.</p></body></html>",
            ["One.", "Two."],
        ),
    ],
)
def test_a_page_loses_nothing_that_it_says(
    page: str, expected: list[str], limits: IngestLimits
) -> None:
    assert paragraphs(page.encode(), "x.html", limits) == expected


ADA = "<p>Ada Lovelace was born in London.</p>"


@pytest.mark.parametrize(
    ("page", "title", "expected"),
    [
        (f"<html><head><title>Ada</title><meta name=x><body>{ADA}</body></html>", "Ada", ADA),
        (f"<html><head><title>Ada</title>{ADA}", "Ada", ADA),
        (f"<html><head><title>Ada</title><article>{ADA}</article>", "Ada", ADA),
        (f"<body><head><title>Ada</title>{ADA}</head></body>", "Ada", ADA),
        (f"<body><nav><a href=x>Home</a><main>{ADA}</main>", "x", ADA),
        (f"<body><svg><title>icon</title></svg><h1>Ada</h1>{ADA}", "Ada", ADA),
        (f"<title></title><title>Ada</title>{ADA}", "Ada", ADA),
        (f"<title>F</title><frameset></frameset><noframes>{ADA}</noframes>", "F", ADA),
        ("<title>A</title><p>One.<p>Two.<ul><li>a<li>b</ul>", "A", "One.|Two.|a|b"),
        (
            "<title>A</title><table><tr><td>Age<td>36<tr><td>Born<td>1815",
            "A",
            "Age; 36.|Born; 1815.",
        ),
        ("<body><nav>All pages: engines, looms", "x", "All pages: engines, looms"),
    ],
)
def test_a_page_whose_ends_are_not_written_is_read_as_browsers_do(
    page: str, title: str, expected: str, limits: IngestLimits
) -> None:
    document = read(page.encode(), "x.html", limits).documents[0]
    text = expected.replace("<p>", "").replace("</p>", "").replace("|", "\n\n")
    assert (document.title, document.text) == (title, text)


def test_groups_of_rows_begin_with_rows_and_several_rows_of_headings_are_one(
    limits: IngestLimits,
) -> None:
    page = (
        "<table><caption>Crew</caption><tr><td>Ada<td>36<tbody><tr><td>Bob<td>40"
        "<tfoot><tr><td>Cy<td>50</table>"
        "<table><thead><tr><th colspan=3>Sales of the yard"
        "<tr><th rowspan=2>Region<th colspan=2>Tugs<tr><th>2019<th>2020"
        "<tbody><tr><th>North<td>1<td>2</table>"
    )
    assert paragraphs(page.encode(), "x.html", limits) == [
        *("Crew", "Ada; 36.", "Bob; 40.", "Cy; 50."),
        *("Sales of the yard", "Region: North; Tugs 2019: 1; Tugs 2020: 2."),
    ]


def test_numbers_above_the_line_are_none_of_what_stands_before_them(limits: IngestLimits) -> None:
    page = (
        "<p>In 2019<sup>1</sup> and 2020<sup><a href=#n>2</a></sup> it had 5 m<sup>2</sup>, "
        "10<sup>-6</sup> H<sub>2</sub>O, the 1<sup>st</sup>.</p>"
    )
    assert paragraphs(page.encode(), "x.html", limits) == [
        "In 2019¹ and 2020[2] it had 5 m², 10⁻⁶ H2O, the 1st."
    ]


def test_a_term_and_what_is_said_of_it_are_one_sentence(limits: IngestLimits) -> None:
    page = "<dl><dt>Founded<dd>1990<dt>Seat:<dd>Paris<dd>Rome<dt>Yards<dd><p>One.<p>Two.</dl>"
    assert paragraphs(page.encode(), "x.html", limits) == [
        *("Founded: 1990", "Seat: Paris", "Rome", "Yards", "One.", "Two.")
    ]


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        (  # pandoc
            '<p>Built in 1990<a href="#fn1" role="doc-noteref">1</a>.</p><section><ol><li id="fn1">'
            '<p>By Bo.<a href="#r1" role="doc-backlink">↩︎</a></p></li></ol></section>',
            ["Built in 1990[1].", "[1] By Bo."],
        ),
        (  # an e-book
            '<p>Built in 1990<a href="#n" epub:type="noteref">*</a>.</p>'
            '<div id="n" epub:type="footnote">By Bo.</div>',
            ["Built in 1990[*].", "[*] By Bo."],
        ),
        (  # MediaWiki
            '<p>Built in 1990<sup id="r"><a href="#c">[2]</a></sup>.</p><ol><li id="c">'
            '<a href="#r">↑</a> <span>By Bo.</span></li></ol>',
            ["Built in 1990[2].", "[2] By Bo."],
        ),
        (  # Word, as a page
            '<p>Built in 1990<a href="#_ftn1" name="_ftnref1">[1]</a>.</p>'
            '<p><a href="#_ftnref1" name="_ftn1">[1]</a> By Bo.</p>',
            ["Built in 1990[1].", "[1] By Bo."],
        ),
        (  # marks that link both ways
            '<p>Built in 1990<a id="r1" href="#n1"><sup>1</sup></a>.</p>'
            '<p id="n1"><a href="#r1"><sup>1</sup></a> By Bo.</p>',
            ["Built in 1990[1].", "[1] By Bo."],
        ),
        (
            '<p>Built in 1990<a id="r1" href="#n1">[1]</a>.</p>'
            '<div id="n1"><a href="#r1">[1]</a> By Bo.</div>',
            ["Built in 1990[1].", "[1] By Bo."],
        ),
        (  # Wikipedia, of a note that is referred to twice
            '<p>Built<sup id="r_1-0"><a href="#n-1">[1]</a></sup> in 1990<sup id="r_1-1">'
            '<a href="#n-1">[1]</a></sup>.</p><ol><li id="n-1"><span>^ <a href="#r_1-0"><sup><i>'
            '<b>a</b></i></sup></a> <a href="#r_1-1"><sup><i><b>b</b></i></sup></a></span> '
            "<span>By Bo.</span></li></ol>",
            ["Built[1] in 1990[1].", "[1] By Bo."],
        ),
        ('<p>See <a href="#p">1990</a>.</p><h2 id="p">1990</h2>', ["See 1990.", "1990"]),
    ],
)
def test_marks_of_notes_stand_apart_and_notes_bear_them(
    written: str, read_as: list[str], limits: IngestLimits
) -> None:
    page = f"<title>T</title>{written}"
    assert paragraphs(page.encode(), "x.html", limits) == read_as


@pytest.mark.parametrize(
    "formula",
    [
        "<math><semantics><mrow><mi>E</mi><mo>=</mo><mn>5</mn></mrow><annotation "
        'encoding="application/x-tex">E = 5</annotation></semantics></math>',
        '<span><span><math alttext="{\\displaystyle E = 5}"><mi>E</mi><mo>=</mo><mn>5</mn></math>'
        '</span><img alt="{\\displaystyle E = 5}"></span>',
        '<span class="katex"><span class="katex-mathml"><math><semantics><mi>E</mi><annotation '
        'encoding="application/x-tex">E = 5</annotation></semantics></math></span>'
        '<span class="katex-html" aria-hidden="true">E=5</span></span>',
        '<span><math alttext="E = 5"></math><span class="katex-html"><span class="katex-html">'
        "<math><mi>E</mi></math></span></span></span>",
        '<span class="katex-html"><math alttext="E = 5"><annotation-xml><math><mi>E</mi></math>'
        "</annotation-xml></math></span>",
    ],
)
def test_a_formula_is_read_once(formula: str, limits: IngestLimits) -> None:
    assert paragraphs(f"<p>So {formula} holds.</p>".encode(), "x.html", limits) == [
        "So E = 5 holds."
    ]


def test_a_table_of_names_and_values_is_read_as_such(limits: IngestLimits) -> None:
    """As boxes of encyclopedias and properties of wikis are."""
    page = (
        "<table><tr><th colspan=2>Ada Thorne</th></tr><tr><td colspan=2>A portrait</td></tr><tr>"
        "<th scope=row>Born</th><td><p>10 May 1975<br>Seld</p></td></tr><tr><th>Works</th><td>"
        "<ul><li>The mill</li><li>The yard</li></ul></td></tr></table>"
        "<table><tr><th></th><th>2023</th></tr><tr><th>Rent</th><td>5</td></tr></table>"
    )
    assert paragraphs(page.encode(), "x.html", limits) == [
        *("Ada Thorne", "A portrait", "Born: 10 May 1975\nSeld", "Works", "The mill", "The yard"),
        "Rent; 2023: 5.",
    ]


@pytest.mark.parametrize(
    "items",
    [
        "<li><input type=checkbox checked disabled> Order parts</li>"
        "<li><input type=checkbox disabled> Test flight</li>",
        '<li><div class="checkbox checkbox-on"></div> <span>Order parts</span></li>'  # Notion
        '<li><div class="checkbox checkbox-off"></div> <span>Test flight</span></li>',
    ],
)
def test_what_is_ticked_is_told(items: str, limits: IngestLimits) -> None:
    assert paragraphs(f"<ul>{items}</ul>".encode(), "x.html", limits) == [
        *("[x] Order parts", "[ ] Test flight")
    ]


def test_what_is_ticked_in_a_wiki_is_told(limits: IngestLimits) -> None:
    page = (
        '<ul class="inline-task-list"><li class="checked"><p>A</p></li><li><span>B</span></li></ul>'
    )
    assert paragraphs(page.encode(), "x.html", limits) == ["[x] A", "[ ] B"]


def test_the_title_of_a_document_that_was_saved_as_a_page_is_its_title(
    limits: IngestLimits,
) -> None:
    page = '<p class="c3 title"><span>Team offsite</span></p><h1>Agenda</h1><p>Welcome.</p>'
    assert read(page.encode(), "x.html", limits).documents[0].title == "Team offsite"
