"""Whether what is cited exists."""

from clew.evaluation.run import Validity


def evidence_validity(validity: Validity) -> float | None:
    """Return 1 where every cited id and every edge of the paths exists in the graph, else 0.

    Denominator: the question itself; None where it cites nothing, so that silence is not counted
    as valid.
    """
    if not validity.checked:
        return None
    return float(not validity.missing)
