"""The perspective is made from the schema; what it asks exists, is understood, and finds it."""

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from neo4j import GraphDatabase

from clew_cypher.bloom.browser import browser_guide, browser_style
from clew_cypher.bloom.perspective import LOOKS, perspective
from clew_cypher.bloom.queries import PHRASES, SCENE_ACTIONS, query_text
from clew_cypher.kinds import BOOKKEEPING, KINDS
from clew_cypher.schema import LABELS, RELATIONSHIPS
from clew_cypher.statements import statement
from clew_cypher.store import GraphStore, Neo4jConfig

SAVED = [item.statement for item in (*PHRASES, *SCENE_ACTIONS)]


def test_the_perspective_shows_content_and_no_bookkeeping() -> None:
    made = perspective()
    assert made == perspective()
    shown = {category["name"] for category in made["categories"]}
    content = {label.name for label in LABELS if not label.bookkeeping} - {"MergedEntity"}
    assert shown == content | {kind.name for kind in KINDS}
    assert BOOKKEEPING not in shown
    types = {kind["name"] for kind in made["relationshipTypes"]}
    assert types | set(made["hiddenRelationshipTypes"]) == {kind.name for kind in RELATIONSHIPS}
    assert {"KEY_OF", "MAY_SEE", "BLOB_OF", "RUN_OF"} <= set(made["hiddenRelationshipTypes"])
    kinds = [look.label for look in LOOKS]
    assert max(kinds.index(kind.name) for kind in KINDS) < kinds.index("Entity")
    assert len({look.color for look in LOOKS}) == len(LOOKS)
    assert json.loads(json.dumps(made)) == made


def test_captions_are_those_of_the_schema() -> None:
    made = perspective()
    captions = {category["name"]: category["captionKeys"] for category in made["categories"]}
    for label in LABELS:
        if label.name in captions:
            assert captions[label.name] == [label.caption]
    by_name = {kind["name"]: kind for kind in made["relationshipTypes"]}
    assert by_name["RELATION"]["captions"][0]["key"] == "caption"
    for category in made["categories"]:
        assert not {"embedding", "corpus_key", "blocks"} & {
            p["name"] for p in category["properties"]
        }


def test_phrases_name_the_parameters_of_their_queries() -> None:
    for phrase in PHRASES:
        named = {parameter.name for parameter in phrase.parameters}
        assert set(re.findall(r"\$(\w+)", phrase.words)) == named
        assert statement(phrase.statement).parameters == named
        assert statement(phrase.statement).mode == "read"
    labels = {label.name: label for label in LABELS}
    for phrase in PHRASES:
        for parameter in phrase.parameters:
            assert parameter.label == "" or parameter.key == labels[parameter.label].caption
    for action in SCENE_ACTIONS:
        assert statement(action.statement).parameters == {"nodes"}


@pytest.mark.parametrize("language", ["CYPHER 5", "CYPHER 25"])
def test_the_server_understands_them_in_either_language(
    store: GraphStore, neo4j_server: Neo4jConfig, language: str
) -> None:
    """Bloom and the Browser choose the version; every query is EXPLAINed in both."""
    with (
        GraphDatabase.driver(
            neo4j_server.uri, auth=(neo4j_server.username, neo4j_server.password)
        ) as driver,
        driver.session(database=neo4j_server.database) as session,
    ):
        for name in SAVED:
            text = f"{language} EXPLAIN {query_text(name)}"
            summary = session.run(text, dict.fromkeys(statement(name).parameters)).consume()
            assert summary.query_type == "r", name


def test_they_find_what_they_say(store: GraphStore, corpus: str, ingest: Callable) -> None:
    ingest("Zelda", ["Zelda knew Quirin.", "Quirin knew Ysolde in 1815."])
    ingest("Ysolde", ["Ysolde slept in Wendelstadt."])
    paths = store.read("phrase_path_between", a="Zelda", b="Wendelstadt")
    assert paths
    assert {"Zelda", "Wendelstadt"} <= {
        node["name"] for row in paths for node in row["path"].nodes if "Entity" in node.labels
    }
    found = store.read("phrase_documents_about", name="Quirin")
    assert {row["d"]["title"] for row in found} == {"Zelda"}
    assert len(found) == 2
    chunks = [row["c"]["id"] for row in found]
    support = store.read("phrase_what_supports", passages=", ".join(chunks))
    assert {row["e"]["name"] for row in support if row["e"]} == {"Zelda", "Quirin"}
    most = [row["e"]["name"] for row in store.read("phrase_most_mentioned", corpus=corpus)]
    assert "1815" not in most
    assert set(most[:2]) <= {"Zelda", "Quirin", "Ysolde"}
    assert len(store.read("phrase_sentences_of", title="Ysolde")) == 1
    ids = store.run_declared(
        "CYPHER 25 MATCH (e:Entity {corpus: $corpus}) WHERE e.name IN ['Zelda', 'Quirin'] "
        "RETURN elementId(e) AS id",
        {"corpus": corpus},
    )
    nodes = [row["id"] for row in ids]
    assert {row["c"]["id"] for row in store.read("scene_shared", nodes=nodes)} == set(chunks)
    assert {row["d"]["title"] for row in store.read("scene_passages", nodes=nodes)} == {"Zelda"}


def test_the_most_mentioned_are_names_of_every_kind(
    store: GraphStore, corpus: str, ingest: Callable
) -> None:
    ingest("Zelda", [" knew ".join(kind.name for kind in KINDS)])
    for kind in KINDS:
        labels = f"REMOVE e:{':'.join(other.name for other in KINDS)} SET e:{kind.name}"
        store.run_declared(
            f"CYPHER 25 MATCH (e:Entity {{corpus: $corpus, name: $name}}) {labels}",
            {"corpus": corpus, "name": kind.name},
        )
    most = {row["e"]["name"] for row in store.read("phrase_most_mentioned", corpus=corpus)}
    assert {kind.name for kind in KINDS} - most == {"Concept", "Value"}


def test_the_guide_holds_every_phrase_and_the_style_every_kind() -> None:
    class Queries(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.texts: list[str] = []
            self.inside = False

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.inside = tag == "pre"

        def handle_data(self, data: str) -> None:
            if self.inside:
                self.texts.append(data)
                self.inside = False

    reader = Queries()
    reader.feed(browser_guide({"name": "O'Hara"}))
    assert [text for text in reader.texts if not text.startswith(":param")] == [
        query_text(phrase.statement) for phrase in PHRASES
    ]
    assert ":param name => 'O\\'Hara';" in reader.texts
    style = browser_style()
    for kind in KINDS:
        assert re.search(rf"^node\.{kind.name} {{.*caption: \"{{name}}\"", style, re.MULTILINE)
    assert 'relationship.RELATION { color: #A5ABB6; caption: "{caption}"; }' in style
    assert 'relationship.PART_OF { color: #A5ABB6; caption: "<type>"; }' in style
