"""Links from sentences to the documents they name: the same whatever came, went and when."""

import random
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from clew_cypher.checking.checks import check_corpus
from clew_cypher.checking.validity import Cited, CitedEdge, existing
from clew_cypher.corpora import corpus_revision, delete_corpus
from clew_cypher.errors import UnknownCorpus
from clew_cypher.export.title_links import export_title_links, export_titles
from clew_cypher.ids import content_id
from clew_cypher.store import GraphStore, Transaction
from clew_cypher.titles import linking, matching
from clew_cypher.titles.linking import Linked, ensure_title_links, link_titles
from clew_cypher.titles.matching import TitleMatcher, bare_key
from clew_cypher.writing.documents import (
    delete_document,
    fail_document,
    finish_collection,
)
from clew_cypher.writing.writer import write_batch

from .conftest import accept

Snapshot = Callable[[str], dict[str, object]]
Text = tuple[str, list[str]]


@pytest.fixture
def links(store: GraphStore, corpus: str) -> Callable[[], set[tuple[str, str, str]]]:
    """Each link as (title of the sentence's document, what stands at its place, title named)."""

    def read() -> set[tuple[str, str, str]]:
        rows = store.run_declared(
            "CYPHER 25 MATCH (c:Chunk)<-[:IN_CHUNK]-(s:Sentence {corpus: $corpus})-[n:NAMES]->(d) "
            "RETURN c.title AS title, substring(s.text, n.start, n.end - n.start) AS words, "
            "d.uri AS named, n.corpus AS corpus",
            {"corpus": corpus},
        )
        assert {row["corpus"] for row in rows} <= {corpus}
        return {(row["title"], row["words"], row["named"].removesuffix(".txt")) for row in rows}

    return read


def document_id(corpus: str, title: str) -> str:
    return content_id("d", corpus, f"{title}.txt")


def test_a_sentence_names_other_documents(
    store: GraphStore, corpus: str, ingest: Callable, links: Callable
) -> None:
    ingest("Ada Lovelace", ["Ada Lovelace wrote to Charles Babbage. Charles Babbage wrote back."])
    assert links() == set()
    ingest("Charles Babbage", ["He met Ada Lovelace and Ada Lovelace again."])
    assert links() == {
        ("Ada Lovelace", "Charles Babbage", "Charles Babbage"),
        ("Charles Babbage", "Ada Lovelace", "Ada Lovelace"),
    }
    exported = list(export_title_links(store, corpus))
    assert exported == sorted(exported)
    assert len(exported) == 3  # two sentences of one document, one of the other
    ends = {link.document_id for link in exported}
    assert ends == {document_id(corpus, title) for title in ("Ada Lovelace", "Charles Babbage")}
    titles = list(export_titles(store, corpus))
    assert titles == sorted(titles)
    assert {(row.document_id, row.title) for row in titles} == {
        (document_id(corpus, title), title) for title in ("Ada Lovelace", "Charles Babbage")
    }
    for export in (export_title_links, export_titles):
        with pytest.raises(UnknownCorpus):
            next(export(store, "nowhere"))


def test_namesakes_do_not_name_each_other(ingest: Callable, links: Callable) -> None:
    ingest("Ed Wood", ["It says of Ed Wood that he slept."])
    ingest("Ed Wood (film)", ["It shows Ed Wood."])
    ingest("Plan", ["It is by Ed Wood."])
    assert links() == {("Plan", "Ed Wood", "Ed Wood"), ("Plan", "Ed Wood", "Ed Wood (film)")}


def test_a_longer_title_takes_the_place_of_a_shorter_one_and_gives_it_back(
    store: GraphStore, corpus: str, ingest: Callable, links: Callable
) -> None:
    ingest("Plan", ["He went to New York City by train."])
    ingest("New York", ["It is large."])
    assert links() == {("Plan", "New York", "New York")}
    ingest("New York City", ["It is larger."])
    assert links() == {("Plan", "New York City", "New York City")}
    delete_document(store, corpus, document_id(corpus, "New York City"))
    assert links() == {("Plan", "New York", "New York")}


