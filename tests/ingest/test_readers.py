"""Each format, and each way in which a file can be bad; in this process, without the child."""

import base64
import gzip
import io
import json
import random
import resource
import time
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import pytest

from clew_ingest.errors import SourceTooLarge, UnreadableSource, UnsupportedMediaType
from clew_ingest.limits import IngestLimits
from clew_ingest.reading.bounded_pdf import BoundedZlib
from clew_ingest.reading.read_document import Place, PlaceFrom, ReadDocument, each_place
from clew_ingest.reading.readers import read

Maker = Callable[..., bytes]


def only(data: bytes, name: str, limits: IngestLimits) -> ReadDocument:
    result = read(data, name, limits)
    assert not result.collection
    assert not result.skipped
    (document,) = result.documents
    return document


def test_text_has_its_name_as_title(limits: IngestLimits) -> None:
    document = only("Grüße.\r\n\r\nZwei.".encode("cp1252"), "a_note.txt", limits)
    assert (document.title, document.text) == ("a note", "Grüße.\n\nZwei.")


def test_markdown_loses_its_markup_and_keeps_its_words(limits: IngestLimits) -> None:
    source = (
        "---\ntitle: 'The real title'\n---\n# A heading\n\nSome **bold** and *slanted* text, "
        "a [link](https://example.org/a_(b)), `code` and snake_case_name.\n\n"
        "![a picture](x.png)\n\n- one\n- two\n\n| City | Since |\n|---|---:|\n| Paris | 1891 |\n\n"
        "```python\nx = 1 * 2\n```\n<!-- gone -->\n> quoted\n"
    )
    document = only(source.encode(), "x.md", limits)
    assert document.title == "The real title"
    assert document.text == (
        "A heading\n\nSome bold and slanted text, a link, code and snake_case_name.\n\n"
        "a picture\n\none\n\ntwo\n\nCity: Paris; Since: 1891.\n\nx = 1 * 2\n\nquoted"
    )


def test_html_is_read_without_what_surrounds_the_article(limits: IngestLimits) -> None:
    source = (
        "<html><head><title>Ada &amp; Charles</title><style>p{}</style></head><body>"
        "<nav>Home | About</nav><main><h1>Engines</h1><p>Ada wrote <b>notes</b> on the "
        "<a href='/e'>engine</a>.</p><table><tr><th>Name</th><th>Born</th></tr>"
        "<tr><td>Ada</td><td>1815</td></tr></table></main>"
        "<script>alert(1)</script><!-- no --></body></html>"
    )
    document = only(source.encode(), "page.html", limits)
    assert document.title == "Ada & Charles"
    assert document.text == "Engines\n\nAda wrote notes on the engine.\n\nName: Ada; Born: 1815."


def test_html_in_the_encoding_it_declares(limits: IngestLimits) -> None:
    source = '<meta charset="koi8-r"><title>Мир</title><p>Привет, мир.</p>'.encode("koi8-r")
    assert only(source, "x.htm", limits) == ReadDocument("Мир", "Привет, мир.")


def test_html_nested_beyond_reason_still_gives_its_text(limits: IngestLimits) -> None:
    source = b"<div>" * 5_000 + b"Deep down lies a word."
    assert "Deep down lies a word." in only(source, "deep.html", limits).text


def test_pdf(limits: IngestLimits, pdf: Maker) -> None:
    data = pdf(["Ada Lovelace wrote notes", "on the Analytical Engine."], title="Notes on engines")
    document = only(data, "scan_1.pdf", limits)
    assert document.title == "Notes on engines"
    assert " ".join(document.text.split()) == ("Ada Lovelace wrote notes on the Analytical Engine.")


def test_pages_of_a_pdf_are_known_to_its_paragraphs(limits: IngestLimits, pdf_pages: Maker) -> None:
    pages = [["Ada wrote notes."], ["Babbage built engines.", "They failed."], ["Looms came."]]
    document = only(pdf_pages(pages), "scan.pdf", limits)
    paragraphs = document.text.split("\n\n")
    places = each_place(document.places, len(paragraphs))
    found = {paragraph: place.page for paragraph, place in zip(paragraphs, places, strict=True)}
    for number, lines in enumerate(pages, 1):
        for line in lines:
            assert [page for text, page in found.items() if line in text] == [number]


