"""Resolution of a whole corpus in a real graph: merges, reviews, verdicts; the order is nothing."""

import hashlib
import itertools
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from clew_cypher.corpora import ensure_corpus
from clew_cypher.ids import content_id, entity_id
from clew_cypher.resolution.candidates import (
    Neighbours,
    entities_in_blocks,
    reads_all,
    unresolved_entities,
)
from clew_cypher.resolution.joins import documents_to_join
from clew_cypher.resolution.merges import (
    MergeRow,
    apply_merge,
    list_merges,
    separate_entities,
    undo_merge,
)
from clew_cypher.resolution.reviews import list_reviews
from clew_cypher.rows import ChunkRow, DocumentRow, EntityRow, GraphBatch, MentionRow, Vector
from clew_cypher.searching.entities import find_entities
from clew_cypher.store import GraphStore, Transaction
from clew_cypher.writing.documents import accept_document, delete_document
from clew_cypher.writing.removal import remove_chunks
from clew_cypher.writing.writer import write_batch
from clew_ingest.errors import IngestCancelled
from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.resolution import resolving
from clew_ingest.resolution.known import KnownEntities
from clew_ingest.resolution.resolving import resolve, resolve_entities
from clew_ingest.resolution.types import identity_kind

DIMENSION = 384
Names = Iterable[tuple[str, str]]
Write = Callable[..., str]


def vector_of(text: str) -> Vector:
    """A unit vector of the letters of a text: spellings of one name are near."""
    vector = np.full(DIMENSION, 0.01, np.float32)
    for first, second in itertools.pairwise(f" {text} "):
        vector[int.from_bytes(hashlib.sha256((first + second).encode()).digest()[:2]) % 384] += 1
    return vector / np.linalg.norm(vector)


class Letters:
    """Embeds texts by `vector_of`."""

    name, dimension, device = "letters", DIMENSION, "cpu"
    bytes: int | None = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([vector_of(text) for text in texts], np.float32)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


@pytest.fixture
def write(store: GraphStore, corpus: str) -> Write:
    """``write("a", [("Ada", "PERSON")], [("Byron", "PERSON")])``: a document, a list a chunk."""
    ensure_corpus(store, corpus, embedder="letters", dimension=DIMENSION)

    def written(title: str, *chunks: Names, texts: tuple[str, ...] = ()) -> str:
        document_id = content_id("d", corpus, title)
        version = hashlib.sha256(repr((title, chunks, texts)).encode()).hexdigest()
        entities, rows, mentions = {}, [], []
        for position, names in enumerate(chunks):
            text = texts[position] if texts else ". ".join(name for name, _ in names)
            chunk_id = content_id("c", document_id, title, text, str(position))
            rows.append(ChunkRow(chunk_id, document_id, position, title, text, vector_of(text)))
            for name, type_ in names:
                key = normalise_name(name)
                id_ = entity_id(corpus, key, identity_kind(key, type_))
                entities[id_] = EntityRow(id_, key, vector_of(key))
                mentions.append(MentionRow(id_, chunk_id, text.count(name), name, type_, False))
        row = DocumentRow(document_id, title, title, "text/plain", version)
        accept_document(
            store, corpus, uri=title, title=title, media_type="text/plain", sha256=version, data=b""
        )
        write_batch(
            store,
            corpus,
            GraphBatch((row,), rows, (), tuple(entities.values()), mentions, finished=(row.id,)),
        )
        return document_id

    return written


@pytest.fixture
def groups(store: GraphStore, corpus: str) -> Callable[[], set[frozenset[str]]]:
    """The keys of entities that are one, and by whose name they go (in capitals)."""

    def take() -> set[frozenset[str]]:
        rows = store.run_declared(
            "CYPHER 25 MATCH (m:MergedEntity {corpus: $corpus})-[:MERGED_INTO]->(e:Entity) "
            "RETURN e.key AS key, collect(m.key) AS merged",
            {"corpus": corpus},
        )
        return {frozenset({row["key"].upper(), *row["merged"]}) for row in rows}

    return take


