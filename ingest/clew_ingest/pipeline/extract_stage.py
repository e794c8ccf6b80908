"""The third stage of the pipeline: chunks get triples, where the parser does not make them."""

from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace

from clew_cypher.rows import DocumentCost
from clew_ingest.parsing.chunking import TextChunk
from clew_ingest.pipeline.prepared import DocumentSlice, Item
from clew_ingest.pipeline.progress import Tally
from clew_ingest.triples.base import ChunkText, ChunkTriples
from clew_ingest.triples.extraction import Extraction


def with_triples(
    items: Iterator[Item],
    extraction: Extraction,
    tally: Tally,
    stopping: Callable[[], bool],
) -> Generator[Item, None, None]:
    """Yield ``items``, each slice with the triples of its chunks, in their order.

    A chunk whose extraction failed has none; its unit is forgotten, so that it is worked on again
    when its document comes again. Raises LanguageModelUnavailable and IngestCancelled.
    """
    taken: deque[Item] = deque()

    def texts() -> Iterator[ChunkText]:
        for item in items:
            taken.append(item)
            if isinstance(item, DocumentSlice):
                for chunk in item.chunks:
                    sentences = tuple(sentence.text for sentence in chunk.sentences)
                    yield ChunkText(item.row.title, chunk.text, sentences)

    found: deque[ChunkTriples] = deque()
    for triples in extraction.extract(texts(), cancelled=stopping):
        found.append(triples)
        while taken and _wanted(taken[0]) <= len(found):
            yield _filled(taken.popleft(), found, tally)
    while taken:
        yield _filled(taken.popleft(), found, tally)


def _wanted(item: Item) -> int:
    return len(item.chunks) if isinstance(item, DocumentSlice) else 0


def _filled(item: Item, found: deque[ChunkTriples], tally: Tally) -> Item:
    if not isinstance(item, DocumentSlice):
        return item
    results = [found.popleft() for _ in item.chunks]
    tally.spend("extract", sum(result.seconds for result in results))
    tally.add(
        "extract",
        llm_calls=sum(result.calls for result in results),
        prompt_tokens=sum(result.prompt_tokens for result in results),
        completion_tokens=sum(result.completion_tokens for result in results),
        triples_dropped=sum(sum(result.dropped.values()) for result in results),
        extractions_failed=sum(bool(result.failed) for result in results),
    )
    costs = tuple(
        DocumentCost(
            item.row.id,
            result.seconds,
            result.calls,
            result.prompt_tokens,
            result.completion_tokens,
        )
        for result in results
        if result.seconds or result.calls
    )
    chunks = tuple(map(_stating, item.chunks, results))
    return replace(item, chunks=chunks, costs=(*item.costs, *costs))


def _stating(chunk: TextChunk, result: ChunkTriples) -> TextChunk:
    failed = bool(result.failed)
    return replace(
        chunk,
        triples=result.triples,
        ttrs=result.ttrs,
        unit="" if failed else chunk.unit,
        extraction_failed=failed,
    )
