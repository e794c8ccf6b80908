"""The arrays that chains are ranked on: one corpus at one revision."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew_models.guided_pagerank.arrays import Floats, GuidedArrays, Ids, Indices, Offsets, rows_of
from clew_models.offsets import group_offsets

OPENING_WORDS = 3
"""Words of a name that it is looked up by: each title that begins so is read for a question."""
OPENING_LETTERS = 48
"""As MOST_LETTERS of a word."""


def opening(words: Sequence[str]) -> str:
    """Return what a name that begins with ``words`` is looked up by."""
    return " ".join(words[:OPENING_WORDS])[:OPENING_LETTERS]


def openings_in(words: Sequence[str]) -> list[str]:
    """Return what names that stand in a text of ``words`` can be looked up by, each once: the
    openings of one, two and more words at each place.
    """
    runs = (
        opening(words[first : first + count])
        for first in range(len(words))
        for count in range(1, OPENING_WORDS + 1)
    )
    return list(dict.fromkeys(runs))


@dataclass(frozen=True)
class ChainArrays:
    """The graph of the walk, and what leads from one chunk to another.

    Shapes (letters of ``graph``; K named titles, U documents, P names inside titles, V words):
        graph: its edges also join each sentence to the title entities of the documents it names
        document_ids [U]; chunk_document [C]: the row of a chunk's document
        title_offsets [U + 1], title_text: the titles of documents, one after the other in UTF-8
        first_words [F], first_offsets [F + 1], first_documents: the documents whose titles, as
            texts name them, begin with some words (`opening`), or hold a date (2024-10-02); rising
            within each
        chunk_group [C]: chunks of one number belong to documents of one title
        title_entity [C]: the row of the entity that is the title, -1 for none
        sentence_chunk [S]
        link_offsets [C + 1], link_sentence [K], link_document [K]: sentences of a chunk that name
            the title of another document
        part_offsets [C + 1], part_entity [P]: entities whose names stand inside a chunk's title,
            with more words around them, rising within each chunk
        title_digest [C]: by which a chunk whose document was given another title is known
        words [V], word_offsets [C + 1], word_ids [N]: the words of a chunk and its title, once
            each, rising within each chunk; word_counts [N]: how often, up to 255
    """

    graph: GuidedArrays
    document_ids: Ids
    title_offsets: Offsets
    title_text: NDArray[np.uint8]
    first_words: Ids
    first_offsets: Offsets
    first_documents: Indices
    chunk_document: Indices
    chunk_group: Indices
    title_entity: Indices
    sentence_chunk: Indices
    link_offsets: Offsets
    link_sentence: Indices
    link_document: Indices
    part_offsets: Offsets
    part_entity: Indices
    title_digest: NDArray[np.uint64]
    words: Ids
    word_offsets: Offsets
    word_ids: Indices
    word_counts: NDArray[np.uint8]

    def __post_init__(self) -> None:
        chunks, sentences = len(self.graph.chunk_ids), len(self.graph.sentence_ids)
        expected = {
            "chunk_document": chunks,
            "chunk_group": chunks,
            "title_entity": chunks,
            "title_digest": chunks,
            "sentence_chunk": sentences,
            "title_offsets": len(self.document_ids) + 1,
            "first_offsets": len(self.first_words) + 1,
            "link_offsets": chunks + 1,
            "part_offsets": chunks + 1,
            "word_offsets": chunks + 1,
        }
        for name, length in expected.items():
            if getattr(self, name).shape != (length,):
                raise ValueError(
                    f"Expected {name} [{length}], got {list(getattr(self, name).shape)}."
                )
        for offsets, held in (
            ("link_offsets", "link_sentence"),
            ("link_offsets", "link_document"),
            ("part_offsets", "part_entity"),
            ("word_offsets", "word_ids"),
            ("word_offsets", "word_counts"),
            ("title_offsets", "title_text"),
            ("first_offsets", "first_documents"),
        ):
            last = int(getattr(self, offsets)[-1])
            if len(getattr(self, held)) != last:
                raise ValueError(f"Expected {held} [{last}], got [{len(getattr(self, held))}].")

    @cached_property
    def own_edges(self) -> NDArray[np.bool_]:
        """[M] Which edges join a chunk to its own title."""
        graph = self.graph
        return np.asarray(self.title_entity[graph.edge_chunk] == graph.edge_entity)

    @cached_property
    def part_chunk(self) -> Indices:
        """[P] The chunk whose title each name stands in."""
        chunks = np.arange(len(self.chunk_group), dtype=np.int32)
        return np.repeat(chunks, np.diff(self.part_offsets))

    @cached_property
    def word_idf(self) -> Floats:
        """[V] ln(1 + (C − n + ½) / (n + ½)) of a word that n chunks have: BM25's."""
        held = np.bincount(self.word_ids, minlength=len(self.words))
        chunks = len(self.chunk_group)
        return np.log1p((chunks - held + 0.5) / (held + 0.5)).astype(np.float32)

    @cached_property
    def lengths(self) -> Floats:
        """[C] Words of a chunk."""
        ends = np.concatenate([[0], np.cumsum(self.word_counts, dtype=np.int64)])
        return np.diff(ends[self.word_offsets]).astype(np.float32)

    @cached_property
    def usual_length(self) -> float:
        """Words of a chunk, on average; 1 where there are none."""
        return float(self.lengths.sum(dtype=np.float64)) / max(len(self.chunk_group), 1) or 1.0

    @cached_property
    def by_word(self) -> tuple[Offsets, Indices]:
        """[V + 1] offsets, [N] places in ``word_ids``: where each word stands."""
        order = np.argsort(self.word_ids, kind="stable").astype(np.int32)
        return group_offsets(self.word_ids, len(self.words)), order

    def places_of(self, words: NDArray[np.int64]) -> tuple[Indices, NDArray[np.int64], Indices]:
        """Return where ``words`` (rows) stand: places in ``word_ids``, the chunks (rows) of these,
        and which of the words each is (its place there).
        """
        offsets, order = self.by_word
        at, word = members(offsets, words)
        places = order[at]
        return places, np.searchsorted(self.word_offsets, places, side="right") - 1, word

    def word_rows(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the rows of those of ``words`` that the corpus has."""
        return _found(self.words, words)

    def titles_known_by(self, first_words: Sequence[str]) -> list[tuple[str, str]]:
        """Return (document id, title) of the documents whose titles begin, as texts name them, with
        one of ``first_words`` (`opening`), or hold one of them that is a date.
        """
        places, _ = members(self.first_offsets, _found(self.first_words, first_words))
        return [
            (
                str(self.document_ids[row]),
                self.title_text[self.title_offsets[row] : self.title_offsets[row + 1]]
                .tobytes()
                .decode(),
            )
            for row in np.unique(self.first_documents[places])
        ]

    @cached_property
    def group_count(self) -> int:
        """How many different titles there are."""
        return int(self.chunk_group.max(initial=-1)) + 1

    @cached_property
    def _chunks_of_documents(self) -> tuple[Offsets, Indices]:
        order = np.argsort(self.chunk_document, kind="stable").astype(np.int32)
        return group_offsets(self.chunk_document, len(self.document_ids)), order

    def chunks_of(self, documents: list[str]) -> Indices:
        """Return the rows of the chunks of these documents (ids), each once."""
        offsets, order = self._chunks_of_documents
        rows = sorted(set(rows_of(self.document_ids, documents).values()))
        return np.concatenate(
            [order[offsets[row] : offsets[row + 1]] for row in rows] or [order[:0]]
        )


def _found(sorted_words: Ids, words: Sequence[str]) -> NDArray[np.int64]:
    """Return the rows of those of ``words`` that are among ``sorted_words``, rising."""
    longest = sorted_words.dtype.itemsize // 4
    short = sorted({word for word in words if len(word) <= longest})  # a longer one widens all
    return np.array(list(rows_of(sorted_words, short).values()), dtype=np.int64)


def members(offsets: Offsets, rows: NDArray[np.integer]) -> tuple[NDArray[np.int64], Indices]:
    """Return where the members of ``rows`` lie in arrays of these ``offsets``, and to which of
    ``rows`` (by its place there) each belongs.
    """
    first = offsets[rows]
    counts = offsets[np.asarray(rows) + 1] - first
    owner = np.repeat(np.arange(len(rows), dtype=np.int32), counts)
    before = np.cumsum(counts) - counts
    places = np.arange(int(counts.sum()), dtype=np.int64)
    return places + np.repeat(first - before, counts), owner
