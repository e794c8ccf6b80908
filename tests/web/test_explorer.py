"""The graph explorer: its pages and files, and in real Chromium what a person does there."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote_plus, urlsplit
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from clew_cypher.bloom.perspective import perspective
from clew_cypher.bloom.queries import PHRASES

from .drawing import Drawing

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


def test_the_files_for_neo4j_tools(app: Any) -> None:
    client = app.test_client()
    assert client.get("/graph/perspective.json").json == perspective()
    style = client.get("/graph/style.grass")
    assert "clew.grass" in style.headers["Content-Disposition"]
    guide = client.get("/graph/guide.html")
    # the Browser sends headers of its own, for which leave is asked first
    asked = client.options(
        "/graph/guide.html", headers={"Access-Control-Request-Headers": "pragma,sentry-trace"}
    )
    assert asked.status_code == 200
    for answer in (guide, asked):
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert answer.headers["Access-Control-Allow-Headers"] == "*"
    page = client.get("/graph/tools").text
    for phrase in PHRASES:
        assert phrase.words in page
    assert "not opened in Bloom" in page
    here = client.get("/graph/tools", base_url="http://127.0.0.1:7300").text
    assert ":play http://localhost:7300/graph/guide.html<" in here


def test_a_path_over_rest(app: Any) -> None:
    client = app.test_client()
    found = client.get("/api/v1/graph/path?corpus=sample&a=e1&b=e2").json
    assert [node["id"] for node in found["nodes"]] == ["e1", "c1", "e2"]
    assert client.get("/api/v1/graph/path?corpus=sample&a=e1&b=no").json["nodes"] == []
    assert client.get("/api/v1/graph/path?corpus=sample&a=e1").status_code == 422


@pytest.fixture
def address(app: Any, serve: Any) -> str:
    return str(serve(app))


def test_search_expand_filter_and_export(address: str, open_page: Any, tmp_path: Path) -> None:
    page = open_page(address, "/graph?corpus=sample")
    expect(page.locator("#explore-message")).to_contain_text("Nothing is drawn yet")
    page.get_by_label("Entity", exact=True).fill("aurelia")
    page.get_by_role("button", name="Draw").click()
    drawing = Drawing(page)
    drawing.has(5, "node")
    drawing.settled()
    assert set(drawing.places()) == {"e1", "e10", "e11", "e12", "e13"}
    expect(page.locator("#explore-detail")).to_contain_text("Aurelia")
    expect(page.get_by_role("link", name="Open in Bloom")).to_have_attribute("href", "/graph/tools")

    def saved(name: str) -> Path:
        with page.expect_download() as download:
            page.get_by_role("button", name=name, exact=True).click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return path

    drawn = json.loads(saved("JSON").read_text())
    assert {node["label"] for node in drawn["nodes"]} >= {"Aurelia", "Port Ansel"}
    assert len(drawn["edges"]) == 4
    tree = ElementTree.parse(saved("GraphML"))
    assert len(tree.findall(f".//{GRAPHML}node")) == 5
    assert len(tree.findall(f".//{GRAPHML}edge")) == 4
    assert saved("PNG").read_bytes().startswith(b"\x89PNG")
    page.get_by_label("Level").select_option("chunk")
    assert json.loads(saved("JSON").read_text())["nodes"] == []
    expect(page.locator("#explore-list li")).to_have_count(0)
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#explore-drawing")).to_be_hidden()


def test_without_a_corpus_it_leads_to_documents(address: str, clew: Any, open_page: Any) -> None:
    clew.stored = {}
    page = open_page(address, "/graph")  # fails where a script of it does
    expect(page.get_by_role("heading", name="There is no graph yet")).to_be_visible()
    page.get_by_role("link", name="Add documents").click()
    page.wait_for_url("**/documents")


def test_what_could_not_be_drawn_is_drawn_when_it_is_asked_for_again(
    address: str, open_page: Any
) -> None:
    page = open_page(address, "/graph?corpus=sample&chunk_ids=c1&entity_ids=e1")
    drawing = Drawing(page)
    drawing.has(7, "node")
    page.get_by_text("The same as a list").click()
    entry = page.locator("#explore-list").get_by_role("button", name="Victor Ferrand")
    page.route("**/api/v1/graph?*", lambda route: route.abort())
    entry.click()
    expect(page.locator("#explore-message")).to_contain_text("cannot be reached")
    page.unroute("**/api/v1/graph?*")
    entry.click()
    drawing.has(11, "node")


def test_a_path_and_the_part_of_an_answer(address: str, open_page: Any) -> None:
    page = open_page(address, "/graph?corpus=sample&chunk_ids=c1&chunk_ids=c2&entity_ids=e1")
    expect(page.locator(".graph-canvas")).to_be_visible()
    drawing = Drawing(page)
    drawing.has(4, "#c1, #c2, #e1, #e2")
    drawing.has(2, "node.on-path[kind = 'chunk']")
    drawing.has(3, "edge.on-path")  # Aurelia – its passage – Seld Shipyard – its passage
    drawing.has(1, "node.root.on-path[id = 'e1']")
    drawing.has(0, "node.on-path[id = 'e3'], node.on-path[id = 'c3']")
    page.get_by_role("button", name="Clear").click()
    page.get_by_label("Entity", exact=True).fill("Aurelia")
    page.get_by_label("Path to").fill("Aurelia")
    page.get_by_role("button", name="Draw").click()
    expect(page.locator("#explore-message")).to_contain_text("Nothing joins")


@pytest.fixture
def known_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both tools of Neo4j are served somewhere."""
    addresses = {
        "bloom": "https://bloom.example/",
        "browser": "http://127.0.0.1:7474/browser/",
        "perspective": "Clew",
    }
    monkeypatch.setattr("clew_web.ui.graph._addresses", lambda: addresses)


