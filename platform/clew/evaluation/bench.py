"""The bench: every strategy on the same questions, corpus, chunks, embedder and reader.

    data set ──▶ corpus of its own ──▶ questions × strategies ──▶ outcomes ──▶ BenchRun
                 (shuffled, once)      (they take turns)          (journal)

Strategies take turns question by question, each first in turn, so that whatever else the machine
does meanwhile falls on all of them alike. Figures are computed from the run afterwards
(`summary.py`), never here.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clew.errors import JobStopped
from clew.evaluation.asking import Asked, Asker, Retrieve
from clew.evaluation.journal import Journal, Session
from clew.evaluation.measuring import MemoryWatch
from clew.evaluation.metrics.coverage import semantic_coverage
from clew.evaluation.metrics.judge import judge
from clew.evaluation.run import Outcome
from clew.evaluation.tracking import Tracker
from clew.evaluation.validating import check
from clew.results.data_set import BenchQuestion
from clew_cypher.store import GraphStore
from clew_models.errors import LanguageModelUnavailable

if TYPE_CHECKING:
    from clew_models.language_model import LanguageModel

GOES_ON = "The same command goes on where it stopped."
CHECK_EVERY = 200
"""Outcomes whose citations are looked up in the graph together."""
OUTAGES = 5
"""Questions in a row that a strategy's language model may leave without an answer."""


@dataclass
class Bench:
    """Asks the questions of a run that the journal does not hold yet.

    Where a language model does not answer, the question is asked once more at the end, and what
    comes then is its outcome; after `OUTAGES` in a row the run stops, and can go on later.

    ``strategies``: by name, from a question and a number of chunks to evidence. ``judge``: the
    language model that marks answers and clues, None for no marks.
    """

    store: GraphStore
    corpus: str
    strategies: Mapping[str, Retrieve]
    questions: Sequence[BenchQuestion]
    asker: Asker
    journal: Journal
    tracker: Tracker
    memory: MemoryWatch
    judge: "LanguageModel | None" = None
    cancelled: Callable[[], bool] = lambda: False
    _asked_seconds: float = field(default=0.0, init=False)
    _judge_seconds: float = field(default=0.0, init=False)

    def run(self) -> None:
        """Ask what is still to be asked, and look up what was cited.

        Raises JobStopped, LanguageModelUnavailable and GraphUnavailable.
        """
        by_id = {question.id: question for question in self.questions}
        reads = self.asker.reader is not None
        total = len(by_id) * len(self.strategies)
        self.tracker.begin(list(self.strategies), total, self.asker.depth, reads)
        for outcome in self.journal.content.outcomes:
            self.tracker.add(by_id[outcome.question_id], outcome)
        waiting = self._waiting()
        warmup = self._warm_up() if waiting else {}
        self.tracker.start()
        started = time.perf_counter()
        try:
            self._ask_all(self._ask_all(waiting), once_more=True)
            if self.journal.content.unchecked:
                self._check()
        except (JobStopped, LanguageModelUnavailable):
            self._end(started, warmup)
            raise
        self._end(started, warmup)

    def _ask_all(
        self, waiting: Iterable[tuple[str, BenchQuestion]], *, once_more: bool = False
    ) -> list[tuple[str, BenchQuestion]]:
        """Ask, and return what a language model left without an answer; ``once_more``: that is an
        outcome, too.
        """
        late = []
        in_a_row: Counter[str] = Counter()
        for strategy, question in waiting:
            if self.cancelled():
                raise JobStopped("The run of the bench was stopped.", remedy=GOES_ON)
            outage = self._ask(strategy, question, once_more)
            in_a_row[strategy] = in_a_row[strategy] + 1 if outage else 0
            if outage and in_a_row[strategy] == OUTAGES:
                raise LanguageModelUnavailable(
                    f"{strategy} was asked {OUTAGES} questions in a row without an answer of its "
                    f"language model: {outage.message}",
                    remedy=f"{outage.remedy} {GOES_ON}".strip(),
                ) from outage
            if outage:
                late.append((strategy, question))
            if len(self.journal.content.unchecked) >= CHECK_EVERY:
                self._check()
        return late

    def _waiting(self) -> list[tuple[str, BenchQuestion]]:
        asked = {(o.strategy, o.question_id) for o in self.journal.content.outcomes}
        names = list(self.strategies)
        return [
            (name, question)
            for turn, question in enumerate(self.questions)
            for name in names[turn % len(names) :] + names[: turn % len(names)]
            if (name, question.id) not in asked
        ]

    def _warm_up(self) -> dict[str, float]:
        """Ask the first question of every strategy, unmeasured: models and arrays are loaded."""
        seconds: dict[str, float] = {}
        for number, (name, retrieve) in enumerate(self.strategies.items()):
            self.tracker.stage("warm up", number, len(self.strategies))
            started = time.perf_counter()
            with self.memory.strategy(name):
                self.asker.ask(name, retrieve, self.questions[0])
            seconds[name] = round(time.perf_counter() - started, 3)
        return seconds

    def _ask(
        self, name: str, question: BenchQuestion, once_more: bool
    ) -> LanguageModelUnavailable | None:
        """Return what kept a language model from answering; then nothing is noted, unless it was
        asked ``once_more``.
        """
        with self.memory.strategy(name):
            asked = self.asker.ask(name, self.strategies[name], question)
        outcome, outage = asked.outcome, asked.outage
        self._asked_seconds += outcome.seconds + (outcome.answer_seconds or 0.0)
        if self.judge is not None and (once_more or not outage):
            started = time.perf_counter()
            try:
                outcome = _judged(self.judge, question, asked)
            except LanguageModelUnavailable as away:
                if once_more:
                    raise
                return away
            finally:
                self._judge_seconds += time.perf_counter() - started
        if outage and not once_more:
            return outage
        self.journal.add(outcome, asked.cited, dict(asked.chunks))
        self.tracker.add(question, outcome)
        return outage

    def _check(self) -> None:
        content = self.journal.content
        places = sorted(content.unchecked)
        found = check(
            self.store,
            self.corpus,
            [(content.outcomes[place], content.unchecked[place]) for place in places],
        )
        self.journal.checked(zip(places, found, strict=True))

    def _end(self, started: float, warmup: dict[str, float]) -> None:
        beside = time.perf_counter() - started - self._asked_seconds - self._judge_seconds
        self.journal.end(
            Session(
                asked_seconds=round(self._asked_seconds, 4),
                beside_seconds=round(beside, 4),
                memory=self.memory.record(),
                warmup_seconds=warmup,
            )
        )


def _judged(model: "LanguageModel", question: BenchQuestion, asked: Asked) -> Outcome:
    """Return the outcome with the model's marks for the answer and for the clues."""
    outcome = asked.outcome
    answer, with_answer = outcome.answer, bool(question.answers) or not question.answerable
    if answer is not None and with_answer:
        marks = judge(model, question.question, question.answers, answer.text, asked.context)
        outcome = outcome.model_copy(update={"judgement": marks})
    if asked.clues:
        coverage = semantic_coverage(model, question.question, asked.clues)
        outcome = outcome.model_copy(update={"coverage": coverage})
    return outcome
