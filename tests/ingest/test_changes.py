"""A changed document: only what changed is worked on, and the graph is that of a fresh ingest."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray

from clew_ingest.errors import IngestCancelled
from clew_ingest.limits import IngestLimits
from clew_ingest.parsing.process import ParsingProcess
from clew_ingest.pipeline.pipeline import IngestPipeline
from clew_ingest.pipeline.progress import IngestProgress, IngestReport
from clew_ingest.reading.sources import uploaded
from clew_ingest.triples.extraction import build_extraction

from ..graph_lines import graph_lines

if TYPE_CHECKING:
    from clew_cypher.store import GraphStore
    from clew_models.embedding.base import Embedder

LIMITS = IngestLimits(chunk_tokens=96, batch_chunks=8)
NAMES = "Ada Bela Carl Dora Emil Frida Georg Hanna Igor Jana Karl Lena Max Nora Otto Petra".split()  # noqa: SIM905
TOWNS = "London Paris Rome Vienna Madrid Lisbon Dublin Athens".split()  # noqa: SIM905


@dataclass
class CountingEmbedder:
    """The real embedder, with the texts it was given; each is computed once for the whole file."""

    embedder: "Embedder"
    texts: list[str] = field(default_factory=list)
    known: dict[str, NDArray[np.float32]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.name, self.dimension = self.embedder.name, self.embedder.dimension
        self.device, self.bytes = self.embedder.device, self.embedder.bytes

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.texts += texts
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known.update(zip(new, self.embedder.embed(new), strict=True))
        found = [self.known[text] for text in texts]
        return np.array(found, np.float32).reshape(len(found), self.dimension)

    def count_tokens(self, text: str) -> int:
        return self.embedder.count_tokens(text)


def paragraph(number: int) -> str:
    name, town = NAMES[number % len(NAMES)], TOWNS[number % len(TOWNS)]
    return (
        f"{name} Smith{number} was born in {town} in {1800 + number}. {name} Smith{number} founded "
        f"the Institute of {town}. Later Smith{number} moved to {TOWNS[(number + 3) % 8]}."
    )


V1 = [paragraph(number) for number in range(30)]
V1[12] = V1[20] = "The same paragraph stands here twice. Ada Lovelace wrote it in London."
V1[25] = " ".join(paragraph(number) for number in range(60, 66))  # over the budget of a chunk
NEW = "Zoe Newton was born in Oslo in 1901. She founded the Museum of Oslo."

CHANGES: dict[str, Callable[[list[str]], list[str]]] = {
    "inserted": lambda text: [*text[:9], NEW, *text[9:]],
    "first": lambda text: [NEW, *text],
    "changed": lambda text: [*text[:9], text[9] + " " + NEW, *text[10:]],
    "removed": lambda text: [*text[:9], *text[10:]],
    "moved": lambda text: [*text[:9], *text[10:22], text[9], *text[22:]],
    "repeated": lambda text: [*text[:9], text[12], *text[9:]],
    "one of two gone": lambda text: [*text[:12], *text[13:]],
    "long one changed": lambda text: [*text[:25], text[25] + " " + NEW, *text[26:]],
    "end cut off": lambda text: text[:20],
}


@pytest.fixture(scope="module")
def embedder(cache_dir: Path) -> CountingEmbedder:
    from clew_models.embedding import load_embedder

    return CountingEmbedder(load_embedder("minilm", cache_dir=cache_dir, batch_size=16, threads=1))


@pytest.fixture(scope="module")
def pipeline(store: "GraphStore", embedder: CountingEmbedder) -> Iterator[IngestPipeline]:
    with IngestPipeline(store, embedder, limits=LIMITS) as pipeline:
        yield pipeline


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were parsed."""
    texts: list[str] = []
    parse = ParsingProcess.parse

    def noting(self: ParsingProcess, given: Sequence[str], **options: Any) -> Any:
        texts.extend(given)
        return parse(self, given, **options)

    monkeypatch.setattr(ParsingProcess, "parse", noting)
    return texts