def test_too_many_documents_of_one_title_are_named_by_none(
    store: GraphStore, corpus: str, ingest: Callable, links: Callable, monkeypatch: Any
) -> None:
    monkeypatch.setattr(matching, "MOST_HOMONYMS", 2)
    ingest("Plan", ["It follows the Annual Report."])
    for uri in ("a", "b"):
        ingest("Annual Report", [f"Nothing in {uri}."], uri=uri)
    both = {("Plan", "Annual Report", uri) for uri in ("a", "b")}
    assert links() == both
    ingest("Annual Report", ["Nothing."], uri="c")
    assert links() == set()
    ingest("Later", ["See the Annual Report."])
    assert links() == set()
    delete_document(store, corpus, content_id("d", corpus, "c"))
    assert links() == both | {("Later", "Annual Report", uri) for uri in ("a", "b")}


def test_a_new_version_may_have_another_title(ingest: Callable, links: Callable) -> None:
    ingest("Plan", ["It quotes Grace Hopper and Ada Lovelace."])
    ingest("Ada Lovelace", ["She slept."], uri="x")
    assert links() == {("Plan", "Ada Lovelace", "x")}
    ingest("Grace Hopper", ["She slept."], uri="x")
    assert links() == {("Plan", "Grace Hopper", "x")}
    ingest("Plan", ["It quotes nobody."])
    assert links() == set()


def test_what_is_accepted_anew_is_named_by_its_old_title_until_it_is_ready(
    store: GraphStore, corpus: str, ingest: Callable, make_batch: Callable, links: Callable
) -> None:
    ingest("Ada Lovelace", ["She slept."], uri="x")
    ingest("Plan", ["It quotes Ada Lovelace."])
    new = make_batch("Grace Hopper", ["She woke."], uri="x")
    accept(store, corpus, new)
    ingest("Later", ["It quotes Ada Lovelace and Grace Hopper."])
    assert links() == {(title, "Ada Lovelace", "x") for title in ("Plan", "Later")}
    write_batch(store, corpus, new)
    link_titles(store, corpus)
    assert links() == {("Later", "Grace Hopper", "x")}


def test_what_fails_is_named_by_nobody(
    store: GraphStore, corpus: str, ingest: Callable, links: Callable
) -> None:
    ingest("New York City", ["She slept."])
    ingest("New York", ["It rained."])
    ingest("Plan", ["It quotes New York City."])
    fail_document(store, corpus, document_id(corpus, "New York City"), "It burnt.")
    assert links() == set()  # at once: it is not searchable any more
    link_titles(store, corpus)
    assert links() == {("Plan", "New York", "New York")}
    ingest("New York City", ["She woke."])
    assert links() == {("Plan", "New York City", "New York City")}


def test_records_come_and_go_with_their_file(
    store: GraphStore, corpus: str, ingest: Callable, make_batch: Callable, links: Callable
) -> None:
    file = make_batch("letters", [], uri="letters.json")
    accept(store, corpus, file)
    parent = file.documents[0].id
    ingest("Plan", ["It quotes Ada Lovelace and Charles Babbage."])
    for title in ("Ada Lovelace", "Charles Babbage"):
        ingest(title, ["Letters."], parent_id=parent)
    keep = [document_id(corpus, title) for title in ("Ada Lovelace", "Charles Babbage")]
    finish_collection(store, corpus, file.documents[0], keep)
    assert {named for _, _, named in links()} == {"Ada Lovelace", "Charles Babbage"}
    finish_collection(store, corpus, file.documents[0], keep[:1])
    link_titles(store, corpus)
    assert {named for _, _, named in links()} == {"Ada Lovelace"}
    delete_document(store, corpus, parent)
    assert links() == set()


def test_the_revision_moves_on_with_links_only(
    store: GraphStore, corpus: str, ingest: Callable
) -> None:
    ingest("Ada Lovelace", ["She slept."])
    assert corpus_revision(store, corpus) == 1  # the writing's
    ingest("Plan", ["It quotes Ada Lovelace."])
    assert corpus_revision(store, corpus) == 3  # and the link's
    assert link_titles(store, corpus) == Linked()
    assert corpus_revision(store, corpus) == 3


def test_who_was_killed_leaves_the_links_to_the_next(
    store: GraphStore, corpus: str, ingest: Callable, make_batch: Callable, links: Callable
) -> None:
    for title, text in (("Ada Lovelace", "Charles Babbage"), ("Charles Babbage", "Ada Lovelace")):
        batch = make_batch(title, [f"It is about {text}."])
        accept(store, corpus, batch)
        write_batch(store, corpus, batch)
    assert links() == set()
    ingest("Plan", ["It rained."])
    assert len(links()) == 2