@pytest.fixture
def state(store: GraphStore, corpus: str) -> Callable[[], list[dict[str, Any]]]:
    """Entities and their edges with all properties but flags and ids of versions."""

    def take() -> list[dict[str, Any]]:
        return store.run_declared(
            "CYPHER 25 MATCH (e:Entity|MergedEntity {corpus: $corpus}) "
            "OPTIONAL MATCH (e)-[r]->(o) "
            "RETURN e.id AS id, labels(e) AS labels, e.name AS name, e.aliases AS aliases, "
            "e.embedding AS vector, type(r) AS type, properties(r) AS properties, o.id AS other "
            "ORDER BY id, type, other, properties['short']",
            {"corpus": corpus},
        )

    return take


def entity(corpus: str, name: str, type_: str = "PERSON") -> str:
    key = normalise_name(name)
    return entity_id(corpus, key, identity_kind(key, type_))


TOLKIENS: list[list[tuple[str, str]]] = [
    [("J. R. R. Tolkien", "PERSON"), ("Oxford", "GPE")],
    [("John Ronald Reuel Tolkien", "PERSON"), ("Spider-Man Returns", "WORK_OF_ART")],
    [("JRR Tolkien", "PERSON"), ("Spiderman Returns", "WORK_OF_ART"), ("Oxford", "GPE")],
    [("Christopher Tolkien", "PERSON"), ("J. Tolkien", "PERSON")],
    [("Jordan", "PERSON"), ("Jordan", "GPE"), ("Acme Inc.", "ORG")],
    [("Acme", "ORG"), ("Acme Corporation", "ORG"), ("North Carolina", "GPE")],
    [("South Carolina", "GPE"), ("J. R. R. Tolkien", "PERSON"), ("1972", "DATE")],
]


def test_sure_pairs_are_merged_and_unsure_ones_wait(
    store: GraphStore, corpus: str, write: Write, groups: Callable
) -> None:
    for number, names in enumerate(TOLKIENS):
        write(f"d{number}", names)
    report = resolve(store, corpus, Letters())
    found = groups()
    assert frozenset({"J. R. R. TOLKIEN", "john ronald reuel tolkien", "jrr tolkien"}) in found
    assert any(
        {"spider-man returns", "spiderman returns"} == {key.lower() for key in group}
        for group in found
    )
    merged = {key.lower() for group in found for key in group}
    assert not merged & {"jordan", "north carolina", "south carolina", "christopher tolkien"}
    assert (report.made, report.undone) == (len(list_merges(store, corpus)), 0)
    assert report.reviews == len(list_reviews(store, corpus))
    pairs = [{row["a"]["key"], row["b"]["key"]} for row in list_reviews(store, corpus)]
    assert {"j. tolkien", "j. r. r. tolkien"} in pairs
    (row,) = find_entities(store, corpus, ["jrr tolkien"])
    assert (row["key"], row["chunk_count"]) == ("j. r. r. tolkien", 4)
    assert unresolved_entities(store, corpus) == []
    reasons = {why for row in list_merges(store, corpus) for why in row["reasons"]}
    assert any(
        why.startswith("J. R. R. Tolkien = ") or "= J. R. R. Tolkien" in why for why in reasons
    )
    again = resolve(store, corpus, Letters())
    assert (again.entities, again.made, again.undone, again.reviews) == (0, 0, 0, 0)


def test_the_order_of_documents_leaves_no_trace(
    store: GraphStore, corpus: str, write: Write, groups: Callable
) -> None:
    documents = list(enumerate(TOLKIENS))
    results = []
    for order in (documents, documents[::-1], documents[3:] + documents[:3]):
        for number, names in order:
            write(f"d{number}", names)
            resolve(store, corpus, Letters())
        results.append((groups(), {row["id"] for row in list_reviews(store, corpus)}))
        for number, _ in order:
            delete_document(store, corpus, content_id("d", corpus, f"d{number}"))
        assert groups() == set()
        assert list_merges(store, corpus) == []
    assert results[0] == results[1] == results[2]


