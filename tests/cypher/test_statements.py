"""The statements: their headers are true, the server understands them, the schema declares them."""

import re
from pathlib import Path

import pytest
from neo4j import GraphDatabase, ResultSummary

from clew_cypher.errors import StatementParameters, UnknownStatement
from clew_cypher.kinds import BOOKKEEPING, KINDS
from clew_cypher.schema import INDEXES, LABELS, RELATIONSHIPS
from clew_cypher.statements import all_statements, parse_statements, statement
from clew_cypher.store import GraphStore, Neo4jConfig

GOOD = """// name: one(a)
// mode: read
// returns: b
// Why.
CYPHER 25
RETURN $a AS b
"""


def test_parses_a_statement() -> None:
    (found,) = parse_statements(GOOD, "x.cypher")
    assert (found.name, found.mode, found.returns) == ("one", "read", ("b",))
    assert found.parameters == {"a"}
    assert found.why == "Why."


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("one(a)", "one()"),  # used but not declared
        ("one(a)", "one(a, c)"),  # declared but not used
        ("// mode: read", "// mode: fast"),
        ("// returns: b\n", ""),
        ("// Why.\n", ""),
        ("CYPHER 25\n", ""),
    ],
)
def test_refuses_an_untrue_header(before: str, after: str) -> None:
    with pytest.raises(StatementParameters):
        parse_statements(GOOD.replace(before, after), "x.cypher")


def test_unknown_name_and_parameters_are_named() -> None:
    with pytest.raises(UnknownStatement, match="'nothing'"):
        statement("nothing")
    with pytest.raises(StatementParameters, match="corpus"):
        statement("corpus").check({"corpsu": "x"})


def test_a_statement_is_run_in_its_mode_only(store: GraphStore) -> None:
    with pytest.raises(StatementParameters, match=r"store\.write"):
        store.read("bump_revision", corpus="x")
    with pytest.raises(StatementParameters, match=r"store\.read"):
        store.write("corpus", corpus="x")


@pytest.mark.parametrize("name", sorted(all_statements()))
def test_labels_types_and_indexes_are_declared(name: str) -> None:
    text = re.sub(r"'[^']*'", "", all_statements()[name].text)
    labels = {label.name for label in LABELS} | {kind.name for kind in KINDS} | {BOOKKEEPING}
    types = {kind.name for kind in RELATIONSHIPS}
    for group in re.findall(r"\(\w*:([A-Za-z|:]+)", text) + re.findall(r"\bAND \w+:(\w+)", text):
        assert set(re.split("[|:]", group)) <= labels, group
    for group in re.findall(r"\[\w*:([A-Z_|]+)", text):
        assert set(group.split("|")) <= types, group
    names = {index.name for index in INDEXES}
    assert set(re.findall(r"VECTOR INDEX (\w+)", text)) <= names
    assert set(re.findall(r"queryNodes\('(\w+)'", all_statements()[name].text)) <= names


Explained = dict[str, tuple[tuple[str, ...], ResultSummary]]


@pytest.fixture(scope="module")
def explained(store: GraphStore, neo4j_server: Neo4jConfig) -> Explained:
    """The columns and the plan of each statement, as the server EXPLAINs it."""
    found = {}
    with (
        GraphDatabase.driver(
            neo4j_server.uri,
            auth=(neo4j_server.username, neo4j_server.password),
            notifications_disabled_classifications=["UNRECOGNIZED"],
        ) as driver,
        driver.session(database=neo4j_server.database) as session,
    ):
        for one in all_statements().values():
            result = session.run(f"EXPLAIN {one.text}", dict.fromkeys(one.parameters))
            found[one.name] = tuple(result.keys()), result.consume()
    return found


def test_the_server_understands_every_statement(explained: Explained) -> None:
    """Syntax, columns, and nothing deprecated or unwise in the plan."""
    complaints = []
    for name, (columns, summary) in explained.items():
        if columns != statement(name).returns:
            complaints.append(f"{name}: returns {columns}, not {statement(name).returns}")
        complaints += [
            f"{name}: {status.status_description}"
            for status in summary.gql_status_objects
            if not status.gql_status.startswith(("00", "02"))
        ]
    assert not complaints


OF_A_CORPUS: dict[str, list[tuple[str, ...]]] = {}
"""Beside the corpus: the properties of indexes of a label, which find where each is asked for."""
for _index in INDEXES:
    if _index.properties[0] == "corpus":
        OF_A_CORPUS.setdefault(_index.label, []).append(_index.properties[1:])


@pytest.mark.parametrize("name", sorted(all_statements()))
def test_what_is_asked_of_one_corpus_is_not_looked_for_in_all(name: str) -> None:
    """By the text: which plan the server takes depends on how much it holds."""
    text = statement(name).text
    for variable, label in re.findall(r"MATCH \((\w+):(\w+) \{corpus: \$corpus\}\)", text):
        asked = set(re.findall(rf"\b{variable}\.(\w+)", text))
        ways = OF_A_CORPUS.get(label, [()])
        assert any(asked.issuperset(others) for others in ways), (variable, label)


@pytest.mark.parametrize("name", sorted(all_statements()))
def test_what_is_not_shown_is_not_read(name: str) -> None:
    """What is returned is put together before the rows are sorted: all of each, with its log."""
    text = all_statements()[name].text
    assert not re.search(r"\bRETURN [^\n]*\{\.\*\}[^\n]*\nORDER BY [^\n]*\n(SKIP|LIMIT)", text)


@pytest.mark.parametrize("name", sorted(all_statements()))
def test_what_is_sought_in_an_index_is_not_read_all_of(name: str) -> None:
    """A hint is also met by a scan of the index, which looks cheap to the planner until the index
    has been counted: after the first documents of a new database."""
    text = all_statements()[name].text
    assert not re.search(r"USING INDEX (?!SEEK )", text)
    named = re.findall(r"MATCH [^\n]*\[(\w*):RELATION \{(\w*id): [^}]*\}\]", text)
    for variable, key in named:
        assert f"USING INDEX SEEK {variable}:RELATION({key})" in text


CYPHER_TEXT = re.compile(r"\b(MATCH|MERGE|UNWIND|DETACH DELETE)\b\s*[($\[{]|\bCALL (db|gds)\.")


def test_cypher_lives_in_cypher_files() -> None:
    """The schema's commands are made from declared names; no other Python file holds Cypher."""
    assert CYPHER_TEXT.search("MATCH (n) RETURN n")
    root = Path(__file__).parents[2]
    layers = ("cypher", "ingest", "models", "platform", "web")
    sources = [path for layer in layers for path in (root / layer).rglob("*.py")]
    assert len(sources) > 50
    assert [path for path in sources if CYPHER_TEXT.search(path.read_text())] == []


_NODE = re.compile(r"\bMATCH\b[^()]*\((\w+):(\w+) \{([^}]*)\}\)")


@pytest.mark.parametrize("name", sorted(all_statements()))
def test_what_is_looked_up_by_id_is_not_looked_for_in_its_corpus(name: str) -> None:
    """While a database is small or new, both indexes seem alike to the planner, and a plan that
    looks through a corpus for each id is kept for ten seconds, or until the corpus has grown."""
    text = all_statements()[name].text
    for variable, label, properties in _NODE.findall(text):
        keys = {one.split(":")[0].strip() for one in properties.split(",")}
        also = re.search(rf"\b{variable}\.(corpus|status)\b\s*(=|IN)", text)
        if "id" in keys and (also or keys & {"corpus", "status"}):
            assert f"USING INDEX SEEK {variable}:{label}(id)" in text
