"""A graph that an earlier Clew wrote is brought to what this one writes; a newer one is refused."""

from collections.abc import Callable, Iterator
from unittest import mock

import pytest

from clew_cypher import migrations
from clew_cypher.errors import GraphIsNewer, StatementFailed
from clew_cypher.ids import content_id, corpus_key, entity_id
from clew_cypher.kinds import KINDS
from clew_cypher.migrations import MIGRATIONS, VERSION, graph_version, migrate
from clew_cypher.resolution.merges import MergeRow, apply_merge
from clew_cypher.schema import ENTITIES_WITHOUT_NAMED, ensure_schema
from clew_cypher.searching.documents import get_document
from clew_cypher.searching.vectors import nearest_entities
from clew_cypher.searching.words import (
    chunk_label,
    drop_word_index,
    ensure_word_indexes,
    search_chunks,
)
from clew_cypher.store import GraphStore, Transaction

WITHOUT_VERSION = "CYPHER 25 MATCH (v:SchemaVersion) DETACH DELETE v"


@pytest.fixture
def old(store: GraphStore) -> Iterator[GraphStore]:
    """A graph that does not say its version; afterwards it says that of this program."""
    store.run_declared(WITHOUT_VERSION)
    try:
        yield store
    finally:
        store.write("enter_schema_version", version=VERSION)


def test_the_versions_follow_one_another() -> None:
    assert [migration.version for migration in MIGRATIONS] == list(range(1, VERSION + 1))
    assert all(migration.steps and migration.description.endswith(".") for migration in MIGRATIONS)


def test_a_graph_says_its_version_and_is_migrated_once(
    old: GraphStore, corpus: str, ingest: Callable
) -> None:
    ingest("Ada", ["Ada knew Byron."])
    file = content_id("d", corpus, "Ada.txt")
    ingest("Bo", ["Bo knew Ada."], uri="Ada.txt#Bo", parent_id=file)
    assert graph_version(old) == 0
    told: list[tuple[int, str, int]] = []
    assert migrate(old, lambda *batch: told.append(batch)) == VERSION
    assert {version for version, _, _ in told} == {migration.version for migration in MIGRATIONS}
    assert graph_version(old) == VERSION
    with mock.patch.object(GraphStore, "in_transaction") as batch:
        assert migrate(old) == 0
    batch.assert_not_called()


def test_entities_of_a_graph_without_named_get_what_the_new_index_needs(
    old: GraphStore, corpus: str, ingest: Callable, vector: Callable
) -> None:
    ingest("Ada", ["Ada knew Byron."])
    old.run_declared(
        "CYPHER 25 MATCH (e:Entity {corpus: $corpus}) REMOVE e.named", {"corpus": corpus}
    )
    assert nearest_entities(old, corpus, vector("byron"), 5) == []
    old.run_declared(
        f"CYPHER 25 CREATE VECTOR INDEX {ENTITIES_WITHOUT_NAMED} IF NOT EXISTS FOR (n:Entity) ON "
        "n.embedding OPTIONS {indexConfig: {`vector.dimensions`: 384, "
        "`vector.similarity_function`: 'cosine'}}"
    )
    ensure_schema(old, 384)
    assert nearest_entities(old, corpus, vector("byron"), 5)[0]["key"] == "byron"
    rows = old.run_declared("CYPHER 25 SHOW INDEXES YIELD name RETURN name")
    assert ENTITIES_WITHOUT_NAMED not in {row["name"] for row in rows}


def test_an_index_makes_way_for_the_one_that_replaces_it(old: GraphStore) -> None:
    old.run_declared("CYPHER 25 DROP INDEX chunk_unlinked_id")
    old.run_declared(
        "CYPHER 25 CREATE INDEX chunk_unlinked FOR (n:Chunk) ON (n.corpus, n.unlinked)"
    )
    ensure_schema(old, 384)
    names = {row["name"] for row in old.read("existing_indexes")}
    assert "chunk_unlinked_id" in names
    assert "chunk_unlinked" not in names


AS_BEFORE = (
    # what version 1 did not write: kinds, names, captions, bookkeeping; and what it wrote instead
    "MATCH (e:Entity {corpus: $corpus}) REMOVE e:$($kinds)",
    "MATCH (c:Chunk {corpus: $corpus}) REMOVE c.name, c:$($new) SET c:$($old)",
    "MATCH (s:Sentence {corpus: $corpus}) REMOVE s.name",
    "MATCH ()-[r:RELATION {corpus: $corpus}]->() REMOVE r.caption",
    "MATCH (n:ZBookkeeping {corpus: $corpus}) REMOVE n.name, n:ZBookkeeping",
)