def test_a_rival_parts_what_was_merged_and_its_end_joins_it_again(
    store: GraphStore, corpus: str, write: Write, groups: Callable
) -> None:
    write("a", [("J. R. B. Smith", "PERSON")])
    write("b", [("John Robert Brown Smith", "PERSON")])
    resolve(store, corpus, Letters())
    (alone,) = groups()
    write("c", [("James Robert Brown Smith", "PERSON")])
    report = resolve(store, corpus, Letters())
    assert (report.undone, groups()) == (1, set())
    assert {row["score"] for row in list_reviews(store, corpus)} == {0.89}
    delete_document(store, corpus, content_id("d", corpus, "c"))
    resolve(store, corpus, Letters())
    assert groups() == {alone}


def test_a_rival_that_stays_and_is_none_any_more_joins_it_again(
    store: GraphStore, corpus: str, write: Write, groups: Callable
) -> None:
    short, full, rival = "J. R. Smith", "John Robert Smith", "James Robert Smith"
    together = [(short, "PERSON"), (full, "PERSON")]  # in one document: surely one
    document = write("a", together, [(rival, "PERSON")])
    write("b", [(rival, "PERSON")])
    resolve(store, corpus, Letters())
    assert groups() == set()
    assert [row["score"] for row in list_reviews(store, corpus)] == [0.89, 0.89]
    gone = content_id("c", document, "a", rival, "1")
    store.in_transaction(lambda transaction: remove_chunks(transaction, [gone]))
    assert unresolved_entities(store, corpus) == [entity(corpus, rival)]
    resolve(store, corpus, Letters())
    assert [{key.lower() for key in group} for group in groups()] == [{short.lower(), full.lower()}]
    left = list_reviews(store, corpus)
    write("c", [(rival, "PERSON")])
    resolve(store, corpus, Letters())
    assert [row["id"] for row in list_reviews(store, corpus)] == [row["id"] for row in left]


def test_what_is_left_of_a_group_goes_by_its_own_name(
    store: GraphStore, corpus: str, write: Write, groups: Callable
) -> None:
    write("a", [("J. R. R. Tolkien", "PERSON")])
    write("b", [("John Ronald Reuel Tolkien", "PERSON")])
    write("c", [("JRR Tolkien", "PERSON")])
    resolve(store, corpus, Letters())
    ((canonical,),) = [[key for key in group if key.isupper()] for group in groups()]
    names = {"j. r. r. tolkien": "a", "john ronald reuel tolkien": "b", "jrr tolkien": "c"}
    gone = names.pop(canonical.lower())
    delete_document(store, corpus, content_id("d", corpus, gone))
    resolve(store, corpus, Letters())
    assert {key.lower() for group in groups() for key in group} == set(names)
    assert find_entities(store, corpus, [canonical.lower()]) == []


def test_what_a_person_told_apart_is_not_merged_again(
    store: GraphStore, corpus: str, write: Write, groups: Callable
) -> None:
    write("a", [("Spider-Man Returns", "WORK_OF_ART")])
    write("b", [("Spiderman Returns", "WORK_OF_ART")])
    resolve(store, corpus, Letters())
    (merge,) = list_merges(store, corpus)
    undo_merge(store, corpus, merge["id"])
    resolve(store, corpus, Letters())
    write("c", [("Spiderman Returns", "WORK_OF_ART"), ("Spider-Man Returns", "WORK_OF_ART")])
    resolve(store, corpus, Letters())
    assert groups() == set()


def test_what_a_person_merged_stays_when_the_rules_merge_more(
    store: GraphStore, corpus: str, write: Write, groups: Callable
) -> None:
    write("a", [("Mark Twain", "PERSON")])
    write("b", [("Samuel Langhorne Thomas Clemens", "PERSON")])
    twain, clemens = entity(corpus, "Mark Twain"), entity(corpus, "Samuel Langhorne Thomas Clemens")
    apply_merge(store, corpus, MergeRow("g1", twain, (clemens,), ("he is",), "person"))
    resolve(store, corpus, Letters())
    write("c", [("S. L. T. Clemens", "PERSON")])
    resolve(store, corpus, Letters())
    (group,) = groups()
    assert {key.lower() for key in group} == {
        "mark twain",
        "samuel langhorne thomas clemens",
        "s. l. t. clemens",
    }
    assert sorted(row["by"] for row in list_merges(store, corpus)) == ["auto", "person"]


