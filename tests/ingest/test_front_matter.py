"""Tests of front matter: the fields before a text."""

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
