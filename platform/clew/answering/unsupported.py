"""The answer that the evidence does not say."""

from clew.results.evidence import Answer, Citation, Evidence, TraceStep

NOT_SAID = "The evidence does not say."
ANSWER_THRESHOLD = 0.05
"""The confidence below which that is the answer, unless a setting says otherwise: of questions made
for it, the extractive reader then refuses 82 of 100 that have no answer, and loses 2 right ones of
100 (`tests/benchmarks/reader_training.py`)."""


def unsupported_answer(
    evidence: Evidence,
    reader: str,
    *,
    text: str = NOT_SAID,
    confidence: float = 0.0,
    citations: tuple[Citation, ...] = (),
    trace: tuple[TraceStep, ...] = (),
) -> Answer:
    """Return an Answer that is not supported; ``citations``: where the evidence comes nearest."""
    return Answer(
        question=evidence.question,
        text=text,
        short="",
        supported=False,
        confidence=confidence,
        citations=citations,
        reader=reader,
        evidence=evidence,
        trace=trace,
    )
