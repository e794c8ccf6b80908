"""What a planner learns from (RA-8; RAS Algorithm 1): plans and answers, in the history's form.

    question with its hops ─▶ search, structure ─▶ the first hop that the triples do not tell
       [SUBQ] its question ◀────────────┘    └─▶ none: [SUFFICIENT], and the answer

The hops are chains of two and three triples of the corpus' graph, or the steps of a labelled data
set (2WikiMultihopQA, MuSiQue; of HotpotQA those questions whose parse holds a description of a
document that they do not name). Differs from the paper, which hands each sub-query the triples of
its gold document: here each is searched for as it will be, so that a history holds what a search
brings, and what is known is what its triples tell. A hop that is not found when it is asked ends
the question, which is left out and counted.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from clew.comprehension.chains import innermost
from clew.comprehension.read_evidence import reader_models
from clew.resources.graph_models import graph_example, vectors_of
from clew.results.history import Asked, facts_of
from clew.strategies.learning.gold_chunks import kept_apart
from clew.strategies.learning.graph_questions import (
    Chain,
    described_head,
    graph_chains,
    longer_chains,
    step_question,
)
from clew.strategies.learning.stored_documents import stored_passages
from clew.strategies.learning.training import Examples, Record, TrainingRun
from clew.strategies.learning.wordings import Head
from clew.strategies.planner.graph import QuestionGraph
from clew.strategies.planner.options import PlannerOptions
from clew.strategies.planner.planning import Action
from clew.strategies.planner.trained import text_model
from clew.strategies.searching import build_strategy
from clew_cypher.searching.triples import triples_stated_by
from clew_ingest.parsing.entity_names import normalise_name
from clew_models.graph_llm.examples import GraphExample

DRAWN = 4
"""Chains drawn for each question: of most graphs few have two hops."""
MOST_ROUNDS = 5
FIRSTS = 0.1
"""Share of the questions whose first plan, to search for the question itself, is learned too."""
UNAIDED_BATCH = 200


@dataclass(frozen=True)
class Hop:
    """A part of a question. ``question``: with the names before it put in; ``answer``: the name
    that it leads to; ``chunks``: which of them tell it.
    """

    question: str
    answer: str
    chunks: frozenset[str]

    def told_by(self, rounds: Sequence[Asked]) -> bool:
        """Say whether triples of its chunks name its answer."""
        wanted = normalise_name(self.answer)
        return any(
            fact.chunk_id in self.chunks
            and any(wanted in normalise_name(end) for end in (fact.head, fact.tail))
            for one in rounds
            for fact in one.facts
        )


@dataclass(frozen=True)
class HoppedQuestion:
    """A question with its hops in order; the last leads to its answer."""

    question: str
    hops: tuple[Hop, ...]

    @property
    def gold(self) -> list[str]:
        """The chunks that it is about."""
        return sorted({chunk for hop in self.hops for chunk in hop.chunks})


def make_examples(run: TrainingRun) -> Examples:
    """Return plans and answers; of no chunk are there examples on both sides.

    Raises InvalidRequest where there are too few.
    """
    asked = run.options
    wanted = asked.examples + asked.held_out
    run.tell(0, wanted)
    chance = random.Random(asked.seed)
    left_out: Counter[str] = Counter()
    questions = (
        graph_hops(run, wanted, chance)
        if run.data_set is None
        else labelled_hops(run, chance, left_out)
    )
    searched = _Searched(run)
    known = _unaided(run, questions[:wanted]) if asked.unaided else set()
    found: list[dict[str, Any]] = []
    for place, one in enumerate(questions):
        if len(found) >= wanted:
            break
        if place in known:
            found += _without_search(one)
            continue
        made = list(_planned(one, searched))
        if not made:
            left_out["a hop was not found when it was asked for"] += 1
        if made and chance.random() < FIRSTS:
            made.insert(0, _record("plan", one, (), f"{Action.SUBQ} {one.question}"))
        found += made
        run.tell(min(len(found), wanted), wanted)
    kinds = Counter(str(one["kind"]) for one in found)
    source = {"kinds": dict(kinds.most_common()), "left_out": dict(left_out.most_common())}
    return kept_apart(run, found, min(asked.held_out, len(found) // 5), source)


def from_record(record: Record) -> GraphExample:
    """Return a record as the model reads it."""
    return GraphExample(
        record["task"],
        record["question"],
        record["history"],
        tuple(
            tuple((head, predicate, tail) for head, predicate, tail in triples)
            for triples in record["rounds"]
        ),
        record["target"],
    )


def graph_hops(run: TrainingRun, count: int, chance: random.Random) -> list[HoppedQuestion]:
    """Return questions of two hops and of three made from the graph, and some of one."""
    store = run.resources.store
    longer = longer_chains(store, run.corpus, count, chance)
    drawn = graph_chains(store, run.corpus, DRAWN * count, chance)
    # those in a sentence's own words are no questions that a person asks
    asked = [one for one in drawn if len(one[-1].relation.questions) > 1 and not one[0].other]
    pairs = [one for one in asked if len(one) == 2]
    single = [one for one in asked if len(one) == 1]
    chance.shuffle(pairs)
    chosen = [*longer[: round(count * run.options.three_hops)], *pairs[:count]]
    chosen += single[: max(len(chosen) // 4, 1)]
    chance.shuffle(chosen)
    return [_of_chain(chain, chance) for chain in chosen]


def _of_chain(chain: Chain, chance: random.Random) -> HoppedQuestion:
    *before, last = chain
    words = chance.choice(last.relation.questions)  # of the question and of its last hop
    head = described_head(chain, chance)
    own = Head(last.triple.head).asked(words)
    asked = [*(step_question(one, chance) for one in before), own]
    hops = tuple(
        Hop(question, one.triple.tail, frozenset({one.triple.chunk_id}))
        for question, one in zip(asked, chain, strict=True)
    )
    return HoppedQuestion(head.asked(words), hops)


def labelled_hops(
    run: TrainingRun, chance: random.Random, left_out: Counter[str]
) -> list[HoppedQuestion]:
    """Return the questions of the run's data set whose hops are known; others are counted."""
    assert run.data_set is not None
    documents = {document.key: document for document in run.data_set.documents}
    stored = stored_passages(
        run.resources.store,
        run.corpus,
        [
            documents[key]
            for key in {key for one in run.data_set.questions for key in one.gold}
            if key in documents
        ],
    )
    chunks = {key: frozenset(c.id for c in found.chunks) for key, found in stored.items()}
    models = reader_models(run.resources)
    found = []
    for one in run.data_set.questions:
        if not one.answers or not set(one.gold) <= set(chunks):
            left_out["no answer, or no document of the corpus"] += 1
            continue
        if len(one.steps) > 1:
            hops = tuple(Hop(s.question, s.answer, chunks[s.gold]) for s in one.steps)
            found.append(HoppedQuestion(one.question, hops))
            continue
        titles = {key: documents[key].title for key in one.gold}
        bridges = [key for key, title in titles.items() if title not in one.question]
        part = innermost(one.question, models.annotator) if len(bridges) == 1 else None
        if part is None:
            left_out["its hops are not known"] += 1
            continue
        (bridge,) = bridges
        every = frozenset().union(*(chunks[key] for key in one.gold))
        name = titles[bridge]
        last = Hop(part.replaced(name), one.answers[0], every)
        found.append(HoppedQuestion(one.question, (Hop(part.text, name, every), last)))
    chance.shuffle(found)
    return found


