"""Markdown as life has it, and what is left of it as text."""

import pytest

from clew_ingest.limits import IngestLimits
from clew_ingest.reading.markdown_text import row_text, without_wiki_links
from clew_ingest.reading.marked_texts import read_markdown


def plain_text(markdown: str) -> tuple[str, str]:
    """Return the title, "" for none, and the text of the document that a Markdown file is."""
    (document,) = read_markdown(markdown.encode(), "", IngestLimits()).documents
    return document.title, document.text


@pytest.mark.parametrize(
    ("markdown", "paragraphs"),
    [
        (
            "- a\n  - b\n\n    more of b\n    1. c\n- d\n2) e\n",
            ["a", "b", "more of b", "c", "d", "e"],
        ),
        ("Intro:\n• one\n• two\n", ["Intro:", "one", "two"]),
        ("1986. A good year.\n\n3. Third.\n", ["1986. A good year.", "Third."]),
        ("| a | b |\n|---|---|\n| 1 \\| 2 | [x](y) |\n| | z |\n", ["a: 1 | 2; b: x.", "b: z."]),
        ("a | b\n--- | ---\n1<br>2 | `3`\n", ["a: 1 2; b: 3."]),
        ("| a | **b** |\n| c | d |\n", ["a; b.", "c; d."]),
        ("Text.\n\n| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |\n", ["Text.", "a: 1.", "b: 2."]),
        ("<div>\nSome <b>bold</b> &amp; more.\n</div>\n", ["Some bold & more."]),
        ("<p>\nRun ssh &lt;user&gt;@&lt;host&gt;.\n</p>\n", ["Run ssh <user>@<host>."]),
        ("<details><summary>S</summary>\n\nSome **md**\n\n</details>\n", ["S", "Some md"]),
        (
            "<table><tr><th>N</th><th>B</th></tr><tr><td>Ada</td><td>1815</td></tr></table>\n",
            ["N: Ada; B: 1815."],
        ),
        ("<script>\nalert(1)\n</script>\n\n<style>p {}</style>\n\nText.\n", ["Text."]),
        ("a <!-- x --> b\n\n<!-- one\n\ntwo -->\n\nc<br>d\n", ["a b", "c\nd"]),
        (
            "Text[^1] and more[^n].\n\n[^1]: A note.\n[^n]: Another.\n\n    Of two parts.\n",
            ["Text and more.", "A note.", "Another.", "Of two parts."],
        ),
        (
            "See [the paper][p], [P] and [12][13].\n\n[p]: http://x 'T'\n",
            ["See the paper, P and [12][13]."],
        ),
        (
            "![alt *x*](a.png) [![badge](b.svg)](http://c) ![ref][i]\n\n[i]: x\n",
            ["alt x badge ref"],
        ),
        ("```python\ndef f():\n\n    return '**x**'\n```\n", ["def f():", "return '**x**'"]),
        ("~~~\n<b>&amp;\n~~~\n\n    indented **code**\n", ["<b>&amp;", "indented **code**"]),
        ("```\nnever closed\n", ["never closed"]),
        ("```sh\nup   # starts\ndown \\\n  --all\n```\n", ["up # starts", "down \\\n--all"]),
        ("> a\n> b\n>> c\n", ["a\nb", "c"]),
        ("\\*not\\* 5 \\< 6 &lt; 7 &copy; a_b_c\n", ["*not* 5 < 6 < 7 © a_b_c"]),
        ("2*3*4 is *twelve*, **no**: 24\n", ["2*3*4 is twelve, no: 24"]),
        (
            "<https://example.org/a> and <ada@example.org>, ~~not~~ now\n",
            ["https://example.org/a and ada@example.org, not now"],
        ),
        ("Text\n\n---\n\nmore\n***\nend\n", ["Text", "more", "end"]),
    ],
)
def test_the_words_stay_and_each_part_is_a_paragraph(markdown: str, paragraphs: list[str]) -> None:
    assert plain_text(markdown)[1].split("\n\n") == paragraphs


@pytest.mark.parametrize(
    ("markdown", "title"),
    [
        ("---\ntitle: 'A: b'\nx: 1\n---\n# H\n", "A: b"),
        ('---\nTitle: "Q"\n...\nText\n', "Q"),
        ("---\n\nText\n\n---\n\nmore\n", ""),
        ("#\n\n## The *real* one ##\n\n# Later\n", "The real one"),
        ("Under\n=====\n", "Under"),
        ("> # Quoted\n", "Quoted"),
        ("#NoHeading\n", ""),
        ("---\n# Of Hugo\ntitle: A\n---\n# H\n", "A"),
        ('+++\ntitle = "A: b"\ndate = 2024-03-01\n[params]\ntitle = "c"\n+++\n# H\n', "A: b"),
        ("+++\ndraft = true\n+++\n# H\n", "H"),
    ],
)
def test_the_title_is_the_front_matter_s_or_the_first_heading_s(markdown: str, title: str) -> None:
    assert plain_text(markdown)[0] == title


