"""What a run of the bench is asked for, and what it tells while it goes on."""

from typing import Literal

from pydantic import Field, field_validator

from clew.evaluation.run import DEPTH
from clew.indexing.corpora import plain_name
from clew.results.data_set import BenchQuestion
from clew.results.result import Result

CORPUS_PREFIX = "corpus:"
"""``corpus:papers`` names an indexed corpus where a data set is asked for."""
SAMPLE = "sample"
"""Names the sample corpus with its questions."""
NO_READER = "none"
"""Names no reader: evidence is measured, nothing is answered."""
LARGEST_SEED = 2**32 - 1


class BenchRequest(Result):
    """A run of the bench.

    ``data_set``: a path, 'sample', or 'corpus:NAME'. ``questions``: those to ask of a folder of
    documents or a corpus; their gold names documents by address, title or id. ``synthetic``: how
    many questions are made from the graph where none are given. ``strategies``: None for all;
    ``ablations``: in their place, one method whole and without each of its parts;
    ``reader``: None for the settings', 'none' for no answers. ``limit``: questions, drawn by
    ``seed``, which also sets the order in which documents are ingested.
    """

    data_set: str
    questions: tuple[BenchQuestion, ...] | None = None
    synthetic: int = Field(50, ge=1, le=5000)
    strategies: tuple[str, ...] | None = None
    ablations: str | None = None
    reader: str | None = None
    limit: int | None = Field(None, ge=1)
    seed: int = Field(0, ge=0, le=LARGEST_SEED)
    depth: int | None = Field(None, ge=1, le=200, description=f"Chunks ranked; default {DEPTH}.")
    judge: bool = False
    mauve: bool = False
    fresh: bool = False

    @field_validator("data_set")
    @classmethod
    def _kept(cls, name: str) -> str:
        """A corpus is named as it is kept."""
        if not name.startswith(CORPUS_PREFIX):
            return name
        return CORPUS_PREFIX + plain_name(name.removeprefix(CORPUS_PREFIX))


class StrategyProgress(Result):
    """What is known of a strategy so far; means over the questions asked, None before the first.

    ``median_seconds``: of a retrieval.
    """

    strategy: str
    questions: int
    failed: int
    recall_at_5: float | None
    f1: float | None
    median_seconds: float | None


class BenchProgress(Result):
    """Where a run stands. ``done`` of ``total`` counts documents while it indexes, retrievals
    while it asks. ``remaining_seconds``: None while that cannot be said."""

    stage: Literal["load", "index", "warm up", "ask", "check", "judge", "done"]
    done: int
    total: int
    run_id: str
    remaining_seconds: float | None = None
    strategies: tuple[StrategyProgress, ...] = ()


class BenchRunInfo(Result):
    """A kept run, as lists show it. ``main``: strategy → its main figures by metric name;
    ``median_seconds``: strategy → of a retrieval. ``ablations``: the method that was asked without
    its parts, None where strategies were compared. ``corpus_deleted``: the corpus that was measured
    was deleted since, and one of its name is another."""

    id: str
    created_at: str
    data_set: str
    synthetic: bool
    questions: int
    reader: str | None
    seed: int
    seconds: float
    fingerprint: str
    main: dict[str, dict[str, float | None]]
    median_seconds: dict[str, float]
    ablations: str | None = None
    corpus_deleted: bool = False
