"""Vector, full-text and name search: right scores, nothing of another corpus, any input."""

import time
from collections.abc import Callable

import numpy as np
import pytest

from clew_cypher.corpora import delete_corpus, ensure_corpus
from clew_cypher.errors import GraphError
from clew_cypher.ids import content_id, corpus_key
from clew_cypher.searching.chunks import chunks_by_id, first_chunks_with_fields
from clew_cypher.searching.entities import (
    document_entities,
    entities_by_id,
    find_entities,
    search_entities,
)
from clew_cypher.searching.vectors import nearest_chunks, nearest_entities, nearest_sentences
from clew_cypher.searching.words import (
    chunk_label,
    drop_word_index,
    ensure_word_indexes,
    escape,
    search_chunks,
)
from clew_cypher.store import GraphStore

TEXTS = {
    "Ada": ["Ada studied engines with Babbage.", "Ada met Byron."],
    "Babbage": ["Babbage designed a difference engine."],
    "Curie": ["Curie isolated radium."],
}


@pytest.fixture
def filled(ingest: Callable) -> None:
    for title, chunks in TEXTS.items():
        ingest(title, chunks)


def test_scores_are_cosines(store: GraphStore, corpus: str, filled: None, vector: Callable) -> None:
    query = vector("anything")
    texts = [f"{title}\n{text}" for title, chunks in TEXTS.items() for text in chunks]
    expected = sorted((float(vector(text) @ query) for text in texts), reverse=True)
    found = nearest_chunks(store, corpus, query, 10)
    assert [row["score"] for row in found] == pytest.approx(expected, abs=1e-6)
    assert len(nearest_chunks(store, corpus, query, 2)) == 2
    (exact,) = nearest_entities(store, corpus, vector("curie"), 1)
    assert (exact["key"], exact["score"]) == ("curie", pytest.approx(1, abs=1e-6))
    (opposite,) = nearest_entities(store, corpus, -vector("curie"), 10)[-1:]
    assert opposite["score"] == pytest.approx(-1, abs=1e-6)
    (sentence,) = nearest_sentences(store, corpus, vector("Ada met Byron."), 1)
    assert sentence["text"] == "Ada met Byron."
    assert chunks_by_id(store, corpus, [sentence["chunk_id"]])[0]["text"] == "Ada met Byron."


def test_the_index_finds_the_exact_neighbours(
    store: GraphStore, ingest: Callable, corpus: str, vector: Callable
) -> None:
    texts = [f"Text {chr(97 + i // 26)}{chr(97 + i % 26)}." for i in range(300)]
    ingest("Many", texts)
    matrix = np.stack([vector(f"Many\n{text}") for text in texts])
    for question in ("one", "two", "three"):
        query = vector(question)
        best = {texts[i] for i in np.argsort(-(matrix @ query))[:5]}
        assert {row["text"] for row in nearest_chunks(store, corpus, query, 5)} == best


def test_full_text_ranks_by_words(store: GraphStore, corpus: str, filled: None) -> None:
    found = search_chunks(store, corpus, "Who designed the Difference Engines?", 5)
    assert [row["title"] for row in found] == ["Babbage", "Ada"]  # a stem matches its forms
    assert found[0]["score"] > found[1]["score"] > 0
    assert [row["title"] for row in search_chunks(store, corpus, "curie", 5)] == ["Curie"]
    assert len(search_chunks(store, corpus, "ada", 1)) == 1


def test_the_words_of_another_corpus_do_not_count(
    store: GraphStore, corpus: str, ingest: Callable, filled: None
) -> None:
    before = search_chunks(store, corpus, "difference engine", 5)
    other = f"{corpus}-other"
    try:
        for number in range(30):
            ingest(f"Other {number}", ["The difference engine again."], into=other)
        assert search_chunks(store, corpus, "difference engine", 5) == before
        assert len(search_chunks(store, other, "difference engine", 50)) == 30
    finally:
        delete_corpus(store, other)


def test_a_corpus_of_an_earlier_version_gets_its_index_of_words(
    store: GraphStore, corpus: str, filled: None
) -> None:
    before = search_chunks(store, corpus, "curie", 5)
    drop_word_index(store, corpus)
    store.run_declared(
        f"MATCH (c:Chunk {{corpus: $corpus}}) REMOVE c:{chunk_label(corpus)}", {"corpus": corpus}
    )
    with pytest.raises(GraphError):
        search_chunks(store, corpus, "curie", 5)
    ensure_word_indexes(store)
    assert search_chunks(store, corpus, "curie", 5) == before != []


@pytest.mark.parametrize(
    "question",
    [
        "",
        "   ",
        "?!",
        "the of and",
        'AND OR NOT "x',
        "a:b ^ ~ * ? \\ / ( [ { + - && || ! TO",
        "x" * 40_000,
        "engine " * 3000,
        " ".join(f"w{i}" for i in range(5000)),
        "\x00\ud7ff\U0001f600",
        "corpus_key:*",
        ",".join(f"w{i}" for i in range(1700)),
        "w0," * 3000,
        " ".join("-".join(f"w{i}x{j}" for j in range(20)) for i in range(100)),
        "\u6771" * 3000,
        "\U0001f600" * 2000,
        "_".join(["."] * 2000),
    ],
)
def test_any_question_is_words(store: GraphStore, corpus: str, filled: None, question: str) -> None:
    started = time.monotonic()
    found = search_chunks(store, corpus, question, 5)
    assert time.monotonic() - started < 10
    assert len(found) == (1 + 1 if "engine " in question else 0)
    search_entities(store, corpus, question[:2000])


