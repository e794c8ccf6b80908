"""The graph explorer: its pages and files, and in real Chromium what a person does there."""

import json
import re
from pathlib import Path
from typing import Any
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
    assert guide.headers["Access-Control-Allow-Origin"] == "*"
    page = client.get("/graph/tools").text
    for phrase in PHRASES:
        assert phrase.words in page
    assert "not opened in Bloom" in page


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


def test_a_path_and_the_part_of_an_answer(address: str, open_page: Any) -> None:
    page = open_page(address, "/graph?corpus=sample&chunk_ids=c1&entity_ids=e1")
    expect(page.locator(".graph-canvas")).to_be_visible()
    drawing = Drawing(page)
    drawing.has(4, "#c1, #c2, #e1, #e2")
    drawing.has(1, "node.on-path[id = 'c1']")
    page.get_by_role("button", name="Clear").click()
    page.get_by_label("Entity", exact=True).fill("Aurelia")
    page.get_by_label("Path to").fill("Aurelia")
    page.get_by_role("button", name="Draw").click()
    expect(page.locator("#explore-message")).to_contain_text("Nothing joins")


def test_an_answer_leads_to_the_explorer(address: str, open_page: Any) -> None:
    page = open_page(address, "/ask?corpus=sample&strategy=dense&q=Who+built+the+Aurelia%3F")
    link = page.get_by_role("link", name="Explore")
    expect(link).to_have_attribute("href", re.compile(r"^/graph\?corpus=sample&.*chunk_ids=c1"))
    link.click()
    expect(page).to_have_title("Graph · Clew")
    expect(page.locator(".graph-canvas")).to_be_visible()
    Drawing(page).has(1, "node.on-path[id = 'c1']")