def test_who_is_cancelled_or_refused_leaves_it_to_the_next(
    store: GraphStore, corpus: str, make_batch: Callable, links: Callable
) -> None:
    for title, text in (("Ada Lovelace", "Charles Babbage"), ("Charles Babbage", "Ada Lovelace")):
        batch = make_batch(title, [f"It is about {text}."])
        accept(store, corpus, batch)
        write_batch(store, corpus, batch)

    def lost(transaction: Transaction) -> None:
        raise PermissionError("the lease is another's")

    assert link_titles(store, corpus, cancelled=lambda: True) == Linked()
    with pytest.raises(PermissionError):
        link_titles(store, corpus, guard=lost)
    assert links() == set()
    told: list[tuple[int, int]] = []
    done = link_titles(store, corpus, progress=lambda *numbers: told.append(numbers))
    assert (done, told) == (Linked(2, 2, 0), [(2, 2)])


@pytest.fixture
def earlier(store: GraphStore, corpus: str, ingest: Callable, snapshot: Snapshot) -> Any:
    """A corpus as an earlier version left it, without links; returns what it is when linked."""
    ingest("Ada Lovelace", ["She wrote to Charles Babbage.", "She slept."])
    ingest("Charles Babbage", ["He met Ada Lovelace."])
    whole = snapshot(corpus)
    for statement in (
        "MATCH (:Sentence {corpus: $corpus})-[n:NAMES]->() DELETE n",
        "MATCH (c:Chunk {corpus: $corpus}) REMOVE c.folded, c.unlinked",
        "MATCH (d:Document {corpus: $corpus}) REMOVE d.named_as, d.first_word, d.unlinked",
        "MATCH (l:TitleLinks {corpus: $corpus}) DELETE l",
    ):
        store.run_declared(f"CYPHER 25 {statement}", {"corpus": corpus})
    return whole


def test_a_corpus_of_an_earlier_version_is_linked_once(
    store: GraphStore, corpus: str, earlier: Any, snapshot: Snapshot
) -> None:
    told: list[tuple[str, int, int]] = []
    ensure_title_links(store, lambda *what: told.append(what))
    assert snapshot(corpus) == earlier
    assert [what for what in told if what[0] == corpus] == [(corpus, 3, 3)]
    told.clear()
    ensure_title_links(store, lambda *what: told.append(what))
    assert told == []


def test_it_is_cancelled_and_goes_on(
    store: GraphStore, corpus: str, earlier: Any, snapshot: Snapshot
) -> None:
    asked = iter((False, False))
    ensure_title_links(store, cancelled=lambda: next(asked, True))
    assert snapshot(corpus) != earlier
    ensure_title_links(store)
    assert snapshot(corpus) == earlier


def test_a_corpus_that_is_deleted_leaves_nothing_of_it(
    store: GraphStore, corpus: str, ingest: Callable, make_batch: Callable
) -> None:
    ingest("Ada Lovelace", ["She wrote to Charles Babbage."])
    ingest("Charles Babbage", ["He slept."])
    batch = make_batch("Ada Lovelace", ["She slept."])
    fail_document(store, corpus, batch.documents[0].id, "It burnt.")
    delete_corpus(store, corpus)
    left = store.run_declared(
        "CYPHER 25 MATCH (n {corpus: $corpus}) RETURN count(n) AS n", {"corpus": corpus}
    )
    assert left == [{"n": 0}]


def test_a_cited_link_is_looked_up(
    store: GraphStore, corpus: str, ingest: Callable, links: Callable
) -> None:
    ingest("Ada Lovelace", ["She wrote to Charles Babbage."])
    ingest("Charles Babbage", ["He slept."])
    (link,) = export_title_links(store, corpus)
    real = CitedEdge(link.sentence_id, link.document_id, "NAMES")
    false = {
        CitedEdge(link.document_id, link.sentence_id, "NAMES"),
        CitedEdge(link.sentence_id, document_id(corpus, "Ada Lovelace"), "NAMES"),
        CitedEdge(link.sentence_id, link.document_id, "IN_CHUNK"),
    }
    assert existing(store, corpus, Cited(edges=frozenset({real} | false))).edges == {real}


