"""MAUVE through mauve-text, on made-up vectors."""

import sys
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from clew.evaluation.metrics.mauve import mauve
from clew_models.errors import ModelNotInstalled


def near(texts: Sequence[str]) -> NDArray[np.float32]:
    """A vector by the text's number; texts that start with 'far' are elsewhere."""
    rows = []
    for text in texts:
        kind, number = text.split()
        rng = np.random.default_rng(int(number))
        rows.append(rng.normal(size=8) + (5 if kind == "far" else 0))
    return np.array(rows, dtype=np.float32)


ONE = [f"one {i}" for i in range(40)]
TWO = [f"two {i}" for i in range(40, 80)]
FAR = [f"far {i}" for i in range(40, 80)]


def test_alike_is_near_1_far_is_near_0_and_the_seed_fixes_it() -> None:
    pytest.importorskip("mauve")
    assert mauve(ONE, ONE, near, seed=1) == pytest.approx(1)
    assert mauve(ONE, TWO, near, seed=1) > 0.8
    assert mauve(ONE, FAR, near, seed=1) < 0.1
    by_seed = [mauve(ONE, FAR, near, seed=seed) for seed in (1, 1, 2, 3)]
    assert by_seed[0] == by_seed[1]
    assert len(set(by_seed)) > 1


def test_texts_that_are_all_one_point_are_alike() -> None:
    pytest.importorskip("mauve")
    assert mauve(["x 1"] * 20, ["x 1"] * 20, near, seed=1) == 1


def test_too_few_texts_are_refused() -> None:
    with pytest.raises(ValueError, match="20 texts and references or more, got 40 and 19"):
        mauve(ONE, TWO[:19], near, seed=1)


def test_without_the_package_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mauve", None)
    with pytest.raises(ModelNotInstalled, match=r"pip install 'clew\[mauve\]'"):
        mauve(ONE, TWO, near, seed=1)
