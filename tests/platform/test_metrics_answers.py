"""Metrics of answers, triples and evidence: by hand and against other implementations."""

import random
import re
import string
import subprocess
import sys
from collections import Counter

import pytest

from clew.comprehension.normalisation import normalise_answer
from clew.evaluation.metrics import (
    accuracy,
    evidence_validity,
    exact_match,
    f1,
    golden_match,
    path_recall,
    triplet_recall,
)
from clew.evaluation.metrics.case import rouge
from clew.evaluation.run import Validity


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The  Eiffel-Tower!", "eiffeltower"),
        ("an A, the", ""),
        ("Theatre of a Thousand", "theatre of thousand"),
        ("Straße", "straße"),
        ("«No»", "«no»"),
    ],
)
def test_normalisation_by_hand(text: str, normal: str) -> None:
    assert normalise_answer(text) == normal


@pytest.mark.parametrize(
    ("answer", "golds", "exact", "words"),
    [
        ("the Eiffel Tower.", ("Paris", "Eiffel tower"), 1.0, 1.0),
        ("in Paris, France", ("Paris",), 0.0, 0.5),
        ("big big dog", ("big dog", "cat"), 0.0, 0.8),
        ("yes", ("yes it is",), 0.0, 0.0),
        ("no", ("No.",), 1.0, 1.0),
        ("yes and no", ("no",), 0.0, 0.0),
        ("Rome", ("Paris",), 0.0, 0.0),
        ("", ("The",), 0.0, 0.0),
        ("The", ("A",), 1.0, 1.0),
    ],
)
def test_exact_match_and_f1_by_hand(
    answer: str, golds: tuple[str, ...], exact: float, words: float
) -> None:
    assert exact_match(answer, golds) == exact
    assert f1(answer, golds) == pytest.approx(words)


def peer_normal(text: str) -> list[str]:
    """SQuAD's normalisation by other means: word by word."""
    kept = "".join(" " if c.isspace() else c for c in text.lower() if c not in string.punctuation)
    return [w for w in re.sub(r"\b(?:a|an|the)\b", " ", kept).split(" ") if w]


def peer_f1(answer: str, gold: str) -> float:
    one, two = peer_normal(answer), peer_normal(gold)
    if one != two and any(side in (["yes"], ["no"], ["noanswer"]) for side in (one, two)):
        return 0.0
    left = Counter(two)
    shared = 0
    for word in one:
        if left[word]:
            left[word] -= 1
            shared += 1
    return 2 * shared / (len(one) + len(two)) if shared else float(one == two)


def test_f1_agrees_with_another_form_of_it_on_random_answers() -> None:
    rng = random.Random(3)
    words = ["the", "a", "yes", "no", "Paris", "paris,", "U.S.", "on", "Theo", "46", "m."]
    matched = 0
    for _ in range(2000):
        answer, *golds = (" ".join(rng.choices(words, k=rng.randint(1, 4))) for _ in range(3))
        expected = max(peer_f1(answer, gold) for gold in golds)
        assert f1(answer, golds) == pytest.approx(expected, abs=1e-12), (answer, golds)
        equal = any(peer_normal(answer) == peer_normal(gold) for gold in golds)
        assert exact_match(answer, golds) == equal
        matched += equal
    assert 20 < matched < 1980


def test_accuracy_is_over_a_closed_set_of_labels() -> None:
    labels = ("SUPPORTS", "REFUTES", "not enough info")
    assert accuracy("supports.", ["SUPPORTS"], labels) == 1
    assert accuracy("refutes", ["SUPPORTS"], labels) == 0
    assert accuracy("It supports", ["SUPPORTS"], labels) == 0
    assert accuracy("maybe", ["maybe", "SUPPORTS"], labels) == 0
    with pytest.raises(ValueError, match=r"None of the right answers \['maybe'\] is a label"):
        accuracy("maybe", ["maybe"], labels)


def test_golden_match_is_containment_after_normalisation() -> None:
    assert golden_match("It was the Hallin Bridge, in 1911.", ["hallin bridge"]) == 1
    assert golden_match("It was Hallin.", ["Hallin Bridge"]) == 0
    assert golden_match("It was Hallin.", ["Hallin Bridge", "Hallin"]) == 1
    assert golden_match("a party", ["art"]) == 1  # as the paper defines it
    assert golden_match("anything at all", ["The"]) == 0


