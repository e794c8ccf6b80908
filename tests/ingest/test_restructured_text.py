"""reStructuredText as life has it, with what Sphinx adds, and what is left of it as text."""

from pathlib import Path

import pytest

from clew_ingest.limits import IngestLimits
from clew_ingest.reading.read_document import ReadDocument
from clew_ingest.reading.readers import read


def read_rst(text: str) -> ReadDocument:
    """Return the document that a file of that text is."""
    (document,) = read(text.encode(), "page.rst", IngestLimits()).documents
    return document


@pytest.mark.parametrize(
    ("text", "paragraphs"),
    [
        (
            "Use ``pip``, *one* `link <https://x>`__ and `ref`_. H\\ :sub:`2`\\ O\n\n.. _ref: y\n",
            ["Use pip, one link and ref. H2O"],
        ),
        (
            "See :ref:`the intro <intro>`, :py:func:`~asyncio.run`, :class:`!Foo` and :doc:`/a`.",
            ["See the intro, run, Foo and /a."],
        ),
        (":pep:`484`, :rfc:`2119`, :pep:`the style <8>`", ["PEP 484, RFC 2119, the style"]),
        ("Broken `target`_ and |nothing|.", ["Broken `target`_ and |nothing|."]),
        (
            "+---+---+\n| K | V |\n+===+===+\n| a | 1 |\n+---+---+\n\n"
            "=== ====\nN   Born\n=== ====\nAda 1815\n=== ====\n",
            ["K: a; V: 1.", "N: Ada; Born: 1815."],
        ),
        (
            ".. csv-table:: Prices\n   :header: Part, Price\n\n   Seal, 3\n",
            ["Prices", "Part: Seal; Price: 3."],
        ),
        ("slip\n    A lift.\n\n:param x: It is.\n", ["slip: A lift.", "param x: It is."]),
        (
            "A [#n]_ b [C2]_\n\n.. [#n] Note.\n.. [C2] Book.\n",
            ["A [1] b [C2]", "[1] Note.", "[C2] Book."],
        ),
        (
            ".. warning:: Not twice.\n\n.. note::\n\n   It is.\n",
            ["Warning: Not twice.", "Note: It is."],
        ),
        (".. versionadded:: 3.8\n   The *x*.\n", ["Added in version 3.8: The x."]),
        (".. function:: run(x)\n   :async:\n\n   Runs.\n", ["run(x)", "Runs."]),
        (
            ".. only:: html\n\n   Shown.\n\n.. tabs::\n\n   .. tab:: Mac\n\n      Brew.\n",
            ["Shown.", "Mac", "Brew."],
        ),
        (
            "It is.\n\n.. toctree::\n   :maxdepth: 2\n\n   a\n\n.. contents:: B\n\n.. a comment\n",
            ["It is."],
        ),
        ("|n| is it.\n\n.. |n| replace:: Clew\n", ["Clew is it."]),
        (
            "1. one\n2. two\n\n* three\n\nCode::\n\n    x = 1\n",
            ["one", "two", "three", "Code:", "x = 1"],
        ),
    ],
)
def test_the_words_stay_and_marks_go(text: str, paragraphs: list[str]) -> None:
    assert read_rst(text).text.split("\n\n") == paragraphs


def test_the_one_highest_heading_is_the_title_and_others_are_places() -> None:
    document = read_rst("====\nClew\n====\n\nIntro.\n\nUse\n---\n\nGo.\n\nMore\n~~~~\n\nOn.\n")
    assert (document.title, document.text.split("\n\n")) == (
        "Clew",
        ["Intro.", "Use", "Go.", "More", "On."],
    )
    assert [one.place.heading for one in document.places] == ["Use", "Use › More"]
    assert read_rst("One\n===\n\nA.\n\nTwo\n===\n\nB.\n").title == "page"


def test_no_other_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret words")
    text = "".join(
        f".. {name}:: {tmp_path / 'secret.txt'}\n\n" for name in ("include", "literalinclude")
    )
    text += f".. csv-table::\n   :file: {tmp_path / 'secret.txt'}\n\n.. raw:: html\n\n   <b>x</b>\n"
    assert read_rst(f"{text}\nAn end.").text == "An end."


@pytest.mark.parametrize(
    "text", ["word " * 30_000, "".join(f"{'  ' * n}* a{n}\n\n" for n in range(400)), "`a <b " * 900]
)
def test_what_is_no_usual_text_is_read_all_the_same(text: str) -> None:
    assert len(read_rst(text).text.split()) >= min(len(text.split()), 399)
