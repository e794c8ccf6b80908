"""planner (RAS): in rounds, what is asked next is planned from what the graph says by now.

    question ─▶ [SUBQ] q ─▶ another strategy ─▶ passages ─▶ their triples ─▶ graph of the question
                  ▲                                                                  │
                  └─────────── planner: [SUBQ] … or [SUFFICIENT] ◀───────────────────┘

Source: RAS, sections 3.1 and 3.2 (RA-1, RA-2, RA-4). Who plans is a language model or rules. It is
bounded in rounds, tokens and seconds. A sub-query that was asked before ends it: it would find the
same again. The chunks of all rounds are ranked together as `iterative` ranks those of its steps.
"""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from clew.comprehension.read_evidence import reader_models
from clew.results.evidence import Evidence, EvidenceTriple, ScoredChunk, Told
from clew.results.explanation import Round, RoundsCard
from clew.results.history import (
    PLAN,
    PLAN_SUMMARY,
    Asked,
    facts_card,
    facts_of,
)
from clew.strategies.base import Tell, untold
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
from clew.strategies.iterative.next_query import already_used
from clew.strategies.planner.asking import PLANNER, ModelPlanner
from clew.strategies.planner.graph import QuestionGraph
from clew.strategies.planner.options import PlannerOptions
from clew.strategies.planner.planning import Action, Plan, Planner
from clew.strategies.planner.rules import RulePlanner
from clew.strategies.planner.spec import SPEC
from clew.strategies.planner.trained import TrainedPlanner
from clew.strategies.retrieval import Retrieval
from clew.strategies.searching import build_strategy
from clew_cypher.searching.triples import triples_by_id, triples_stated_by
from clew_models.errors import MalformedOutput

if TYPE_CHECKING:
    from clew.resources.resources import Resources

NO_ROUNDS = "round limit"
NO_TOKENS = "token limit"
ENOUGH = "enough was found"
NO_SECONDS = "time limit"
REPEATED = "asked before"
UNREADABLE = "unreadable reply"


class PlannedSearch:
    """Asks another strategy, the backbone, in planned rounds."""

    def __init__(self, resources: "Resources", backbone: str) -> None:
        self.name = SPEC.name if backbone == SPEC.backbones[0] else f"{SPEC.name}:{backbone}"
        self._resources = resources
        self._backbone = build_strategy(backbone, resources)

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> Evidence:
        """Return the best ``k`` chunks of all rounds; their scores are those of `merging.py`.

        The trace ends with the number of rounds and why there was none after them. Raises
        LanguageModelUnavailable, ModelNotInstalled.
        """
        retrieval = Retrieval(self._resources, self.name, question, corpus, k, tell)
        options = self._resources.settings.options(PlannerOptions)
        course = _Course(retrieval, options, self._planner(question, corpus, options))
        course.begin()
        while not course.ended:
            begun = time.perf_counter()
            # what is planned must not depend on k
            depth = max(k, options.passages)
            found = self._backbone.retrieve(course.subquery, corpus, depth, course.told)
            course.take(found, begun)
        return course.evidence()

    def _planner(self, question: str, corpus: str, options: PlannerOptions) -> Planner:
        settings = self._resources.settings
        if options.model == "trained":
            return TrainedPlanner(question, self._resources, corpus)
        if options.model == "rules" or (options.model == "auto" and not settings.llm_model):
            return RulePlanner(question, reader_models(self._resources))
        return ModelPlanner(
            question,
            self._resources.language_model(PLANNER),
            max_tokens=settings.llm_max_tokens,
            graph_text=options.graph_text,
            may_skip=options.may_skip,
        )