def test_what_a_person_merged_stays_when_the_rules_come_to_it_and_leave_it_again(
    store: GraphStore, corpus: str, write: Write, groups: Callable
) -> None:
    short, full, other = "J. R. Smith", "John Robert Smith", "John-Robert Smith"
    ids = [entity(corpus, name) for name in (short, full, other)]
    write("a", [(short, "PERSON")])
    write("b", [(full, "PERSON")])
    resolve(store, corpus, Letters())
    assert groups() == set()
    apply_merge(store, corpus, MergeRow("g1", ids[0], (ids[1],), ("he is",), "person"))

    def made() -> tuple[int, ...]:
        return (*map(len, groups()), sum(row["id"] == "g1" for row in list_merges(store, corpus)))

    both = write("c", [(short, "PERSON"), (full, "PERSON")])  # in one document: surely one
    resolve(store, corpus, Letters())
    assert made() == (2, 1)
    more = write("d", [(other, "PERSON"), (full, "PERSON")])
    resolve(store, corpus, Letters())
    assert made() == (3, 1)
    report = resolve_entities(store, corpus, ids)
    assert (report.made, report.undone) == (0, 0)
    for document in (both, more):
        delete_document(store, corpus, document)
        resolve(store, corpus, Letters())
    assert made() == (2, 1)
    undo_merge(store, corpus, "g1")
    assert groups() == set()


def test_a_cancel_is_heard_within_a_document(store: GraphStore, corpus: str, write: Write) -> None:
    document = write("a", [("Ada Lovelace", "PERSON")], [("Lovelace", "PERSON")])
    answers = iter([False])  # nobody has cancelled yet when the document is begun
    with pytest.raises(IngestCancelled):
        resolve(store, corpus, Letters(), cancelled=lambda: next(answers, True))
    assert documents_to_join(store, corpus) == [document]


def test_a_cancelled_run_is_taken_up(
    store: GraphStore, corpus: str, write: Write, groups: Callable
) -> None:
    for number, names in enumerate(TOLKIENS):
        write(f"d{number}", names)
    with pytest.raises(IngestCancelled):
        resolve(store, corpus, Letters(), cancelled=lambda: True)
    assert groups() == set()
    resolve(store, corpus, Letters())
    assert len(groups()) >= 2


LOVELACE = [
    [("Ada Lovelace", "PERSON"), ("Charles Babbage", "PERSON")],
    [("Lovelace", "PERSON"), ("Babbage", "PERSON")],
]


def test_short_forms_are_joined_over_a_whole_document(
    store: GraphStore, corpus: str, write: Write
) -> None:
    write("notes", *LOVELACE)
    write("other", [("Lovelace", "PERSON")])
    assert resolve(store, corpus, Letters()).documents == 1
    ada, babbage = find_entities(store, corpus, ["ada lovelace", "charles babbage"])
    assert (ada["chunk_count"], ada["name"]) == (2, "Ada Lovelace")
    assert (babbage["chunk_count"], babbage["name"]) == (2, "Charles Babbage")
    rows = find_entities(store, corpus, ["lovelace"])
    assert [(row["key"], row["chunk_count"]) for row in rows] == [
        ("lovelace", 1),
        ("ada lovelace", 2),
    ]
    # no chunk is about "Babbage" alone any more, but questions still find him
    (row,) = find_entities(store, corpus, ["babbage"])
    assert (row["key"], row["matched"]) == ("charles babbage", "alias")
    assert resolve(store, corpus, Letters()).documents == 0


def test_a_changed_document_is_joined_as_if_it_were_new(
    store: GraphStore, corpus: str, write: Write, state: Callable
) -> None:
    changed = [
        LOVELACE[1],
        [("Lovelace", "PERSON"), ("Lord Byron", "PERSON")],
        [("Byron", "PERSON")],
    ]
    write("notes", *changed)
    resolve(store, corpus, Letters())
    fresh = state()
    delete_document(store, corpus, content_id("d", corpus, "notes"))
    assert state() == []
    write("notes", *LOVELACE)
    resolve(store, corpus, Letters())
    write("notes", *changed)
    resolve(store, corpus, Letters())
    assert state() == fresh


