"""The first stage of the pipeline: from accepted Documents to units, new ones and kept ones.

Each document is read in a child process and cut into units; those that the graph still has of an
older version, or of a run that was killed, need no further work.
"""

import hashlib
import json
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace

from clew_cypher.errors import UnknownDocument
from clew_cypher.ids import content_id
from clew_cypher.rows import DocumentRow
from clew_cypher.searching.documents import get_document, unchanged_records
from clew_cypher.store import GraphStore
from clew_cypher.writing.documents import claim_document, document_data, was_read
from clew_cypher.writing.writer import existing_ids, unit_chunks
from clew_ingest.errors import ReadingInterrupted, UnreadableSource
from clew_ingest.limits import IngestLimits
from clew_ingest.parsing.units import CountTokens, Unit, cut_units, text_budget
from clew_ingest.pipeline.prepared import (
    CollectionEnd,
    DocumentFailure,
    KeptUnit,
    NewUnit,
    ReadPart,
)
from clew_ingest.pipeline.progress import Tally
from clew_ingest.reading.file_reader import FileReader
from clew_ingest.reading.read_document import METADATA_BYTES, ReadDocument, ReadResult

_ASKED_TOGETHER = 1_000


class Preparer:
    """Reads Documents of one corpus and cuts them into units.

    ``fingerprint``: the settings that they are indexed with; ``count_tokens`` is the embedder's;
    the child process is the caller's to close.
    """

    def __init__(
        self,
        store: GraphStore,
        corpus: str,
        reader: FileReader,
        count_tokens: CountTokens,
        limits: IngestLimits,
        fingerprint: str,
        tally: Tally,
        stopping: Callable[[], bool],
    ) -> None:
        self._store = store
        self._corpus = corpus
        self._reader = reader
        self._count_tokens = count_tokens
        self._limits = limits
        self._fingerprint = fingerprint
        self._tally = tally
        self._stopping = stopping

    def parts(self, document_ids: Sequence[str]) -> Generator[ReadPart, None, None]:
        """Yield what the documents consist of, in their order. Raises IngestCancelled."""
        for document_id in document_ids:
            row: DocumentRow | None = None
            try:
                row = self._waiting(document_id)
                if row is None:
                    self._tally.add("read", unchanged=1)
                    continue
                with self._tally.timed("read"):
                    result = self._read(row)
            except UnknownDocument:
                self._tally.add("read", superseded=1)
                continue
            except UnreadableSource as error:
                assert row is not None
                # a newer Clew or other settings: what they make of the same bytes is no news of it
                blameless = isinstance(error, ReadingInterrupted) or was_read(
                    self._store, self._corpus, row.id, row.sha256
                )
                yield DocumentFailure(row, str(error), blameless)
                continue
            if result.collection:
                yield from self._records(row, result)
            else:
                yield from self._document(row, result)

    def _waiting(self, document_id: str) -> DocumentRow | None:
        """Return the Document if it waits: one that is ready or failed has no bytes left."""
        found = get_document(self._store, self._corpus, document_id)
        if found["status"] != "accepted":
            return None
        if found["fingerprint"] != self._fingerprint and not claim_document(
            self._store, self._corpus, document_id, found["sha256"], self._fingerprint
        ):
            raise UnknownDocument(f"{found['uri']} was accepted anew in this moment.")
        return DocumentRow(
            id=document_id,
            uri=found["uri"],
            title=found["title"],
            media_type=found["media_type"],
            sha256=found["sha256"],
            fingerprint=self._fingerprint,
        )

    def _read(self, row: DocumentRow) -> ReadResult:
        return self._reader.read(
            document_data(self._store, row.id),
            row.uri,
            title=row.title,
            declared_type=row.media_type,
            cancelled=self._stopping,
        )

    def _document(self, row: DocumentRow, result: ReadResult) -> Iterator[ReadPart]:
        document = result.documents[0]
        row = replace(
            row,
            title=document.title,
            media_type=result.media_type,
            metadata=metadata_json(document),
            left_out=document.left_out or None,
        )
        yield from self._units(row, document, seen_before=True)

    def _records(self, row: DocumentRow, result: ReadResult) -> Iterator[ReadPart]:
        records = {
            record.id: (record, document)
            for document in result.documents
            if (record := record_row(row, document, result.media_type, self._corpus))
        }
        failures = [
            (self._failed_row(row, skipped.key, result.media_type), skipped.reason)
            for skipped in result.skipped
        ]
        with self._tally.timed("read"):
            unchanged = unchanged_records(
                self._store,
                self._corpus,
                row.id,
                {record.id: record.sha256 for record, _ in records.values()},
                self._fingerprint,
            )
        # The file itself counts as one more, done with its end.
        self._tally.add("read", total=len(records) + len(failures), unchanged=len(unchanged))
        changed = [record_id for record_id in records if record_id not in unchanged]
        for start in range(0, len(changed), _ASKED_TOGETHER):
            together = changed[start : start + _ASKED_TOGETHER]
            seen_before = existing_ids(self._store, "Document", together)
            for record_id in together:
                record, document = records[record_id]
                yield from self._units(record, document, record_id in seen_before)
        for record, reason in failures:
            yield DocumentFailure(record, reason)
        keep = (*records, *(record.id for record, _ in failures))
        yield CollectionEnd(row, keep)

    def _failed_row(self, file: DocumentRow, key: str, kind: str) -> DocumentRow:
        uri = f"{file.uri}#{key}"
        return DocumentRow(
            content_id("d", self._corpus, uri),
            *(uri, key, kind, "", file.id),
            fingerprint=self._fingerprint,
            parent_sha256=file.sha256,
        )

    def _units(
        self, row: DocumentRow, document: ReadDocument, seen_before: bool
    ) -> Iterator[ReadPart]:
        """Yield a document's units; ``seen_before``: the graph may have chunks of it."""
        if document.left_out:
            self._tally.add("read", read_in_part=1)
        with self._tally.timed("read"):
            budget = text_budget(row.title, self._limits, self._count_tokens)
            units = cut_units(
                *(row.title, document.text, self._fingerprint, budget, self._count_tokens),
                document.places,
                fields_first=document.fields_first,
            )
            kept = self._kept(row.id, units) if seen_before else {}
        for number, unit in enumerate(units, 1):
            last = number == len(units)
            if unit.id in kept:
                yield KeptUnit(row, tuple(kept[unit.id]), last, unit.places)
            else:
                yield NewUnit(row, unit, budget, last)
        if not units:
            yield KeptUnit(row, (), last=True)

    def _kept(self, document_id: str, units: Sequence[Unit]) -> dict[str, list[str]]:
        return unit_chunks(self._store, document_id, [unit.id for unit in units])


def record_row(file: DocumentRow, document: ReadDocument, kind: str, corpus: str) -> DocumentRow:
    """Return a record of a file as a Document, with the file's fingerprint; ``kind``: its type."""
    uri = f"{file.uri}#{document.key}"
    metadata = metadata_json(document)
    version = "\n".join((document.title, document.text, metadata or ""))
    return DocumentRow(
        id=content_id("d", corpus, uri),
        uri=uri,
        title=document.title,
        media_type=kind,
        sha256=hashlib.sha256(version.encode()).hexdigest(),
        parent_id=file.id,
        metadata=metadata,
        fingerprint=file.fingerprint,
        parent_sha256=file.sha256,
        left_out=document.left_out or None,
    )


def metadata_json(document: ReadDocument) -> str | None:
    """Return a document's other fields as a JSON object, None for none and for too many."""
    found = json.dumps(document.metadata, sort_keys=True) if document.metadata else ""
    return found if 0 < len(found) <= METADATA_BYTES else None
