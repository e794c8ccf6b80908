"""The second stage of the pipeline: units are parsed in a pool of processes and become chunks.

Units of many documents are parsed together, so that a thousand small files are as fast as one
large one; memory holds a few groups of units, however many documents there are.
"""

import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from clew_cypher.rows import DocumentCost, DocumentRow, KeptChunk
from clew_ingest.child_process import ChildFailed, ChildTimeout
from clew_ingest.parsing.chunking import TextChunk, line_places, unit_chunks
from clew_ingest.parsing.parser import ParsedText
from clew_ingest.parsing.process import ParsingPool
from clew_ingest.parsing.units import CountTokens
from clew_ingest.pipeline.prepared import (
    DocumentFailure,
    DocumentSlice,
    Item,
    KeptUnit,
    NewUnit,
    ReadPart,
)
from clew_ingest.pipeline.progress import Tally
from clew_ingest.pipeline.stages import grouped

GROUP_CHARACTERS = 30_000
"""Characters that are parsed together."""

SLICE_CHUNKS = 32
"""Most chunks of one document that are handed on together."""

_SIZE_OF_OTHERS = 20
"""What a part without a text counts in a group, in characters."""

Parsed = list[ParsedText] | str


@dataclass
class _Slicer:
    """What waits to be handed on of one document."""

    row: DocumentRow
    chunks: list[TextChunk] = field(default_factory=list)
    kept: list[KeptChunk] = field(default_factory=list)

    def full(self) -> bool:
        return len(self.chunks) + len(self.kept) >= SLICE_CHUNKS


class ParseStage:
    """Parses units and cuts them into chunks; ``triples``: whether the rules' are wanted."""

    def __init__(
        self,
        pool: ParsingPool,
        count_tokens: CountTokens,
        triples: bool,
        tally: Tally,
        stopping: Callable[[], bool],
    ) -> None:
        self._pool = pool
        self._count_tokens = count_tokens
        self._triples = triples
        self._tally = tally
        self._stopping = stopping
        self._failed: set[str] = set()
        self._positions: dict[str, int] = {}

    def items(self, parts: Iterator[ReadPart]) -> Generator[Item, None, None]:
        """Yield what becomes of ``parts``, in their order. Raises IngestCancelled."""
        waiting: deque[tuple[list[ReadPart], Future[tuple[list[Parsed], float]]]] = deque()
        threads = ThreadPoolExecutor(self._pool.size, thread_name_prefix="clew-parse")
        try:
            for group in grouped(parts, _size, GROUP_CHARACTERS):
                units = [part for part in group if isinstance(part, NewUnit)]
                waiting.append((group, threads.submit(self._timed, units)))
                while waiting and (waiting[0][1].done() or len(waiting) > self._pool.size):
                    yield from self._sliced(*waiting.popleft())
            while waiting:
                yield from self._sliced(*waiting.popleft())
        finally:
            threads.shutdown(wait=True, cancel_futures=True)

    def _timed(self, units: Sequence[NewUnit]) -> tuple[list[Parsed], float]:
        begun = time.monotonic()
        with self._tally.timed("parse"):
            useless = set(self._failed)
            found = iter(self._parsed([unit for unit in units if unit.row.id not in useless]))
            parsed = ["" if unit.row.id in useless else next(found) for unit in units]
        return parsed, time.monotonic() - begun

    def _parsed(self, units: Sequence[NewUnit]) -> list[Parsed]:
        """Return the blocks of each unit, or why its document failed."""
        if not units:
            return []
        texts = [block for part in units for block in part.unit.blocks]
        titles = [part.row.title for part in units for _ in part.unit.blocks]
        try:
            blocks = iter(
                self._pool.parse(texts, titles if self._triples else None, cancelled=self._stopping)
            )
        except ChildFailed as error:
            documents = list(dict.fromkeys(part.row.id for part in units))
            if len(documents) == 1:
                reason = (
                    "Parsing the text took too long. Try it again."
                    if isinstance(error, ChildTimeout)
                    else f"Parsing the text ended before it was done: {error.message} Try it again."
                )
                return [reason] * len(units)
            # One document of the group is at fault: each by itself, so that the others live.
            found: list[Parsed] = []
            for document in documents:
                found += self._parsed([part for part in units if part.row.id == document])
            return found
        return [[next(blocks) for _ in part.unit.blocks] for part in units]

    def _sliced(
        self, group: list[ReadPart], future: "Future[tuple[list[Parsed], float]]"
    ) -> Iterator[Item]:
        parsed, seconds = future.result()
        found = iter(parsed)
        shares = _shares(group, seconds)
        open_: _Slicer | None = None
        for part in group:
            if not isinstance(part, NewUnit | KeptUnit):
                if open_ is not None:
                    yield self._slice(open_, shares, last=False)
                    open_ = None
                yield part
                continue
            result = next(found) if isinstance(part, NewUnit) else None
            if part.row.id in self._failed:
                continue
            if open_ is not None and (open_.row.id != part.row.id or open_.full()):
                yield self._slice(open_, shares, last=False)
                open_ = None
            if isinstance(result, str):
                self._failed.add(part.row.id)
                self._positions.pop(part.row.id, None)
                open_ = None
                yield DocumentFailure(part.row, result, blameless=True)
                continue
            open_ = open_ or _Slicer(part.row)
            self._add(open_, part, result)
            if part.last:
                self._positions.pop(part.row.id, None)
                yield self._slice(open_, shares, last=True)
                open_ = None
        if open_ is not None:
            yield self._slice(open_, shares, last=False)

    def _add(
        self, slicer: _Slicer, part: NewUnit | KeptUnit, parsed: list[ParsedText] | None
    ) -> None:
        position = self._positions.get(part.row.id, 0)
        if isinstance(part, NewUnit):
            chunks = unit_chunks(part.unit, parsed or [], position, part.budget, self._count_tokens)
            slicer.chunks += chunks
            count = len(chunks)
        else:
            count = len(part.chunk_ids)
            slicer.kept += [
                KeptChunk(chunk_id, part.row.id, position + index, *line_places(part.lines))
                for index, chunk_id in enumerate(part.chunk_ids)
            ]
        self._positions[part.row.id] = position + count

    def _slice(self, slicer: _Slicer, shares: dict[str, float], last: bool) -> DocumentSlice:
        seconds = shares.pop(slicer.row.id, 0.0)
        costs = (DocumentCost(slicer.row.id, seconds),) if seconds else ()
        self._tally.add("parse", parsed=len(slicer.chunks))
        return DocumentSlice(slicer.row, tuple(slicer.chunks), last, tuple(slicer.kept), costs)


def _size(part: ReadPart) -> int:
    return len(part.unit.text) if isinstance(part, NewUnit) else _SIZE_OF_OTHERS


def _shares(group: Sequence[ReadPart], seconds: float) -> dict[str, float]:
    """Return each document's share of ``seconds``, by the length of its units."""
    lengths: dict[str, int] = {}
    for part in group:
        if isinstance(part, NewUnit):
            lengths[part.row.id] = lengths.get(part.row.id, 0) + _size(part)
    total = sum(lengths.values()) or 1
    return {key: seconds * length / total for key, length in lengths.items()}