def test_words_that_lucene_splits_count_as_many(store: GraphStore, corpus: str) -> None:
    assert len(escape(",".join(f"w{i}" for i in range(1700))).split()) == 200
    assert escape("state-of-the-art don't 3.14") == "state\\-of\\-the\\-art don't 3.14"


def test_operators_have_no_power() -> None:
    assert escape('A AND "b" c*') == 'a and \\"b\\" c\\*'
    assert escape("one one ONE") == "one"


def test_two_corpora_never_leak(
    store: GraphStore, corpus: str, ingest: Callable, filled: None, vector: Callable
) -> None:
    other = f"{corpus}-other"
    try:
        ingest("Ada", ["Ada hides a secret engine."], into=other, aliases=["countess"])
        secret = vector("Ada\nAda hides a secret engine.")
        everything = [
            *nearest_chunks(store, corpus, secret, 100),
            *nearest_sentences(store, corpus, vector("Ada hides a secret engine."), 100),
            *search_chunks(store, corpus, "secret engine", 100),
        ]
        assert everything
        assert not [row for row in everything if "secret" in row["text"]]
        theirs = content_id("e", other, "ada")
        ours = content_id("e", corpus, "ada")
        assert entities_by_id(store, corpus, [theirs, ours]) == entities_by_id(
            store, corpus, [ours]
        )
        assert [r["id"] for r in nearest_entities(store, corpus, vector("ada"), 1)] == [ours]
        assert [r["id"] for r in search_entities(store, corpus, "ada")] == [ours]
        assert find_entities(store, corpus, ["countess"]) == []
        (hidden,) = search_chunks(store, other, "secret", 5)
        assert chunks_by_id(store, corpus, [hidden["id"]]) == []
        assert document_entities(store, corpus, hidden["document_id"], 5) == []
    finally:
        from clew_cypher.corpora import delete_corpus

        delete_corpus(store, other)


def test_an_empty_corpus_has_nothing(store: GraphStore, corpus: str, vector: Callable) -> None:
    ensure_corpus(store, corpus, embedder="hash", dimension=384)
    assert nearest_chunks(store, corpus, vector("x"), 5) == []
    assert search_chunks(store, corpus, "engine", 5) == []
    assert find_entities(store, corpus, ["ada"]) == []


def test_names_then_aliases(store: GraphStore, corpus: str, ingest: Callable) -> None:
    ingest("Ada", ["Ada slept."], aliases=["byron", 'the "queen" of (engines)'])
    ingest("Byron", ["Byron wrote."])
    asked = ["ada", "byron", 'the "queen" of (engines)', "nobody", "queen"]
    found = find_entities(store, corpus, asked)
    assert [(row["asked"], row["key"], row["matched"]) for row in found] == [
        ("ada", "ada", "name"),
        ("byron", "byron", "name"),
        ("byron", "ada", "alias"),
        ('the "queen" of (engines)', "ada", "alias"),
    ]


def test_the_beginning_of_a_name_is_enough(store: GraphStore, corpus: str, filled: None) -> None:
    assert [row["key"] for row in search_entities(store, corpus, "Bab")] == ["babbage"]
    assert search_entities(store, corpus, "abbage") == []


@pytest.mark.parametrize("name", ["document_id", "title", "text", "position"])
def test_a_chunk_that_is_deleted_while_it_is_read_is_left_out(
    store: GraphStore, corpus: str, filled: None, name: str
) -> None:
    """Between finding it and reading it another transaction commits: here it is so each time."""
    ids = [
        row["id"]
        for row in store.run_declared(
            "CYPHER 25 MATCH (c:Chunk {corpus: $corpus}) RETURN c.id AS id ORDER BY id",
            {"corpus": corpus},
        )
    ]
    store.run_declared(f"CYPHER 25 MATCH (c:Chunk {{id: $id}}) REMOVE c.{name}", {"id": ids[0]})
    assert [row["id"] for row in chunks_by_id(store, corpus, ids)] == ids[1:]


def test_chunks_come_in_the_order_asked(store: GraphStore, corpus: str, filled: None) -> None:
    ids = [row["id"] for row in search_chunks(store, corpus, "ada curie babbage", 5)]
    wanted = [ids[1], "c0", ids[0], ids[1]]
    assert [row["id"] for row in chunks_by_id(store, corpus, wanted)] == [ids[1], ids[0]]


def test_a_document_s_entities(store: GraphStore, corpus: str, filled: None) -> None:
    rows = document_entities(store, corpus, content_id("d", corpus, "Ada.txt"), 2)
    assert [(row["key"], row["mentions"]) for row in rows] == [("ada", 2), ("babbage", 1)]


def test_the_token_of_a_corpus_is_digits() -> None:
    assert corpus_key("a").isdigit()
    assert corpus_key("a") != corpus_key("A")


def test_where_documents_with_fields_begin(
    store: GraphStore, corpus: str, ingest: Callable
) -> None:
    for title in ("Byron", "Ada"):
        ingest(title, [f"{title} is told of.", "More."], metadata='{"status": "Final"}')
    ingest("Letters", ["They have no fields."])
    found = first_chunks_with_fields(store, corpus, 2)
    assert [(row["title"], row["text"], row["position"]) for row in found] == [
        ("Ada", "Ada is told of.", 0),
        ("Byron", "Byron is told of.", 0),
    ]
    assert first_chunks_with_fields(store, corpus, 1) == []  # more than are read
