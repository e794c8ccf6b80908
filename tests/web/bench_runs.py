"""Kept runs of the bench, made up: small, whole, and able to be summarised and compared."""

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
    Validity,
)
from clew.results.data_set import BenchQuestion
from clew.results.evidence import TraceStep
from clew.strategies.catalogue import STRATEGIES

NAMES = tuple(spec.name for spec in STRATEGIES if not spec.models)
"""Those that can be asked where no language model is set."""
SHIPS = ("Aurelia", "Borealis", "Celandine", "Dunmore", "Esperance", "Farrow")
QUESTIONS = tuple(
    BenchQuestion(
        id=f"q{number}",
        question=f"Who founded the yard that built the {ship}?",
        answers=(f"Founder {number}",),
        gold={ship: 1, f"Yard {number}": 1},
        type="bridge" if number % 2 else "comparison",
        hops=2,
    )
    for number, ship in enumerate(SHIPS)
)


def kept_run(
    id_: str,
    created_at: str,
    *,
    luck: int = 0,
    data_set: str = "corpus:sample",
    synthetic: bool = False,
    reader: str | None = "extractive",
) -> BenchRun:
    """Return a run; the more ``luck``, the more questions its strategies get right."""
    return BenchRun(
        id=id_,
        created_at=created_at,
        finished_at=created_at,
        sessions=1,
        seconds=84.2,
        overhead=0.011,
        options=BenchOptions(
            strategies=NAMES,
            depth=20,
            top_k=5,
            reader=reader,
            limit=None,
            seed=7,
            judge=False,
            mauve=False,
        ),
        data_set=DataSetRecord(
            name=data_set,
            format="synthetic" if synthetic else "own questions",
            fingerprint=f"of {data_set}",
            unit="document",
            synthetic=synthetic,
            documents=12,
            total=len(QUESTIONS),
            refused=(),
        ),
        index=IndexRecord(
            corpus="sample",
            revision=3,
            counts={"documents": 12, "chunks": 20, "sentences": 90, "entities": 40, "mentions": 99},
            reused=True,
            seconds={},
            wall_seconds=None,
            disk_bytes=None,
        ),
        memory=MemoryRecord(process_mib=412.0, neo4j_mib=None, strategies={}),
        warmup_seconds=dict.fromkeys(NAMES, 0.2),
        settings={"embedder": "minilm"},
        versions={"clew": "0.1"},
        machine={"cpus": 2},
        questions=QUESTIONS,
        chunks={f"c{number}": _chunk(number) for number in range(2 * len(SHIPS))},
        outcomes=tuple(
            _outcome(strategy, place, number, luck, reader is not None)
            for place, strategy in enumerate(NAMES)
            for number in range(len(QUESTIONS))
        ),
    )


def _chunk(number: int) -> ChunkRecord:
    place = number // 2
    title = SHIPS[place] if number % 2 == 0 else f"Yard {place}"
    return ChunkRecord(key=title, title=title, text=f"A passage about {title}.")


def _outcome(strategy: str, place: int, number: int, luck: int, reads: bool) -> Outcome:
    if (place, number, luck) == (1, 3, 0):
        return Outcome(strategy=strategy, question_id=f"q{number}", error="It broke.", seconds=0.0)
    both = (number + place) % 3 < 1 + luck
    found = [2 * number, 2 * number + 1] if both else [2 * number, (2 * number + 3) % 12]
    answer: dict[str, Any] = {}
    if reads:
        answer["answer"] = AnswerRecord(
            text=f"Founder {number} [1].",
            short=f"Founder {number}" if both else "somebody else",
            supported=True,
            confidence=0.7,
            cited=(f"c{found[0]}",),
            dropped_citations=0,
        )
        answer["answer_seconds"] = 0.03
    return Outcome(
        strategy=strategy,
        question_id=f"q{number}",
        ranking=tuple(
            RankedChunk(chunk_id=f"c{chunk}", key=_chunk(chunk).key, score=1.0 - rank / 10)
            for rank, chunk in enumerate(found)
        ),
        seconds=0.004 * (place + 1) + 0.0007 * number,
        steps=(TraceStep(name="embed", seconds=0.002), TraceStep(name="rank", seconds=0.003)),
        validity=Validity(checked=4, missing=()),
        **answer,
    )
