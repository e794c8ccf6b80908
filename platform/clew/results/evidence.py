"""What a strategy hands to the reader, and what the reader makes of it. All frozen, all JSON."""

from collections.abc import Callable, Collection, Iterable, Sequence
from html import escape
from typing import Any, Literal, TypeVar

from pydantic import Field

from clew.results.explanation import Card, QuotesCard, Round, RoundsCard, SubgraphCard
from clew.results.result import Result

T = TypeVar("T")


class ScoredChunk(Result):
    """A chunk with the strategy's score; comparable within one retrieval only.

    ``pages`` (from 1) and ``headings`` (paths, "Methods › Data"): where its text stands in the
    original, one a line of the text; a single one is that of all lines, none: not known.
    ``original``: it can be opened at such a page; of an upload it is not kept.
    """

    id: str
    document_id: str
    title: str
    text: str
    score: float
    pages: tuple[int, ...] = ()
    headings: tuple[str, ...] = ()
    original: bool = False

    def place_of(self, quote: str) -> tuple[int | None, str]:
        """Return the page (None: not known) and the heading ("") at which ``quote`` begins."""
        line = self.text.count("\n", 0, max(self.text.find(quote), 0))
        return _at(self.pages, line, 0) or None, self.heading_of(line)

    def heading_of(self, line: int) -> str:
        """Return the heading that line number ``line`` of the text stands under (from 0), or ""."""
        return _at(self.headings, line, "")


def place_words(
    pages: Iterable[int | None], headings: Iterable[str], line: int | None = None
) -> str:
    """Return the words for where a text stands: "pages 3–4, under “Methods › Data”", or "line 12"
    of a knowledge base; "" for nowhere that is known.

    ``headings``: of each line; the text is under that of its first, which may be none.
    """
    known = sorted({page for page in pages if page})
    first = next(iter(headings), "")
    words = [] if line is None else [f"line {line}"]
    if known:
        words.append(f"page {known[0]}" if len(known) == 1 else f"pages {known[0]}–{known[-1]}")
    if first:
        words.append(f"under “{first}”")
    return ", ".join(words)


def _at(values: tuple[T, ...], line: int, unknown: T) -> T:
    return values[min(line, len(values) - 1)] if values else unknown


class EvidenceTriple(Result):
    """A triple of the graph with the strategy's score; comparable within one retrieval only.

    ``id``: that of its RELATION edge. ``head_id`` and ``tail_id``: the entities that it joins, as
    they go now; ``head``, ``relation`` and ``tail``: as written. ``text``: its textual triplet.
    ``chunk_id``: the passage that states it, "" where it is a line of a knowledge base: line
    number ``line`` (from 1, None for a passage's) of the document ``document_id``.
    """

    id: str
    head_id: str
    head: str
    relation: str
    tail_id: str
    tail: str
    text: str
    score: float
    chunk_id: str = ""
    document_id: str = ""
    title: str = ""
    line: int | None = None

    @property
    def of_base(self) -> bool:
        """Whether it is a line of a knowledge base, which no passage states."""
        return not self.chunk_id


class PathNode(Result):
    """An entity or a chunk on a path. ``label`` is the entity's name or the document's title."""

    id: str
    kind: Literal["entity", "chunk"]
    label: str


class PathEdge(Result):
    """An edge of the graph, by the ids of its ends; ``text``: the sentence that carries it."""

    source: str
    target: str
    kind: Literal["MENTIONED_IN", "RELATION"]
    text: str = ""


class EvidencePath(Result):
    """A walk through the graph; edge i joins node i and node i + 1. Every edge exists."""

    nodes: tuple[PathNode, ...]
    edges: tuple[PathEdge, ...]


class SeedEntity(Result):
    """An entity of the question that was found in the graph, and how."""

    id: str
    name: str
    mention: str
    match: Literal["name", "alias", "embedding", "decoded"]
    weight: float


class NameSuggestion(Result):
    """A name of the question that the corpus does not have, and one that may be meant.

    ``question``: the question with that name. ``followed``: it was asked in place of the user's.
    """

    asked: str
    name: str
    entity_id: str
    question: str
    followed: bool

    @property
    def sentence(self) -> str:
        """What the user is told."""
        told = f"The corpus has no “{self.asked}”. Did you mean “{self.name}”?"
        return f"{told} The evidence is for that name." if self.followed else told


class TraceStep(Result):
    """One step of a retrieval or an answer: what it did, how long, what it saw."""

    name: str
    seconds: float
    detail: dict[str, Any] = Field(default_factory=dict)