def test_headings_are_known_to_the_paragraphs_below_them(limits: IngestLimits) -> None:
    source = (
        "# Tides\n\nAn opening.\n\n## Methods\n\nWe measured.\n\n### Data\n\n- one\n- two\n\n"
        "## Results\n\n```\na\n\nb\n```\n\nThey rise.\n"
    )
    document = only(source.encode(), "x.md", limits)
    paragraphs = document.text.split("\n\n")
    places = [place.heading for place in each_place(document.places, len(paragraphs))]
    assert document.title == "Tides"
    assert list(zip(paragraphs, places, strict=True)) == [
        ("An opening.", ""),
        ("Methods", "Methods"),
        ("We measured.", "Methods"),
        *[(text, "Methods › Data") for text in ("Data", "one", "two")],
        *[(text, "Results") for text in ("Results", "a", "b", "They rise.")],
    ]
    html = only(b"<h1>Tides</h1><p>Up.</p><h2>Data</h2><p>Down.</p>", "x.html", limits)
    assert html.places == (PlaceFrom(1, Place(heading="Data")),)


def test_docx(limits: IngestLimits, docx: Maker) -> None:
    data = docx(["Engines", "Ada wrote notes."], title="On engines")
    document = only(data, "x.docx", limits)
    assert (document.title, document.text) == ("On engines", "Engines\n\nAda wrote notes.")
    assert document.places == (PlaceFrom(0, Place(heading="Engines")),)
    assert only(docx(["Engines", "Ada."]), "x.docx", limits).title == "Engines"


def test_a_title_is_not_repeated_in_the_text(limits: IngestLimits) -> None:
    assert only(b"# Ada\n\nAda wrote.", "x.md", limits) == ReadDocument("Ada", "Ada wrote.")
    assert only(b"# Ada\n", "x.md", limits) == ReadDocument("Ada", "Ada")


def test_each_bullet_of_a_slide_is_a_paragraph(limits: IngestLimits, pptx: Maker) -> None:
    bullets = ["The old mill is for sale", "Wend: still no permit"]
    data = pptx([("Risks", "\n".join(bullets))])
    assert only(data, "x.pptx", limits).text.split("\n\n") == bullets


def test_pptx(limits: IngestLimits, pptx: Maker) -> None:
    document = only(pptx([("Engines", "Ada wrote notes."), ("Looms", "Cards.")]), "x.pptx", limits)
    assert document.title == "Engines"
    assert document.text.split("\n\n") == ["Ada wrote notes.", "Looms", "Cards."]


def test_xlsx_rows_are_sentences(limits: IngestLimits, xlsx: Maker) -> None:
    data = xlsx({"People": [["Name", "Born"], ["Ada", 1815], ["Charles", None]], "Notes": [["x"]]})
    document = only(data, "table.xlsx", limits)
    assert document.title == "table"
    assert document.text.split("\n\n") == [
        "People", "Name: Ada; Born: 1815.", "Name: Charles.", "Notes", "x.",
    ]  # fmt: skip


@pytest.mark.parametrize(("delimiter", "name"), [(",", "t.csv"), (";", "t.csv"), ("\t", "t.tsv")])
def test_csv_rows_are_sentences(delimiter: str, name: str, limits: IngestLimits) -> None:
    rows = [["Name", "Born"], ["Ada", "1815"], ["Charles", "1791"]]
    data = "\n".join(delimiter.join(row) for row in rows).encode()
    text = only(data, name, limits).text
    assert text == "Name: Ada; Born: 1815.\n\nName: Charles; Born: 1791."


def test_a_table_with_titles_and_texts_is_a_collection(limits: IngestLimits, xlsx: Maker) -> None:
    rows: list[list[object]] = [
        ["Title", "Text", "Year"],
        ["Ada", "She wrote notes.", 1843],
        ["Empty", "", 0],
    ]
    plain = "\n".join(",".join(str(cell) for cell in row) for row in rows).encode()
    for data, name in ((plain, "t.csv"), (xlsx({"s": rows}), "t.xlsx")):
        result = read(data, name, limits)
        assert result.collection
        assert result.documents == [
            ReadDocument("Ada", "She wrote notes.", "Ada", {"year": "1843"})
        ]
        assert [record.key for record in result.skipped] == ["row 3"]


def test_json_of_one_record(limits: IngestLimits) -> None:
    data = json.dumps({"title": "Ada", "text": "She wrote.", "tags": ["x"]}).encode()
    assert only(data, "a.json", limits) == ReadDocument("Ada", "She wrote.", "", {"tags": ["x"]})


