"""A run of the bench as it is kept: everything that its figures are computed from. All JSON."""

from typing import Any, Literal

from pydantic import Field

from clew.results.data_set import BenchQuestion, GoldUnit, RefusedQuestion
from clew.results.evidence import EvidencePath, TraceStep
from clew.results.result import Result

CUTS = (1, 2, 5, 10, 20, 25)
"""The k at which rankings are judged."""
DEPTH = 20
"""Chunks asked for where nothing else is said; a deeper cut has no value then."""
TRIPLE_BUDGET = 50
"""Triples looked at by Triplet Recall and Path Recall (KA-9)."""


class RankedChunk(Result):
    """A chunk in its place; ``key``: what gold calls it (its document's key, or its own id).

    Where gold counts triples, a triple by its id.
    """

    chunk_id: str
    key: str
    score: float


class AnswerRecord(Result):
    """What the reader answered; ``cited``: ids of the chunks it cites, ``misquoted``: those of
    them whose text does not hold the quote."""

    text: str
    short: str
    supported: bool
    confidence: float
    cited: tuple[str, ...]
    misquoted: tuple[str, ...] = ()
    dropped_citations: int


class Usage(Result):
    """What was asked of language models."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Validity(Result):
    """How many ids and edges the evidence and the answer cite, and which of them do not exist."""

    checked: int
    missing: tuple[str, ...]


class JudgeMarks(Result):
    """A language model's marks from 0 to 1 (KC-10); ``error``: why there are none."""

    correctness: float | None = None
    faithfulness: float | None = None
    relevance: float | None = None
    error: str | None = None


class Coverage(Result):
    """Of ``clues`` that led to gold, how many a language model finds to say why (KT-12)."""

    clues: int
    covering: int
    error: str | None = None


class Outcome(Result):
    """What one strategy made of one question.

    ``error``: it raised; the rest is then empty and the question counts as missed.
    ``answer_error``: the reader raised; the evidence counts, the answer as wrong. ``seconds``: of
    the retrieval with its paths; ``answer_seconds``: of the reader. ``steps`` and
    ``answer_steps``: their traces. ``paths``: at most the first three.
    """

    strategy: str
    question_id: str
    error: str | None = None
    ranking: tuple[RankedChunk, ...] = ()
    seeds: tuple[str, ...] = ()
    paths: tuple[EvidencePath, ...] = ()
    notices: tuple[str, ...] = ()
    seconds: float = 0.0
    steps: tuple[TraceStep, ...] = ()
    answer: AnswerRecord | None = None
    answer_error: str | None = None
    answer_seconds: float | None = None
    answer_steps: tuple[TraceStep, ...] = ()
    usage: Usage = Usage()
    validity: Validity | None = None
    judgement: JudgeMarks | None = None
    coverage: Coverage | None = None


class ChunkRecord(Result):
    """A chunk that was found by somebody, to show it; ``text`` may be cut."""

    key: str
    title: str
    text: str


class DataSetRecord(Result):
    """The data set of a run. ``fingerprint``: of its documents and questions, before any limit.

    ``total``: questions that could be asked; ``refused``: those that could not.
    """

    name: str
    format: str
    fingerprint: str
    unit: GoldUnit
    synthetic: bool
    documents: int
    total: int
    refused: tuple[RefusedQuestion, ...]


class IndexRecord(Result):
    """The corpus that was searched, and what its indexing cost.

    ``reused``: it was there already, and the seconds are those of its indexing then (empty where
    they are not known). ``disk_bytes``: of the whole database, None where it is not on this
    machine.
    """

    corpus: str
    revision: int
    counts: dict[str, int]
    reused: bool
    seconds: dict[str, float]
    wall_seconds: float | None
    disk_bytes: int | None


class Variant(Result):
    """A row of an ablation study: a method with some ``settings``, by flat names, changed.

    ``name``: the row's in the run; ``label``: in a table of the study, below the whole method;
    ``shows``: the part whose worth its difference to the whole method is.
    """

    name: str
    label: str
    shows: str
    settings: dict[str, Any]


class AblationStudy(Result):
    """``strategy`` whole, and what it was asked without. ``left_out``: sentences on those of its
    ablations that were not asked, and why."""

    strategy: str
    variants: tuple[Variant, ...]
    left_out: tuple[str, ...] = ()


class BenchOptions(Result):
    """What was asked for; two runs with equal options and fingerprint are comparable.

    ``strategies``: the rows; of an ablation study the whole method's, then its variants'.
    """

    strategies: tuple[str, ...]
    depth: int
    top_k: int
    reader: str | None
    limit: int | None
    seed: int
    judge: bool
    mauve: bool
    ablations: AblationStudy | None = None


class MemoryRecord(Result):
    """Highest resident memory in MiB while something ran: this process with its children, and
    Neo4j (None where it is not on this machine). ``strategies``: by name, the process alone."""

    process_mib: float
    neo4j_mib: float | None
    strategies: dict[str, float]


class BenchRun(Result):
    """A whole run. ``settings``: those that differ from their defaults, and all that strategies
    read; neither secrets nor addresses and directories. ``trained``: method → the version that was
    trained here and served the corpus when the run began. ``seconds``: of all retrievals and
    answers; ``overhead``: what the bench itself took while asking, as a share of that (None where
    no session came to its end). ``sessions``: 1, and one more each time it was interrupted and went
    on. ``warmup_seconds``: by strategy, unmeasured.
    ``mauve``: by strategy, where it was asked for; it is computed over all answers at once.
    """

    format: Literal["clew-bench-1"] = "clew-bench-1"
    id: str
    created_at: str
    finished_at: str
    sessions: int
    seconds: float
    overhead: float | None
    options: BenchOptions
    data_set: DataSetRecord
    index: IndexRecord
    memory: MemoryRecord
    warmup_seconds: dict[str, float]
    settings: dict[str, Any]
    versions: dict[str, str]
    trained: dict[str, str] = Field(default_factory=dict)
    machine: dict[str, Any]
    notices: tuple[str, ...] = ()
    mauve: dict[str, float] = Field(default_factory=dict)
    questions: tuple[BenchQuestion, ...]
    chunks: dict[str, ChunkRecord] = Field(default_factory=dict)
    outcomes: tuple[Outcome, ...]