def ingest(pipeline: IngestPipeline, corpus: str, paragraphs: Sequence[str]) -> IngestReport:
    data = "\n\n".join(paragraphs).encode()
    accepted = pipeline.accept(corpus, [uploaded("a.txt", data)])
    return pipeline.process(corpus, accepted.pending).after(accepted)


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_document_costs_its_changed_units_and_is_as_if_fresh(
    pipeline: IngestPipeline,
    store: "GraphStore",
    corpus: str,
    embedder: CountingEmbedder,
    parsed: list[str],
    change: str,
) -> None:
    from clew_cypher.corpora import delete_corpus

    first = ingest(pipeline, corpus, V1)
    assert first.triples > 60
    assert first.kept_chunks == 0
    parsed.clear()
    embedder.texts.clear()
    changed = CHANGES[change](list(V1))
    report = ingest(pipeline, corpus, changed)
    assert (report.ready, report.failed) == (1, ())
    assert len(parsed) <= 10 < len(V1) / 2  # a unit has two or three paragraphs
    assert report.chunks <= 8
    assert len(embedder.texts) < 80
    assert 3 * report.kept_chunks >= (1 if change == "end cut off" else 2) * first.chunks
    found = graph_lines(store, corpus)
    delete_corpus(store, corpus)
    assert graph_lines(store, corpus).total() == 0
    ingest(pipeline, corpus, changed)
    assert found == graph_lines(store, corpus)


def test_the_same_text_again_costs_nothing_and_other_settings_cost_all(
    pipeline: IngestPipeline,
    store: "GraphStore",
    corpus: str,
    embedder: CountingEmbedder,
    parsed: list[str],
) -> None:
    ingest(pipeline, corpus, V1)
    before = graph_lines(store, corpus)
    parsed.clear()
    assert ingest(pipeline, corpus, V1).unchanged == 1
    assert parsed == []
    limits = IngestLimits(chunk_tokens=80, batch_chunks=8)
    with IngestPipeline(
        store, embedder, limits=limits, extraction=build_extraction("none")
    ) as other:
        report = ingest(other, corpus, V1)
        assert (report.ready, report.triples, report.kept_chunks) == (1, 0, 0)
    assert len(parsed) == len(V1)
    assert not any("RELATION" in line for line in graph_lines(store, corpus))
    ingest(pipeline, corpus, V1)
    assert graph_lines(store, corpus) == before


def test_another_order_of_the_same_paragraphs_is_a_revision(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    from clew_cypher.corpora import corpus_revision

    long = [" ".join(paragraph(4 * n + m) for m in range(4)) for n in range(3)]
    ingest(pipeline, corpus, long)
    before = corpus_revision(store, corpus)
    report = ingest(pipeline, corpus, long[::-1])
    assert report.chunks == 0 < report.kept_chunks
    assert corpus_revision(store, corpus) > before


def test_deleting_a_document_leaves_nothing(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str
) -> None:
    from clew_cypher.writing.documents import delete_document

    accepted = pipeline.accept(corpus, [uploaded("a.txt", "\n\n".join(V1).encode())])
    pipeline.process(corpus, accepted.pending)
    delete_document(store, corpus, accepted.pending[0])
    assert graph_lines(store, corpus).total() == 0


def test_a_run_that_was_cut_short_goes_on_within_a_document(
    pipeline: IngestPipeline, store: "GraphStore", corpus: str, parsed: list[str]
) -> None:
    from clew_cypher.corpora import delete_corpus

    text = [paragraph(number) for number in range(160)]
    accepted = pipeline.accept(corpus, [uploaded("a.txt", "\n\n".join(text).encode())])
    written: list[IngestProgress] = []

    def note(event: IngestProgress) -> None:
        if event.chunks and not written:
            written.append(event)
            time.sleep(1)  # whoever asks whether it is cancelled asks a few times a second

    with pytest.raises(IngestCancelled):
        pipeline.process(corpus, accepted.pending, note, lambda: bool(written))
    parsed.clear()
    report = pipeline.process(corpus)
    assert (report.ready, report.failed) == (1, ())
    assert report.kept_chunks >= written[0].chunks > 0
    assert len(parsed) < 155
    found = graph_lines(store, corpus)
    delete_corpus(store, corpus)
    ingest(pipeline, corpus, text)
    assert found == graph_lines(store, corpus)
