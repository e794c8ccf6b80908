"""Made-up runs of the bench: strategies of known skill on questions of known shape, no database."""

import random
from collections.abc import Sequence
from typing import Any

from clew.evaluation.run import (
    AnswerRecord,
    BenchOptions,
    BenchRun,
    ChunkRecord,
    DataSetRecord,
    IndexRecord,
    MemoryRecord,
    Outcome,
    RankedChunk,
    Usage,
    Validity,
)
from clew.results.data_set import BenchQuestion, RefusedQuestion
from clew.results.evidence import EvidencePath, PathEdge, PathNode, TraceStep

HOSTILE = "$x_1$ </script><img src=x onerror=\"document.title='owned'\"><!-- & 'quoted'"
"""Text that would be markup, script or mathematics if it were taken for more than text."""
SKILLS = {"guided": 0.9, "hybrid": 0.6, "dense": 0.3}
"""Strategy → chance that a gold document is among its first ones."""


def made_run(
    skills: dict[str, float] | None = None,
    *,
    count: int = 24,
    reader: str | None = "extractive",
    grouped: bool = True,
    synthetic: bool = False,
    depth: int = 20,
    failing: Sequence[str] = (),
    hostile: bool = False,
    seed: int = 0,
    id_: str = "made-run",
    **changes: Any,
) -> BenchRun:
    """Return a run of ``count`` questions with two gold documents each.

    ``grouped``: questions have types and hops. ``failing``: strategies that raise on every
    question; all others raise on none. ``hostile``: titles, texts, questions, types and errors are
    ``HOSTILE``. ``changes``: other fields of the run.
    """
    skills = SKILLS if skills is None else skills
    chance = random.Random(seed)
    questions = tuple(_question(number, grouped, hostile) for number in range(count))
    outcomes = tuple(
        _outcome(question, number, strategy, place, skills[strategy], chance, reader, depth, count)
        if strategy not in failing
        else Outcome(
            strategy=strategy,
            question_id=question.id,
            error=HOSTILE if hostile else "GraphError: the projection is gone.",
        )
        for place, strategy in enumerate(skills)
        for number, question in enumerate(questions)
    )
    fields: dict[str, Any] = {
        "id": id_,
        "created_at": "2026-11-21T10:00:00+00:00",
        "finished_at": "2026-11-21T10:05:00+00:00",
        "sessions": 1,
        "seconds": 61.5,
        "overhead": 0.012,
        "options": BenchOptions(
            strategies=tuple(skills),
            depth=depth,
            top_k=5,
            reader=reader,
            limit=None,
            seed=7,
            judge=False,
            mauve=False,
        ),
        "data_set": DataSetRecord(
            name=HOSTILE if hostile else "made-up",
            format="clew",
            fingerprint="0123456789abcdef",
            unit="document",
            synthetic=synthetic,
            documents=4 * count,
            total=count,
            refused=(RefusedQuestion(id="r1", reason="It has no gold."),),
        ),
        "index": IndexRecord(
            corpus="bench-made-up",
            revision=2,
            counts={"documents": 4 * count, "chunks": 4 * count, "entities": 90},
            reused=False,
            seconds={"read": 0.5, "embed": 3.0},
            wall_seconds=3.2,
            disk_bytes=52_428_800,
        ),
        "memory": MemoryRecord(
            process_mib=512.0, neo4j_mib=900.0, strategies=dict.fromkeys(skills, 500.0)
        ),
        "warmup_seconds": dict.fromkeys(skills, 0.4),
        "settings": {"home": "/somewhere/private", "embedder": "minilm", "llm_api_key": "••••••"},
        "versions": {"clew": "0.1.0", "gds": "2.26.0"},
        "machine": {"cpu": "Made-up 9000", "cores": 2, "system": "Linux x86_64"},
        "questions": questions,
        "chunks": {f"c{key}": _chunk(key, hostile) for key in range(4 * count)},
        "outcomes": outcomes,
    }
    return BenchRun(**{**fields, **changes})


def _question(number: int, grouped: bool, hostile: bool) -> BenchQuestion:
    kind = f"{HOSTILE} {number % 2}" if hostile else ("bridge", "comparison")[number % 2]
    return BenchQuestion(
        id=f"q{number}",
        question=f"{HOSTILE} {number}?" if hostile else f"Who built the ship number {number}?",
        answers=(f"Builder {number}", f"Yard {number}"),
        gold={f"d{4 * number}": 1, f"d{4 * number + 1}": 1},
        type=kind if grouped else None,
        hops=2 + number % 3 if grouped else None,
    )


def _chunk(number: int, hostile: bool) -> ChunkRecord:
    title = f"Document {number}"
    return ChunkRecord(
        key=f"d{number}",
        title=f"{HOSTILE} {number}" if hostile else title,
        text=HOSTILE if hostile else f"{title} tells of a ship and of the yard that built it.",
    )


def _outcome(
    question: BenchQuestion,
    number: int,
    strategy: str,
    place: int,
    skill: float,
    chance: random.Random,
    reader: str | None,
    depth: int,
    count: int,
) -> Outcome:
    gold = [4 * number, 4 * number + 1]
    noise = [other for other in range(4 * count) if other not in gold]
    ranking = chance.sample(noise, min(depth, len(noise)))
    for one in gold:
        if chance.random() < skill:
            ranking.insert(chance.randrange(3), one)
    ranking = ranking[:depth]
    right = all(one in ranking[:5] for one in gold)
    answer: dict[str, Any] = {}
    if reader is not None:
        answer = {
            "answer": AnswerRecord(
                text=f"It was {'Builder' if right else 'Somebody'} {number} [1].",
                short=f"{'Builder' if right else 'Somebody'} {number}",
                supported=True,
                confidence=0.8 if right else 0.4,
                cited=(f"c{ranking[0]}",),
                dropped_citations=0,
            ),
            "answer_seconds": 0.2,
            "answer_steps": (TraceStep(name="sentences", seconds=0.15),),
            "usage": Usage(calls=1, prompt_tokens=800, completion_tokens=20),
        }
    nodes = (
        PathNode(id="e1", kind="entity", label="Seld Shipyard"),
        PathNode(id=f"c{gold[0]}", kind="chunk", label=f"Document {gold[0]}"),
    )
    edge = PathEdge(source="e1", target=f"c{gold[0]}", kind="MENTIONED_IN", text="It built her.")
    return Outcome(
        strategy=strategy,
        question_id=question.id,
        ranking=tuple(
            RankedChunk(chunk_id=f"c{one}", key=f"d{one}", score=1.0 / rank)
            for rank, one in enumerate(ranking, 1)
        ),
        seeds=("Seld Shipyard",),
        paths=(EvidencePath(nodes=nodes, edges=(edge,)),),
        seconds=0.01 * (place + 1) + 0.0001 * number,
        steps=(
            TraceStep(name="embed", seconds=0.004),
            TraceStep(name="rank", seconds=0.005 * (place + 1)),
        ),
        validity=Validity(checked=3, missing=()),
        **answer,
    )