def test_joined_and_merged_edges_come_apart_in_any_order(
    store: GraphStore, corpus: str, write: Write, state: Callable
) -> None:
    write("notes", *LOVELACE)
    resolve(store, corpus, Letters())
    joined = state()
    write("countess", [("Countess", "PERSON")])
    ada, countess = entity(corpus, "Ada Lovelace"), entity(corpus, "Countess")
    apply_merge(store, corpus, MergeRow("g1", countess, (ada,), (), "person"))
    (row,) = find_entities(store, corpus, ["ada lovelace"])
    assert (row["key"], row["chunk_count"]) == ("countess", 3)
    write("notes", LOVELACE[0], [("Nobody", "PERSON")])
    resolve(store, corpus, Letters())
    write("notes", *LOVELACE)
    resolve(store, corpus, Letters())
    undo_merge(store, corpus, "g1")
    delete_document(store, corpus, content_id("d", corpus, "countess"))
    resolve(store, corpus, Letters())
    assert state() == joined


class Killed(Exception):
    """Stands for a worker that ends between two transactions."""


def test_a_run_that_ends_anywhere_is_repaired_by_the_next(
    store: GraphStore,
    corpus: str,
    write: Write,
    state: Callable,
    groups: Callable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resolving, "BATCH", 3)  # several transactions of each kind
    for number, names in enumerate(TOLKIENS):
        write(f"d{number}", names)
    write("notes", *LOVELACE)
    left = 0

    def guard(transaction: Transaction) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed

    for allowed in itertools.count():  # each run comes one transaction further, then dies
        left = allowed
        try:
            resolve(store, corpus, Letters(), guard=guard)
        except Killed:
            continue
        break
    assert allowed > 6
    killed = (state(), groups(), list_reviews(store, corpus))
    for row in list_merges(store, corpus):
        store.in_transaction(partial(separate_entities, corpus=corpus, merge_id=row["id"]))
    resolve(store, corpus, Letters())
    assert (state(), groups(), list_reviews(store, corpus)) == killed


def test_two_runs_at_once_do_what_one_does(
    store: GraphStore, corpus: str, write: Write, groups: Callable
) -> None:
    for number, names in enumerate(TOLKIENS):
        write(f"d{number}", names)
    with ThreadPoolExecutor(3) as pool:
        runs = [pool.submit(resolve, store, corpus, Letters()) for _ in range(3)]
        for run in runs:
            run.result(timeout=120)
    assert unresolved_entities(store, corpus) == []
    assert len(groups()) == len(list_merges(store, corpus)) >= 2


def test_neighbours_in_memory_are_those_of_the_index_and_of_the_definition(
    store: GraphStore, corpus: str, write: Write
) -> None:
    names = [f"{first} {last}" for first in ("Ada", "Adam", "Bea") for last in ("Lund", "Lunt")]
    write("a", [(name, "PERSON") for name in names], [("Lund", "GPE"), ("1815", "DATE")])
    ids = unresolved_entities(store, corpus)
    few = Neighbours(store, corpus, together=False)
    assert reads_all(store, corpus, len(ids))
    assert not reads_all(store, corpus, 0)
    many = Neighbours(store, corpus, together=True)
    found = many.nearest(ids, 3)
    assert [(row["id"], row["other"], row["name"], row["type"]) for row in found] == [
        (row["id"], row["other"], row["name"], row["type"]) for row in few.nearest(ids, 3)
    ]
    keys = {
        entity_id(corpus, key, identity_kind(key, type_)): key
        for name, type_ in (*((x, "PERSON") for x in names), ("Lund", "GPE"), ("1815", "DATE"))
        for key in (normalise_name(name),)
    }
    ada = entity_id(corpus, "ada lund")
    cosines = {key: float(vector_of("ada lund") @ vector_of(keys[key])) for key in keys}
    nearest = sorted(cosines.keys() - {ada}, key=lambda key: (-round(cosines[key], 4), key))[:3]
    rows = [row for row in found if row["id"] == ada]
    assert [row["other"] for row in rows] == nearest
    assert [row["score"] for row in rows] == pytest.approx([cosines[k] for k in nearest], abs=1e-5)
    assert many.nearest(["e" * 25], 3) == many.nearest([], 3) == []


