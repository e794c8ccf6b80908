"""What was found for one question, before it is put into words, and how sure that is."""

import math
from dataclasses import dataclass
from typing import Any

from clew.answering.calibration import logistic
from clew.comprehension.several import By

SECTION, VERDICT = "section", "verdict"
"""The kinds of what stands under a heading, and of a yes or no that the span model tells."""
TWO_VALUES = "two values"
"""What compares two values of the evidence is measured as; its kind is "choice" or "yes-no"."""
DEFINED = 0.5
"""The confidence, at least, of what a text says that the very thing asked about is, or that a short
form in the question stands for, "Leave Without Pay (LWOP)"; set, not measured."""
CHANGED = 0.3
"""The confidence, at most, of what is asked for as it is now, or as it is not, where its sentences
do not say that they tell this: documents say what was so, too, and the reader does not know which
is the latest; and of what their passages tell of nothing that the question names. Set, not
measured: such an answer is told as possible."""
OF_TABLE = 0.8
"""The confidence of what a whole table tells: set before it was measured; 29 of 35 were right then
(`whole_tables.py`)."""
OF_SECTION = 0.8
"""The confidence of what stands under a heading that asks what is asked; set, not measured."""
OF_SENTENCE = 0.6
"""The confidence of a yes or no that one sentence says; set, not measured."""
LEAST = {SECTION: 0.5, VERDICT: 0.65}
"""The least confidence of what the likeliest section tells, and of a yes or no that the likeliest
sentence does: there is always one, and half of the guesses at yes or no are right. Set by the pages
that it was fitted to: of questions for how that nothing there answers 26 of 54 are refused, and 32
of 277 right sections are lost; of yes and no above it 599 of 721 are right (`help_pages.py`)."""
MOST_OF_VERDICT = 0.8
"""The confidence, at most, of such a yes or no, and of a "no" that only what is not said tells, so
that none is stated plainly: of the surest, above 0.85, 227 of 247 were right, and "No." alone
misleads where it is not."""
GUESSED = -1.3
"""What the span model says of the less likely of two values that are compared, below which it takes
it for no answer: what follows from it is told as possible."""
DOUBTFUL = 0.5
"""Below this confidence passages are read beside the sentences that lead to them, too."""


@dataclass(frozen=True)
class Finding:
    """An answer before it is put into words.

    ``kind`` and ``values`` are what the confidence is computed from (calibration), ``carriers``
    the sentences that carry the answer, the one that holds it first. ``of_other``: what is so now,
    or not so, was asked for, and no sentence says that it tells this, or names of which their
    passages have none. ``items``: the things, where several are asked for and found, ``by``
    what. ``basis``: which rows of which table were counted, or compared, or which heading it stands
    under, for people; ``sure``: the confidence, where it is none that is computed.
    """

    short: str
    kind: str
    values: dict[str, float]
    carriers: tuple[int, ...]
    steps: tuple[dict[str, Any], ...]
    of_other: bool = False
    items: tuple[str, ...] = ()
    by: By = "reader"
    basis: str = ""
    sure: float | None = None

    @property
    def measured_as(self) -> str:
        """The kind of answer that its confidence was measured for (calibration)."""
        if "agrees" in self.values:
            return f"{self.kind} checked"
        return TWO_VALUES if "least_span" in self.values else self.kind

    @property
    def confidence(self) -> float:
        """The measured share of right answers at such values; 0 where the evidence holds none
        of the names in the question, and for what is below LEAST."""
        if self.sure is not None:
            return self.sure
        if self.values.get("names") == 0.0:
            return 0.0
        sure = logistic(self.measured_as, self.values)
        if self.kind == VERDICT:  # no surer than the model is of yes against no
            sure = min(sure, 1 / (1 + math.exp(-10 * self.values["certain"])))
        if sure < LEAST.get(self.kind, 0.0):
            return 0.0
        unsaid = self.kind == "yes-no" and self.values["score"] < 1
        if self.kind == VERDICT or unsaid:  # what is asked is not said in so many words
            sure = min(sure, MOST_OF_VERDICT)
        unlikely = self.measured_as == TWO_VALUES and self.values["least_span"] < GUESSED
        if unlikely or self.values.get("guessed"):
            sure = min(sure, CHANGED)
        if self.values.get("defined"):
            return max(sure, DEFINED)
        if self.kind in {"row", "list"}:  # as sure as the least sure step that led to it
            sure *= self.values["least_probability"]
        return min(sure, CHANGED) if self.of_other else sure

    @property
    def doubtful(self) -> bool:
        """Whether it was read for and is so unsure that it is read for in another way, too."""
        return self.kind == "open" and logistic(self.kind, self.values) < DOUBTFUL
