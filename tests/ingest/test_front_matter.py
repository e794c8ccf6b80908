"""Tests of front matter: the fields before a text."""

import time
from itertools import pairwise

import pytest

from clew_ingest.limits import IngestLimits
from clew_ingest.reading.front_matter import columns_of, numbered_title, parted
from clew_ingest.reading.read_document import ReadDocument
from clew_ingest.reading.readers import read


def read_markdown(text: str, name: str = "page.md") -> ReadDocument:
    """Return the document that a Markdown file of that name is."""
    return read(text.encode(), name, IngestLimits()).documents[0]


def test_values_are_as_they_are_written() -> None:
    text = (
        "---\ncreated: 2015-10-27\nopcode: 0x5c\nrequires: 2718, 2930\nabout: >-\n  On\n"
        "  two lines\nauthors:\n  - {name: Ada, team: Seld}\n  - Bo\nempty:\ndraft: false\n"
        "---\nText\n"
    )
    fields, rest = parted(text)
    assert fields == {
        "created": "2015-10-27",
        "opcode": "0x5c",
        "requires": "2718, 2930",
        "about": "On two lines",
        "authors": ["Ada", "Seld", "Bo"],
        "draft": "false",
    }
    assert rest == "Text\n"
    assert columns_of(fields)[0] == ["created", "opcode", "requires", "about", "authors"]


def test_what_is_no_yaml_is_read_by_its_lines() -> None:
    fields, _ = parted('---\ntitle: Paris: a guide\nowner: "#team"\nx: <%= y: %>\n---\nText\n')
    assert fields == {"title": "Paris: a guide", "owner": "#team", "x": "<%= y: %>"}


def test_fields_that_hold_one_another_have_an_end() -> None:
    levels = "".join(
        f"{after}: &{after} [{f'*{name}, ' * 9}1]\n" for name, after in pairwise("abcdef")
    )
    fields, rest = parted(f"---\na: &a [1]\n{levels}---\nText\n")
    assert rest == "Text\n"
    assert max(map(len, fields.values())) < 1000
    assert parted("---\nx: &a [1, *a]\n---\nText\n")[1] == "Text\n"
    assert parted("---\nx: " + "[" * 5000 + "]" * 5000 + "\n---\nText\n")[1] == "Text\n"


@pytest.mark.parametrize(
    ("fields", "name", "title"),
    [
        ("eip: 1559\ntitle: Fees", "eip-1559.md", "EIP-1559: Fees"),
        ("pep: 8\ntitle: Style", "pep-0008.md", "PEP-8: Style"),
        ("proposal: 12\ntitle: Fees", "proposal_12.md", "Proposal-12: Fees"),
        ("eip: 20", "eip-20.md", "EIP-20"),
        ("adr: 7\ntitle: ADR 7 – Use it", "adr-7.md", "ADR 7 – Use it"),
        ("order: 3\ntitle: Fees", "chapter-3.md", "Fees"),
        ("eip: 155\ntitle: Fees", "eip-1559.md", "Fees"),
    ],
)
def test_a_number_in_a_series_is_said_by_a_field_and_the_file_s_name(
    fields: str, name: str, title: str
) -> None:
    assert read_markdown(f"---\n{fields}\n---\nText\n", name).title == title


def test_a_title_without_a_number_stays() -> None:
    assert numbered_title("Fees", {"status": "Final"}, "eip-1559") == "Fees"


def test_documents_keep_the_fields_to_be_chosen_by() -> None:
    document = read_markdown("---\ntitle: A\nstatus: Final\ntags: [x, y]\n---\nText\n")
    assert document.metadata == {"title": "A", "status": "Final", "tags": ["x", "y"]}
    assert document.text == "status: Final; tags: x, y.\n\nText"
    assert document.fields_first
    assert not read_markdown("---\ntitle: A\n---\nText\n").fields_first


@pytest.mark.parametrize("name", ["pep-0703.rst", "pep-0703.md", "pep-0703.txt", "pep-0703"])
def test_lines_with_names_before_a_text_are_fields(name: str) -> None:
    head = (
        "PEP: 703\nTitle: Optional locks\nAuthor: Sam <sam at example.org>,\n"
        "        Ada <ada@a.org>\nPython-Version: 3.13\nResolution: `24-Oct-2023 <https://example.org/22606>`__\nTopic:\n"
    )
    document = read_markdown(f"{head}\n\nAbstract\n========\n\nIt is long.\n", name)
    assert document.title == "PEP-703: Optional locks"
    assert document.metadata == {
        "PEP": "703",
        "Title": "Optional locks",
        "Author": "Sam <sam at example.org>, Ada <ada@a.org>",
        "Python-Version": "3.13",
        "Resolution": "24-Oct-2023",
    }
    first, *rest = document.text.split("\n\n")
    assert first.startswith("PEP: 703; Author: Sam <sam at example.org>, Ada <ada@a.org>; Python V")
    assert (document.fields_first, rest) == (True, ["Abstract", "It is long."])
    assert read_markdown(f"{head}\n\n", name).metadata == {}  # nothing else, so that is the text


@pytest.mark.parametrize(
    "text",
    [
        "Ann: Where is it?\nBo: Behind the shed.\n\nThey went.",
        "Title: A text\n\nIt is short.",
        "Name: Ann Lee\nTitle: Head of sales\n\nShe is in on Mondays.",
        "Title: A text\nand more of it\nDate: 3 May\n\nIt is short.",
        "Title:A text\nDate:3 May\n\nIt is short.",
    ],
)
def test_what_is_no_head_is_text(text: str) -> None:
    document = read_markdown(text, "page.txt")
    assert (document.title, document.metadata) == ("page", {})
    assert document.text.split() == text.split()
    assert not document.fields_first


@pytest.mark.parametrize("heading", ["", "My post\n#######\n\n", "=======\nMy post\n=======\n\n"])
def test_a_field_list_before_a_text_is_its_fields(heading: str) -> None:
    fields = ":date: 2010-10-03\n:authors:\n    Ada,\n    Bo\n:orphan:\n"
    document = read_markdown(f"{heading}{fields}\nIt is :term:`long`.\n", "page.rst")
    assert document.title == ("My post" if heading else "page")
    assert document.metadata == {"date": "2010-10-03", "authors": "Ada, Bo"}
    assert document.text == "date: 2010-10-03; authors: Ada, Bo.\n\nIt is long."


def test_a_head_without_an_end_is_looked_through_once() -> None:
    started = time.monotonic()
    for text in (
        "a" * 2_000_000,
        "=\n" * 500_000,
        "a: b\n" * 300_000 + "x",
        "a:\n" + "\tx\n" * 500_000,
    ):
        assert parted(f"{text}!")[0] == {}
    assert time.monotonic() - started < 10
