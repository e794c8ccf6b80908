"""Documents written and deleted while their entities are merged and separated: nothing is lost."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from clew_cypher.errors import UnknownEntity, UnknownMerge
from clew_cypher.ids import content_id, entity_id
from clew_cypher.resolution.merges import MergeRow, apply_merge, list_merges, undo_merge
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import delete_document

DOCUMENTS = [(f"Note{letter}", ["Ada met Lovelace. Byron met Ada."]) for letter in "abcdef"]


def without_verdicts(taken: dict[str, list]) -> dict[str, list]:
    """A state without what undone merges leave on purpose."""
    nodes = [node for node in taken["nodes"] if "Verdict" not in node["labels"]]
    return {"nodes": nodes, "edges": taken["edges"]}


def test_writers_and_mergers_at_once(
    store: GraphStore, corpus: str, ingest: Callable, snapshot: Callable
) -> None:
    ada, lovelace = (entity_id(corpus, key) for key in ("ada", "lovelace"))
    merge_id = content_id("g", corpus)
    done = threading.Event()

    def merge_and_undo() -> int:
        turns = 0
        while not done.is_set():
            try:
                apply_merge(store, corpus, MergeRow(merge_id, ada, (lovelace,), by="person"))
                undo_merge(store, corpus, merge_id)
                turns += 1
            except (UnknownEntity, UnknownMerge):
                continue  # its last document is gone for the moment
        return turns

    def write_delete_write(document: tuple[str, list[str]]) -> None:
        for _ in range(3):
            ingest(*document)
            delete_document(store, corpus, content_id("d", corpus, f"{document[0]}.txt"))
        ingest(*document)

    ingest(*DOCUMENTS[0])
    with ThreadPoolExecutor(4) as pool:
        merging = pool.submit(merge_and_undo)
        try:
            for future in [pool.submit(write_delete_write, item) for item in DOCUMENTS[1:]]:
                future.result(timeout=240)
        finally:
            done.set()
        assert merging.result(timeout=60) > 0
    for row in list_merges(store, corpus):
        undo_merge(store, corpus, row["id"])
    parallel = without_verdicts(snapshot(corpus))
    ids = [node["properties"]["id"] for node in parallel["nodes"]]
    assert len(ids) == len(set(ids))
    for title, _ in DOCUMENTS:
        delete_document(store, corpus, content_id("d", corpus, f"{title}.txt"))
    assert without_verdicts(snapshot(corpus)) == {"nodes": [], "edges": []}
    for document in DOCUMENTS:
        ingest(*document)
    assert without_verdicts(snapshot(corpus)) == parallel