def test_json_of_one_record_loses_nothing_that_it_says(limits: IngestLimits) -> None:
    record = {
        "id": 7,
        "title": "Crane",
        "text": "It lifts boats.",
        "tags": ["port", "old"],
        "sizes": [[1, 2], [3, 4]],
        "sections": [{"heading": "Roof", "body": "The roof leaks."}],
        "owner": {"name": "Ada"},
        "notes": ["It must be oiled every year."],
    }
    document = only(json.dumps(record).encode(), "a.json", limits)
    assert document.text.split("\n\n") == [
        "It lifts boats.",
        "sections",
        "heading: Roof; body: The roof leaks.",
        "owner.name: Ada",
        "notes: It must be oiled every year.",
    ]
    assert set(document.metadata) == {"id", "tags", "sizes", "sections", "owner", "notes"}
    assert [one.place.heading for one in document.places] == ["sections", ""]


def test_signs_of_records_that_are_written_as_in_html_are_the_signs(limits: IngestLimits) -> None:
    record = {
        "title": "AT&amp;T",
        "text": "&quot;Ma Bell&quot; &#8212; R&D &x; 5 &lt; 6, &amp;c and &notit; &#xe9;",
    }
    found = only(json.dumps(record).encode(), "a.json", limits)
    assert (found.title, found.text) == ("AT&T", '"Ma Bell" — R&D &x; 5 < 6, &c and &notit; é')
    # of plain text nobody knows that it came from a page
    assert only(b"Write &amp; for the sign.", "a.txt", limits).text == "Write &amp; for the sign."


@pytest.mark.parametrize(
    "value",
    [
        [{"title": "Ada", "text": "She wrote."}, {"title": "Charles", "text": "He built."}],
        {"Ada": ["She wrote."], "Charles": [" He", "built. "]},
    ],
)
def test_json_of_records_is_a_collection(value: object, limits: IngestLimits) -> None:
    result = read(json.dumps(value).encode(), "a.json", limits)
    assert result.collection
    assert [(d.title, d.text, d.key) for d in result.documents] == [
        ("Ada", "She wrote.", "Ada"),
        ("Charles", "He built.", "Charles"),
    ]


def test_other_json_is_one_document_of_its_values(limits: IngestLimits) -> None:
    data = json.dumps({"a": {"b": [1, "two"]}, "c": None, "d": True}).encode()
    assert only(data, "data.json", limits).text == "a.b: 1\n\na.b: two\n\nd: True"


def test_json_keeps_together_what_belongs_together(limits: IngestLimits) -> None:
    value = {
        "servers": [
            {"ip": "10.0.0.1", "name": "alpha", "tags": ["db", "prod"], "disks": [{"gb": 100}]},
            {"ip": "10.0.0.2", "name": "beta", "at": {"room": 7}, "disks": [{"gb": 5}, {"gb": 6}]},
        ],
        "table": [["Name", "Age"], ["Ada", 36], ["Charles", 79]],
        "teams": [["Ada", "Bo"], ["Carl", "Dora"]],
        "done": True,
    }
    document = only(json.dumps(value).encode(), "data.json", limits)
    paragraphs = document.text.split("\n\n")
    assert paragraphs == [
        "servers",
        "ip: 10.0.0.1; name: alpha; tags: db, prod.",
        "ip: 10.0.0.2; name: beta; at.room: 7.",
        "servers › disks",
        "servers.name: alpha; gb: 100.",
        "servers.name: beta; gb: 5.",
        "servers.name: beta; gb: 6.",
        "table",
        "Name: Ada; Age: 36.",
        "Name: Charles; Age: 79.",
        "teams",
        "Ada; Bo.",
        "Carl; Dora.",
        "done: True",
    ]
    places = each_place(document.places, len(paragraphs))
    assert [places[at].heading for at in (0, 4, 8, 13)] == [
        "servers",
        "servers › disks",
        "table",
        "",
    ]


def test_json_lines_without_texts_are_the_rows_of_one_document(limits: IngestLimits) -> None:
    lines = b'{"level": "error", "msg": "Full", "at": {"host": "a"}}\n{"level": "info"}\n{"level'
    assert only(lines, "log.jsonl", limits).text == (
        'level: error; msg: Full; at.host: a.\n\nlevel: info.\n\n{"level.'
    )