class _Course:
    """One question on its way through the rounds; used by one thread.

    ``asked``: the rounds so far; ``subquery``: of the next one. ``ended``: why, "" before.
    """

    def __init__(self, retrieval: Retrieval, options: PlannerOptions, planner: Planner) -> None:
        self.asked: list[Asked] = []
        self.subquery = ""
        self.ended = ""
        self._retrieval = retrieval
        self._options = options
        self._planner = planner
        self._begun = time.perf_counter()
        self._tokens = 0
        self._found: list[Evidence] = []
        self._graph = QuestionGraph()
        self._rounds: list[Round] = []

    def begin(self) -> None:
        """Have it said what is asked first, the question or nothing."""
        self._follow(self._planner.first())

    def told(self, told: Told) -> None:
        """Tell what the present round's search tells as told by that round."""
        self._retrieval.tell(told_of_search(len(self.asked) + 1, self.subquery, told))

    def take(self, found: Evidence, begun: float) -> None:
        """Take what a round found, that ``begun`` then, and have the next one planned."""
        retrieval = self._retrieval
        retrieval.add(of_search(len(self.asked) + 1, self.subquery, found.trace))
        self._found.append(found)
        passages = found.chunks[: self._options.passages]
        lines = [one for one in found.triples if one.of_base]
        self._structure(passages, lines)
        asked = self.subquery
        self._plan(passages, lines)
        ended = ENOUGH if self.ended == Action.SUFFICIENT else self.ended
        one = Round(
            number=len(self.asked),
            asked=asked,
            found=found_by(found),
            decided=ended or f"search for: {self.subquery}",
            seconds=time.perf_counter() - begun,
        )
        self._rounds.append(one)
        retrieval.tell(one)

    def _structure(self, passages: Sequence[ScoredChunk], lines: Sequence[EvidenceTriple]) -> None:
        """Merge what the passages state, and the lines of knowledge bases that were found, into
        the question's graph, and tell what is new.
        """
        retrieval = self._retrieval
        first = not self.asked
        vector = retrieval.vector if first else retrieval.embed_with([self.subquery])[0]
        with retrieval.step("structure") as detail:
            limit = min(self._options.triples, self._planner.triples or self._options.triples)
            store, corpus = retrieval.resources.store, retrieval.corpus.name
            ids = [chunk.id for chunk in passages]
            rows = triples_stated_by(store, corpus, ids, vector, limit)
            if lines:
                found = triples_by_id(store, corpus, [line.id for line in lines[:limit]])
                rows += [
                    found[line.id] | {"score": line.score} for line in lines if line.id in found
                ]
                rows = sorted(rows, key=lambda row: (-row["score"], row["id"]))[:limit]
            new = self._graph.add(self.subquery, rows)
            detail |= {"triples": len(rows), "nodes": len(new.nodes), "edges": len(new.edges)}
        self.asked.append(Asked(self.subquery, facts_of(self._graph.rounds[-1][1])))
        retrieval.tell(new)

    def _plan(self, passages: Sequence[ScoredChunk], lines: Sequence[EvidenceTriple]) -> None:
        """Have the next round planned, if there may be one."""
        limits = {
            NO_ROUNDS: len(self.asked) >= self._options.rounds,
            NO_TOKENS: self._tokens >= self._options.tokens,
            NO_SECONDS: time.perf_counter() - self._begun >= self._options.seconds,
        }
        self.ended = next((why for why, reached in limits.items() if reached), "")
        if self.ended:
            return
        try:
            with self._retrieval.step("plan") as detail:
                plan = self._planner.next(self.asked, passages, lines)
                detail |= {"by": self._planner.name, "plan": str(plan), **plan.detail}
        except MalformedOutput as error:
            self._end_early(UNREADABLE, error.message)
        else:
            self._follow(plan)

    def _follow(self, plan: Plan) -> None:
        self._tokens += plan.tokens
        if plan.action is not Action.SUBQ:
            self.ended = str(plan.action)
        elif already_used(plan.subquery, [one.subquery for one in self.asked]):
            self._end_early(REPEATED, f"{plan.subquery!r} was planned again.")
        else:
            self.subquery = plan.subquery

    def _end_early(self, why: str, what: str) -> None:
        """End for a fault of a language model, which the user is told."""
        self.ended = why
        self._retrieval.notice(
            f"The search ended after round {len(self.asked)}, perhaps too early. {what}"
        )

    def evidence(self) -> Evidence:
        """Return what all rounds found."""
        retrieval = self._retrieval
        with retrieval.step("merge") as detail:
            chunks = merged_chunks(self._found, retrieval.k)
            detail |= {"rounds": len(self.asked), "ended": self.ended, "tokens": self._tokens}
        if self.ended == Action.NO_RETRIEVAL:
            retrieval.notice("The planner said that nothing has to be searched for.")
        for notice in merged_notices(self._found):
            retrieval.notice(notice)
        plan = RoundsCard(title=PLAN, summary=PLAN_SUMMARY, rounds=tuple(self._rounds))
        return retrieval.evidence(
            [chunk.model_dump() for chunk in chunks],
            # those of the question; later rounds start from what was found
            merged_seeds(self._found[:1]),
            (
                plan,
                self._graph.card(),
                facts_card(self._graph.rounds),
                *merged_cards(self._found),
            ),
            merged_triples(self._found),
        )
