"""Metrics of short answers. Exact match and token F1 are in ``clew.comprehension.normalisation``,
since readers use them too; all compare after the same normalisation.

Golds are a right answer and its aliases; the best of them counts. All raise ValueError where there
is no gold: such a question has no value.
"""

from collections.abc import Sequence

from clew.comprehension.normalisation import best_f1, normalise_answer
from clew.comprehension.normalisation import exact_match as equals_any


def exact_match(answer: str, golds: Sequence[str]) -> float:
    """Return 1 where norm(answer) = norm(gold) for a gold, else 0; an empty answer is 0.

    Denominator: the question. Source: Rajpurkar et al. 2016, the official script.
    """
    return float(bool(answer.strip()) and equals_any(answer, _checked(golds)))


def f1(answer: str, golds: Sequence[str]) -> float:
    """Return the best F1 of the answer's words against a gold's; an empty answer is 0.

    F1 = 2PR / (P + R), P = shared words / the answer's, R = shared words / the gold's, words
    counted as often as they occur. Source: Rajpurkar et al. 2016; yes and no as in HotpotQA's
    script.
    """
    return best_f1(answer, _checked(golds)) if answer.strip() else 0.0


def accuracy(answer: str, golds: Sequence[str], labels: Sequence[str]) -> float:
    """Return 1 where norm(answer) = norm(gold), for a question with a closed set of labels.

    Denominator: the question. Golds that are not among the labels do not count, as nobody may
    choose them; raises ValueError where none is. Source: RAS, equation 13.
    """
    right = right_labels(golds, labels)
    if not right:
        raise ValueError(f"None of the right answers {list(golds)} is a label: {list(labels)}.")
    return exact_match(answer, right)


def right_labels(golds: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Return the golds that are among the labels, after normalisation."""
    allowed = {normalise_answer(label) for label in labels}
    return [gold for gold in golds if normalise_answer(gold) in allowed]


def golden_match(answer: str, golds: Sequence[str]) -> float:
    """Return 1 where norm(answer) contains norm(gold) for a gold, else 0.

    Denominator: the question. Contained as a string, as the paper says, so that "art" is found in
    "party"; a gold of which normalisation leaves nothing never matches. Source: RAS, equation 9,
    after Self-RAG's ``match``, which compares without normalising.
    """
    text = normalise_answer(answer)
    keys = [normalise_answer(gold) for gold in _checked(golds)]
    return float(any(key in text for key in keys if key))


def _checked(golds: Sequence[str]) -> Sequence[str]:
    if not golds:
        raise ValueError("The question has no right answer to compare with.")
    return golds
