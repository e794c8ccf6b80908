"""The stages together: extraction between parse and embedding, cancels, errors, several parsers."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from clew_ingest.errors import IngestCancelled
from clew_ingest.limits import IngestLimits
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.reading.sources import uploaded
from clew_ingest.triples.base import ChunkText, ChunkTriples, ExtractedTriple

from ..graph_lines import graph_lines

if TYPE_CHECKING:
    from clew_cypher.store import GraphStore
    from clew_models.embedding.base import Embedder

LIMITS = IngestLimits(chunk_tokens=64, batch_chunks=8)
TEXT = "\n\n".join(
    f"Person{number} lived in Paris with Person{number + 1}. Both worked in London for some years "
    "and went home to Rome when the work was done."
    for number in range(30)
)


class ScriptedExtraction:
    """Says of each chunk that its first word is said by it; fails where it says so."""

    name = "llm"

    def __init__(self, act: Callable[[int, Callable[[], bool]], None] | None = None) -> None:
        self.fingerprint = "scripted"
        self.seen: list[str] = []
        self._act = act

    def extract(
        self, chunks: Iterable[ChunkText], *, cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[ChunkTriples]:
        for number, chunk in enumerate(chunks):
            self.seen.append(chunk.text)
            assert all(sentence in chunk.text for sentence in chunk.sentences)
            if self._act is not None:
                self._act(number, cancelled)
            if "refused" in chunk.text:
                yield ChunkTriples(seconds=1.0, failed="the text was refused")
                continue
            first = chunk.text.split()[0]
            said = ExtractedTriple(first, "PERSON", "say", "a word", "", None)
            again = ExtractedTriple(first, "PERSON", "be in", "Paris", "GPE", 0)
            yield ChunkTriples(
                (said, again),
                ("A textual triplet.", None),
                *(2, 100, 10, 0.5),
                dropped={"not an object": 1},
            )


class SlowEmbedder:
    """The real embedder, with ``act`` before each call."""

    def __init__(self, embedder: "Embedder", act: Callable[[], None]) -> None:
        self._embedder = embedder
        self._act = act
        self.name, self.dimension = embedder.name, embedder.dimension
        self.device, self.bytes = embedder.device, embedder.bytes

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self._act()
        return self._embedder.embed(texts)

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)


@pytest.fixture(scope="module")
def embedder(cache_dir: Path) -> "Embedder":
    from clew_models.embedding import load_embedder

    return load_embedder("minilm", cache_dir=cache_dir, batch_size=16, threads=1)


def accept(pipeline: IngestPipeline, corpus: str, *texts: str) -> Sequence[str]:
    sources = [uploaded(f"{number}.txt", text.encode()) for number, text in enumerate(texts)]
    return pipeline.accept(corpus, sources).pending


def test_triples_of_an_extraction_reach_the_graph_with_their_costs(
    store: "GraphStore", embedder: "Embedder", corpus: str
) -> None:
    from clew_cypher.searching.documents import get_document

    extraction = ScriptedExtraction()
    pipeline = IngestPipeline(store, embedder, limits=LIMITS, extraction=extraction)
    ids = accept(pipeline, corpus, TEXT, "Ada is refused.", "Bela lives in Paris.", "\x00 bad")
    report = pipeline.process(corpus, ids)
    chunks = report.chunks
    assert (report.ready, len(report.failed), report.extractions_failed) == (3, 1, 1)
    assert (report.triples, report.llm_calls) == (2 * (chunks - 1), 2 * (chunks - 1))
    assert (report.prompt_tokens, report.completion_tokens) == (
        100 * (chunks - 1),
        10 * (chunks - 1),
    )
    assert report.triples_dropped == chunks - 1
    assert report.seconds["extract"] == pytest.approx(0.5 * (chunks - 1) + 1)
    assert len(extraction.seen) == chunks
    rows = store.run_declared(
        "CYPHER 25 MATCH (h)-[r:RELATION {corpus: $corpus}]->(t) RETURN r.extractor AS extractor, "
        "r.ttr AS ttr, r.predicate AS predicate, t.named AS named, h.named AS head_named",
        {"corpus": corpus},
    )
    assert {row["extractor"] for row in rows} == {"llm"}
    assert all(row["head_named"] for row in rows)
    by_predicate = {row["predicate"]: row for row in rows}
    assert by_predicate["say"]["ttr"] == "A textual triplet."
    assert (by_predicate["say"]["named"], by_predicate["be in"]["named"]) == (False, True)
    found = get_document(store, corpus, ids[2])
    assert (found["llm_calls"], found["prompt_tokens"], found["completion_tokens"]) == (2, 100, 10)
    assert found["seconds"] > 0.5
    refused = store.run_declared(
        "CYPHER 25 MATCH (c:Chunk {document_id: $id}) RETURN c.unit AS unit", {"id": ids[1]}
    )
    assert [row["unit"] for row in refused] == [None]


@pytest.mark.parametrize("stage", ["parse", "extract", "embed"])
def test_a_cancel_is_heard_soon_in_every_stage(
    store: "GraphStore", embedder: "Embedder", corpus: str, stage: str
) -> None:
    stop = threading.Event()
    heard: list[float] = []

    def reached() -> None:
        if not stop.is_set():
            heard.append(time.monotonic())
            stop.set()

    def asked(number: int, cancelled: Callable[[], bool]) -> None:
        reached()
        while not cancelled():
            time.sleep(0.05)
        raise IngestCancelled("heard")

    def embedding() -> None:
        reached()
        time.sleep(0.3)

    used = SlowEmbedder(embedder, embedding) if stage == "embed" else embedder
    extraction = ScriptedExtraction(asked) if stage == "extract" else None
    with IngestPipeline(store, used, limits=LIMITS, extraction=extraction) as pipeline:
        pipeline.process(corpus, accept(pipeline, corpus))
        ids = accept(pipeline, corpus, *[f"{n}. {TEXT}" for n in range(8)])
        if stage == "parse":
            threading.Timer(0.5, reached).start()
        with pytest.raises(IngestCancelled):
            pipeline.process(corpus, ids, cancelled=stop.is_set)
    assert time.monotonic() - heard[0] < 5
    assert not [t.name for t in threading.enumerate() if t.name.startswith("clew-")]


@pytest.mark.parametrize("stage", ["extract", "embed"])
def test_an_error_of_a_stage_ends_the_run_and_the_next_one_goes_on(
    store: "GraphStore", embedder: "Embedder", corpus: str, stage: str
) -> None:
    calls: list[int] = []

    def fail(*_: object) -> None:
        calls.append(1)
        if len(calls) == 4:
            raise RuntimeError("broken here")

    used = SlowEmbedder(embedder, fail) if stage == "embed" else embedder
    extraction = ScriptedExtraction(fail if stage == "extract" else None)
    with IngestPipeline(store, used, limits=LIMITS, extraction=extraction) as pipeline:
        ids = accept(pipeline, corpus, *[f"{n}. {TEXT}" for n in range(4)])
        with pytest.raises(RuntimeError, match="broken here"):
            pipeline.process(corpus, ids)
        assert not [t.name for t in threading.enumerate() if t.name.startswith("clew-")]
        assert pipeline.process(corpus).failed == ()
    from clew_cypher.corpora import corpus_counts

    assert corpus_counts(store, corpus)["accepted"] == 0


def test_several_parsers_make_the_same_graph_as_one(
    store: "GraphStore", embedder: "Embedder", corpus: str
) -> None:
    from clew_cypher.corpora import delete_corpus

    texts = [f"{n}. {TEXT * 4}" for n in range(6)]
    found = []
    for processes in (1, 3):
        limits = replace(LIMITS, parser_processes=processes, chunk_tokens=256, batch_chunks=64)
        pipeline = IngestPipeline(store, embedder, limits=limits)
        report = pipeline.process(corpus, accept(pipeline, corpus, *texts))
        assert report.ready == 6
        found.append(graph_lines(store, corpus))
        delete_corpus(store, corpus)
    assert found[0] == found[1]


def test_kept_chunks_that_go_meanwhile_have_their_document_done_again(
    store: "GraphStore", embedder: "Embedder", corpus: str
) -> None:
    from clew_cypher.corpora import delete_corpus
    from clew_cypher.writing.removal import remove_chunks

    before = IngestPipeline(store, embedder, limits=LIMITS, extraction=ScriptedExtraction())
    before.process(corpus, accept(before, corpus, TEXT))

    def take_away(number: int, cancelled: Callable[[], bool]) -> None:
        if not taken:
            taken.append(1)
            rows = store.run_declared(
                "CYPHER 25 MATCH (c:Chunk {corpus: $corpus}) "
                "RETURN c.id AS id ORDER BY c.position LIMIT 2",
                {"corpus": corpus},
            )
            gone = [row["id"] for row in rows]
            store.in_transaction(lambda transaction: remove_chunks(transaction, gone))

    taken: list[int] = []
    pipeline = IngestPipeline(
        store, embedder, limits=LIMITS, extraction=ScriptedExtraction(take_away)
    )
    new = TEXT + "\n\nSomething was added at the end, and it is long enough to be a chunk."
    report = pipeline.process(corpus, accept(pipeline, corpus, new))
    assert taken
    assert (report.ready, report.failed) == (1, ())
    found = graph_lines(store, corpus)
    delete_corpus(store, corpus)
    before.process(corpus, accept(before, corpus, new))
    assert found == graph_lines(store, corpus)