def test_fields_of_front_matter_are_told_before_the_text() -> None:
    told = ("A", "tags: x, y; status: Final.\n\nText")
    assert plain_text("---\ntitle: A\ntags: [x, y]\nstatus: Final\n---\nText\n") == told
    assert plain_text("+++\ntitle = 'A'\ntags = ['x', 'y']\nstatus = 'Final'\n+++\nText\n") == told
    assert plain_text("---\ntags: [x, y]\nstatus: Final\n---\n# A\nText\n") == told
    assert plain_text("---\ntitle: A\ndraft: true\n---\nText\n") == ("A", "Text")
    assert plain_text("---\ntitle: A\nstatus: Final\n---\n") == ("A", "")
    assert plain_text("+++\nno field\n+++\nText\n")[1] == "+++\nno field\n+++\nText"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("> [!WARNING]\n> Back up first.\n", "Warning: Back up first."),
        ("> [!note]- Of old\n> No more.\n", "Of old: No more."),
        (":::note Mind\nIt is.\n:::\n", "Mind: It is."),
        ("::: tip\n\nIt is.\n\n:::\n", "Tip:\n\nIt is."),
        ('!!! warning "Careful"\n    Do not.\n', "Careful: Do not."),
        ("Read\n!!! note\n", "Read\nNote:"),
        ("Wait!!! note\n", "Wait!!! note"),
        ("!!! Please read on\n", "!!! Please read on"),
        ("`:::note` and `[!NOTE]`\n", ":::note and [!NOTE]"),
    ],
)
def test_what_begins_a_note_names_it(written: str, text: str) -> None:
    assert plain_text(written)[1] == text


def test_templates_and_attributes_are_no_text() -> None:
    written = (
        "## Setup {#setup}\n\n{{% notice %}}\n\nOf<%= a.b %> it. {% include c.html %}\n{: .x }\n"
    )
    assert plain_text(written) == ("Setup", "Setup\n\nOf it.")
    imports = "import Tabs from '@theme/Tabs';\nimport {a, b} from \"./c\";\n\nimport duties\n"
    assert plain_text(imports)[1] == "import duties"
    assert plain_text("`{% raw %}` and {{ name }}, {1}\n")[1] == "{% raw %} and {{ name }}, {1}"
    links = '[A]({% page "/a" %}), [B](<%= b %> "Z"), ![C]({{ "c.png" | url }}), [D]({{ d }}/z/).\n'
    assert plain_text(links)[1] == "A, B, C, D."


def test_numbers_above_the_line_are_none_of_what_stands_before_them() -> None:
    assert plain_text("In 2019<sup>1</sup> 5 m<sup>2</sup>, 1<sup>st</sup>, H<sub>2</sub>O")[1] == (
        "In 2019¹ 5 m², 1st, H2O"
    )


def test_links_of_wikis_are_their_text() -> None:
    written = "[[Ada Lovelace]] met [[Charles Babbage|him]]; x[[1]], `[[a]]`, [[ -f x ]], [[n]](u)"
    assert without_wiki_links(written) == (
        "Ada Lovelace met him; x[[1]], `[[a]]`, [[ -f x ]], [[n]](u)"
    )


def test_what_is_nested_deeply_is_read() -> None:
    assert plain_text("> " * 100 + "word\n")[1] == "word"
    assert "word 60" in plain_text("".join(f"{' ' * 2 * n}- word {n}\n" for n in range(70)))[1]


def test_a_row_of_a_table_ends_with_one_full_stop() -> None:
    assert row_text(["Level", "Scope"], ["L1", "Routine problems."]) == (
        "Level: L1; Scope: Routine problems."
    )
    assert row_text(["Level", "Scope"], ["L1", "Features"]) == "Level: L1; Scope: Features."
    assert row_text(["Level"], [""]) == ""


@pytest.mark.parametrize("first", ["", "First it is.\n", "# First\n"])
def test_a_rule_at_the_beginning_is_no_front_matter(first: str) -> None:
    source = f"---\n{first}\nSome words.\n\n---\n\nMore.\n"
    assert plain_text(source)[1].endswith("Some words.\n\nMore.")
    assert ("First" in plain_text(source)[1]) == bool(first)