@pytest.mark.usefixtures("word_indexes_dropped")
def test_an_old_graph_becomes_one_that_is_written_today(
    old: GraphStore, corpus: str, ingest: Callable, snapshot: Callable
) -> None:
    ingest("Ada", ["Ada knew Byron.", "Byron was born in London in 1788, as everybody knows here."])
    ingest("Byron", ["Byron knew Ada."])
    ada, london = entity_id(corpus, "ada"), entity_id(corpus, "london")
    apply_merge(old, corpus, MergeRow(f"m-{corpus}", ada, (london,), by="person"))
    today = snapshot(corpus)
    labels = {label for node in today["nodes"] for label in node["labels"]}
    assert {chunk_label(corpus), "ZBookkeeping", "Person"} <= labels
    names = {"kinds": [kind.name for kind in KINDS], "corpus": corpus}
    names |= {"new": chunk_label(corpus), "old": f"CorpusChunk_{corpus_key(corpus)}"}
    for text in AS_BEFORE:
        old.run_declared(f"CYPHER 25 {text}", names)
    drop_word_index(old, corpus)
    earlier = f"chunk_text_{corpus_key(corpus)}"
    old.run_declared(
        f"CYPHER 25 CREATE FULLTEXT INDEX {earlier} IF NOT EXISTS "
        f"FOR (n:CorpusChunk_{corpus_key(corpus)}) ON EACH [n.title, n.text]"
    )
    assert snapshot(corpus) != today
    migrate(old)
    assert snapshot(corpus) == today
    ensure_word_indexes(old)
    assert earlier not in {row["name"] for row in old.read("full_text_indexes")}
    assert len(search_chunks(old, corpus, "London", 5)) == 1


def test_records_of_an_old_graph_leave_the_list_of_files(
    old: GraphStore, corpus: str, ingest: Callable
) -> None:
    ingest("all", ["All of them slept."])
    file = content_id("d", corpus, "all.txt")
    ingest("Ada", ["Ada slept."], uri="all.txt#Ada", parent_id=file)
    record = content_id("d", corpus, "all.txt#Ada")
    told = get_document(old, corpus, record)["accepted_at"]
    old.run_declared(
        "CYPHER 25 MATCH (d:Document {id: $id}) "
        "SET d.accepted_at = d.created_at REMOVE d.created_at",
        {"id": record},
    )
    for _ in range(2):
        old.run_declared(WITHOUT_VERSION)
        migrate(old)
        assert get_document(old, corpus, record)["accepted_at"] == told
        rows = old.run_declared(
            "CYPHER 25 MATCH (d:Document {corpus: $corpus}) WHERE d.accepted_at IS NOT NULL "
            "RETURN d.id AS id",
            {"corpus": corpus},
        )
        assert rows == [{"id": file}]


def test_a_migration_that_is_killed_goes_on_where_it_was(
    old: GraphStore, corpus: str, ingest: Callable
) -> None:
    ingest("Ada", ["Ada knew Byron.", "Byron knew Shelley."])
    old.run_declared(
        "CYPHER 25 MATCH (e:Entity {corpus: $corpus}) REMOVE e.named", {"corpus": corpus}
    )
    taken: list[str] = []
    run = Transaction.run

    def dies(self: Transaction, name: str, /, **params: object) -> list[dict[str, object]]:
        if name == "migrate_named":
            taken.append(str(params["after"]))
            if len(taken) == 3:
                raise StatementFailed("killed")
        return run(self, name, **params)

    with mock.patch.object(migrations, "BATCH", 1):
        with mock.patch.object(Transaction, "run", dies), pytest.raises(StatementFailed):
            migrate(old)
        (state,) = old.read("schema_version")
        assert (state["version"], state["step"]) == (0, 0)
        assert taken == ["", taken[1], state["after"]]  # two batches are done, and told
        again: list[str] = []

        def watched(self: Transaction, name: str, /, **params: object) -> list[dict[str, object]]:
            if name == "migrate_named":
                again.append(str(params["after"]))
            return run(self, name, **params)

        with mock.patch.object(Transaction, "run", watched):
            migrate(old)
    assert again[0] == state["after"]
    left = old.run_declared("CYPHER 25 MATCH (e:Entity) WHERE e.named IS NULL RETURN count(*) AS n")
    assert left[0]["n"] == 0


def test_a_newer_graph_is_refused_before_anything_is_changed(old: GraphStore) -> None:
    old.write("enter_schema_version", version=VERSION + 1)
    with pytest.raises(GraphIsNewer, match=f"{VERSION + 1}.*{VERSION}") as caught:
        migrate(old)
    assert "newer Clew" in caught.value.remedy
    with (
        mock.patch.object(GraphStore, "run_declared") as command,
        pytest.raises(GraphIsNewer),
    ):
        ensure_schema(old, 384)
    command.assert_not_called()
    assert graph_version(old) == VERSION + 1