def asked_of_browser(link: Any) -> str:
    """Return the query that Neo4j Browser reads out of an address: it decodes all of it first."""
    decoded = unquote_plus(link.get_attribute("href"))
    found = re.search(r"[?&]arg=([^&#]*)", decoded)
    assert found
    return found[1]


@pytest.mark.usefixtures("known_tools")
def test_an_entity_and_an_answer_lead_to_the_tools_of_neo4j(address: str, open_page: Any) -> None:
    page = open_page(address, "/entities/e3?corpus=sample")
    name = '<b>Not bold</b> & "quoted"'
    bloom = page.get_by_role("link", name="Open in Bloom")
    asked = parse_qs(urlsplit(bloom.get_attribute("href")).query)
    assert asked["search"] == [f"What is said of {name}"]
    query = asked_of_browser(page.get_by_role("link", name="Open in Browser"))
    literal = re.search(r"\{name: (\".*\")\}", query)
    assert literal
    assert json.loads(literal[1]) == name  # which Cypher reads alike
    assert query.endswith("LIMIT 100")
    page.get_by_role("link", name="Explore").click()
    expect(page).to_have_url(re.compile(r"/graph\?corpus=sample&entity_id=e3$"))

    page.goto(f"{address}/ask?corpus=sample&strategy=dense&q=Who+built+the+Aurelia%3F")
    browser = page.get_by_role("link", name="Open in Browser")
    expect(browser).to_have_attribute("href", re.compile("c1%2Cc2%2Cc3"))
    assert "split(\"c1,c2,c3\", ',')" in asked_of_browser(browser)
    page.locator("#graph summary").click()
    page.locator("#graph .graph-list button", has_text="Victor Ferrand").click()
    page.get_by_role("link", name="All that is said of it").click()
    expect(page).to_have_url(re.compile(r"/entities/e3\?corpus=sample$"))


def test_an_answer_leads_to_the_explorer(address: str, open_page: Any) -> None:
    page = open_page(address, "/ask?corpus=sample&strategy=dense&q=Who+built+the+Aurelia%3F")
    link = page.get_by_role("link", name="Explore")
    expect(link).to_have_attribute("href", re.compile(r"^/graph\?corpus=sample&.*chunk_ids=c1"))
    link.click()
    expect(page).to_have_title("Graph · Clew")
    expect(page.locator(".graph-canvas")).to_be_visible()
    Drawing(page).has(1, "node.on-path[id = 'c1']")


def test_what_is_drawn_stands_in_the_address(address: str, open_page: Any) -> None:
    page = open_page(address, "/graph?corpus=sample")
    page.get_by_label("Entity", exact=True).fill("aurelia")
    page.get_by_role("button", name="Draw").click()
    drawing = Drawing(page)
    drawing.has(5, "node")
    assert parse_qs(urlsplit(page.url).query) == {"corpus": ["sample"], "from": ["Aurelia"]}
    page.get_by_label("Path to").fill("the aurelia")
    page.get_by_role("button", name="Draw").click()
    drawing.has(2, "edge.on-path")
    # also that at the node which was chosen before
    accent = page.evaluate(
        "getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()"
    )
    red, green, blue = (int(accent[at : at + 2], 16) for at in (1, 3, 5))
    drawing.has(1, "edge.on-path.near")
    assert drawing.style("edge.on-path.near", "line-color") == f"rgb({red},{green},{blue})"

    again = open_page(address, page.url.removeprefix(address))
    Drawing(again).has(2, "edge.on-path")
    expect(again.get_by_label("Path to")).to_have_value("The Aurelia")
    page.go_back()
    expect(page.get_by_label("Entity", exact=True)).to_have_value("Aurelia")
    expect(page.get_by_label("Path to")).to_have_value("")
    Drawing(page).has(0, "edge.on-path")
    page.get_by_role("button", name="Clear").click()
    page.wait_for_url("**/graph?corpus=sample")