class _Searched:
    """Searches and structures, as the strategy does for a planner of this training."""

    def __init__(self, run: TrainingRun) -> None:
        self._resources = run.resources
        self._corpus = run.corpus
        self._passages = run.resources.settings.options(PlannerOptions).passages
        self._triples = run.options.triples
        self._backbone = build_strategy(run.options.retriever, run.resources)

    def round(self, graph: QuestionGraph, subquery: str) -> Asked:
        """Return what a sub-query adds to the question's graph."""
        found = self._backbone.retrieve(subquery, self._corpus, self._passages)
        rows = triples_stated_by(
            self._resources.store,
            self._corpus,
            [chunk.id for chunk in found.chunks],
            self._resources.embedder.embed([subquery])[0],
            self._triples,
        )
        graph.add(subquery, rows)
        return Asked(subquery, facts_of(graph.rounds[-1][1]))


def _planned(one: HoppedQuestion, searched: _Searched) -> Iterator[dict[str, Any]]:
    """Yield the plans of a question and its answer; nothing where a hop is not found."""
    rounds: list[Asked] = []
    made: list[dict[str, Any]] = []
    graph = QuestionGraph()
    subquery, used = one.question, {one.question}
    while len(rounds) < MOST_ROUNDS:
        rounds.append(searched.round(graph, subquery))
        place = next((i for i, hop in enumerate(one.hops) if not hop.told_by(rounds)), None)
        if place is None:
            made.append(_record("plan", one, rounds, str(Action.SUFFICIENT)))
            made.append(_record("answer", one, rounds, one.hops[-1].answer))
            yield from made
            return
        subquery = one.hops[place].question
        if subquery in used:
            return
        used.add(subquery)
        name = one.hops[place - 1].answer if place else ""
        made.append(_record("plan", one, rounds, f"{Action.SUBQ} {subquery}", name))


def _without_search(one: HoppedQuestion) -> list[dict[str, Any]]:
    return [
        _record("plan", one, (), str(Action.NO_RETRIEVAL)),
        _record("answer", one, (), one.hops[-1].answer),
    ]


def _record(
    task: str, one: HoppedQuestion, rounds: Sequence[Asked], target: str, name: str = ""
) -> dict[str, Any]:
    """Return an example as it is kept; ``name``: what its sub-query must hold."""
    example = graph_example("plan" if task == "plan" else "answer", one.question, rounds)
    return {
        "task": task,
        "kind": target.split(" ")[0] if task == "plan" else task,
        "question": one.question,
        "history": example.history,
        "rounds": example.rounds,
        "target": target,
        "name": name,
        "gold": one.gold,
    }


def _unaided(run: TrainingRun, questions: Sequence[HoppedQuestion]) -> set[int]:
    """Return the places of the questions that the base model answers right by itself."""
    from clew_models.graph_llm.training import encoded, writes_first

    model = text_model(run.resources.settings)
    chosen = questions[: run.options.unaided]
    found: set[int] = set()
    for start in range(0, len(chosen), UNAIDED_BATCH):
        part = chosen[start : start + UNAIDED_BATCH]
        examples = [
            graph_example("answer", one.question, (), target=one.hops[-1].answer) for one in part
        ]
        right = writes_first(
            model, encoded(model, examples, 10**6), vectors_of(run.resources, examples)
        )
        found |= {start + place for place, is_right in enumerate(right) if is_right}
    return found
