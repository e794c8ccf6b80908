"""Reviews and merges over REST, against a real graph."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from clew import Clew
from clew_cypher.corpora import ensure_corpus
from clew_cypher.ids import content_id, entity_id
from clew_cypher.resolution.candidates import verdicts
from clew_cypher.resolution.reviews import ReviewRow, write_reviews
from clew_cypher.rows import ChunkRow, DocumentRow, EntityRow, GraphBatch, MentionRow
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import accept_document
from clew_cypher.writing.writer import write_batch
from clew_web.app import create_app

from ..running_clew import OwnSettings

NAMES = ("Mark Twain", "Samuel Clemens", "Hannibal")


@pytest.fixture
def rest(own_settings: OwnSettings, store: GraphStore, corpus: str, tmp_path: Any) -> Iterator[Any]:
    """A client of an app whose corpus has three entities in one document."""
    import numpy as np

    ensure_corpus(store, corpus, embedder="test", dimension=384)
    vectors = np.eye(384, dtype=np.float32)
    document_id, text = content_id("d", corpus, "a"), ". ".join(NAMES)
    accept_document(
        store, corpus, uri="a", title="a", media_type="text/plain", sha256="1", data=b""
    )
    ids = [entity_id(corpus, name.lower()) for name in NAMES]
    rows = zip(ids, NAMES, strict=True)
    write_batch(
        store,
        corpus,
        GraphBatch(
            documents=(DocumentRow(document_id, "a", "a", "text/plain", "1"),),
            chunks=(ChunkRow("c" + document_id, document_id, 0, "a", text, vectors[0]),),
            entities=tuple(
                EntityRow(key, name.lower(), vectors[number])
                for number, (key, name) in enumerate(zip(ids, NAMES, strict=True))
            ),
            mentions=tuple(
                MentionRow(key, "c" + document_id, 1, name, "PERSON", False) for key, name in rows
            ),
            finished=(document_id,),
        ),
    )
    review = ReviewRow(ids[0], ids[1], 0.6, ("a test says so",))
    store.in_transaction(lambda transaction: write_reviews(transaction, corpus, [review]))
    settings = own_settings(tmp_path)
    with Clew(settings) as clew:
        yield create_app(clew, settings).test_client()


def test_a_pair_is_reviewed_merged_and_undone(rest: Any, corpus: str) -> None:
    base = f"/api/v1/corpora/{corpus}"
    page = rest.get(f"{base}/reviews?limit=1").json
    (review,) = page["reviews"]
    assert {review["a"]["name"], review["b"]["name"]} == {"Mark Twain", "Samuel Clemens"}
    assert (review["score"], review["reasons"], page["more"]) == (0.6, ["a test says so"], False)
    said = rest.post(f"{base}/reviews/{review['id']}", json={"verdict": "same"})
    assert (said.status_code, said.json["verdict"]) == (200, "same")
    (merge,) = rest.get(f"{base}/merges").json["merges"]
    assert (merge["id"], merge["by"]) == (said.json["merge_id"], "person")
    assert rest.get(f"{base}/reviews").json["reviews"] == []
    again = rest.post(f"{base}/merges", json={"a": "Mark Twain", "b": "Samuel Clemens"})
    assert (again.status_code, again.json["error"]["code"]) == (422, "invalid_request")
    assert rest.delete(f"{base}/merges/{merge['id']}").status_code == 204
    assert rest.get(f"{base}/merges").json["merges"] == []
    gone = rest.delete(f"{base}/merges/{merge['id']}")
    assert (gone.status_code, gone.json["error"]["code"]) == (404, "unknown_merge")


def test_a_person_keeps_apart_and_merges_by_name(rest: Any, corpus: str, store: GraphStore) -> None:
    base = f"/api/v1/corpora/{corpus}"
    (review,) = rest.get(f"{base}/reviews").json["reviews"]
    said = rest.post(f"{base}/reviews/{review['id']}", json={"verdict": "different"})
    assert (said.json["verdict"], said.json["merge_id"]) == ("different", None)
    assert rest.get(f"{base}/reviews").json["reviews"] == []
    ids = [entity_id(corpus, name.lower()) for name in NAMES[:2]]
    assert verdicts(store, corpus) == {tuple(sorted(ids))}
    merged = rest.post(f"{base}/merges", json={"a": "mark twain", "b": "samuel clemens"})
    assert merged.status_code == 201
    assert verdicts(store, corpus) == set()


def test_an_entity_is_told_whole_and_by_the_name_it_had(rest: Any, corpus: str) -> None:
    base = f"/api/v1/corpora/{corpus}"
    ids = {name: entity_id(corpus, name.lower()) for name in NAMES}
    alone = rest.get(f"{base}/entities/{ids['Mark Twain']}").json
    assert (alone["entity"]["name"], alone["merges"]) == ("Mark Twain", [])
    (passage,) = alone["passages"]
    assert (passage["surfaces"], passage["mentions"]) == (["Mark Twain"], 1)
    assert passage["text"] == ". ".join(NAMES)
    rest.post(f"{base}/merges", json={"a": "Mark Twain", "b": "Samuel Clemens"})
    merged = [rest.get(f"{base}/entities/{ids[name]}").json for name in NAMES[:2]]
    assert merged[0] == merged[1]
    assert merged[0]["merges"][0]["by"] == "person"
    assert set(merged[0]["passages"][0]["surfaces"]) == set(NAMES[:2])
    page = rest.get(f"{base}/merges").json
    assert (page["total"], len(page["merges"])) == (1, 1)


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("get", "entities/none", None, 404, "unknown_entity"),
        ("get", "reviews?limit=0", None, 422, "invalid_request"),
        ("post", "reviews/none", {"verdict": "same"}, 404, "unknown_review"),
        ("post", "reviews/none", {"verdict": "perhaps"}, 422, "invalid_request"),
        ("post", "merges", {"a": "Nobody", "b": "Hannibal"}, 404, "unknown_entity"),
        ("post", "merges", {"a": "Hannibal", "b": "hannibal"}, 422, "invalid_request"),
        ("post", "merges", {"a": "Hannibal"}, 422, "invalid_request"),
    ],
)
def test_what_cannot_be_done_says_why(
    rest: Any, corpus: str, method: str, path: str, body: Any, status: int, code: str
) -> None:
    found = getattr(rest, method)(f"/api/v1/corpora/{corpus}/{path}", json=body)
    assert (found.status_code, found.json["error"]["code"]) == (status, code)
    assert found.json["error"]["remedy"]


def test_growth_counts_what_is_there_by_its_day(rest: Any, corpus: str) -> None:
    (day,) = rest.get(f"/api/v1/corpora/{corpus}/growth").json["days"]
    assert (day["documents"], day["chunks"], day["triples"]) == (1, 1, 0)
    assert day["day"] == datetime.now(UTC).date().isoformat()


def test_a_chunk_is_told_down_to_its_entities(rest: Any, corpus: str) -> None:
    chunk_id = "c" + content_id("d", corpus, "a")
    found = rest.get(f"/api/v1/corpora/{corpus}/chunks/{chunk_id}").json
    assert (found["document"], found["position"], found["triples"]) == ("a", 0, [])
    assert {one["name"] for one in found["mentions"]} == set(NAMES)
    gone = rest.get(f"/api/v1/corpora/{corpus}/chunks/none")
    assert (gone.status_code, gone.json["error"]["code"]) == (404, "unknown_chunk")


def test_an_unknown_corpus_is_told(rest: Any) -> None:
    for path in ("reviews", "merges"):
        found = rest.get(f"/api/v1/corpora/nowhere-at-all/{path}")
        assert (found.status_code, found.json["error"]["code"]) == (404, "unknown_corpus")


def test_what_triples_alone_name_is_counted_in_triples(client: Any) -> None:
    page = client.get("/entities/e3?corpus=default").text
    assert "in 1 triple<" in page
    assert "in 0 chunks" not in page
    listed = client.get("/entities?corpus=default&text=bold").text
    assert '<td class="number" data-label="Triples">1</td>' in listed
