"""Which paths are shown: every passage has one, and what is left out is counted."""

from collections.abc import Callable, Sequence
from typing import Literal

import pytest

from clew.results.evidence import Evidence, ScoredChunk, SeedEntity
from clew.strategies.paths import MOST_PATHS, chosen_paths, with_paths
from clew_cypher.corpora import ensure_corpus
from clew_cypher.ids import content_id
from clew_cypher.searching.paths import PathNodeRow, PathRow
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import accept_document
from clew_cypher.writing.writer import write_batch

from ..cypher.conftest import DIMENSION, EMBEDDER, batch_of

CROWD = ("Anna", "Bruno", "Clara", "Doris", "Emil", "Fritz")
TEXTS = {
    "Crowd": "Anna met Bruno and Clara and Doris and Emil and Fritz.",
    "Harbour": "Greta lives in Hamburg.",
    "Coast": "Ida lives in Kiel.",
    "Silence": "nothing is said here.",
}
Explain = Callable[..., Evidence]


@pytest.fixture
def explain(store: GraphStore, corpus: str) -> Explain:
    """``explain(["Anna"], ["Crowd"])``: evidence of these seeds and passages, with its paths."""
    ensure_corpus(store, corpus, embedder=EMBEDDER, dimension=DIMENSION)
    chunks: dict[str, ScoredChunk] = {}

    def write(title: str, text: str) -> ScoredChunk:
        batch = batch_of(corpus, title, [text])
        (document,) = batch.documents
        accept_document(
            store,
            corpus,
            uri=document.uri,
            title=title,
            media_type=document.media_type,
            sha256=document.sha256,
            data=text.encode(),
        )
        write_batch(store, corpus, batch)
        (row,) = batch.chunks
        return ScoredChunk(
            id=row.id, document_id=row.document_id, title=title, text=text, score=1.0
        )

    def make(
        names: Sequence[str],
        titles: Sequence[str],
        *,
        match: Literal["name", "decoded"] = "name",
        texts: dict[str, str] = TEXTS,
        first: int | None = None,
    ) -> Evidence:
        for title in titles:
            if title not in chunks:
                chunks[title] = write(title, texts[title])
        seeds = [
            SeedEntity(
                id=content_id("e", corpus, name.lower()),
                name=name,
                mention=name,
                match=match,
                weight=0.1,
            )
            for name in names
        ]
        evidence = Evidence(
            question="Who?",
            corpus=corpus,
            strategy="any",
            chunks=tuple(chunks[title] for title in titles),
            seeds=tuple(seeds),
        )
        return with_paths(store, evidence, first)

    return make


def reached(evidence: Evidence) -> set[str]:
    return {node.id for path in evidence.paths for node in path.nodes if node.kind == "chunk"}


def test_every_passage_has_a_path_where_one_passage_alone_has_more_than_are_shown(
    explain: Explain,
) -> None:
    evidence = explain([*CROWD, "Greta", "Ida"], ["Crowd", "Harbour", "Coast"])
    assert reached(evidence) == {chunk.id for chunk in evidence.chunks}
    # six names in one passage are 15 pairs; two more lead to the others
    assert (len(evidence.paths), evidence.paths_left_out) == (MOST_PATHS, 15 + 2 - MOST_PATHS)
    assert evidence.trace[-1].detail == {"paths": 12, "left_out": 5}


def test_there_are_as_many_as_there_are_passages(explain: Explain) -> None:
    texts = {f"Place{n}": f"{name}stone is far away." for n, name in enumerate("ABCDEFGHIJKLMNO")}
    names = [text.split()[0] for text in texts.values()]
    evidence = explain(names, list(texts), texts=texts)
    assert len(evidence.paths) == len(texts) > MOST_PATHS
    assert reached(evidence) == {chunk.id for chunk in evidence.chunks}
    assert evidence.paths_left_out == 0


def test_what_nothing_leads_to_is_counted(explain: Explain) -> None:
    evidence = explain(["Greta"], ["Harbour", "Silence"])
    assert [[node.label for node in path.nodes] for path in evidence.paths] == [
        ["Greta", "Harbour"]
    ]
    assert evidence.trace[-1].detail["passages_without_a_path"] == 1
    first = explain(["Greta"], ["Harbour", "Silence"], first=1)
    assert first.trace[-1].detail == {"paths": 1, "left_out": 0}


def test_names_of_clues_lead_to_passages_and_not_to_one_another(explain: Explain) -> None:
    evidence = explain([*CROWD, "Greta"], ["Crowd", "Harbour"], match="decoded")
    assert [[node.label for node in path.nodes] for path in evidence.paths] == [
        ["Anna", "Crowd"],
        ["Greta", "Harbour"],
    ]


def row(*ids: str) -> PathRow:
    kinds = {True: "chunk", False: "entity"}
    nodes = tuple(PathNodeRow(id_, kinds[id_.startswith("c")], id_) for id_ in ids)  # type: ignore[arg-type]
    return PathRow(nodes, ())


def test_paths_are_chosen_in_their_order() -> None:
    rows = [row("e1", "c1", "e2"), row("e1", "c1", "e3"), row("e4", "c2"), row("e2", "c1", "e3")]
    assert chosen_paths(rows, 4) == rows
    assert chosen_paths(rows, 3) == rows[:3]
    assert chosen_paths(rows, 2) == [rows[0], rows[2]]
    assert chosen_paths(rows, 0) == [rows[0], rows[2]]
    assert chosen_paths([], 3) == []
