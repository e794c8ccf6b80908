"""How sure an answer is: the measured share of right answers at such a score.

``calibration.json`` says what was measured and on what; ``tests/benchmarks/reader_training.py``
makes it.
"""

import json
import math
from functools import lru_cache
from importlib.resources import files
from typing import Any

UNMEASURED = 0.5
"""Of a model behind an endpoint nothing was measured here."""


@lru_cache(maxsize=1)
def calibration() -> dict[str, Any]:
    """Return the stored measurements."""
    stored: dict[str, Any] = json.loads(
        files("clew.answering").joinpath("calibration.json").read_text()
    )
    return stored


def logistic(kind: str, values: dict[str, float]) -> float:
    """Return the calibrated share for ``kind`` of answer ("open", "choice", "yes-no")."""
    return 1 / (1 + math.exp(-log_odds(kind, values)))


def log_odds(kind: str, values: dict[str, float]) -> float:
    """Return the same as log-odds."""
    stored = calibration()["extractive"][kind]
    weights: dict[str, float] = stored["weights"]
    return float(stored["intercept"]) + sum(w * values[name] for name, w in weights.items())


def language_model_confidence(reader: str, *, supported: bool) -> float:
    """Return how often a language model's answer is right, as far as that was measured."""
    if not supported:
        return 0.0
    return float(calibration()["language_models"].get(reader, UNMEASURED))