CHATS = {
    "Slack": [
        {
            "type": "message",
            "user": "U1",
            "ts": "1709546400.000100",
            "text": "The build is broken, <@U2> &amp; <#C1|ops>",
            "user_profile": {"real_name": "Ada Thorne"},
        },
        {"user": "U2", "ts": "1709546460.0", "text": "See <https://ci.example/1|build 1>",
         "user_profile": {"real_name": "Bo"}},
        {"user": "U2", "ts": "1709546470.0", "text": "", "files": [{}]},
    ],
    "Telegram": {
        "name": "Boats",
        "messages": [
            {"id": 1, "type": "service", "date": "2024-03-04T09:00:00", "actor": "Cy", "text": ""},
            {"id": 2, "from": "Ada", "date": "2024-03-04T10:01:00",
             "text": ["It is with ", {"type": "mention", "text": "@cy"}, " now"]},
            {"id": 3, "from": "Bo", "date": "2024-03-04T10:02:00", "text": "No.\n\nReally?"},
        ],
    },
    "Teams": {
        "value": [
            {"createdDateTime": "2024-03-04T10:00:00Z", "from": {"user": {"displayName": "Ada"}},
             "body": {"content": "<p>Is the <b>pump</b> ok?</p>"}},
        ]
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("program", "title", "messages"),
    [
        (
            "Slack",
            "2024-03-04",
            [
                "Ada Thorne (4 March 2024, 10:00): The build is broken, @Bo & #ops",
                "Bo (4 March 2024, 10:01): See build 1",
            ],
        ),
        (
            "Telegram",
            "Boats",
            [
                "Ada (4 March 2024, 10:01): It is with @cy now",
                "Bo (4 March 2024, 10:02): No.\nReally?",
            ],
        ),
        ("Teams", "2024-03-04", ["Ada (4 March 2024, 10:00): Is the pump ok?"]),
    ],
)
def test_an_exported_chat_says_who_said_what(
    program: str, title: str, messages: list[str], limits: IngestLimits
) -> None:
    document = only(json.dumps(CHATS[program]).encode(), "2024-03-04.json", limits)
    assert (document.title, document.text.split("\n\n")) == (title, messages)


@pytest.mark.parametrize("named", [None, 7, " "])
def test_a_chat_may_have_no_name_and_a_message_no_author(
    named: object, limits: IngestLimits
) -> None:
    said = [
        {"from": who, "date": "2024-03-04T10:01:00", "text": f"This is message {number}."}
        for number, who in enumerate(["Ada", None, "Bo"])
    ]
    chat = json.dumps({"name": named, "messages": said}).encode()
    document = only(chat, "result.json", limits)
    assert document.title == "result"
    assert document.text.split("\n\n") == [
        f"{who} (4 March 2024, 10:01): This is message {number}."
        for number, who in enumerate(["Ada", "Unknown", "Bo"])
    ]


def test_json_lines_by_the_name_of_json_are_read(limits: IngestLimits) -> None:
    lines = b'{"title": "A", "text": "One."}\n{"title": "B", "text": "Two."}\n'
    result = read(lines, "x.json", limits)
    assert (result.collection, [one.title for one in result.documents]) == (True, ["A", "B"])


def test_a_malformed_line_costs_its_record_only(limits: IngestLimits) -> None:
    lines = [
        '{"id": 7, "title": "Ada", "text": "She wrote.", "year": 1843}',
        '{"title": "broken"',
        "",
        '"a string"',
        '{"title": "no text"}',
        "[" * 100_000,
        '{"text": "A text without a title is named by its first words, no more."}',
    ]
    result = read("\n".join(lines).encode(), "a.jsonl", limits)
    assert [(d.key, d.title) for d in result.documents] == [
        ("7", "Ada"),
        (result.documents[1].key, "A text without a title is named by"),
    ]
    assert result.documents[0].metadata == {"id": 7, "year": 1843}
    assert [record.key for record in result.skipped] == ["line 2", "line 4", "line 5", "line 6"]
    assert "not valid JSON" in result.skipped[0].reason
    assert "too deeply" in result.skipped[3].reason


def test_equal_titles_stay_two_records_and_equal_records_are_one(limits: IngestLimits) -> None:
    records = [{"title": "Ada", "text": text} for text in ("One.", "Two.", "One.")]
    result = read(json.dumps(records).encode(), "a.json", limits)
    assert [(d.key, d.text) for d in result.documents] == [("Ada", "One."), ("Ada~2", "Two.")]


def test_records_that_share_a_title_have_keys_by_their_order(limits: IngestLimits) -> None:
    drawn = random.Random(7)
    records = [
        (drawn.choice(["Ada", "Ada~2", "Ada~3", "Bo"]), f"Text {drawn.randrange(9)}.")
        for _ in range(300)
    ]
    wanted: dict[str, str] = {}
    for title, text in records:
        key, copy = title, 1
        while wanted.get(key, text) != text:
            copy += 1
            key = f"{title}~{copy}"
        wanted[key] = text
    lines = "\n".join(json.dumps({"title": title, "text": text}) for title, text in records)
    result = read(lines.encode(), "a.jsonl", limits)
    assert [(d.key, d.text) for d in result.documents] == list(wanted.items())


def test_very_many_records_of_one_title_are_read_in_time(limits: IngestLimits) -> None:
    lines = "\n".join(json.dumps({"title": "Note", "text": f"Text {n}."}) for n in range(40_000))
    begun = time.process_time()
    result = read(lines.encode(), "a.jsonl", limits)
    assert time.process_time() - begun < 30
    assert result.documents[-1].key == "Note~40000"


def test_half_a_surrogate_does_no_harm(limits: IngestLimits) -> None:
    result = read(b'{"title": "a\\ud800", "text": "b\\udc00 c"}\n', "a.jsonl", limits)
    assert result.documents[0].title.encode()
    assert result.documents[0].text.encode()


@pytest.mark.parametrize("data", [b"", b"  \n\t", b"\x00" * 100])
def test_an_empty_file_is_said_to_be_empty(data: bytes, limits: IngestLimits) -> None:
    with pytest.raises(UnreadableSource, match="empty"):
        read(data, "a.txt", limits)


def test_text_without_a_letter_is_no_text(limits: IngestLimits) -> None:
    with pytest.raises(UnreadableSource, match="No text"):
        read(b"--- *** ---", "a.txt", limits)


def test_only_a_pdf_without_text_is_called_scanned(limits: IngestLimits, pdf: Maker) -> None:
    fields = b"---\ntitle: Moved\nredirect_to: /elsewhere/\n---\n"
    for data, name, scanned in ((fields, "moved.md", False), (pdf(" "), "scan.pdf", True)):
        with pytest.raises(UnreadableSource, match="No text") as raised:
            read(data, name, limits=limits)
        assert ("Scanned" in (raised.value.remedy or "")) == scanned


@pytest.mark.parametrize("name", ["a.exe", "a.css", "a.zip"])
def test_unknown_kinds_are_refused(name: str, limits: IngestLimits) -> None:
    with pytest.raises(UnsupportedMediaType):
        read(b"some bytes", name, limits)


def test_the_bytes_count_more_than_the_name(limits: IngestLimits, docx: Maker) -> None:
    assert only(docx(["Engines", "Ada."]), "wrong.pdf", limits).text == "Ada."
    with pytest.raises(UnreadableSource, match="not what its name says"):
        read(b"plain text", "a.pdf", limits)
    with pytest.raises(UnsupportedMediaType, match="old or encrypted"):
        read(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old", "a.docx", limits)


@pytest.mark.parametrize(
    "address", ["file:///a/Gr%C3%B6%C3%9Fe%202.docx", "upload:Gr%C3%B6%C3%9Fe%202.docx"]
)
def test_an_error_names_a_file_as_people_do(address: str, limits: IngestLimits) -> None:
    with pytest.raises(UnreadableSource, match=r"^'Größe 2\.docx' is not what its name says"):
        read(b"plain text", address, limits)
    with pytest.raises(UnsupportedMediaType, match=r"^Files like 'Größe 2\.exe' are"):
        read(b"plain text", address.replace("docx", "exe"), limits)


def test_a_declared_type_stands_in_for_an_extension(limits: IngestLimits) -> None:
    result = read(b"<p>Hello</p>", "page.php", limits, declared_type="text/html; charset=utf-8")
    assert result.documents[0].text == "Hello"


@pytest.mark.parametrize("cut", [20, 200, 600])
def test_a_truncated_docx_is_broken(cut: int, limits: IngestLimits, docx: Maker) -> None:
    with pytest.raises(UnreadableSource, match="broken"):
        read(docx(["Engines", "Ada."])[:cut], "a.docx", limits)


def test_a_zip_bomb_is_refused_before_it_is_opened(limits: IngestLimits, docx: Maker) -> None:
    bomb = docx(["x"], extra={"word/media/zeros.bin": bytes(50 * 1024 * 1024)})
    assert len(bomb) < 100_000
    with pytest.raises(SourceTooLarge, match="ZIP bomb"):
        read(bomb, "a.docx", limits)
    with pytest.raises(SourceTooLarge, match="unpacks to 50 MiB"):
        read(bomb, "a.docx", replace(limits, unpacked_limit_mib=10))


def pdf_bomb(mebibytes: int, times: int) -> bytes:
    """Return a PDF whose page unpacks to so much, having been packed ``times`` times."""
    data = b"BT /F1 12 Tf (x) Tj ET" + b" " * (mebibytes << 20)
    for _ in range(times):
        data = zlib.compress(data, 9)
    filters = " ".join(["/FlateDecode"] * times)
    stream = f"<< /Length {len(data)} /Filter [{filters}] >>\nstream\n".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << >> >>",
        stream + data + b"\nendstream",
    ]
    made = b"%PDF-1.5\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(made))
        made += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    start = len(made)
    made += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    made += b"".join(f"{offset:010} 00000 n \n".encode() for offset in offsets)
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF"
    return made + trailer.encode()


@pytest.mark.parametrize("times", [1, 2])
def test_a_pdf_that_unpacks_beyond_the_limit_is_refused_on_the_way(
    limits: IngestLimits, times: int
) -> None:
    bomb = pdf_bomb(300, times)
    assert len(bomb) < (400_000 if times == 1 else 3_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(SourceTooLarge, match="unpacks to more than 10 MiB"):
        read(bomb, "a.pdf", replace(limits, unpacked_limit_mib=10))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150 * 1024  # KiB


def test_within_the_limits_streams_are_unpacked_as_by_zlib(limits: IngestLimits) -> None:
    data = zlib.compress(b"The Aurelia is a ship. " * 500)
    whole = BoundedZlib(limits)
    assert whole.decompress(data) == zlib.decompress(data)
    with pytest.raises(zlib.error):
        whole.decompress(data[:-4])
    stream = whole.decompressobj()
    assert b"".join(stream.decompress(bytes([byte])) for byte in data) == zlib.decompress(data)


def test_an_archive_of_too_many_parts_is_refused(limits: IngestLimits, docx: Maker) -> None:
    data = docx(["x"], extra={f"word/{number}": b"" for number in range(2_001)})
    with pytest.raises(SourceTooLarge, match="parts"):
        read(data, "a.docx", limits)


def test_an_archive_of_something_else_is_refused(limits: IngestLimits) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("../../etc/passwd", "root")
    with pytest.raises(UnsupportedMediaType, match="Unpack it"):
        read(target.getvalue(), "a.zip", limits)


def test_a_pdf_of_too_many_pages_is_refused(limits: IngestLimits, pdf: Maker) -> None:
    with pytest.raises(SourceTooLarge, match="pages"):
        read(pdf(["x"], pages=6), "a.pdf", replace(limits, pdf_pages=5))


def test_too_large_a_file_is_refused(limits: IngestLimits) -> None:
    with pytest.raises(SourceTooLarge, match="more than 1"):
        read(b"x" * 2 * 1024 * 1024, "a.txt", replace(limits, file_limit_mib=1))


def test_too_long_a_text_is_refused(limits: IngestLimits) -> None:
    with pytest.raises(SourceTooLarge, match="longer than 1 MiB"):
        read(b"word " * 300_000, "a.txt", replace(limits, text_limit_mib=1))


def test_json_nested_beyond_reason_is_refused(limits: IngestLimits) -> None:
    with pytest.raises(UnreadableSource, match="too deeply"):
        read(b"[" * 100_000, "a.json", limits)


def test_a_workbook_that_claims_a_million_rows_is_read_at_once(
    limits: IngestLimits, xlsx: Maker
) -> None:
    source = zipfile.ZipFile(io.BytesIO(xlsx({"s": [["a word"]]})))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for entry in source.namelist():
            data = source.read(entry).replace(b'ref="A1"', b'ref="A1:XFD1048576"')
            data = data.replace(b'ref="A1:A1"', b'ref="A1:XFD1048576"')
            archive.writestr(entry, data)
    assert only(target.getvalue(), "a.xlsx", limits).text == "a word."


def test_the_title_of_a_word_document_is_what_word_calls_so(
    limits: IngestLimits, docx: Maker
) -> None:
    data = docx(["Progress", "The dam holds."], style_of_first="Title")
    document = only(data, "x.docx", limits)
    assert (document.title, document.text) == ("Progress", "The dam holds.")


def test_a_table_whose_header_is_not_marked_has_that_of_its_first_row(limits: IngestLimits) -> None:
    rows = (("Task", "Who", "Until"), ("Paint the hall", "Ada", "1 July"))
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    page = f"<h1>Tasks</h1><p>They are:</p><table>{cells}</table>".encode()
    assert only(page, "x.html", limits).text == (
        "They are:\n\nTask: Paint the hall; Who: Ada; Until: 1 July."
    )


def test_a_table_of_names_and_values_has_no_header(limits: IngestLimits) -> None:
    rows = "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in (("By", "Ada"), ("Of", "Bo")))
    assert only(f"<table>{rows}</table>".encode(), "x.html", limits).text == "By; Ada.\n\nOf; Bo."


def test_tables_that_only_place_things_are_no_tables(limits: IngestLimits) -> None:
    page = (
        "<table><tr><td><h2>The tug is here</h2><p>She came in May.</p></td></tr><tr><td>"
        "<table><tr><th>Year</th><th>Tugs</th></tr><tr><td>2025</td><td>4</td></tr></table>"
        "</td></tr></table>"
    )
    document = only(page.encode(), "x.html", limits)
    assert document.text == "The tug is here\n\nShe came in May.\n\nYear: 2025; Tugs: 4."
    assert document.places == (PlaceFrom(0, Place(heading="The tug is here")),)


def test_a_sheet_may_say_what_it_is_above_its_table(limits: IngestLimits, xlsx: Maker) -> None:
    sheet = [["Fleet, as of June"], [], ["Vessel", "Captain"], ["Petrel", "Ingrid Solheim"]]
    assert only(xlsx({"A": sheet}), "x.xlsx", limits).text == (
        "Fleet, as of June.\n\nVessel: Petrel; Captain: Ingrid Solheim."
    )


def test_a_caption_may_have_a_date_beside_it(limits: IngestLimits, xlsx: Maker) -> None:
    rows = [
        ["Training", None, None, "as of 31 March"],
        ["Name", "Depot", "Level", "First aid until"],
        ["Ada", "Ansel", 3, datetime(2031, 7, 2)],
        ["Bo", "Ansel", 2, datetime(2031, 7, 3, 8, 30)],
    ]
    assert only(xlsx({"A": rows}), "x.xlsx", limits).text.split("\n\n") == [
        "Training; as of 31 March.",
        "Name: Ada; Depot: Ansel; Level: 3; First aid until: 2031-07-02.",
        "Name: Bo; Depot: Ansel; Level: 2; First aid until: 2031-07-03 08:30:00.",
    ]


def test_text_without_an_extension_is_read(limits: IngestLimits) -> None:
    assert only("Größe".encode(), "README", limits).text == "Größe"
    for data in (b"#!/bin/sh\nls\n", b"\x00\x01", b"\xff\xfe\xfd"):
        with pytest.raises(UnsupportedMediaType):
            read(data, "README", limits)
    with pytest.raises(UnsupportedMediaType):
        read(b"int main;", "main.c", limits)


@pytest.mark.parametrize("name", ["files.md", "files.txt", "README", "https://a.example/files"])
def test_a_text_that_tells_of_pdfs_is_none(name: str, limits: IngestLimits) -> None:
    data = b"A file begins with %PDF-1.7 and a comment."
    declared = "text/plain; charset=utf-8" if "://" in name else None
    assert only_text(data, name, limits, declared) == data.decode()


@pytest.mark.parametrize("before", [b"", b"\r\n", b"\xef\xbb\xbf", b"@PJL\r\n"])
def test_a_pdf_may_begin_with_something_else(
    before: bytes, limits: IngestLimits, pdf: Maker
) -> None:
    data = before + pdf(["Ada built looms."])
    assert "Ada built looms." in only_text(data, "a.pdf", limits, "text/plain")


def only_text(data: bytes, name: str, limits: IngestLimits, declared: str | None) -> str:
    return read(data, name, limits, declared_type=declared).documents[0].text


def test_what_gzip_packed_is_read_as_what_it_is(limits: IngestLimits) -> None:
    assert only(gzip.compress(b"# Looms\n\nOld."), "a.md.gz", limits).title == "Looms"
    plain = only(gzip.compress(b"Old."), "README.gz", limits)
    assert (plain.title, plain.text) == ("README", "Old.")
    with pytest.raises(UnreadableSource, match="broken"):
        read(gzip.compress(b"Old looms" * 9)[:20], "README.gz", limits)
    with pytest.raises(SourceTooLarge, match="unpacks"):
        read(gzip.compress(b"x" * 3 * 2**20), "README.gz", replace(limits, file_limit_mib=1))


def test_underlined_lines_of_a_text_are_headings(limits: IngestLimits) -> None:
    source = (
        ".. _top:\n\n=======\nThe mill\n=======\n\nIt stands.\n\nOwners\n------\n\nAda.\n\n"
        "Last\n~~~~\nBo.\n\nFire\n----\nIn 1788.\n\na    b\n---- ----\n1    2\n"
    )
    document = only(source.encode(), "mill.rst", limits)
    paragraphs = document.text.split("\n\n")
    places = [place.heading for place in each_place(document.places, len(paragraphs))]
    assert document.title == "The mill"
    assert list(zip(paragraphs, places, strict=True)) == [
        ("It stands.", ""),
        *[(text, "Owners") for text in ("Owners", "Ada.")],
        *[(text, "Owners › Last") for text in ("Last", "Bo.")],
        *[(text, "Fire") for text in ("Fire", "In 1788.", "a b\n---- ----\n1 2")],
    ]


LOCKED_PDF = (
    "eNqtUstu1EAQvM9X9GWPZB49D1uy9kCSlRCgrDaBS5TDPJdFKzvyeqWEn+TAH8CP0HYgsbIcsTRyu7qqpl0zi/XF6o"
    "08Q7b4+ev7DyZBQBe+sqZhfN136RhzD43SKiuNOZYlWy5ZbtPIUTPuzeN9Br7223xg/Lw7tgNIxt/v0gFuQRNxA3cz"
    "KZ5Iz/3g992WPXnA6L2ZCfQ/92J8kw/dsY+koA7R+cecdv5t90DbijMxLSme1t1o3mca7bW7mbl/HgffgGL8Q263wx"
    "fQgnSgVa1r61RNjdVuP1As/HrwbfJ9YvwKGpNDEegrGbUt2WqpQ6hV7VPQwZiYRFAlSxF1KKUoUxknHFbJ2JxQoKVk"
    "+SdonKNJlc8CTdElChdM9DIqV6L02teG9Fb5gNIUNDL4uvjkg4h1UNYrMz+fhz4XJsAy8fyANQYNFHjGJP371GlfMF"
    "OfYFJWp5h1J5iy8gUber/b536K9Xr3LdMofNN1A+CUP3/Xlg7kn/qCTqyhJGo0iCittYiVlegIk1TT2yp0U6WIIcbU"
    "sCK2pW+qrLa4/B8WdE8u29g/3g9g/l6Uw+D7YQpUO8MWi8urFfsNp7nM2Q=="
)
"""An empty page that only opens with a password, deflated."""


def test_a_pdf_with_a_password_is_told(limits: IngestLimits) -> None:
    data = zlib.decompress(base64.b64decode(LOCKED_PDF))
    with pytest.raises(UnreadableSource, match="protected by a password"):
        read(data, "a.pdf", limits)


def test_an_email_of_outlook_is_told(limits: IngestLimits) -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
    with pytest.raises(UnsupportedMediaType, match="Outlook"):
        read(data, "a.msg", limits)
    with pytest.raises(UnsupportedMediaType, match="old or encrypted Office"):
        read(data, "a.doc", limits)


def epub(pages: dict[str, str], more: dict[str, str] | None = None) -> bytes:
    """Return an e-book of these pages, in their order."""
    items = "".join(
        f'<item id="{number}" href="{name}" media-type="application/xhtml+xml"/>'
        for number, name in enumerate(pages)
    )
    spine = "".join(f'<itemref idref="{number}"/>' for number in range(len(pages)))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml",
            "<container><rootfiles><rootfile full-path='b/book.opf'/></rootfiles></container>",
        )
        archive.writestr(
            "b/book.opf",
            "<package><metadata><title xmlns='http://purl.org/dc/elements/1.1/'>Mills</title>"
            f"</metadata><manifest>{items}</manifest><spine>{spine}</spine></package>",
        )
        for name, page in pages.items():
            archive.writestr(f"b/{name.replace('%20', ' ')}", page)
        for name, text in (more or {}).items():
            archive.writestr(name, text)
    return target.getvalue()


def test_an_e_book_is_its_pages_in_their_order(limits: IngestLimits) -> None:
    pages = {
        "z.xhtml": "<html><body><h1>The river</h1><p>A mill stood here"
        "<a epub:type='noteref' href='#n'>1</a>.</p><aside id='n'>For long.</aside></body></html>",
        "a%20b.xhtml": "<html><body><h1>The fire</h1><p>It burnt.</p></body></html>",
    }
    document = only(epub(pages), "m.epub", limits)
    assert document.title == "Mills"
    paragraphs = document.text.split("\n\n")
    assert paragraphs == [
        *("The river", "A mill stood here[1].", "[1] For long.", "The fire", "It burnt.")
    ]
    assert each_place(document.places, 5)[4] == Place(heading="The fire")


def test_an_e_book_that_is_protected_is_told(limits: IngestLimits) -> None:
    hidden = "<encryption><CipherReference URI='b/a.xhtml'/></encryption>"
    with pytest.raises(UnreadableSource, match="protected against copying"):
        read(epub({"a.xhtml": "?"}, {"META-INF/encryption.xml": hidden}), "a.epub", limits)
