"""What an ingest would do, document by document, without storing anything.

Sources are read and cut into units as the pipeline does it, and compared with the graph.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from clew_cypher.errors import UnknownDocument
from clew_cypher.ids import content_id
from clew_cypher.rows import DocumentRow
from clew_cypher.searching.documents import get_document, unchanged_records
from clew_cypher.store import GraphStore, Row
from clew_cypher.writing.writer import existing_ids, unit_chunks
from clew_ingest.errors import UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.parsing.units import CountTokens, Unit, cut_units, text_budget
from clew_ingest.pipeline.accepting import UNKNOWN_TYPE
from clew_ingest.pipeline.knowledge_bases import knowledge_fingerprint
from clew_ingest.pipeline.preparing import record_row
from clew_ingest.reading.file_reader import FileReader
from clew_ingest.reading.media_types import ALWAYS_TRIPLES, claimed
from clew_ingest.reading.read_document import ReadDocument
from clew_ingest.reading.readers import title_of_name
from clew_ingest.reading.sources import (
    LoadedSource,
    SkippedSource,
    Source,
    find_sources,
    load,
)
from clew_ingest.reading.triple_reader import TripleReader

State = Literal["new", "changed", "failed", "unchanged"]


@dataclass(frozen=True)
class PlannedDocument:
    """A document or record, and what of it would be worked on.

    ``state``: what the graph has of it; "failed": this version, which failed, or an extractor on
    chunks of it. ``error``: why it would fail, else "". ``units``: the parts that are new, each of
    which becomes a chunk, or several of at most ``budget`` tokens; ``kept_chunks``: those that
    stay. ``triples``: what a knowledge base states.
    """

    uri: str
    title: str
    state: State
    error: str = ""
    units: tuple[Unit, ...] = ()
    budget: int = 0
    kept_chunks: int = 0
    triples: int = 0

    @property
    def chunks(self) -> int:
        """How many chunks would be made, by the tokens: sentences may make one more."""
        return sum(-(-unit.tokens // self.budget) for unit in self.units)


class DryRunPlan:
    """Says what would be done in one corpus, which need not exist.

    ``fingerprint``: the settings the documents would be indexed with; ``as_triples``: they are
    knowledge bases; ``reader`` and ``triple_reader`` are the caller's to close, ``count_tokens`` is
    the embedder's.
    """

    def __init__(
        self,
        store: GraphStore,
        corpus: str,
        reader: FileReader,
        limits: IngestLimits,
        fingerprint: str,
        count_tokens: CountTokens,
        triple_reader: TripleReader,
        *,
        as_triples: bool = False,
    ) -> None:
        self._store = store
        self._corpus = corpus
        self._reader = reader
        self._limits = limits
        self._fingerprint = fingerprint
        self._count_tokens = count_tokens
        self._triple_reader = triple_reader
        self._as_triples = as_triples

    def documents(self, sources: Iterable[Source]) -> Iterator[PlannedDocument]:
        """Yield what each source would become: a document, or the records of a file."""
        for source in sources:
            present = self._present(content_id("d", self._corpus, source.uri))
            try:
                loaded = load(source, self._limits)
            except UnreadableSource as error:
                state = self._state(present, "", self._fingerprint)
                yield PlannedDocument(source.uri, source.name, state, str(error))
            else:
                yield from self._source(source, loaded, present)

    def _source(
        self, source: Source, loaded: LoadedSource, present: Row | None
    ) -> Iterator[PlannedDocument]:
        sha256 = hashlib.sha256(loaded.data).hexdigest()
        title = title_of_name(loaded.name)
        document_id = content_id("d", self._corpus, source.uri)
        kind = claimed(loaded.name, loaded.media_type, served=source.url is not None)
        triples = self._as_triples or kind in ALWAYS_TRIPLES
        fingerprint = knowledge_fingerprint(self._limits) if triples else self._fingerprint
        state = self._state(present, sha256, fingerprint)
        if present is not None and state == "unchanged":
            yield PlannedDocument(source.uri, present["title"], state)
            return
        try:
            if triples:
                stated = self._triple_reader.open(loaded.data, kind or UNKNOWN_TYPE, title)
                yield PlannedDocument(source.uri, title, state, triples=stated)
                return
            result = self._reader.read(loaded.data, source.uri, title=title, declared_type=kind)
        except UnreadableSource as error:
            yield PlannedDocument(source.uri, title, state, str(error))
            return
        file = DocumentRow(
            document_id, source.uri, title, result.media_type, sha256, None, None, self._fingerprint
        )
        if not result.collection:
            yield self._text(file, result.documents[0], state)
            return
        yield from self._records(file, result.documents)
        uris = {f"{source.uri}#{skipped.key}": skipped for skipped in result.skipped}
        ids = {uri: content_id("d", self._corpus, uri) for uri in uris}
        known = existing_ids(self._store, "Document", list(ids.values()))
        for uri, skipped in uris.items():
            before: State = "failed" if ids[uri] in known else "new"
            yield PlannedDocument(uri, skipped.key, before, skipped.reason)

    def _records(
        self, file: DocumentRow, documents: Iterable[ReadDocument]
    ) -> Iterator[PlannedDocument]:
        records = {
            row.id: (row, document)
            for document in documents
            if (row := record_row(file, document, file.media_type, self._corpus))
        }
        versions = {row.id: row.sha256 for row, _ in records.values()}
        unchanged = unchanged_records(
            self._store, self._corpus, file.id, versions, self._fingerprint
        )
        known = existing_ids(self._store, "Document", list(records))
        for row, document in records.values():
            if row.id in unchanged:
                yield PlannedDocument(row.uri, row.title, "unchanged")
            else:
                yield self._text(row, document, "changed" if row.id in known else "new")

    def _text(self, row: DocumentRow, document: ReadDocument, state: State) -> PlannedDocument:
        budget = text_budget(document.title, self._limits, self._count_tokens)
        units = cut_units(
            document.title, document.text, self._fingerprint, budget, self._count_tokens
        )
        ids = [unit.id for unit in units]
        kept = {} if state == "new" else unit_chunks(self._store, row.id, ids)
        return PlannedDocument(
            row.uri,
            document.title,
            state,
            units=tuple(unit for unit in units if unit.id not in kept),
            budget=budget,
            kept_chunks=sum(map(len, kept.values())),
        )

    def _present(self, document_id: str) -> Row | None:
        try:
            return get_document(self._store, self._corpus, document_id)
        except UnknownDocument:
            return None

    def _state(self, present: Row | None, sha256: str, fingerprint: str) -> State:
        if present is None:
            return "new"
        if (present["sha256"], present["fingerprint"]) == (sha256, fingerprint):
            if present["status"] == "ready":
                return "failed" if present["failed_chunks"] else "unchanged"
            if present["status"] == "failed":
                return "failed"
        return "changed"


def sources_of(
    given: Iterable[Source | str | Path], limits: IngestLimits
) -> tuple[list[Source], list[SkippedSource]]:
    """Return the sources, each once, and what is left out, as accepting finds them."""
    waiting: dict[str, Source] = {}
    skipped: list[SkippedSource] = []
    for one in given:
        found, left_out = ([one], []) if isinstance(one, Source) else find_sources([one], limits)
        waiting.update({source.uri: source for source in found})
        skipped += left_out
    return list(waiting.values()), skipped
