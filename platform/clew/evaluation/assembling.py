"""Puts a run together from its journal, and adds what it was made on and with."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from clew.evaluation.journal import Journal, JournalHead
from clew.evaluation.measuring import (
    machine,
    recorded_settings,
    trained_versions,
    versions,
)
from clew.evaluation.preparing import Prepared
from clew.evaluation.run import (
    BenchOptions,
    BenchRun,
    DataSetRecord,
    MemoryRecord,
    Outcome,
)
from clew.evaluation.scoring import texts_and_references
from clew.jobs.listing import list_jobs
from clew.results.data_set import BenchQuestion
from clew_cypher.corpora import get_corpus

if TYPE_CHECKING:
    from clew.resources.resources import Resources


def assemble(
    resources: "Resources",
    options: BenchOptions,
    prepared: Prepared,
    questions: Sequence[BenchQuestion],
    journal: Journal,
) -> BenchRun:
    """Return the whole run: the outcomes in the order of questions and strategies."""
    content, data_set = journal.content, prepared.data_set
    assert content.head is not None
    place = {question.id: number for number, question in enumerate(questions)}
    turn = {name: number for number, name in enumerate(options.strategies)}
    outcomes = sorted(
        content.outcomes, key=lambda outcome: (place[outcome.question_id], turn[outcome.strategy])
    )
    asked = sum(session.asked_seconds for session in content.sessions)
    beside = sum(session.beside_seconds for session in content.sessions)
    mauve, notices = _mauve(resources, options, questions, outcomes)
    return BenchRun(
        id=content.head.run_id,
        created_at=content.head.created_at,
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
        sessions=content.begun,
        seconds=round(sum(o.seconds + (o.answer_seconds or 0.0) for o in outcomes), 3),
        overhead=round(beside / asked, 4) if asked else None,
        options=options,
        data_set=DataSetRecord(
            name=data_set.name,
            format=data_set.format,
            fingerprint=prepared.fingerprint,
            unit=data_set.unit,
            synthetic=data_set.synthetic,
            documents=len(data_set.documents) or prepared.index.counts["documents"],
            total=len(data_set.questions),
            refused=data_set.refused,
        ),
        index=content.head.index,
        memory=_memory([session.memory for session in content.sessions]),
        warmup_seconds=content.sessions[-1].warmup_seconds,
        settings=recorded_settings(resources.settings),
        versions=versions(resources.store),
        trained=dict(prepared.trained),
        machine=machine(),
        notices=(
            *prepared.notices,
            *(options.ablations.left_out if options.ablations else ()),
            *notices,
            *_failures(outcomes),
            *_promoted(resources, prepared),
            *_moved(resources, prepared.corpus, content.head),
            *_company(resources, content.head),
        ),
        mauve=mauve,
        questions=tuple(questions),
        chunks=content.chunks,
        outcomes=tuple(outcomes),
    )


def _memory(sessions: Sequence[MemoryRecord]) -> MemoryRecord:
    strategies: dict[str, float] = {}
    for session in sessions:
        for name, held in session.strategies.items():
            strategies[name] = max(held, strategies.get(name, 0.0))
    of_neo4j = [s.neo4j_mib for s in sessions if s.neo4j_mib is not None]
    return MemoryRecord(
        process_mib=max(session.process_mib for session in sessions),
        neo4j_mib=max(of_neo4j, default=None),
        strategies=strategies,
    )


def _mauve(
    resources: "Resources",
    options: BenchOptions,
    questions: Sequence[BenchQuestion],
    outcomes: Sequence[Outcome],
) -> tuple[dict[str, float], list[str]]:
    if not options.mauve:
        return {}, []
    from clew.evaluation.metrics.mauve import FEWEST, mauve

    by_id = {question.id: question for question in questions}
    values: dict[str, float] = {}
    notices: list[str] = []
    for name in options.strategies:
        texts, right = texts_and_references(by_id, [o for o in outcomes if o.strategy == name])
        if len(texts) < FEWEST:
            notices.append(f"MAUVE of {name} needs {FEWEST} answered questions, not {len(texts)}.")
        else:
            values[name] = mauve(texts, right, resources.embedder.embed, seed=options.seed)
    return values, notices


def _company(resources: "Resources", head: JournalHead) -> list[str]:
    """Say which other jobs ran meanwhile: they made the machine slower."""
    others = [
        f"{job.kind} of {job.corpus}"
        for job in list_jobs(resources.store, limit=100)
        if job.started_at is not None
        and (job.finished_at is None or _moment(job.finished_at) > _moment(head.created_at))
        and job.progress.get("run_id") != head.run_id
    ]
    if not others:
        return []
    return [
        f"Other jobs ran at the same time ({', '.join(sorted(set(others)))}): times are longer "
        "than on an idle machine."
    ]


def _moved(resources: "Resources", corpus: str, head: JournalHead) -> list[str]:
    """Say whether the corpus is another one by now: figures may be of both."""
    revision = get_corpus(resources.store, corpus).revision
    if revision == head.index.revision:
        return []
    return [
        f"The corpus changed meanwhile (revision {head.index.revision} to {revision}): figures may "
        "be of both."
    ]


def _promoted(resources: "Resources", prepared: Prepared) -> list[str]:
    """Say whose trained version is another one by now: figures may be of both."""
    now = trained_versions(resources.settings, prepared.corpus)
    names = sorted(now.keys() | prepared.trained.keys())
    return [
        f"Another version of {name} has come to serve meanwhile: its figures may be of both."
        for name in names
        if now.get(name) != prepared.trained.get(name)
    ]


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _failures(outcomes: Sequence[Outcome]) -> list[str]:
    unread = [outcome.answer_error for outcome in outcomes if outcome.answer_error]
    unjudged = [o.judgement.error for o in outcomes if o.judgement and o.judgement.error]
    uncovered = [o.coverage.error for o in outcomes if o.coverage and o.coverage.error]
    return [
        f"{len(errors)} {what}, the first time: {errors[0]}"
        for errors, what in (
            (unread, "times the reader raised (counted as wrong answers)"),
            (unjudged, "answers have no marks of the judge"),
            (uncovered, "questions have clues that the judge did not score"),
        )
        if errors
    ]
