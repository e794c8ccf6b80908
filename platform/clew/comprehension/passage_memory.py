"""Passages that were read lately: sentences, vectors and candidates, which no question changes.

Parsing and embedding the evidence takes most of an answer's time, and many questions are asked of
the same passages.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from clew.comprehension.annotation import Annotator
from clew.comprehension.candidates import (
    Candidate,
    EvidenceSentence,
    find_candidates,
    without_marks,
)
from clew.results.evidence import ScoredChunk
from clew_ingest.parsing.entity_names import normalise_name
from clew_models.embedding.base import Embedder

KEPT = 512
"""Passages that are kept, the last used; one of 120 words takes some 110 kB."""


@dataclass(frozen=True)
class ReadPassage:
    """A passage's sentences, embedded after its title, and what in them could be an answer.

    Both are numbered as those of the only passage of an evidence.
    """

    sentences: tuple[EvidenceSentence, ...]
    candidates: tuple[Candidate, ...]


class PassageMemory:
    """Passages by title and text, for one parser and one embedder.

    Shared by threads; two that ask for the same passage at once may both read it.
    """

    def __init__(self, kept: int = KEPT) -> None:
        self._limit = kept
        self._kept: OrderedDict[tuple[str, str], ReadPassage] = OrderedDict()
        self._lock = Lock()

    def passages(
        self, chunks: Sequence[ScoredChunk], annotator: Annotator, embedder: Embedder
    ) -> list[ReadPassage]:
        """Return the chunks as they are read, new ones parsed and embedded together."""
        keys = [(chunk.title, chunk.text) for chunk in chunks]
        with self._lock:
            found = {key: self._kept[key] for key in keys if key in self._kept}
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        if missing:
            found.update(zip(missing, _read(missing, annotator, embedder), strict=True))
        with self._lock:
            for key in keys:
                self._kept[key] = found[key]
                self._kept.move_to_end(key)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)
        return [found[key] for key in keys]


def _read(
    passages: Sequence[tuple[str, str]], annotator: Annotator, embedder: Embedder
) -> list[ReadPassage]:
    parsed = annotator.annotate([text for _, text in passages])
    titled = [
        f"{title}\n{sentence.text}"
        for (title, _), own in zip(passages, parsed, strict=True)
        for sentence in own
    ]
    vectors = iter(embedder.embed(titled))
    found = []
    for (title, _), own in zip(passages, parsed, strict=True):
        title_key = normalise_name(title.split(" (")[0])
        sentences = tuple(
            EvidenceSentence(
                chunk=0,
                position=position,
                title=title,
                title_key=title_key,
                parse=sentence,
                key=without_marks(normalise_name(sentence.text)),
                vector=next(vectors),
            )
            for position, sentence in enumerate(own)
        )
        found.append(ReadPassage(sentences, tuple(find_candidates(sentences))))
    return found
