"""iterative (KT-11): any strategy, in steps that a language model leads.

    question ─▶ search ─▶ evidence so far ─▶ model: "So the next search query is …" ─▶ search ─▶ …

It ends where the model writes "None", where it can say nothing new, or at ``iterative_steps``.
Source: IRCoT (Trivedi et al., 2023), in the form of KG-Translator (§F.2; appendix M, prompt 3).
Differs from IRCoT, where the model's last sentence is the next query and passages only add up: the
query is asked for, and the chunks of all steps are ranked together (`merging.py`).
"""

import time
from typing import TYPE_CHECKING

from clew.resources.language_models import Role
from clew.results.evidence import Evidence, TraceStep
from clew.results.explanation import Round, RoundsCard
from clew.strategies.base import Strategy, Tell, untold
from clew.strategies.iterative.merging import (
    found_by,
    merged_cards,
    merged_chunks,
    merged_notices,
    merged_seeds,
    merged_triples,
    of_search,
    told_of_search,
)
from clew.strategies.iterative.next_query import already_used, next_query_messages, read_next_query
from clew.strategies.iterative.options import IterativeOptions
from clew.strategies.iterative.spec import in_steps
from clew_models.errors import MalformedOutput

if TYPE_CHECKING:
    from clew.resources.resources import Resources

LEADER = Role(
    "A strategy that searches in steps",
    "iterative_model",
    "or take the strategy without 'iterative:'",
    like_reader=True,
)
"""Who says what to search for next."""

NOTHING_MISSING = "nothing is missing"
NOTHING_FOUND = "nothing found"
STEP_LIMIT = "step limit"
REPEATED = "repeated query"
UNREADABLE = "unreadable reply"

TITLE = "Searches"
LINES = 50
"""Lines of knowledge bases that the model is shown, at most."""
SUMMARY = "After each search a language model says what to search for next."


class Iterative:
    """Searches with the wrapped strategy for the question, then for what the model misses."""

    def __init__(self, inner: Strategy, resources: "Resources") -> None:
        options = resources.settings.options(IterativeOptions)
        self.name = in_steps(inner.name)
        self._inner = inner
        self._model = resources.language_model(LEADER)
        self._steps = options.steps
        self._passages = options.passages
        self._max_tokens = resources.settings.llm_max_tokens

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> Evidence:
        """Return the best ``k`` chunks of all steps; their scores are those of `merging.py`.

        The trace ends with the number of steps and why there was none after them. Raises
        LanguageModelUnavailable.
        """
        # The model is shown as much whatever k is: k does not change what is searched for.
        # A k below 1 is for the strategy to refuse.
        depth = max(k, self._passages) if k > 0 else k
        course = _Course(question, tell)
        while not course.ended:
            course.search(self._inner, corpus, depth)
            if len(course.used) >= self._steps:
                course.ended = STEP_LIMIT
            elif len(course.used) > 1 and not any(
                one.chunks or one.triples for one in course.found
            ):
                course.ended = NOTHING_FOUND
            else:
                self._ask(course)
            course.round_over()
        return course.evidence(self.name, corpus, k)

    def _ask(self, course: "_Course") -> None:
        """Have the model say what to search for next, or end the course."""
        started = time.perf_counter()
        chunks = merged_chunks(course.found, self._passages)
        lines = [one for one in merged_triples(course.found) if one.of_base][:LINES]
        completion = self._model.complete(
            next_query_messages(course.question, [*chunks, *lines], course.used),
            max_tokens=self._max_tokens,
        )
        detail: dict[str, object] = {
            "model": self._model.name,
            "passages": len(chunks),
            "triples": len(lines),
            "prompt_tokens": completion.prompt_tokens,
            "completion_tokens": completion.completion_tokens,
            "reply": completion.text,
        }
        try:
            query = read_next_query(completion.text)
        except MalformedOutput as error:
            course.end_early(UNREADABLE, error.message)
        else:
            detail["next"] = query
            course.go_on(query)
        course.note("next query", started, detail)


class _Course:
    """One question on its way through the steps; used by one thread.

    ``used``: the queries so far, ``found``: the evidence of each. ``ended``: why, "" before.
    """

    def __init__(self, question: str, tell: Tell) -> None:
        self.question = question
        self._tell = tell
        self.used: list[str] = []
        self.found: list[Evidence] = []
        self.ended = ""
        self._next = question
        self._begun = time.perf_counter()
        self._rounds: list[Round] = []
        self._trace: list[TraceStep] = []
        self._notices: list[str] = []

    def search(self, strategy: Strategy, corpus: str, depth: int) -> None:
        """Take the next step; what it tells is told as its own."""
        self._begun = time.perf_counter()
        self.used.append(self._next)
        number, query = len(self.used), self._next
        self.found.append(
            strategy.retrieve(
                query, corpus, depth, lambda told: self._tell(told_of_search(number, query, told))
            )
        )
        self._trace += of_search(number, query, self.found[-1].trace)

    def round_over(self) -> None:
        """Tell what the present step found, and what was decided then."""
        one = Round(
            number=len(self.used),
            asked=self.used[-1],
            found=found_by(self.found[-1]),
            decided=self.ended or f"search for: {self._next}",
            seconds=time.perf_counter() - self._begun,
        )
        self._rounds.append(one)
        self._tell(one)

    def go_on(self, query: str | None) -> None:
        """Search for ``query`` in the next step; None, or one that was used, ends the course."""
        if query is None:
            self.ended = NOTHING_MISSING
        elif already_used(query, self.used):
            self.end_early(REPEATED, f"The language model asked for {query!r} again.")
        else:
            self._next = query

    def end_early(self, why: str, what: str) -> None:
        """End for a fault of the model's, which the user is told."""
        self.ended = why
        self._notices.append(
            f"The search ended after step {len(self.used)}, perhaps too early. {what}"
        )

    def note(self, name: str, started: float, detail: dict[str, object]) -> None:
        """Add to the trace what was done for the present step since ``started``."""
        step = TraceStep(name=name, seconds=time.perf_counter() - started, detail=detail)
        (step,) = of_search(len(self.used), self.used[-1], [step])
        self._trace.append(step)
        self._tell(step)

    def evidence(self, strategy: str, corpus: str, k: int) -> Evidence:
        """Return what all steps found."""
        started = time.perf_counter()
        chunks = merged_chunks(self.found, k)
        detail = {
            "steps": len(self.used),
            "ended": self.ended,
            "unreadable_replies": int(self.ended == UNREADABLE),
            "repeated_queries": int(self.ended == REPEATED),
        }
        merging = TraceStep(name="merge", seconds=time.perf_counter() - started, detail=detail)
        self._tell(merging)
        rounds = RoundsCard(title=TITLE, summary=SUMMARY, rounds=tuple(self._rounds))
        return Evidence(
            question=self.question,
            corpus=corpus,
            strategy=strategy,
            chunks=tuple(chunks),
            triples=tuple(merged_triples(self.found)),
            seeds=tuple(merged_seeds(self.found)),
            explanation=(rounds, *merged_cards(self.found)),
            trace=(*self._trace, merging),
            notices=(*merged_notices(self.found), *self._notices),
        )