def test_a_giant_document_is_linked_in_parts(
    store: GraphStore, corpus: str, ingest: Callable, monkeypatch: Any
) -> None:
    monkeypatch.setattr(linking, "CHUNKS_TOGETHER", 7)
    monkeypatch.setattr(linking, "FEW_WORDS", 3)
    ingest("Ada Lovelace", ["She slept."])
    ingest("Diary", [f"On day {day} came Ada Lovelace. It rained." for day in range(40)])
    assert len(list(export_title_links(store, corpus))) == 40
    ingest("Grace Hopper", ["She slept."])
    ingest("Ada Lovelace (film)", ["It rained."])
    assert len(list(export_title_links(store, corpus))) == 80


def test_corpora_do_not_name_each_other(
    store: GraphStore, corpus: str, corpus_names: Any, ingest: Callable
) -> None:
    other = corpus_names[0]
    ingest("Ada Lovelace", ["She slept."])
    ingest("Plan", ["It quotes Ada Lovelace and Charles Babbage."], into=other)
    ingest("Charles Babbage", ["He slept."])
    assert list(export_title_links(store, other)) == []
    assert list(export_title_links(store, corpus)) == []
    delete_corpus(store, other)


NAMES = ["Ann", "Ann Smith", "Ann Smith Bridge", "Old bridge", "Old bridges", "The Wall", "北京"]
NAMES += ["Ann (film)", "Ann Smith (film)", "Wall", "1984", "1984 (novel)", "ANN", "Éva", "notes"]
TEXTS = ["It shows Ann Smith Bridge", "By Ann Smith", "with Ann", "two old bridges", "the Wall"]
TEXTS += ["Ann slept", "in 1984", "the 1984 novel", "near 北京市", "Eva and Ann", "by ANN", "notes"]


def some_documents(chance: random.Random) -> list[Text]:
    titles = chance.sample(NAMES, chance.randint(4, len(NAMES)))
    return [
        (title, [f"{'. '.join(chance.choices(TEXTS, k=2))}." for _ in range(chance.randint(1, 3))])
        for title in titles
    ]


def expected(corpus: str, documents: Iterable[Text]) -> set[tuple[str, str]]:
    """What the sentences of these documents name, from the documents alone."""
    known = dict(documents)
    matcher = TitleMatcher((document_id(corpus, title), title) for title in known)
    bare = {document_id(corpus, title): bare_key(title) for title in known}
    return {
        (f"{title}: {sentence.strip()}.", named)
        for title, chunks in known.items()
        for chunk in chunks
        for sentence in chunk.split(".")[:-1]
        for name in matcher.find(f"{sentence.strip()}.")
        for named in name.document_ids
        if bare[named] != bare_key(title)
    }


def in_order(snapshot: dict[str, Any]) -> dict[str, list[str]]:
    """Edges that differ in their properties only (Ann and ANN in one chunk) come in any order."""
    return {kind: sorted(map(repr, rows)) for kind, rows in snapshot.items()}


@pytest.mark.parametrize("seed", range(3))
def test_links_follow_from_the_documents_alone(
    store: GraphStore,
    corpus: str,
    ingest: Callable,
    snapshot: Snapshot,
    monkeypatch: Any,
    seed: int,
) -> None:
    """Documents that come, change and go in any order leave what a fresh ingest makes."""
    monkeypatch.setattr(matching, "MOST_HOMONYMS", 2)
    chance = random.Random(seed)
    there: dict[str, list[str]] = {}
    for title, chunks in some_documents(chance) + some_documents(chance):
        ingest(title, chunks)
        there[title] = chunks
        if chance.random() < 0.4:
            gone = chance.choice(sorted(there))
            delete_document(store, corpus, document_id(corpus, gone))
            del there[gone]
    rows = store.run_declared(
        "CYPHER 25 MATCH (c:Chunk)<-[:IN_CHUNK]-(s:Sentence {corpus: $corpus})-[:NAMES]->(d) "
        "RETURN DISTINCT c.title + ': ' + s.text AS sentence, d.id AS named",
        {"corpus": corpus},
    )
    assert {(row["sentence"], row["named"]) for row in rows} == expected(corpus, there.items())
    assert [finding for finding in check_corpus(store, corpus) if finding.found] == []
    first = in_order(snapshot(corpus))
    for title in there:
        delete_document(store, corpus, document_id(corpus, title))
    assert snapshot(corpus) == {"nodes": [], "edges": []}
    for title in chance.sample(sorted(there), len(there)):
        ingest(title, there[title])
    assert in_order(snapshot(corpus)) == first