def test_entities_read_together_are_those_asked_for_one_by_one(
    store: GraphStore, corpus: str, write: Write
) -> None:
    for number, names in enumerate(TOLKIENS):
        write(f"d{number}", names)
    resolve(store, corpus, Letters())
    write("d8", [("JRR Tolkien", "PERSON"), ("Oxford", "GPE")])  # one that was merged, again
    roots = [row["id"] for row in store.run_declared(ROOTS, {"corpus": corpus})]
    every = {entity(corpus, *name) for names in TOLKIENS for name in names}
    asked = KnownEntities(store, corpus, together=False)
    together = KnownEntities(store, corpus, together=True)
    assert together.of(every) == asked.of(every)
    assert len(together.of(every)) == len(every) > len(roots)
    blocks = together.blocks(roots)
    assert blocks == asked.blocks(roots)
    assert blocks.keys() == every  # those that were merged, too
    tokens = {token for own in blocks.values() for token in own}
    members = {token: set(ids) for token, ids in together.in_blocks(tokens).items()}
    assert members == asked.in_blocks(tokens)
    assert any(len(ids) > 2 for ids in members.values())
    # what came since, and what never was
    new = write("d9", [("Edith Bratt", "PERSON")])
    bratt = entity(corpus, "Edith Bratt")
    assert together.of([bratt, "e" * 25]) == asked.of([bratt]) != {}
    delete_document(store, corpus, new)


ROOTS = "CYPHER 25 MATCH (e:Entity {corpus: $corpus, named: true}) RETURN e.id AS id"


def test_a_document_that_goes_during_a_run_does_not_end_it(
    store: GraphStore, corpus: str, write: Write, groups: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolving, "BATCH", 1)
    pair = "Spider-Man Returns", "Spiderman Returns"
    titles = {entity(corpus, name, "WORK_OF_ART") for name in pair}
    first = next(
        name
        for number in itertools.count()
        if entity(corpus, name := f"Place {number}", "GPE") < min(titles)
    )
    write("first", [(first, "GPE")])
    write("stays", [(pair[0], "WORK_OF_ART")])
    gone = [write("goes", [(pair[1], "WORK_OF_ART")])]
    rounds: list[int] = []

    def progress() -> None:
        rounds.append(len(gone))
        if gone:
            delete_document(store, corpus, gone.pop())

    report = resolve(store, corpus, Letters(), progress=progress)
    assert rounds[0] == 1
    assert (report.made, groups()) == (0, set())
    assert unresolved_entities(store, corpus) == []
    # with both, they are one
    write("goes", [(pair[1], "WORK_OF_ART")])
    assert resolve(store, corpus, Letters()).made == 1


def test_what_goes_while_it_is_read_is_left_out(
    store: GraphStore, corpus: str, write: Write
) -> None:
    write("one", [("Spider-Man", "WORK_OF_ART")])
    # what was deleted behind the index that found it has no properties any more
    block = f"b{hashlib.sha256(corpus.encode()).hexdigest()}"
    store.run_declared(
        "CYPHER 25 CREATE (e:Entity {corpus: $corpus, named: true, blocks: [$block]}) "
        "CALL db.create.setNodeVectorProperty(e, 'embedding', $vector)",
        {"corpus": corpus, "block": block, "vector": vector_of("x").tolist()},
    )
    known = entity(corpus, "Spider-Man", "WORK_OF_ART")
    assert unresolved_entities(store, corpus) == [known]
    assert entities_in_blocks(store, [block]) == {}
    near = Neighbours(store, corpus, together=True)
    assert near.nearest([known], 9) == []
