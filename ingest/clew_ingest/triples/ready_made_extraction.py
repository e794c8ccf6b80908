"""Triples of chunks from a file that somebody else's extractor has made."""

import hashlib
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from clew_ingest.errors import IngestCancelled, UnreadableSource
from clew_ingest.parsing.entity_names import is_entity_name, normalise_name
from clew_ingest.triples.base import ChunkText, ChunkTriples, ExtractedTriple
from clew_ingest.triples.ready_made import read_ready_made
from clew_ingest.triples.textual import located

log = logging.getLogger(__name__)


def file_fingerprint(path: Path) -> str:
    """Return what the triples of a file depend on: its bytes. Raises UnreadableSource."""
    try:
        with path.open("rb") as file:
            return f"ready-made {hashlib.file_digest(file, 'sha256').hexdigest()}"
    except OSError as error:
        raise UnreadableSource(
            f"The file of triples {path} cannot be read: {error.strerror}.",
            remedy="Name a file that this machine can read: file:/path/to/triples.jsonl",
        ) from error


class ReadyMadeExtraction:
    """The triples of a file, for the chunks that they are about. Raises UnreadableSource.

    Where the file has exactly a chunk's text, the chunk gets all triples of it. Else it gets
    those of its title's document whose head and tail stand in one of its sentences: a title
    does not say which of a document's chunks is meant.
    """

    name = "ready-made"

    def __init__(self, path: Path) -> None:
        self.fingerprint = file_fingerprint(path)
        self._file = read_ready_made(path)
        if self._file.dropped:
            log.warning("%s: triples that are malformed: %s.", path, dict(self._file.dropped))

    def extract(
        self, chunks: Iterable[ChunkText], *, cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[ChunkTriples]:
        """Yield the triples of each chunk, in order; see ``Extraction``."""
        for chunk in chunks:
            if cancelled():
                raise IngestCancelled("The extraction was cancelled.")
            yield self._one(chunk)

    def _one(self, chunk: ChunkText) -> ChunkTriples:
        whole = self._file.has_text(chunk.text)
        kept: dict[tuple[str, str, str], ExtractedTriple] = {}
        dropped: Counter[str] = Counter()
        for triple in self._file.triples_of(chunk.title, chunk.text):
            found = _placed(triple, chunk.sentences, whole)
            if found is None:
                continue
            key = (
                normalise_name(found.head),
                found.predicate.casefold(),
                normalise_name(found.tail),
            )
            if not (is_entity_name(found.head) and is_entity_name(found.tail)):
                dropped["head or tail names nothing"] += 1
            elif key[0] == key[2]:
                dropped["head and tail are the same"] += 1
            elif key in kept:
                dropped["repeated"] += 1
            else:
                kept[key] = found
        return ChunkTriples(tuple(kept.values()), (None,) * len(kept), dropped=dict(dropped))


def _placed(
    triple: ExtractedTriple, sentences: tuple[str, ...], whole: bool
) -> ExtractedTriple | None:
    """Return a triple with its sentence in this chunk; None where it belongs to another one."""
    # the file's own place counts sentences of the document, cut in another way
    found = located(replace(triple, sentence=None), sentences)
    if found.sentence is not None:
        return found
    if not whole:
        return None
    stated = triple.sentence
    return triple if stated is not None and stated < len(sentences) else found
