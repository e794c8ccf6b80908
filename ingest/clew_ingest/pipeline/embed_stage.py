"""The fourth stage of the pipeline: slices become batches of rows, with their vectors."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from clew_cypher.rows import DocumentCost, GraphBatch
from clew_cypher.store import GraphStore
from clew_cypher.writing.writer import existing_ids
from clew_ingest.pipeline.graph_rows import graph_batch
from clew_ingest.pipeline.prepared import CollectionEnd, DocumentFailure, DocumentSlice, Item
from clew_ingest.pipeline.progress import Tally
from clew_ingest.pipeline.write_stage import Write
from clew_models.embedding.base import Embedder

_REMEMBERED = 200_000
_CHARACTERS = 8_000
_LEAST_S, _MOST_S = 0.2, 0.6
"""Seconds that a call of the embedder should take: a cancel is heard between two."""
_FIRST = 16
"""Chunks of the first batch; each has twice as many as the one before, up to what is set: the
database has something to do, and a person something to see, while the parser has just begun."""


class SeenEntities:
    """Tells which entities the graph has, and asks it once for each; ``most``: ids remembered.

    One that was deleted since, or whose batch was refused, counts as there: EntityVectorsMissing
    tells when it is written.
    """

    def __init__(self, store: GraphStore, most: int = _REMEMBERED) -> None:
        self._store = store
        self._most = most
        self._remembered: set[str] = set()

    def of(self, ids: Sequence[str]) -> set[str]:
        """Return those of ``ids`` that are there; all of them are from now on."""
        seen = self._remembered.intersection(ids)
        missing = [key for key in ids if key not in seen]
        seen |= existing_ids(self._store, "Entity", missing) if missing else set()
        if len(self._remembered) > self._most:
            self._remembered.clear()
        self._remembered.update(ids)
        return seen


class EmbedStage:
    """Makes batches of ``batch_chunks`` chunks, small ones at first; ``check`` raises where the run
    is cancelled.
    """

    def __init__(
        self,
        store: GraphStore,
        corpus: str,
        embedder: Embedder,
        extractor: str,
        batch_chunks: int,
        tally: Tally,
        check: Callable[[], None],
    ) -> None:
        self._corpus = corpus
        self._embedder = embedder
        self._extractor = extractor
        self._batch_chunks = batch_chunks
        self._tally = tally
        self._check = check
        self._seen = SeenEntities(store)
        self._characters = _CHARACTERS

    def writes(self, items: Iterator[Item]) -> Generator[Write, None, None]:
        """Yield what is to be written, in the order of ``items``. Raises IngestCancelled."""
        slices: list[DocumentSlice] = []
        after: list[DocumentFailure | CollectionEnd] = []
        size, most = 0, min(_FIRST, self._batch_chunks)
        for item in items:
            if isinstance(item, DocumentSlice):
                slices.append(item)
                size += len(item.chunks) + len(item.kept)
            else:
                after.append(item)
            if max(size, len(slices), len(after)) >= most:
                yield self._write(slices, after)
                slices, after, size = [], [], 0
                most = min(2 * most, self._batch_chunks)
        if slices or after:
            yield self._write(slices, after)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of ``texts``, a few at a time so that a cancel is heard."""
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        vectors = np.empty((len(texts), self._embedder.dimension), np.float32)
        while order:
            part, size = 0, 0
            while part < len(order) and (not part or size < self._characters):
                size += len(texts[order[part]])
                part += 1
            self._check()
            begun = time.monotonic()
            vectors[order[:part]] = self._embedder.embed([texts[n] for n in order[:part]])
            self._adapt(time.monotonic() - begun, whole=size >= self._characters)
            order = order[part:]
        return vectors

    def _adapt(self, seconds: float, whole: bool) -> None:
        """Have calls take as long as they should, on whatever the embedder runs."""
        if seconds > _MOST_S:
            self._characters = max(self._characters // 2, 1_000)
        elif seconds < _LEAST_S and whole:
            self._characters *= 2

    def _write(
        self, slices: Sequence[DocumentSlice], after: Sequence[DocumentFailure | CollectionEnd]
    ) -> Write:
        begun = time.monotonic()
        with self._tally.timed("embed"):
            batch = graph_batch(self._corpus, slices, self.embed, self._seen.of, self._extractor)
        return Write(_with_costs(batch, time.monotonic() - begun), tuple(after))


def _with_costs(batch: GraphBatch, seconds: float) -> GraphBatch:
    """Return the batch with one cost a document: ``seconds`` shared out by length are added."""
    lengths: dict[str, int] = {}
    for chunk in batch.chunks:
        lengths[chunk.document_id] = lengths.get(chunk.document_id, 0) + len(chunk.text)
    total = sum(lengths.values()) or 1
    costs = {key: DocumentCost(key, seconds * length / total) for key, length in lengths.items()}
    for cost in batch.costs:
        before = costs.get(cost.document_id, DocumentCost(cost.document_id, 0.0))
        costs[cost.document_id] = DocumentCost(
            cost.document_id,
            before.seconds + cost.seconds,
            before.calls + cost.calls,
            before.prompt_tokens + cost.prompt_tokens,
            before.completion_tokens + cost.completion_tokens,
        )
    return replace(batch, costs=tuple(costs.values()))
