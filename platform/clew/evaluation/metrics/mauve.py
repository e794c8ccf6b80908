"""MAUVE: how near the distribution of answers is to that of references (optional)."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew_models.errors import ModelNotInstalled

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
FEWEST = 20
"""Texts below which MAUVE's histogram would have one text or so in a bucket."""


def mauve(texts: Sequence[str], references: Sequence[str], embed: Embed, *, seed: int) -> float:
    """Return MAUVE of texts against references, from 0 (far) to 1 (alike), over all at once.

    The area under the divergence curve of the two sets' histograms over k-means clusters of
    their vectors: min(|texts|, |references|) / 10 clusters, scaling factor 5. Denominator: the two
    sets; there is no value for one question. Same seed, same value.

    Differs from the paper: the vectors are those of ``embed`` (texts → [N, D]), because GPT-2's
    cannot be loaded without a network. Values compare within one embedder only, not with published
    ones. With fewer than some hundred texts the value is rough.

    Raises ValueError for fewer than 20 texts or references, ModelNotInstalled where mauve-text is
    not installed. Source: Pillutla et al. 2021.
    """
    if min(len(texts), len(references)) < FEWEST:
        raise ValueError(
            f"MAUVE needs {FEWEST} texts and references or more, "
            f"got {len(texts)} and {len(references)}."
        )
    compute = _compute_mauve()
    p, q = np.asarray(embed(texts)), np.asarray(embed(references))
    together = np.vstack([p, q])
    if np.allclose(together, together[0]):
        return 1.0  # one point: PCA would divide by its variance of 0
    result = compute(p_features=p, q_features=q, seed=seed, verbose=False)
    return float(result.mauve)


def _compute_mauve() -> Callable[..., Any]:
    try:
        from mauve import compute_mauve
    except ImportError as error:
        raise ModelNotInstalled(
            "MAUVE was asked for, but the package mauve-text is not installed.",
            remedy="Run `pip install 'clew[mauve]'`, or leave MAUVE out.",
        ) from error
    function: Callable[..., Any] = compute_mauve
    return function
