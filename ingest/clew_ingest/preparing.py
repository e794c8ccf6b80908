"""The first half of the pipeline: from accepted Documents to parsed chunks, one item at a time.

Blocks of many documents are parsed together, so that a thousand small files are as fast as one
large one; memory holds one group of blocks and one document's text, however many there are.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from clew_cypher.documents import document_data, get_document, unchanged_records
from clew_cypher.errors import UnknownDocument
from clew_cypher.ids import content_id
from clew_cypher.rows import DocumentRow
from clew_cypher.store import GraphStore
from clew_ingest.child_process import ChildFailed, ChildTimeout
from clew_ingest.chunking import Chunker, TextChunk, blocks
from clew_ingest.documents import ReadDocument, ReadResult
from clew_ingest.errors import IngestCancelled, UnreadableSource
from clew_ingest.file_reader import FileReader
from clew_ingest.limits import IngestLimits
from clew_ingest.parsing import ParsedText
from clew_ingest.parsing_process import ParsingProcess
from clew_ingest.prepared import CollectionEnd, DocumentFailure, DocumentSlice, Item
from clew_ingest.progress import Tally

GROUP_CHARACTERS = 60_000
"""Characters that are parsed together."""

SLICE_CHUNKS = 32
"""Most chunks of one document that are handed on together."""


@dataclass(frozen=True)
class _Block:
    row: DocumentRow
    text: str
    last: bool


class Preparer:
    """Reads, parses and chunks Documents of one corpus.

    ``count_tokens`` is the embedder's; the child processes are the caller's to close.
    """

    def __init__(
        self,
        store: GraphStore,
        corpus: str,
        reader: FileReader,
        parser: ParsingProcess,
        count_tokens: Callable[[str], int],
        limits: IngestLimits,
        tally: Tally,
        cancelled: Callable[[], bool],
    ) -> None:
        self._store = store
        self._corpus = corpus
        self._reader = reader
        self._parser = parser
        self._count_tokens = count_tokens
        self._limits = limits
        self._tally = tally
        self._cancelled = cancelled
        self._chunkers: dict[str, Chunker] = {}
        self._failed: set[str] = set()

    def items(self, document_ids: Sequence[str]) -> Iterator[Item]:
        """Yield what becomes of the documents, in their order. Raises IngestCancelled."""
        group: list[_Block | CollectionEnd | DocumentFailure] = []
        size = 0
        for part in self._parts(document_ids):
            if self._cancelled():
                raise IngestCancelled("The run was cancelled.")
            group.append(part)
            size += len(part.text) if isinstance(part, _Block) else 1
            if size >= GROUP_CHARACTERS:
                yield from self._chunked(group)
                group, size = [], 0
        yield from self._chunked(group)

    def _parts(
        self, document_ids: Sequence[str]
    ) -> Iterator[_Block | CollectionEnd | DocumentFailure]:
        for document_id in document_ids:
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
                yield DocumentFailure(row, str(error))
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
        return DocumentRow(
            id=document_id,
            uri=found["uri"],
            title=found["title"],
            media_type=found["media_type"],
            sha256=found["sha256"],
        )

    def _read(self, row: DocumentRow) -> ReadResult:
        return self._reader.read(
            document_data(self._store, row.id),
            row.uri,
            title=row.title,
            declared_type=row.media_type,
            cancelled=self._cancelled,
        )

    def _document(self, row: DocumentRow, result: ReadResult) -> Iterator[_Block]:
        document = result.documents[0]
        row = DocumentRow(row.id, row.uri, document.title, result.media_type, row.sha256)
        yield from self._blocks(row, document.text)

    def _records(
        self, row: DocumentRow, result: ReadResult
    ) -> Iterator[_Block | CollectionEnd | DocumentFailure]:
        records = {
            record.id: (record, document)
            for document in result.documents
            if (record := self._record_row(row, document, result.media_type))
        }
        failures = [
            (self._failed_row(row, skipped.key, result.media_type), skipped.reason)
            for skipped in result.skipped
        ]
        unchanged = unchanged_records(
            self._store,
            self._corpus,
            row.id,
            {record.id: record.sha256 for record, _ in records.values()},
        )
        # The file itself counts as one more, done with its end.
        self._tally.add("read", total=len(records) + len(failures), unchanged=len(unchanged))
        for record_id, (record, document) in records.items():
            if record_id not in unchanged:
                yield from self._blocks(record, document.text)
        for record, reason in failures:
            yield DocumentFailure(record, reason)
        keep = (*records, *(record.id for record, _ in failures))
        yield CollectionEnd(row, keep)

    def _record_row(self, file: DocumentRow, document: ReadDocument, kind: str) -> DocumentRow:
        uri = f"{file.uri}#{document.key}"
        metadata = json.dumps(document.metadata, sort_keys=True) if document.metadata else None
        version = "\n".join((document.title, document.text, metadata or ""))
        return DocumentRow(
            id=content_id("d", self._corpus, uri),
            uri=uri,
            title=document.title,
            media_type=kind,
            sha256=hashlib.sha256(version.encode()).hexdigest(),
            parent_id=file.id,
            metadata=metadata,
        )

    def _failed_row(self, file: DocumentRow, key: str, kind: str) -> DocumentRow:
        uri = f"{file.uri}#{key}"
        return DocumentRow(content_id("d", self._corpus, uri), uri, key, kind, "", file.id)

    def _blocks(self, row: DocumentRow, text: str) -> Iterator[_Block]:
        previous: str | None = None
        for block in blocks(text):
            if row.id in self._failed:
                return
            if previous is not None:
                yield _Block(row, previous, last=False)
            previous = block
        if previous is not None:
            yield _Block(row, previous, last=True)

    def _chunked(self, group: list[_Block | CollectionEnd | DocumentFailure]) -> Iterator[Item]:
        texts = [part for part in group if isinstance(part, _Block)]
        with self._tally.timed("parse"):
            parsed = self._parsed(texts)
        position = 0
        ready: list[TextChunk] = []
        for part in group:
            if not isinstance(part, _Block):
                yield part
                continue
            found = parsed[position]
            position += 1
            if part.row.id in self._failed:
                continue
            if isinstance(found, str):
                self._failed.add(part.row.id)
                self._chunkers.pop(part.row.id, None)
                ready = []
                yield DocumentFailure(part.row, found)
                continue
            chunker = self._chunker(part.row)
            ready += chunker.add(found)
            if part.last:
                ready += chunker.finish()
                del self._chunkers[part.row.id]
            while len(ready) > SLICE_CHUNKS:
                yield DocumentSlice(part.row, tuple(ready[:SLICE_CHUNKS]), last=False)
                ready = ready[SLICE_CHUNKS:]
            if part.last:
                yield DocumentSlice(part.row, tuple(ready), last=True)
                ready = []
        if ready:
            row = next(part.row for part in reversed(group) if isinstance(part, _Block))
            yield DocumentSlice(row, tuple(ready), last=False)

    def _chunker(self, row: DocumentRow) -> Chunker:
        if row.id not in self._chunkers:
            # The title is embedded with the text; two tokens frame them.
            taken = min(self._count_tokens(row.title) + 2, self._limits.chunk_tokens // 2)
            self._chunkers[row.id] = Chunker(self._limits.chunk_tokens - taken, self._count_tokens)
        return self._chunkers[row.id]

    def _parsed(self, parts: Sequence[_Block]) -> list[ParsedText | str]:
        """Return each block parsed, or why its document failed."""
        if not parts:
            return []
        try:
            return list(
                self._parser.parse([part.text for part in parts], cancelled=self._cancelled)
            )
        except ChildFailed as error:
            documents = list(dict.fromkeys(part.row.id for part in parts))
            if len(documents) == 1:
                reason = (
                    "Parsing the text took too long."
                    if isinstance(error, ChildTimeout)
                    else f"The text brought the parser down: {error.message}"
                )
                return [reason] * len(parts)
            # One document of the group is at fault: each by itself, so that the others live.
            found: list[ParsedText | str] = []
            for document in documents:
                found += self._parsed([part for part in parts if part.row.id == document])
            return found
