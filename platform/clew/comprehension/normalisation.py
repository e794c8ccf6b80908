"""How answers are compared: SQuAD's normalisation, exact match and token F1. Their one home.

Source: Rajpurkar et al. 2016, the official evaluation script; HotpotQA's script for yes and no.
"""

import re
import string
from collections import Counter
from collections.abc import Iterable

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_CLOSED = frozenset({"yes", "no", "noanswer"})


def normalise_answer(text: str) -> str:
    """Return the text in lower case without ASCII punctuation, articles and extra white space."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, golds: Iterable[str]) -> bool:
    """Say whether the answer equals one of the right ones after normalisation."""
    key = normalise_answer(answer)
    return any(normalise_answer(gold) == key for gold in golds)


def token_f1(answer: str, gold: str) -> float:
    """Return the F1 of the answer's words against the right one's; yes, no: all or nothing.

    F1 = 2PR / (P + R), P = shared words / the answer's words, R = shared words / the right one's,
    words counted as often as they occur. Where normalisation leaves nothing of both: 1, as in
    SQuAD 2.0.
    """
    one, other = normalise_answer(answer), normalise_answer(gold)
    if one != other and {one, other} & _CLOSED:
        return 0.0
    words, right = one.split(), other.split()
    same = sum((Counter(words) & Counter(right)).values())
    if not same:
        return float(words == right)
    precision, recall = same / len(words), same / len(right)
    return 2 * precision * recall / (precision + recall)


def best_f1(answer: str, golds: Iterable[str]) -> float:
    """Return the highest F1 against any of the right answers, 0 where there is none."""
    return max((token_f1(answer, gold) for gold in golds), default=0.0)
