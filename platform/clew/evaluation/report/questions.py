"""The question-by-question view: what of a run the page holds, as JSON that is safe in HTML."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from clew.evaluation.metrics.case import Case
from clew.evaluation.report.tables import SPECS
from clew.evaluation.run import CUTS, BenchRun, Outcome
from clew.results.data_set import BenchQuestion
from clew.results.evidence import EvidencePath, TraceStep

SNIPPET = 360
"""Characters of a chunk that are shown; the run file has what was recorded."""
Scored = Callable[[Case], float | None]


class Places:
    """Things that occur often, each kept once and named by its place."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.places.setdefault(text, len(self.places))


def question_data(run: BenchRun) -> str:
    """Return the JSON of the view. It can stand in a script element, whatever texts are in it."""
    chunks, texts = Places(), Places()
    by_question: dict[str, dict[str, Outcome]] = {question.id: {} for question in run.questions}
    for one in run.outcomes:
        by_question[one.question_id][one.strategy] = one
    reader = run.options.reader is not None
    questions = [
        _question(question)
        | {
            "o": [
                None
                if (outcome := by_question[question.id].get(strategy)) is None
                else _outcome(Case(question, outcome, run.options.depth, reader), chunks, texts)
                for strategy in run.options.strategies
            ]
        }
        for question in run.questions
    ]
    data = {
        "strategies": run.options.strategies,
        "unit": run.data_set.unit,
        "depth": run.options.depth,
        "read": run.options.top_k,
        "reader": reader,
        "cuts": [k for k in CUTS if k <= run.options.depth],
        "questions": questions,
        "chunks": [_chunk(run, id_) for id_ in chunks.places],
        "texts": list(texts.places),
    }
    return safe_json(data)


def safe_json(data: Any) -> str:
    """Return JSON in which nothing ends a script element or begins a comment."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _question(question: BenchQuestion) -> dict[str, Any]:
    return _filled(
        id=question.id,
        q=question.question,
        a=question.answers,
        g=list(question.gold) if question.answerable else [],
        gp=question.gold_paths,
        l=question.labels,
        un=not question.answerable,
        t=question.type,
        h=question.hops,
    )


def _chunk(run: BenchRun, id_: str) -> list[str]:
    record = run.chunks.get(id_)
    if record is None:
        return [id_, "", ""]
    text = record.text
    return [record.key, record.title, text if len(text) <= SNIPPET else text[:SNIPPET] + "…"]


def _outcome(case: Case, chunks: Places, texts: Places) -> dict[str, Any]:
    outcome = case.outcome
    if outcome.error is not None:
        return {"e": outcome.error}
    gold = case.question.gold if case.question.answerable else {}
    ranks = {key: rank for rank, key in enumerate(case.ranking, 1)}
    answer = outcome.answer
    judged = outcome.judgement
    return _filled(
        r=[chunks(chunk.chunk_id) for chunk in outcome.ranking],
        k=[ranks[chunk.key] for chunk in outcome.ranking]
        if len(ranks) < len(outcome.ranking)
        else None,
        s=[_short(chunk.score) for chunk in outcome.ranking],
        g=[ranks.get(key, 0) for key in gold],
        m=_mark(case),
        f=_value(case, "f1"),
        sd=outcome.seeds,
        p=[_path(path, texts) for path in outcome.paths],
        n=outcome.notices,
        ms=_ms(outcome.seconds),
        st=_steps(outcome.steps, texts),
        ast=_steps(outcome.answer_steps, texts),
        ams=None if outcome.answer_seconds is None else _ms(outcome.answer_seconds),
        a=None
        if answer is None
        else _filled(
            t=answer.text,
            s=answer.short,
            no=not answer.supported,
            c=round(answer.confidence, 3),
            ci=[chunks(id_) for id_ in answer.cited],
            mq=[chunks(id_) for id_ in answer.misquoted],
            dc=answer.dropped_citations,
        ),
        u=[outcome.usage.calls, outcome.usage.prompt_tokens, outcome.usage.completion_tokens]
        if outcome.usage.calls
        else None,
        v=outcome.validity.missing if outcome.validity else None,
        j=_filled(**judged.model_dump()) if judged else None,
    )


def _mark(case: Case) -> str | None:
    """Return 'right', 'partly' (words in common), 'wrong', 'none' (says the evidence does not
    say); None where no answer can be judged."""
    answer = case.outcome.answer
    if not case.question.answerable:
        right = _value(case, "abstention")
        return None if right is None else "right" if right else "wrong"
    exact = _value(case, "exact_match")
    if exact is None:
        return None
    if answer is not None and not answer.supported:
        return "none"
    if exact or _value(case, "accuracy"):
        return "right"
    return "partly" if _value(case, "f1") else "wrong"


def _value(case: Case, metric: str) -> float | None:
    score = SPECS[metric].score
    value = None if score is None else score(case)
    return None if value is None else round(value, 3)


def _path(path: EvidencePath, texts: Places) -> list[list[int]]:
    """Return [nodes, their kinds (1: entity), edges' sentences], by their places in ``texts``."""
    return [
        [texts(node.label) for node in path.nodes],
        [int(node.kind == "entity") for node in path.nodes],
        [texts(edge.text) for edge in path.edges],
    ]


def _steps(steps: Iterable[TraceStep], texts: Places) -> list[list[float]]:
    return [[texts(step.name), _ms(step.seconds)] for step in steps]


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)


def _short(score: float) -> float:
    return float(f"{score:.4g}")


def _filled(**values: Any) -> dict[str, Any]:
    """Leave out what is empty: a page of 1,000 questions is smaller for it."""
    return {
        name: value
        for name, value in values.items()
        if value is not None and value is not False and value not in ((), [], "")
    }
