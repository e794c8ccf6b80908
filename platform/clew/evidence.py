"""What a strategy hands to the reader, and what the reader makes of it. All frozen, all JSON."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Result(BaseModel):
    """Base of the result types: immutable, without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ScoredChunk(Result):
    """A chunk with the strategy's score; comparable within one retrieval only."""

    id: str
    document_id: str
    title: str
    text: str
    score: float


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


class ClueSentence(Result):
    """A sentence that a clue led to; the clue's relation stands for its characters [start, end),
    both None where that would be masks alone.
    """

    id: str
    chunk_id: str
    text: str
    start: int | None = None
    end: int | None = None


class EvidenceClue(Result):
    """What a question was translated into: an entity and a piece of a sentence it is in.

    ``direction``: forward where the entity is a subject of the sentences, reverse where it is
    not. ``named``: the question names it. ``score``: the clue's log-probability. ``tail``: the
    third part, of triples. ``after``: the number (from 0) of the clue that led to this one.
    """

    entity_id: str
    entity: str
    relation: str
    direction: Literal["forward", "reverse"]
    score: float
    named: bool
    sentences: tuple[ClueSentence, ...]
    chunk_ids: tuple[str, ...]
    tail_id: str | None = None
    tail: str | None = None
    after: int | None = None

    @property
    def text(self) -> str:
        """ENTITY@@RELATION, or HEAD@@RELATION@@TAIL."""
        parts = [self.entity, self.relation]
        return "@@".join(parts if self.tail is None else [*parts, self.tail])


class TraceStep(Result):
    """One step of a retrieval or an answer: what it did, how long, what it saw."""

    name: str
    seconds: float
    detail: dict[str, Any] = Field(default_factory=dict)


class Evidence(Result):
    """What was found for a question, best first, with how it was found.

    ``paths_left_out``: how many further paths there are. ``notices``: sentences for the user, such
    as a fallback that was taken.
    """

    question: str
    corpus: str
    strategy: str
    chunks: tuple[ScoredChunk, ...] = ()
    paths: tuple[EvidencePath, ...] = ()
    paths_left_out: int = 0
    seeds: tuple[SeedEntity, ...] = ()
    clues: tuple[EvidenceClue, ...] = ()
    trace: tuple[TraceStep, ...] = ()
    notices: tuple[str, ...] = ()


class Citation(Result):
    """Where an answer's statement stands: ``number`` as in ``[1]``, ``quote`` verbatim."""

    number: int
    chunk_id: str
    document_id: str
    title: str
    quote: str


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


class AskEvent(Result):
    """One event of a streamed answer: progress*, trace*, evidence, piece*, answer | error.

    ``data``: {"text": …}, TraceStep, Evidence, {"text": …}, Answer or {"message": …, "remedy": …}
    as JSON. ``progress`` says what is being done that takes seconds.
    """

    event: Literal["progress", "trace", "evidence", "piece", "answer", "error"]
    data: dict[str, Any]