@pytest.mark.parametrize("metric", [exact_match, f1, golden_match])
def test_a_question_without_an_answer_is_refused(metric) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="no right answer"):
        metric("x", [])
    with pytest.raises(ValueError, match="no reference"):
        rouge("x", [])


def test_rouge_by_hand() -> None:
    # LCS "police the gunman" is 3 of 4 words on both sides (Lin 2004, section 3.1).
    found = rouge("police kill the gunman", ["police ended the gunman"])
    assert found.rouge_l == pytest.approx(3 / 4)
    # P = 2/2, R = 2/6: F = 1/2; the better reference counts.
    found = rouge("oslo fjord", ["a long walk to oslo fjord", "nothing"])
    assert found.rouge_l == pytest.approx(1 / 2)
    assert rouge("", ["x"]).rouge_l == rouge(" ", ["x"]).rouge_lsum == 0
    assert rouge("same words here", ["same words here"]).rouge_l == 1


def test_rouge_loads_no_library_that_it_does_not_use() -> None:
    code = (
        "import sys; from clew.evaluation.metrics.case import rouge; "
        "print(rouge('a b', ['a b']).rouge_l, {'sklearn', 'scipy.stats'} & set(sys.modules)); "
        "import scipy.stats, sklearn"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1.0 set()\n"


def test_rouge_lsum_takes_sentences_one_by_one() -> None:
    # Sentences swapped: one LCS finds 3 of 6 words, the sentences' LCS find all.
    text, reference = "One two three. Four five six.", "Four five six. One two three."
    found = rouge(text, [reference])
    assert found.rouge_l == pytest.approx(3 / 6)
    assert found.rouge_lsum == pytest.approx(1.0)
    # Line breaks are no ends of sentences.
    assert rouge(text.replace(" two", "\ntwo"), [reference]) == found


def test_rouge_l_agrees_with_a_recursive_lcs_on_random_texts() -> None:
    rng = random.Random(5)
    for _ in range(200):
        one, two = (rng.choices("abcd", k=rng.randint(1, 9)) for _ in range(2))

        def lcs(i: int, j: int, one: list[str] = one, two: list[str] = two) -> int:
            if i == len(one) or j == len(two):
                return 0
            if one[i] == two[j]:
                return 1 + lcs(i + 1, j + 1)
            return max(lcs(i + 1, j), lcs(i, j + 1))

        expected = 2 * lcs(0, 0) / (len(one) + len(two))
        assert rouge(" ".join(one), [" ".join(two)]).rouge_l == pytest.approx(expected, abs=1e-9)


PATHS = (("t1", "t2"), ("t1", "t3", "t4"))


@pytest.mark.parametrize(
    ("ranking", "budget", "triplets", "path"),
    [
        (["t1", "x", "t3"], 50, 2 / 4, 0.0),
        (["t1", "x", "t2"], 50, 2 / 4, 1.0),
        (["t1", "x", "t2"], 2, 1 / 4, 0.0),
        (["x", "x", "x", "t2", "t1"], 3, 2 / 4, 1.0),
        (["t4", "t3", "t2", "t1"], 4, 1.0, 1.0),
        ([], 50, 0.0, 0.0),
    ],
)
def test_triplet_and_path_recall_by_hand(
    ranking: list[str], budget: int, triplets: float, path: float
) -> None:
    assert triplet_recall(ranking, PATHS, budget) == triplets
    assert path_recall(ranking, PATHS, budget) == path


def test_paths_are_checked() -> None:
    for paths in ((), (("t1",), ())):
        with pytest.raises(ValueError, match="no gold path"):
            path_recall(["t1"], paths, 50)
    with pytest.raises(ValueError, match="budget must be 1 or more"):
        triplet_recall(["t1"], PATHS, 0)


def test_evidence_is_valid_where_nothing_is_missing_and_silence_is_not_valid() -> None:
    assert evidence_validity(Validity(checked=9, missing=())) == 1
    assert evidence_validity(Validity(checked=9, missing=("c1",))) == 0
    assert evidence_validity(Validity(checked=0, missing=())) is None