def test_writers_that_name_each_other_lose_no_link(
    store: GraphStore, corpus: str, ingest: Callable, snapshot: Snapshot
) -> None:
    """Documents that all name each other, written, replaced and deleted by four threads."""
    titles = [f"Ann {name}" for name in ("Abel", "Bell", "Cole", "Dunn", "Eden", "Ford")]
    doomed = [f"Bob {name}" for name in ("Gale", "Hill", "Ives", "Jung")]
    every = [*titles, *doomed]
    text = [f"It is about {', '.join(every)}.", "It rained."]

    def write(title: str) -> None:
        ingest(title, [f"First of {title}.", text[0]])
        ingest(title, text)
        if title in doomed:
            delete_document(store, corpus, document_id(corpus, title))

    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(write, title) for title in every]:
            future.result(timeout=120)
    assert len(list(export_title_links(store, corpus))) == len(titles) * (len(titles) - 1)
    parallel = snapshot(corpus)
    for title in titles:
        delete_document(store, corpus, document_id(corpus, title))
    assert snapshot(corpus) == {"nodes": [], "edges": []}
    for title in titles:
        ingest(title, text)
    assert snapshot(corpus) == parallel


@pytest.mark.parametrize(
    "gone",
    [
        "MATCH (d:Document {corpus: $corpus, title: 'Ada Lovelace'}) REMOVE d.named_as",
        "MATCH (c:Chunk {corpus: $corpus, title: 'Bob'}) REMOVE c.title, c.document_id",
        "MATCH (s:Sentence {corpus: $corpus}) WHERE s.text = 'He slept.' REMOVE s.text",
    ],
    ids=["title", "chunk", "sentence"],
)
@pytest.mark.parametrize("many_words", [False, True])
def test_what_is_deleted_while_it_is_read_is_not_linked(
    store: GraphStore,
    corpus: str,
    ingest: Callable,
    make_batch: Callable,
    links: Callable,
    monkeypatch: pytest.MonkeyPatch,
    gone: str,
    many_words: bool,
) -> None:
    """One statement finds a node by its index and then reads null: another transaction committed
    in between. Here the property is gone for good, so that it happens each time.
    """
    if many_words:
        monkeypatch.setattr(linking, "FEW_WORDS", 0)
    ingest("Ada Lovelace", ["She slept."])
    ingest("Charles Babbage", ["He knew nobody."])
    for batch in (
        make_batch("Bob", ["He slept. He met Charles Babbage."]),
        make_batch("Plan", ["It names Ada Lovelace and Charles Babbage."]),
    ):
        accept(store, corpus, batch)
        write_batch(store, corpus, batch)
    store.run_declared(f"CYPHER 25 {gone}", {"corpus": corpus})
    link_titles(store, corpus)
    named = {(title, words) for title, words, _ in links()}
    expected = {("Plan", "Charles Babbage")}
    if "Ada" in gone:
        expected.add(("Bob", "Charles Babbage"))
    else:
        expected.add(("Plan", "Ada Lovelace"))
    assert named == expected


def test_two_that_are_written_before_either_is_linked(
    store: GraphStore, corpus: str, make_batch: Callable, links: Callable
) -> None:
    """Both transactions are open at once: neither sees the other's document when it writes."""
    batches = [
        make_batch("Ada Lovelace", ["She knew Charles Babbage."]),
        make_batch("Charles Babbage", ["He knew Ada Lovelace."]),
    ]
    for batch in batches:
        accept(store, corpus, batch)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(partial(write_batch, store, corpus), batches))
        list(pool.map(lambda _: link_titles(store, corpus), range(2)))
    assert len(links()) == 2


def test_a_sentence_that_a_new_parse_does_not_have_takes_its_links_along(
    store: GraphStore, corpus: str, ingest: Callable, make_batch: Callable, links: Callable
) -> None:
    ingest("Ada Lovelace", ["She slept."])
    ingest("Plan", ["It quotes Ada Lovelace. It rained."])
    full = make_batch("Plan", ["It quotes Ada Lovelace. It rained."])
    rain = full.sentences[1].id
    less = replace(
        full,
        sentences=full.sentences[1:],
        roles=[row for row in full.roles if row.sentence_id == rain],
    )
    write_batch(store, corpus, less)
    link_titles(store, corpus)
    assert links() == set()
    write_batch(store, corpus, full)
    link_titles(store, corpus)
    assert links() == {("Plan", "Ada Lovelace", "Ada Lovelace")}
