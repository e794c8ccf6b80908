"""Which corpus the pages begin with: the one used last, and never one that the bench made."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from clew_cypher.errors import GraphUnavailable


@pytest.fixture(autouse=True)
def corpora(clew: Any) -> None:
    """The bench's come first in the alphabet and hold the most."""
    for number in range(9):
        clew._put("bench-hotpotqa-100-b68f1b6e", f"u:{number}", f"T{number}", "ready", None)
    clew._put("papers", "u:paper", "Paper", "ready", None)
    clew.stored["zoo"] = {}


def _chosen(page: str) -> str:
    return page.partition(" selected>")[2].split("<")[0].strip()


def test_the_bench_s_corpora_are_never_chosen_by_themselves(client: Any) -> None:
    assert _chosen(client.get("/ask").text) == "sample (5 documents)"
    assert '<option value="sample" selected>' in client.get("/").text


def test_the_corpus_used_last_is_chosen_again(client: Any) -> None:
    client.get("/ask?corpus=papers")
    assert _chosen(client.get("/ask").text) == "papers (1 document)"
    assert '<option value="papers" selected>' in client.get("/").text
    client.get("/documents?corpus=sample")
    assert _chosen(client.get("/ask").text) == "sample (5 documents)"


def test_a_corpus_of_the_bench_that_was_chosen_stays(client: Any) -> None:
    client.get("/ask?corpus=bench-hotpotqa-100-b68f1b6e")
    assert _chosen(client.get("/ask").text).startswith("bench-hotpotqa-100-b68f1b6e")


def test_one_that_is_empty_or_gone_is_not_asked(client: Any, clew: Any) -> None:
    client.get("/documents?corpus=zoo")
    assert _chosen(client.get("/documents").text) == "zoo"
    assert _chosen(client.get("/ask").text) == "sample (5 documents)"
    client.get("/ask?corpus=papers")
    del clew.stored["papers"]
    assert _chosen(client.get("/ask").text) == "sample (5 documents)"


def test_a_name_of_any_letters_comes_back(client: Any, clew: Any) -> None:
    clew._put("Ärzte; 報告", "u:1", "One", "ready", None)
    client.get("/ask?corpus=Ärzte;%20報告")
    assert _chosen(client.get("/ask").text) == "Ärzte; 報告 (1 document)"


@pytest.mark.parametrize("path", ["/ask", "/documents", "/bench"])
def test_lists_keep_the_bench_s_apart(client: Any, path: str) -> None:
    own, _, bench = client.get(path).text.partition('<optgroup label="Made by the bench">')
    assert "papers" in own
    assert "bench-hotpotqa-100-b68f1b6e" not in own
    assert "bench-hotpotqa-100-b68f1b6e" in bench


def test_home_lists_them_folded(client: Any) -> None:
    own, _, bench = client.get("/").text.partition("<summary")
    assert ">papers<" in own
    assert ">bench-hotpotqa-100-b68f1b6e<" not in own
    assert ">bench-hotpotqa-100-b68f1b6e<" in bench
    assert "1 made by the bench" in bench


def test_what_was_unfolded_stays_so(
    app: Any, clew: Any, serve: Any, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew_web.ui.home.LIVE_S", 0.2)
    page = open_page(serve(app), "/")
    folded = page.get_by_text("1 made by the bench")
    folded.click()
    folded.blur()
    clew._put("papers", "u:other", "Other paper", "accepted", None)
    expect(page.get_by_text("1 waiting")).to_be_visible()
    expect(page.get_by_role("link", name="bench-hotpotqa")).to_be_visible()


def test_what_is_asked_on_the_page_is_remembered(app: Any, serve: Any, open_page: Any) -> None:
    address = serve(app)
    page = open_page(address, "/ask")
    page.get_by_label("Corpus", exact=True).select_option("papers")
    page.get_by_label("Your question").fill("Who founded it?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("High confidence")).to_be_visible()
    page.goto(f"{address}/ask")
    expect(page.get_by_label("Corpus", exact=True)).to_have_value("papers")


def test_uploads_go_where_the_address_says_while_the_database_is_away(
    client: Any, clew: Any
) -> None:
    clew.error = GraphUnavailable("The database cannot be reached.")
    page = client.get("/documents?corpus=papers&status=failed").text
    assert _chosen(page) == "papers"
    assert page.count('data-corpus="papers"') == 2  # of the drop zone, and of what is deleted
    assert "data-address" not in page
    page = client.get("/documents?status=failed").text
    assert _chosen(page) == "default"
    # else the lists would be of the corpus used last, once the database is there again
    assert 'data-address="/documents?status=failed&amp;corpus=default"' in page


def test_of_hundreds_the_home_page_shows_those_with_the_most_documents(
    client: Any, clew: Any
) -> None:
    clew.stored |= {f"empty-{number}": {} for number in range(300)}
    page = client.get("/").text
    shown = re.findall(r'<h3><a href="[^"]*">([^<]*)</a></h3>', page)
    assert shown[:2] == ["sample", "papers"]
    assert len([name for name in shown if not name.startswith("bench-")]) == 8
    own = [name for name in clew.stored if not name.startswith("bench-")]
    assert f">{len(own) - 8} more: all corpora</a>" in page
