"""The last stage of the pipeline: writes batches, then what follows them, one after another."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from clew_cypher.errors import (
    DataRefused,
    DocumentGone,
    EntityVectorsMissing,
    KeptChunksGone,
    UnknownDocument,
)
from clew_cypher.rows import DocumentRow, GraphBatch
from clew_cypher.store import GraphStore, Transaction
from clew_cypher.writing.documents import fail_document, finish_collection, put_off_document
from clew_cypher.writing.writer import write_batch
from clew_ingest.pipeline.graph_rows import without_documents
from clew_ingest.pipeline.prepared import CollectionEnd, DocumentFailure
from clew_ingest.pipeline.progress import FailedDocument, Tally
from clew_models.embedding.base import Embedder

Guard = Callable[[Transaction], None]
"""Runs in a writing transaction; what it raises refuses the batch."""


def give_up(
    store: GraphStore, corpus: str, row: DocumentRow, error: str, *, blameless: bool
) -> None:
    """Mark a document failed; ``blameless``: nothing is known to be wrong with it.

    Raises DocumentGone or UnknownDocument where this version was deleted or replaced meanwhile.
    """
    if blameless and row.parent_id is None:
        put_off_document(store, corpus, row.id, error, row=row)
    else:  # a record has no bytes of its own that could be tried again
        fail_document(store, corpus, row.id, error, row=row)


@dataclass(frozen=True)
class Write:
    """What is written in one go: a batch, then what follows it."""

    batch: GraphBatch
    after: tuple[DocumentFailure | CollectionEnd, ...]


class Writer:
    """Writes batches and what follows them; used by one thread.

    ``again``: files whose kept chunks were taken away meanwhile, by another run over them; they
    are still accepted, and to be worked on anew.
    """

    def __init__(
        self,
        store: GraphStore,
        corpus: str,
        embedder: Embedder,
        tally: Tally,
        guard: Guard | None,
    ) -> None:
        self._store = store
        self._corpus = corpus
        self._embedder = embedder
        self._tally = tally
        self._guard = guard
        self.again: set[str] = set()
        self._left_out: set[str] = set()

    def write(self, work: Write) -> None:
        """Write one batch, then fail and finish what follows it."""
        with self._tally.timed("write"):
            batch = without_documents(work.batch, self._left_out)
            if batch.documents:
                self._write_batch(batch)
            for item in work.after:
                if item.row.id not in self.again:
                    self._follow(item)

    def _write_batch(self, batch: GraphBatch) -> None:
        try:
            self._write_whole(batch)
        except DataRefused as error:
            self._write_singly(batch, error)

    def _write_whole(self, batch: GraphBatch) -> None:
        superseded = 0
        while batch.documents:
            try:
                counts = write_batch(self._store, self._corpus, batch, guard=self._guard)
                break
            except DocumentGone as error:
                left = without_documents(batch, set(error.ids))
                superseded += len(batch.documents) - len(left.documents)
                batch = left
            except EntityVectorsMissing as error:
                batch = self._with_vectors(batch, set(error.ids))
            except KeptChunksGone as error:
                batch = self._without_kept(batch, set(error.ids))
        else:
            self._tally.add("write", superseded=superseded)
            return
        self._tally.add(
            "write",
            superseded=superseded,
            ready=counts.documents,
            chunks=counts.chunks,
            sentences=counts.sentences,
            mentions=counts.mentions,
            triples=len(batch.triples),
            kept_chunks=len(batch.kept),
            entities=sum(row.embedding is not None for row in batch.entities),
        )

    def _write_singly(self, batch: GraphBatch, error: DataRefused) -> None:
        """Write what was refused document by document, so that one costs the others nothing.

        A document that is refused alone fails; what is still to come of it is left out. Raises
        DataRefused where several were refused, each of them: then it is not for what they hold.
        """
        refused = {row.id: (row, error) for row in batch.documents}
        ids = set(refused)
        if len(ids) > 1:
            for document_id in sorted(ids):
                try:
                    self._write_whole(without_documents(batch, ids - {document_id}))
                    del refused[document_id]
                except DataRefused as again:
                    refused[document_id] = (refused[document_id][0], again)
            if refused.keys() == ids:
                raise error
        for row, why in refused.values():
            self._left_out.add(row.id)
            self._follow(DocumentFailure(row, why.message))

    def _with_vectors(self, batch: GraphBatch, ids: set[str]) -> GraphBatch:
        missing = [row for row in batch.entities if row.id in ids]
        vectors = self._embedder.embed([row.key for row in missing])
        embedded = {
            row.id: replace(row, embedding=vector)
            for row, vector in zip(missing, vectors, strict=True)
        }
        return replace(batch, entities=tuple(embedded.get(row.id, row) for row in batch.entities))

    def _without_kept(self, batch: GraphBatch, chunk_ids: set[str]) -> GraphBatch:
        """Return the batch without the documents of these chunks, which are to be done again."""
        lost = {row.document_id for row in batch.kept if row.id in chunk_ids}
        self._left_out |= lost
        self.again |= {row.parent_id or row.id for row in batch.documents if row.id in lost}
        return without_documents(batch, lost)

    def _follow(self, item: DocumentFailure | CollectionEnd) -> None:
        try:
            if isinstance(item, CollectionEnd):
                finish_collection(self._store, self._corpus, item.row, item.keep_ids)
                self._tally.add("write", ready=1)
                return
            give_up(self._store, self._corpus, item.row, item.error, blameless=item.blameless)
        except (DocumentGone, UnknownDocument):
            self._tally.add("write", superseded=1)
            return
        self._tally.fail("write", FailedDocument(item.row.id, item.row.uri, item.error))
