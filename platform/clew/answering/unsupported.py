"""The answer that the evidence does not say."""

from clew.results.evidence import Answer, Citation, Evidence, TraceStep

NOT_SAID = "The evidence does not say."


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
