"""What a strategy hands to the reader, and what the reader makes of it. All frozen, all JSON."""

from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeVar

from pydantic import Field

from clew.results.explanation import Card, QuotesCard, Round, RoundsCard, SubgraphCard
from clew.results.result import Result

T = TypeVar("T")


class ScoredChunk(Result):
    """A chunk with the strategy's score; comparable within one retrieval only.

    ``pages`` (from 1) and ``headings`` (paths, "Methods › Data"): where its text stands in the
    original, one a line of the text; a single one is that of all lines, none: not known.
    """

    id: str
    document_id: str
    title: str
    text: str
    score: float
    pages: tuple[int, ...] = ()
    headings: tuple[str, ...] = ()

    def place_of(self, quote: str) -> tuple[int | None, str]:
        """Return the page (None: not known) and the heading ("") at which ``quote`` begins."""
        line = self.text.count("\n", 0, max(self.text.find(quote), 0))
        page, heading = _at(self.pages, line, 0), _at(self.headings, line, "")
        return page or None, heading


def place_words(pages: Iterable[int | None], headings: Iterable[str]) -> str:
    """Return the words for where a text stands: "pages 3–4, under “Methods › Data”"; "" for
    nowhere that is known.
    """
    known = sorted({page for page in pages if page})
    first = next((heading for heading in headings if heading), "")
    words = []
    if known:
        words.append(f"page {known[0]}" if len(known) == 1 else f"pages {known[0]}–{known[-1]}")
    if first:
        words.append(f"under “{first}”")
    return ", ".join(words)


def _at(values: tuple[T, ...], line: int, unknown: T) -> T:
    return values[min(line, len(values) - 1)] if values else unknown


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

    ``paths_left_out``: how many further paths there are. ``explanation``: how the strategy came to
    it. ``notices``: sentences for the user, such as a fallback that was taken. ``suggestions``:
    names that are not there, and which may be meant; where one was followed, ``question`` has it.
    """

    question: str
    corpus: str
    strategy: str
    chunks: tuple[ScoredChunk, ...] = ()
    paths: tuple[EvidencePath, ...] = ()
    paths_left_out: int = 0
    seeds: tuple[SeedEntity, ...] = ()
    explanation: tuple[Card, ...] = ()
    trace: tuple[TraceStep, ...] = ()
    notices: tuple[str, ...] = ()
    suggestions: tuple[NameSuggestion, ...] = ()


Search = Callable[[str], Evidence]
"""Finds evidence for a part of a question."""


class Citation(Result):
    """Where an answer's statement stands: ``number`` as in ``[1]``, ``quote`` verbatim.

    ``page`` and ``heading``: where the quote stands in the original, None and "" where that is not
    known.
    """

    number: int
    chunk_id: str
    document_id: str
    title: str
    quote: str
    page: int | None = None
    heading: str = ""


class Answer(Result):
    """An answer with its citations and evidence.

    ``supported`` is False where the evidence does not say; ``text`` then says so.
    ``short`` is the answer in a few words (what exact match is measured on), "" if unsupported.
    ``confidence``: between 0 and 1, the measured share of right answers at such a score.
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
    dropped_citations: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    trace: tuple[TraceStep, ...] = ()


class Progress(Result):
    """What is being done that takes seconds, in words."""

    text: str


Told = Progress | TraceStep | QuotesCard | SubgraphCard | RoundsCard | Round
"""What a strategy tells while it works; the evidence then holds all of it but the progress.

A card that is told is a part of the explanation: what has come since the one before.
"""


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
