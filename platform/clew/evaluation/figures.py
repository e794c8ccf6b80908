"""The figures of a run: what the table, the report, REST and the record show."""

from typing import Literal

from clew.results.result import Result

Direction = Literal["higher", "lower"]


class Figure(Result):
    """A metric of one strategy: the mean over ``questions`` (its denominator) with the bounds of
    its bootstrap 95 % interval; None where no question has what the metric needs."""

    value: float | None
    low: float | None
    high: float | None
    questions: int


class StepFigure(Result):
    """A step of the trace: in how many questions it ran, and its seconds."""

    questions: int
    median_seconds: float
    mean_seconds: float


class CostFigures(Result):
    """What a strategy costs. Seconds of a retrieval and of an answer; tokens are means a question.

    The answer's are None where no reader was asked. ``memory_mib``: highest of the process.
    """

    median_seconds: float
    p95_seconds: float
    answer_median_seconds: float | None
    answer_p95_seconds: float | None
    calls: float
    prompt_tokens: float
    completion_tokens: float
    memory_mib: float | None
    steps: dict[str, StepFigure]
    answer_steps: dict[str, StepFigure]


class StrategyFigures(Result):
    """All figures of one strategy. ``metrics``: by metric name. ``by_type`` and ``by_hops``: the
    same for groups of questions, where the set has them. ``failed``: questions it raised on."""

    strategy: str
    questions: int
    failed: int
    metrics: dict[str, Figure]
    by_type: dict[str, dict[str, Figure]]
    by_hops: dict[str, dict[str, Figure]]
    cost: CostFigures


class Difference(Result):
    """A strategy's metric compared on the questions both sides have.

    ``strategy`` against ``other`` (another strategy, or the same one in another run), ``delta`` =
    value - other_value with its 95 % interval; ``p``: paired randomisation test, two-sided;
    ``p_adjusted``: after Holm over the comparison's tests. ``verdict``: 'same' unless
    p_adjusted < 0.05.
    """

    metric: str
    strategy: str
    other: str
    value: float
    other_value: float
    delta: float
    low: float
    high: float
    p: float
    p_adjusted: float
    questions: int
    verdict: Literal["better", "worse", "same"]


class RunFigures(Result):
    """All figures of a run. ``pairs``: every two strategies, by the run's main metrics.

    ``whole``: in an ablation study the whole method; its pairs are each variant against it. None
    where strategies are compared.
    """

    run_id: str
    data_set: str
    strategies: tuple[StrategyFigures, ...]
    pairs: tuple[Difference, ...]
    whole: str | None = None


class RunComparison(Result):
    """A run against an earlier one. ``notices``: what is not alike (settings, versions, corpus).

    ``regressions``: the differences whose verdict is 'worse'.
    """

    run_id: str
    against_id: str
    questions: int
    notices: tuple[str, ...]
    differences: tuple[Difference, ...]

    @property
    def regressions(self) -> tuple[Difference, ...]:
        return tuple(d for d in self.differences if d.verdict == "worse")
