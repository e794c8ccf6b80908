"""A text that is written token by token, whatever the model computes on."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew_models.language_model.decoding import Decoding


class Elsewhere:
    """A row that lies on a GPU: numpy is refused, as torch refuses it."""

    def __init__(self, values: Sequence[float]) -> None:
        self.values = np.array(values, np.float32)

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, *_: object) -> None:
        raise TypeError("can't convert cuda:0 device type tensor to numpy.")


class OfAGpu:
    """A model that finds token 2 likeliest, then 1, then 3; its rows stay where it computes."""

    def append(
        self, cache: None, tokens: Sequence[int], **_: object
    ) -> tuple[None, list[Elsewhere]]:
        return cache, [Elsewhere([0.0, 2.0, 3.0, 1.0]) for _ in tokens]

    def pick(self, row: Elsewhere, tokens: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        return row.values[tokens]


class Letters:
    eos_token_id = 0

    def __call__(self, text: str, add_special_tokens: bool) -> dict[str, list[int]]:
        return {"input_ids": [" abc".index(letter) for letter in text]}


def test_what_a_gpu_holds_is_fetched_before_a_token_is_chosen() -> None:
    decoding = Decoding(OfAGpu(), Letters(), 0.0)  # type: ignore[arg-type]
    decoding.feed([3])
    assert decoding.choose() == 2
    assert decoding.choose_of(["ac", "cb", "cab"]) == "ac"
    assert decoding.better_of("c", "a") == "a"
