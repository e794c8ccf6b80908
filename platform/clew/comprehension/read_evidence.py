"""The evidence as the extractive reader reads it. It grows: a part of the question, once what was
asked before it is known, is a question of its own, and other passages may answer it.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.comprehension.annotation import AnnotatedSentence, Annotator
from clew.comprehension.candidates import Candidate, EvidenceSentence, with_full_names
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.marks import Marks
from clew.comprehension.naming import annotate_named, calls_document
from clew.comprehension.passage_memory import PassageMemory
from clew.comprehension.tables.joining import joined_rows
from clew.comprehension.tables.reading import (
    begins_with_row,
    has_rows,
    tables_of,
    tables_of_heads,
)
from clew.comprehension.tables.table import Row, Table
from clew.results.evidence import Evidence, ScoredChunk, Search
from clew.results.explanation import Found, Round, RoundsCard
from clew_models.embedding.base import Embedder
from clew_models.networks import Precision
from clew_models.span_reader import SpanReader
from clew_models.span_reader.weights import PAGES, all_weights

if TYPE_CHECKING:
    from clew.resources.resources import Resources

T = TypeVar("T")


MEMORY = "passage memory"
PART_PASSAGES, MANY_PASSAGES = 3, 20
"""How many passages are looked for: for a part of a question, and for several things."""


@dataclass(frozen=True)
class ReaderModels:
    """What reads: a parser, an embedder and a span model; ``memory``: of passages read lately;
    ``pages``: returns the one that reads pages for how something is done, and for yes or no.
    """

    embedder: Embedder
    spans: SpanReader
    annotator: Annotator = field(default_factory=Annotator)
    memory: PassageMemory = field(default_factory=PassageMemory)
    pages: Callable[[], SpanReader] = field(default_factory=lambda: cache(_page_reader))

    def parsed(self, questions: Sequence[str]) -> list[list[AnnotatedSentence]]:
        """Return the sentences of questions or parts of them."""
        return self.memory.questions(questions, self.annotator)


def span_reader(resources: "Resources") -> SpanReader:
    """Return the span model, one for all who read in this process."""
    settings = resources.settings
    return resources.models.get(
        "span reader",
        lambda: SpanReader(threads=settings.embed_threads, precision=settings.embed_precision),
        name="the reader's span model",
    )


def page_reader(resources: "Resources") -> SpanReader:
    """Return the model that reads pages, one for all who read in this process."""
    settings = resources.settings
    return resources.models.get(
        "page reader",
        lambda: _page_reader(settings.embed_threads, settings.embed_precision),
        name="the reader's model for pages",
    )


def _page_reader(threads: int = 1, precision: Precision = "auto") -> SpanReader:
    return SpanReader(threads=threads, weights=all_weights(PAGES), precision=precision)


def reader_models(resources: "Resources") -> ReaderModels:
    """Return what reads, shared by all who read in this process."""
    memory = resources.models.held(MEMORY)
    if memory is None:
        memory = PassageMemory()
        resources.models.put(MEMORY, memory, name="passages read lately", size=memory.size)
    annotator = Annotator(resources.parser.pipeline)
    pages = partial(page_reader, resources)
    return ReaderModels(resources.embedder, span_reader(resources), annotator, memory, pages)


class ReadEvidence:
    """The passages of one question, read. ``view``: all that is known of them by now."""

    def __init__(
        self,
        chunks: Sequence[ScoredChunk],
        models: ReaderModels,
        search: Search | None = None,
        whole: Callable[[str], Sequence[ScoredChunk]] | None = None,
        heads: Callable[[Collection[str] | None], Sequence[ScoredChunk]] | None = None,
    ) -> None:
        """``search``: finds evidence for a part of the question; None: there is no more of it;
        ``whole``: returns all passages of a document, of which the evidence may hold a part;
        ``heads``: returns the passages that documents with fields begin with, of some by their ids
        or (None) of all.
        """
        self.models = models
        self._search = search
        self._whole = whole
        self._heads = heads
        self._documents: dict[str, Sequence[ScoredChunk]] = {}
        self._tables: dict[str, list[Table]] = {}
        self._marks = Marks(models.spans)
        self._chunks: list[ScoredChunk] = []
        self._sentences: list[EvidenceSentence] = []
        self._candidates: list[Candidate] = []
        self._joined: list[tuple[int, int]] = []
        self._rounds: list[Round] = []
        self._parses: dict[str, list[AnnotatedSentence]] = {}
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self.view = self._read(chunks)

    @cached_property
    def page_marks(self) -> Marks:
        """What the model that reads pages makes of the passages."""
        marks = Marks(self.models.pages())
        marks.add(self._chunks)
        return marks

    @property
    def chunks(self) -> Sequence[ScoredChunk]:
        """The passages by their numbers."""
        return tuple(self._chunks)

    def parsed(self, texts: Sequence[str]) -> list[list[AnnotatedSentence]]:
        """Return the sentences of questions and their parts; each is parsed once, the titles of
        the passages that are read by then in it as names."""
        return _once(self._parses, texts, self._annotated)

    def embedded(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return the vectors of questions and their parts; each is embedded once."""
        return _once(self._vectors, texts, self.models.embedder.embed)

    def is_usual(self, word: str) -> bool:
        """Say whether a word is a usual one, as those are that the embedder has a token for."""
        return self.models.embedder.count_tokens(word) < 2

    def look_for(self, part: str, found: str) -> None:
        """Search for a part of the question, into which ``found`` was put, and read what is new."""
        if not any(one.asked == part for one in self._rounds):
            self._look(part, PART_PASSAGES, f"asked once {found} was known")

    def look_further(self, question: str) -> bool:
        """Search for more passages of a question for several things; say whether there are any."""
        return self._look(question, MANY_PASSAGES, "asked for more of them")

    def _look(self, part: str, passages: int, why: str) -> bool:
        if self._search is None:
            return False
        new = self.add(self._search(part, passages).chunks)
        self._note(part, new, why)
        return bool(new)

    def _note(self, asked: str, new: Sequence[ScoredChunk], why: str) -> None:
        found = tuple(Found(id=chunk.id, title=chunk.title) for chunk in new)
        number = len(self._rounds) + 1
        self._rounds.append(Round(number=number, asked=asked, found=found, decided=why))

    def tables(self) -> list[Table]:
        """Return the whole tables of which the evidence has rows."""
        rows = [chunk.document_id for chunk in self._chunks if has_rows(chunk)]
        for each in rows:
            if each not in self._tables:
                self._tables[each] = tables_of(self._document(each))
        return [one for each in dict.fromkeys(rows) for one in self._tables[each]]

    def tables_of_fields(self) -> list[Table]:
        """Return the tables of what documents tell before their texts, if the evidence has it of
        one."""
        heads = self._heads if any(map(begins_with_row, self._chunks)) else None
        return [] if heads is None else tables_of_heads(heads(None))

    def read_rows(self, rows: Sequence[Row], asked: str, basis: str) -> list[int]:
        """Read the passages that rows of a table stand in; return the rows' sentences."""
        new = self.add(list({row.chunk.id: row.chunk for row in rows}.values()))
        if new:
            self._note(asked, new, basis)
        return [place for row in rows if (place := self._place_of(row)) is not None]

    def join_rows(self, question: str, words: Sequence[str]) -> bool:
        """Read the rows of other tables that tell of the same things as the rows of the evidence
        that say most of a question's words; say whether there are any.
        """
        found = joined_rows(words, self.view, self.tables())
        new = self.add(list({row.chunk.id: row.chunk for _, row in found}.values()))
        if new:
            self._note(question, new, "rows there tell more of what is described")
        places = [(place, self._place_of(row)) for place, row in found]
        self._joined += [(place, other) for place, other in places if other is not None]
        self._joined = list(dict.fromkeys(self._joined))
        self.view = replace(self.view, joined=tuple(self._joined))
        return bool(found)

    def _place_of(self, row: Row) -> int | None:
        """Return the sentence that a row of a passage that was read is."""
        of = next(i for i, chunk in enumerate(self._chunks) if chunk.id == row.chunk.id)
        own = [
            (i, sentence.parse.text)
            for i, sentence in enumerate(self.view.sentences)
            if sentence.chunk == of and sentence.parse.text in row.text
        ]
        # a heading may be a cell, too
        return max(own, key=lambda one: len(one[1]))[0] if own else None

    def _document(self, document: str) -> Sequence[ScoredChunk]:
        """Return all passages of a document, in order, fetched once; none where none can be."""
        if document not in self._documents:
            self._documents[document] = self._whole(document) if self._whole else ()
        return self._documents[document]

    def beside(self, passage: int, step: int) -> int | None:
        """Read the passage that follows another one in its document (``step`` 1), or the one before
        it (-1); return its number, None where there is none.
        """
        own = self._chunks[passage]
        whole = self._document(own.document_id)
        at = next((n for n, chunk in enumerate(whole) if chunk.id == own.id), None)
        if at is None or not 0 <= at + step < len(whole):
            return None
        found = whole[at + step]
        if self.add([found]):
            self._note(own.title, [found], "goes on there")
        return next(n for n, chunk in enumerate(self._chunks) if chunk.id == found.id)

    def open_heads(self, names: Sequence[str]) -> bool:
        """Read what documents tell before their texts that the question names, by their titles or
        numbers, and of which the evidence has other passages; say whether there is any.
        """
        called = {c.document_id for c in self._chunks for n in names if calls_document(n, c.title)}
        heads = self._heads(called) if called and self._heads else ()
        new = self.add([one for one in heads if begins_with_row(one)])
        if new:
            self._note(new[0].title, new, "begins so")
        return bool(new)

    def add(self, chunks: Sequence[ScoredChunk]) -> list[ScoredChunk]:
        """Read more passages; return those that are new."""
        known = {chunk.id for chunk in self._chunks}
        new = [chunk for chunk in chunks if chunk.id not in known]
        if new:
            self.view = self._read(new)
        return new

    def grown(self, evidence: Evidence) -> Evidence:
        """Return the evidence with what was found for parts of its question behind it."""
        if not self._rounds:
            return evidence
        card = RoundsCard(
            title="Parts of the question",
            summary="Each part was searched for once the part before it was known, and where what "
            "answers goes on in the next passage, that was read; here are the passages that came "
            "with it.",
            rounds=tuple(self._rounds),
        )
        return evidence.model_copy(
            update={
                "chunks": tuple(self._chunks),
                "explanation": (*evidence.explanation, card),
            }
        )

    def _annotated(self, texts: Sequence[str]) -> list[list[AnnotatedSentence]]:
        titles = (chunk.title for chunk in self._chunks)
        return annotate_named(self.models.parsed, texts, titles)

    def _read(self, chunks: Sequence[ScoredChunk]) -> EvidenceView:
        """Return the view of all passages, ``chunks`` behind those known: numbers stay."""
        models, sentences, candidates = self.models, self._sentences, self._candidates
        read = models.memory.passages(chunks, models.annotator, models.embedder)
        for number, passage in enumerate(read, len(self._chunks)):
            before = len(sentences)
            candidates += [replace(c, sentence=before + c.sentence) for c in passage.candidates]
            sentences += [replace(sentence, chunk=number) for sentence in passage.sentences]
        self._chunks.extend(chunks)
        self._marks.add(chunks)
        if "page_marks" in self.__dict__:
            self.page_marks.add(chunks)
        whole = with_full_names(candidates, sentences)
        return EvidenceView.of(sentences, whole, self._marks, self._joined)


def _once(
    known: dict[str, T], texts: Sequence[str], make: Callable[[Sequence[str]], Iterable[T]]
) -> list[T]:
    """Return what ``make`` makes of each text; it is asked for what is not known."""
    missing = [text for text in dict.fromkeys(texts) if text not in known]
    if missing:
        known.update(zip(missing, make(missing), strict=True))
    return [known[text] for text in texts]
