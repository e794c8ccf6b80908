"""Triples, concepts, kept chunks, costs and merged entities: written once, gone without a rest."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import pytest

from clew_cypher.corpora import corpus_counts, corpus_revision, delete_corpus, delete_corpus_content
from clew_cypher.errors import DocumentGone, GraphError, KeptChunksGone
from clew_cypher.ids import content_id, entity_id
from clew_cypher.rows import DocumentCost, EntityRow, GraphBatch, KeptChunk, TripleRow
from clew_cypher.searching.documents import (
    document_text,
    get_document,
    list_documents,
    unchanged_records,
)
from clew_cypher.searching.entities import find_entities
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import accept_document, claim_document, delete_document
from clew_cypher.writing.writer import WriteCounts, existing_ids, unit_chunks, write_batch

from .conftest import accept

Snapshot = Callable[[str], dict[str, object]]
Write = Callable[..., WriteCounts]
Triples = Sequence[tuple[str, str, str]]


@pytest.fixture
def batch(corpus: str, make_batch: Callable, vector: Callable) -> Callable[..., GraphBatch]:
    """A document with triples of its first sentence; each chunk is a unit of its own."""

    def make(title: str, chunks: Sequence[str], triples: Triples = (), **more: str) -> GraphBatch:
        plain = make_batch(title, chunks, **more)
        entities = {row.id: row for row in plain.entities}
        rows = []
        for head, predicate, tail in triples:
            sentence = plain.sentences[0]
            ends = entity_id(corpus, head.lower()), entity_id(corpus, tail.lower())
            for key, argument in zip(ends, (head, tail), strict=True):
                entities.setdefault(key, EntityRow(key, argument.lower(), vector(argument.lower())))
            rows.append(
                TripleRow(
                    content_id("t", sentence.chunk_id, "0", ends[0], predicate, ends[1]),
                    *ends,
                    *(head, predicate, tail),
                    *(sentence.text, sentence.chunk_id, sentence.id),
                    "rules",
                    vector(sentence.text),
                )
            )
        return replace(
            plain,
            chunks=[replace(row, unit=f"u{row.text}") for row in plain.chunks],
            entities=tuple(entities.values()),
            triples=rows,
        )

    return make


@pytest.fixture
def write(store: GraphStore, corpus: str, batch: Callable) -> Write:
    """``write("Ada", ["Ada met Byron."], [("Ada", "meet", "Byron")])``."""

    def call(*args: object, **more: object) -> WriteCounts:
        made = batch(*args, **more)
        accept(store, corpus, made)
        return write_batch(store, corpus, made)

    return call


def triples_of(store: GraphStore, corpus: str) -> list[tuple[str, str, str]]:
    rows = store.run_declared(
        "CYPHER 25 MATCH (h)-[r:RELATION {corpus: $corpus}]->(t) "
        "RETURN h.name AS h, r.predicate AS p, t.name AS t ORDER BY h, p, t",
        {"corpus": corpus},
    )
    return [(row["h"], row["p"], row["t"]) for row in rows]


def entity_of(store: GraphStore, corpus: str, key: str) -> dict[str, object]:
    rows = store.run_declared(
        "CYPHER 25 MATCH (e:Entity {corpus: $corpus, key: $key}) RETURN properties(e) AS e",
        {"corpus": corpus, "key": key},
    )
    return rows[0]["e"] if rows else {}


ADA = ("Ada", ["Ada met Byron."], [("Ada", "meet", "Byron"), ("Ada", "be", "a mathematician")])


def test_triples_join_entities_and_concepts(
    store: GraphStore, corpus: str, write: Write, snapshot: Snapshot
) -> None:
    assert write(*ADA).triples == 2
    assert triples_of(store, corpus) == [("Ada", "be", "a mathematician"), ("Ada", "meet", "Byron")]
    counts = corpus_counts(store, corpus)
    assert (counts["entities"], counts["concepts"], counts["triples"]) == (2, 1, 2)
    concept = entity_of(store, corpus, "a mathematician")
    assert (concept["type"], concept["named"]) == ("CONCEPT", False)
    assert find_entities(store, corpus, ["a mathematician"]) == []
    assert list_documents(store, corpus)[0]["triples"] == 2
    before = snapshot(corpus)
    write(*ADA)
    assert snapshot(corpus) == before


def test_a_chunk_written_again_has_its_new_triples_only(
    store: GraphStore, corpus: str, write: Write
) -> None:
    write(*ADA)
    write("Ada", ["Ada met Byron."], [("Byron", "meet", "Ada")])
    assert triples_of(store, corpus) == [("Byron", "meet", "Ada")]
    assert corpus_counts(store, corpus)["concepts"] == 0


def test_a_concept_is_named_while_a_chunk_mentions_it(
    store: GraphStore, corpus: str, write: Write
) -> None:
    write("Ada", ["Ada met Byron."], [("Ada", "know", "Babbage")])
    assert entity_of(store, corpus, "babbage")["type"] == "CONCEPT"
    write("Babbage", ["Babbage built."])
    found = entity_of(store, corpus, "babbage")
    assert (found["named"], found["type"], found["name"]) == (True, "PERSON", "Babbage")
    assert len(find_entities(store, corpus, ["babbage"])) == 1
    delete_document(store, corpus, content_id("d", corpus, "Babbage.txt"))
    found = entity_of(store, corpus, "babbage")
    assert (found["named"], found["type"]) == (False, "CONCEPT")
    removed = delete_document(store, corpus, content_id("d", corpus, "Ada.txt"))
    assert (removed["triples"], removed["entities"]) == (1, 3)
    assert not entity_of(store, corpus, "babbage")


def test_a_concept_goes_by_its_most_frequent_spelling(
    store: GraphStore, corpus: str, write: Write
) -> None:
    write("Ada", ["Ada met Byron."], [("Ada", "be", "A Poet")])
    write("Byron", ["Byron wrote."], [("Byron", "be", "a poet"), ("a poet", "read", "a poet")])
    assert entity_of(store, corpus, "a poet")["name"] == "a poet"


def test_a_triple_belongs_to_a_chunk_of_its_batch(
    store: GraphStore, corpus: str, batch: Callable
) -> None:
    made = batch(*ADA)
    accept(store, corpus, made)
    for wrong in (
        replace(made, chunks=[], sentences=[], mentions=[], roles=[]),
        replace(made, sentences=[], roles=[]),
        replace(made, kept=[KeptChunk(made.chunks[0].id, made.documents[0].id, 0)]),
    ):
        with pytest.raises(GraphError, match=r"belong to chunks"):
            write_batch(store, corpus, wrong)


def test_kept_chunks_give_the_graph_of_a_fresh_ingest(
    store: GraphStore, corpus: str, batch: Callable, write: Write, snapshot: Snapshot
) -> None:
    old, new = ["Ada met Byron.", "Ada slept.", "Ada left."], ["Ada woke.", "Ada met Byron."]
    say = [("Ada", "meet", "Byron")]

    def of_ids(made: GraphBatch) -> GraphBatch:
        """With ids that do not depend on the position."""
        ids = {
            row.id: content_id("c", row.document_id, row.title, row.text, "0")
            for row in made.chunks
        }
        return replace(
            made,
            chunks=[replace(row, id=ids[row.id]) for row in made.chunks],
            sentences=[replace(row, chunk_id=ids[row.chunk_id]) for row in made.sentences],
            mentions=[replace(row, chunk_id=ids[row.chunk_id]) for row in made.mentions],
            triples=[replace(row, chunk_id=ids[row.chunk_id]) for row in made.triples],
        )

    first = of_ids(batch("Ada", old, say))
    accept(store, corpus, first)
    write_batch(store, corpus, first)
    key = first.documents[0].id
    met, slept, left = (row.id for row in first.chunks)
    assert unit_chunks(store, key, ["uAda met Byron.", "uAda woke."]) == {"uAda met Byron.": [met]}
    second = of_ids(batch("Ada", new))
    fresh = second.chunks[0].id
    part = replace(
        second,
        chunks=second.chunks[:1],
        sentences=[row for row in second.sentences if row.chunk_id == fresh],
        mentions=[row for row in second.mentions if row.chunk_id == fresh],
        roles=[
            row
            for row in second.roles
            if row.sentence_id in {s.id for s in second.sentences if s.chunk_id == fresh}
        ],
        kept=[KeptChunk(met, key, 1)],
    )
    accept(store, corpus, second)
    counts = write_batch(store, corpus, part)
    assert counts.removed_chunks == 2
    assert [row["id"] for row in document_text(store, corpus, key)] == [fresh, met]
    assert existing_ids(store, "Chunk", [slept, left]) == set()
    kept = snapshot(corpus)
    delete_document(store, corpus, key)
    whole = of_ids(batch("Ada", new))
    sentence = next(row for row in whole.sentences if row.chunk_id == met)
    triples = [replace(row, sentence_id=first.sentences[0].id) for row in first.triples]
    whole = replace(
        whole,
        sentences=[
            replace(row, id=first.sentences[0].id) if row == sentence else row
            for row in whole.sentences
        ],
        roles=[
            replace(row, sentence_id=first.sentences[0].id)
            if row.sentence_id == sentence.id
            else row
            for row in whole.roles
        ],
        triples=triples,
    )
    accept(store, corpus, whole)
    write_batch(store, corpus, whole)
    assert snapshot(corpus) == kept


def test_a_kept_chunk_that_is_gone_is_named(
    store: GraphStore, corpus: str, batch: Callable, write: Write
) -> None:
    write("Ada", ["Ada slept."])
    made = batch("Ada", ["Ada woke."])
    accept(store, corpus, made)
    with pytest.raises(KeptChunksGone) as caught:
        write_batch(store, corpus, replace(made, kept=[KeptChunk("c0", made.documents[0].id, 1)]))
    assert caught.value.ids == ("c0",)
    assert document_text(store, corpus, made.documents[0].id)[0]["text"] == "Ada slept."


def test_a_unit_that_is_not_whole_is_not_kept(
    store: GraphStore, corpus: str, batch: Callable
) -> None:
    made = batch("Ada", ["Ada slept.", "Ada woke."])
    made = replace(made, chunks=[replace(row, unit="u", unit_chunks=3) for row in made.chunks])
    accept(store, corpus, made)
    write_batch(store, corpus, made)
    assert unit_chunks(store, made.documents[0].id, ["u"]) == {}
    whole = replace(made, chunks=[replace(row, unit_chunks=2) for row in made.chunks])
    write_batch(store, corpus, whole)
    ids = [row.id for row in made.chunks]
    assert unit_chunks(store, made.documents[0].id, ["u", "v"]) == {"u": ids}


def test_other_settings_are_another_version(
    store: GraphStore, corpus: str, batch: Callable, make_batch: Callable
) -> None:
    def stamped(text: str, fingerprint: str) -> GraphBatch:
        made = batch("Ada", [text])
        row = replace(made.documents[0], fingerprint=fingerprint, sha256="1")
        return replace(made, documents=(row,))

    first = stamped("Ada slept.", "a")
    key = first.documents[0].id
    assert accept(store, corpus, first)
    write_batch(store, corpus, first)
    assert not accept(store, corpus, first)
    second = stamped("Ada slept", "b")
    assert accept(store, corpus, second)
    with pytest.raises(DocumentGone):
        write_batch(store, corpus, first)
    assert write_batch(store, corpus, second).removed_chunks == 1
    assert [row["text"] for row in document_text(store, corpus, key)] == ["Ada slept"]
    assert get_document(store, corpus, key)["fingerprint"] == "b"


def test_settings_that_changed_since_acceptance_are_claimed(
    store: GraphStore, corpus: str, batch: Callable
) -> None:
    made = batch("Ada", ["Ada slept."])
    row = replace(made.documents[0], fingerprint="old")
    old = replace(made, documents=(row,))
    new = replace(made, documents=(replace(row, fingerprint="new"),))
    accept(store, corpus, old)
    with pytest.raises(DocumentGone):
        write_batch(store, corpus, new)
    assert not claim_document(store, corpus, row.id, "other", "new")
    assert claim_document(store, corpus, row.id, row.sha256, "new")
    with pytest.raises(DocumentGone):
        write_batch(store, corpus, old)
    assert write_batch(store, corpus, new).documents == 1
    assert not claim_document(store, corpus, row.id, row.sha256, "newer")  # it is ready


def test_records_know_their_settings(store: GraphStore, corpus: str, batch: Callable) -> None:
    parent = accept_document(
        store, corpus, uri="a", title="a", media_type="x", sha256="1", data=b""
    ).id
    made = batch("Ada", ["Ada slept."], uri="a#1", parent_id=parent)
    row = replace(made.documents[0], fingerprint="f")
    write_batch(store, corpus, replace(made, documents=(row,)))
    versions = {row.id: row.sha256}
    assert unchanged_records(store, corpus, parent, versions, "f") == {row.id}
    assert unchanged_records(store, corpus, parent, versions, "g") == set()
    assert unchanged_records(store, corpus, parent, versions) == set()


def test_costs_add_up_until_the_next_version(
    store: GraphStore, corpus: str, batch: Callable
) -> None:
    def costs(made: GraphBatch, *amounts: float) -> GraphBatch:
        key = made.documents[0].id
        return replace(made, costs=[DocumentCost(key, amount, 1, 10, 2) for amount in amounts])

    def spent() -> tuple[object, ...]:
        row = list_documents(store, corpus)[0]
        return tuple(
            row[name] for name in ("seconds", "llm_calls", "prompt_tokens", "completion_tokens")
        )

    made = costs(batch("Ada", ["Ada slept."]), 0.5, 0.25)
    accept(store, corpus, made)
    write_batch(store, corpus, replace(made, finished=()))
    assert spent() == (0.75, 2, 20, 4)
    write_batch(store, corpus, made)
    assert spent() == (1.5, 4, 40, 8)
    write_batch(store, corpus, made)  # as after an answer that was lost
    assert spent() == (0.75, 2, 20, 4)
    accept(store, corpus, batch("Ada", ["Ada woke."]))
    assert spent() == (0.0, 0, 0, 0)


def test_rows_of_a_merged_entity_stand_at_the_one_it_goes_by(
    store: GraphStore, corpus: str, write: Write, snapshot: Snapshot, merge: Callable
) -> None:
    write("Ada", ["Ada met Byron."])
    write("Lovelace", ["Lovelace met Byron."])
    merge("lovelace", "ada")
    merged = entity_id(corpus, "lovelace")
    assert existing_ids(store, "Entity", [merged]) == {merged}
    both = ("Both", ["Lovelace is Ada."], [("Lovelace", "be", "Ada")])
    counts = write(*both)
    before = snapshot(corpus)
    write(*both)
    assert snapshot(corpus) == before
    rows = store.run_declared(
        "CYPHER 25 MATCH (e:Entity {id: $id})-[m:MENTIONED_IN]->(c:Chunk {title: 'Both'}) "
        "RETURN m.origin AS origin ORDER BY origin",
        {"id": entity_id(corpus, "ada")},
    )
    assert [row["origin"] for row in rows] == [merged, None]
    (row,) = store.run_declared(
        "CYPHER 25 MATCH (:Entity {id: $id})-[r:RELATION]->(:Entity {id: $id}) "
        "RETURN r.head_origin AS head, r.tail_origin AS tail",
        {"id": entity_id(corpus, "ada")},
    )
    assert (row["head"], row["tail"]) == (merged, None)
    assert counts.triples == 1
    assert entity_of(store, corpus, "ada")["aliases"] == ["lovelace"]
    delete_document(store, corpus, content_id("d", corpus, "Both.txt"))
    assert existing_ids(store, "Entity", [merged]) == {merged}
    delete_document(store, corpus, content_id("d", corpus, "Lovelace.txt"))
    assert existing_ids(store, "Entity", [merged]) == set()
    assert store.run_declared("MATCH (m:Merge {corpus: $c}) RETURN m", {"c": corpus}) == []
    assert "aliases" not in entity_of(store, corpus, "ada")


def test_a_canonical_entity_lives_on_its_merged_ones(
    store: GraphStore, corpus: str, write: Write, snapshot: Snapshot, merge: Callable
) -> None:
    write("Ada", ["Ada slept."])
    write("Lovelace", ["Lovelace slept."])
    merge("lovelace", "ada")
    delete_document(store, corpus, content_id("d", corpus, "Ada.txt"))
    found = entity_of(store, corpus, "ada")
    assert (found["name"], found["aliases"]) == ("Lovelace", ["lovelace"])
    delete_document(store, corpus, content_id("d", corpus, "Lovelace.txt"))
    assert snapshot(corpus) == {"nodes": [], "edges": []}


def test_a_deleted_corpus_leaves_no_triple_and_no_merge(
    store: GraphStore, corpus: str, write: Write, merge: Callable
) -> None:
    write(*ADA)
    write("Lovelace", ["Lovelace slept."])
    merge("lovelace", "ada")
    assert delete_corpus(store, corpus)["triples"] == 2
    delete_corpus_content(store, corpus)
    left = store.run_declared(
        "CYPHER 25 MATCH (n) WHERE n.corpus = $corpus RETURN count(*) AS n", {"corpus": corpus}
    )
    assert left[0]["n"] == 0
    assert triples_of(store, corpus) == []


def test_writers_of_the_same_entities_do_not_deadlock(
    store: GraphStore, corpus: str, batch: Callable, snapshot: Snapshot
) -> None:
    """Eight documents that all name the same sixty things, in four threads, twice over."""
    names = [f"N{a}{b}" for a in "abcdef" for b in "abcdefghij"]
    made = []
    for number in range(8):
        order = names if number % 2 else names[::-1]
        text = " ".join(f"{name.title()} met {other.title()}." for name, other in pairwise(order))
        say = [(order[i].title(), "meet", order[i + 1].title()) for i in range(20)]
        made.append(batch(f"Doc{'abcdefgh'[number]}", [text], say))
    for document in made:
        accept(store, corpus, document)
    attempts: list[str] = []

    def write(document: GraphBatch) -> None:
        write_batch(store, corpus, document, guard=lambda _: attempts.append(document.finished[0]))

    with ThreadPoolExecutor(4) as pool:
        for _ in range(2):
            futures = [pool.submit(write, document) for document in made]
            for future in futures:
                future.result(timeout=120)
    parallel = snapshot(corpus)
    assert len(attempts) == 16  # none was begun again after a deadlock
    assert corpus_revision(store, corpus) == 16
    for document in made:
        delete_document(store, corpus, document.documents[0].id)
    assert snapshot(corpus) == {"nodes": [], "edges": []}
    for document in made:
        accept(store, corpus, document)
        write_batch(store, corpus, document)
    assert snapshot(corpus) == parallel