class Evidence(Result):
    """What was found for a question, best first, with how it was found.

    ``triples``: those that the strategy found, where it looks for triples; a knowledge base has
    nothing else.
    ``paths_left_out``: how many further paths there are. ``explanation``: how the strategy came to
    it. ``notices``: sentences for the user, such as a fallback that was taken. ``suggestions``:
    names that are not there, and which may be meant; where one was followed, ``question`` has it.
    """

    question: str
    corpus: str
    strategy: str
    chunks: tuple[ScoredChunk, ...] = ()
    triples: tuple[EvidenceTriple, ...] = ()
    paths: tuple[EvidencePath, ...] = ()
    paths_left_out: int = 0
    seeds: tuple[SeedEntity, ...] = ()
    explanation: tuple[Card, ...] = ()
    trace: tuple[TraceStep, ...] = ()
    notices: tuple[str, ...] = ()
    suggestions: tuple[NameSuggestion, ...] = ()

    def __repr__(self) -> str:
        """Return what fits a line; ``model_dump`` has it all."""
        return (
            f"Evidence({self.question!r}, corpus={self.corpus!r}, strategy={self.strategy!r}, "
            f"chunks={len(self.chunks)}, paths={len(self.paths)})"
        )

    def _repr_html_(self) -> str:
        """Return the passages for a notebook, as text that was escaped."""
        items = "".join(
            f"<li><b>{escape(chunk.title)}</b> ({chunk.score:.3f})<br>{escape(chunk.text)}</li>"
            for chunk in self.chunks
        )
        return f"<ol>{items}</ol>" if items else "<p>Nothing was found.</p>"


Search = Callable[[str, int], Evidence]
"""Finds evidence for a part of a question: so many passages."""

WholeDocument = Callable[[str, str], Sequence[ScoredChunk]]
"""Returns all passages of a corpus' document, in its order; none of one that is too long."""

DocumentHeads = Callable[[str, Collection[str] | None], Sequence[ScoredChunk]]
"""Returns where documents of a corpus begin that have fields, of some by their ids or (None) of all
that are asked; none where they are too many."""


class Citation(Result):
    """Where an answer's statement stands: ``number`` as in ``[1]``, ``quote`` verbatim.

    ``page`` and ``heading``: where the quote stands in the original, None and "" where that is not
    known. ``triple_id``: what is cited is a triple; of a knowledge base, with its ``line`` and
    without a ``chunk_id``.
    """

    number: int
    chunk_id: str
    document_id: str
    title: str
    quote: str
    page: int | None = None
    heading: str = ""
    triple_id: str = ""
    line: int | None = None


class Answer(Result):
    """An answer with its citations and evidence.

    ``supported`` is False where the evidence does not say; ``text`` then says so.
    ``short`` is the answer in a few words (what exact match is measured on), "" if unsupported;
    ``items``: each of the things, or of the answers, where several are asked for and found.
    ``confidence``: between 0 and 1, the measured share of right answers at such a score; of an
    answer from triples alone, how like the question the relations on its path are.
    ``dropped_citations``: citations the model wrote that point to nothing; they are not shown.
    """

    question: str
    text: str
    short: str
    supported: bool
    confidence: float
    citations: tuple[Citation, ...]
    reader: str
    evidence: Evidence
    items: tuple[str, ...] = ()
    dropped_citations: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    trace: tuple[TraceStep, ...] = ()

    def as_turn(self) -> "Turn":
        """Return it as what was asked before the next question; "" where nothing supports it."""
        said = (self.short or self.text) if self.supported else ""
        return Turn(question=self.question, answer=said[:LONGEST_ANSWER])

    def __repr__(self) -> str:
        """Return what fits a line or two; ``model_dump`` has it all."""
        return (
            f"Answer({self.text!r}, confidence={self.confidence:.2f}, "
            f"citations={len(self.citations)}, evidence={self.evidence!r})"
        )

    def _repr_html_(self) -> str:
        """Return the answer and its passages for a notebook, as text that was escaped."""
        return (
            f"<p>{escape(self.text)}</p><p><small>confidence {self.confidence:.2f}, "
            f"{escape(self.evidence.strategy)}, {escape(self.reader)}</small></p>"
            f"{self.evidence._repr_html_()}"
        )


class Progress(Result):
    """What is being done that takes seconds, in words."""

    text: str


Told = Progress | TraceStep | QuotesCard | SubgraphCard | RoundsCard | Round
"""What a strategy tells while it works; the evidence then holds all of it but the progress.

A card that is told is a part of the explanation: what has come since the one before.
"""


MOST_TURNS = 20
LONGEST_QUESTION, LONGEST_ANSWER = 8000, 20_000
"""What a conversation may hold, in turns and characters."""


class Turn(Result):
    """A question that was asked before, with what was answered; "" where nothing was."""

    question: str = Field(min_length=1, max_length=LONGEST_QUESTION)
    answer: str = Field("", max_length=LONGEST_ANSWER)


class AskEvent(Result):
    """One event of a streamed answer: those of the retrieval (progress, trace, card, round) as they
    happen, then evidence, piece*, answer; or error.

    ``data`` as JSON: a Progress, TraceStep, Card or Round, the Evidence, {"text": …}, the Answer,
    or {"message": …, "remedy": …}. The evidence takes the place of all that came before it.
    """

    event: Literal["progress", "trace", "card", "round", "evidence", "piece", "answer", "error"]
    data: dict[str, Any]


def told_event(told: Told) -> AskEvent:
    """Return the event of what was told."""
    names: dict[type[Result], Literal["progress", "trace", "round"]] = {
        Progress: "progress",
        TraceStep: "trace",
        Round: "round",
    }
    return AskEvent(event=names.get(type(told), "card"), data=told.model_dump(mode="json"))
