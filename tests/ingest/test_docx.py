"""DOCX as Word writes it: moved text, fields, text boxes, notes, numbers above the line."""

import io
import zipfile
from collections.abc import Callable

import pytest

from clew_ingest.limits import IngestLimits
from clew_ingest.reading.readers import read

Maker = Callable[..., bytes]
_SPACES = " ".join(
    f'xmlns:{prefix}="{name}"'
    for prefix, name in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    }.items()
)
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_NOTES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
RAISED = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'


def run(text: str, properties: str = "") -> str:
    return f'<w:r>{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'


def paragraph(*runs: str) -> str:
    return f"<w:p>{''.join(runs)}</w:p>"


def texts(body: str, docx: Maker, notes: str = "") -> list[str]:
    """Return the paragraphs of a document of this markup."""
    target = io.BytesIO()
    parts = {"word/document.xml": f"<w:document {_SPACES}><w:body>{body}</w:body></w:document>"}
    if notes:
        parts["word/footnotes.xml"] = f"<w:footnotes {_SPACES}>{notes}</w:footnotes>"
        parts["word/_rels/document.xml.rels"] = (
            f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="r1" Type="{_NOTES}" '
            'Target="footnotes.xml"/></Relationships>'
        )
    with zipfile.ZipFile(io.BytesIO(docx([""]))) as empty, zipfile.ZipFile(target, "w") as archive:
        for name in [one for one in empty.namelist() if one not in parts]:
            archive.writestr(name, empty.read(name))
        for name, text in parts.items():
            archive.writestr(name, text)
    return read(target.getvalue(), "x.docx", IngestLimits()).documents[0].text.split("\n\n")


def test_what_was_moved_is_read_where_it_is_now(docx: Maker) -> None:
    body = paragraph(
        run("Ada "), f'<w:moveFrom w:id="1">{run("left")}</w:moveFrom>', run("came.")
    ) + paragraph(f'<w:moveTo w:id="1">{run("She ")}{run("left.")}</w:moveTo>')
    assert texts(body, docx) == ["Ada came.", "She left."]


@pytest.mark.parametrize(
    "wrapped",
    [
        f'<w:fldSimple w:instr=" MERGEFIELD who ">{run("Ada")}</w:fldSimple>',
        f'<w:customXml w:element="who"><w:smartTag>{run("Ada")}</w:smartTag></w:customXml>',
        f'<w:bdo w:val="rtl"><w:dir w:val="ltr">{run("Ada")}</w:dir></w:bdo>',
        f"<w:r><w:ruby><w:rt>{run('aida')}</w:rt><w:rubyBase>{run('Ada')}</w:rubyBase></w:ruby></w:r>",
        f"<w:ins><w:moveTo>{run('Ada')}</w:moveTo></w:ins>",
    ],
)
def test_text_is_read_whatever_word_wraps_around_it(wrapped: str, docx: Maker) -> None:
    body = paragraph(run("So "), wrapped, run(" came."))
    assert texts(body, docx) == ["So Ada came."]
    assert texts(f"<w:customXml>{body}</w:customXml>", docx) == ["So Ada came."]


def control(kind: str, text: str) -> str:
    return f"<w:sdt><w:sdtPr>{kind}</w:sdtPr><w:sdtContent>{run(text)}</w:sdtContent></w:sdt>"


def legacy(kind: str) -> str:
    begin = f'<w:fldChar w:fldCharType="begin"><w:ffData>{kind}</w:ffData></w:fldChar>'
    return f'<w:r>{begin}</w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'


def test_what_is_chosen_in_a_form_is_read_and_what_asks_for_it_is_not(docx: Maker) -> None:
    colours = '<w:listEntry w:val="Red"/><w:listEntry w:val="Blue"/>'
    body = (
        paragraph(run("Member: "), control("", "☒"), run(" full "), run("☐ none "))
        + paragraph(run("Colour: "), legacy(f'<w:ddList><w:result w:val="1"/>{colours}</w:ddList>'))
        + paragraph(run("Or: "), legacy(f"<w:ddList>{colours}</w:ddList>"))
        + paragraph(run("Name: "), control("<w:showingPlcHdr/><w:text/>", "Click to enter text."))
        + paragraph(run("Town: "), control("<w:text/>", "London"))
    )
    assert texts(body, docx) == [
        "Member: [x] full [ ] none",
        "Colour: Blue",
        "Or: Red",
        "Name:",
        "Town: London",
    ]


@pytest.mark.parametrize("between", ["<w:cr/>", "<w:ptab/>", '<w:br w:type="page"/>'])
def test_no_two_words_become_one(between: str, docx: Maker) -> None:
    body = paragraph(f"<w:r><w:t>Ada</w:t>{between}<w:t>came</w:t></w:r>")
    assert texts(body, docx)[0].split() == ["Ada", "came"]


_BOX = f"<w:txbxContent>{paragraph(run('Boxed.'))}</w:txbxContent>"
_DRAWN = f"<w:drawing><wps:txbx>{_BOX}</wps:txbx></w:drawing>"
_OLD = f"<w:pict><v:shape><v:textbox>{_BOX}</v:textbox></v:shape></w:pict>"


@pytest.mark.parametrize(
    "box",
    [
        _DRAWN,
        f"<mc:AlternateContent><mc:Choice>{_DRAWN}</mc:Choice></mc:AlternateContent>",
        f"<mc:AlternateContent><mc:Choice>{_DRAWN}</mc:Choice><mc:Fallback>{_OLD}</mc:Fallback>"
        "</mc:AlternateContent>",
    ],
)
def test_the_text_of_a_box_is_read_once(box: str, docx: Maker) -> None:
    body = paragraph(run("Before "), f"<w:r>{box}</w:r>", run("and after."))
    assert texts(body, docx) == ["Before and after.", "Boxed."]


def test_numbers_above_the_line_are_none_of_what_stands_before_them(docx: Maker) -> None:
    body = paragraph(run("In 2019"), run("1", RAISED), run(" it had 5 m"), run("2", RAISED))
    assert texts(body, docx) == ["In 2019¹ it had 5 m²"]


def test_a_note_bears_the_mark_that_it_has_in_the_text(docx: Maker) -> None:
    mark = f'<w:r>{RAISED}<w:footnoteReference w:id="7"/></w:r>'
    note = f'<w:footnote w:id="7">{paragraph(run("By sea."))}</w:footnote>'
    body = paragraph(run("Ada came"), mark, run("."))
    assert texts(body, docx, note) == ["Ada came[1].", "[1] By sea."]
