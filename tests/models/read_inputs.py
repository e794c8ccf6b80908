"""What graphs that read questions and windows are run on."""

import numpy as np


def questions_and_windows() -> dict[str, np.ndarray]:
    """Two questions with windows of random tokens, the second window shorter."""
    rng = np.random.default_rng(3)
    return {
        "question": rng.integers(1000, 20000, (2, 4)),
        "question_mask": np.ones((2, 4), np.int64),
        "window": rng.integers(1000, 20000, (2, 9)),
        "window_mask": np.array([[1] * 9, [1] * 6 + [0] * 3]),
    }
