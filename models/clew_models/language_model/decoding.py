"""One text being written: the model's cache, token by token."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew_models.language_model.causal_model import CausalModel, Floats

INCOMPLETE = "\N{REPLACEMENT CHARACTER}"
"""What a tokenizer makes of the first bytes of a character whose others are to come."""


class Decoding:
    """Feeds tokens to a causal model and picks the next ones; holds its key-value cache.

    ``temperature``: 0 takes the likeliest token; above, tokens are drawn.
    """

    def __init__(self, model: CausalModel, tokenizer: Any, temperature: float) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._temperature = temperature
        self._cache: Any = None
        self._following: Floats = np.zeros(0, np.float32)
        self._random = np.random.default_rng()
        self.ends: set[int] = {tokenizer.eos_token_id}
        self.length = 0

    def feed(self, ids: Sequence[int]) -> None:
        """Append tokens (at least one), whoever chose them."""
        self._cache, rows = self._model.append(self._cache, ids)
        # [V] log-probabilities, from where the model computes
        self._following = self._model.pick(rows[-1], np.arange(len(rows[-1])))
        self.length += len(ids)

    def feed_text(self, text: str) -> None:
        """Append a text as tokens."""
        self.feed(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def choose(self, allowed: NDArray[np.bool_] | None = None) -> int:
        """Return the next token, not yet fed; ``allowed``: bool [V], others are never chosen."""
        following = self._following
        if allowed is not None:
            following = np.where(allowed, following, -np.inf)
        if self._temperature <= 0:
            return int(following.argmax())
        weights = np.exp((following - following.max()).astype(np.float64) / self._temperature)
        return int(self._random.choice(len(weights), p=weights / weights.sum()))

    def better_of(self, *texts: str) -> str:
        """Return the text whose first token the model finds likeliest next; nothing is fed."""
        first = {
            text: self._tokenizer(text, add_special_tokens=False)["input_ids"][0] for text in texts
        }
        return max(texts, key=lambda text: float(self._following[first[text]]))

    def choose_of(self, texts: Sequence[str]) -> str:
        """Write one of ``texts``, token by token the likeliest, and return it; it is fed."""
        ways = {
            text: self._tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts
        }
        written: list[int] = []
        while True:
            following = {ids[len(written)] for ids in ways.values() if len(ids) > len(written)}
            if not following:
                break
            allowed = np.zeros(len(self._following), dtype=bool)
            allowed[list(following)] = True
            token = self.choose(allowed)
            written.append(token)
            self.feed([token])
            ways = {text: ids for text, ids in ways.items() if ids[: len(written)] == written}
        return next(iter(ways))

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of tokens."""
        return str(self._tokenizer.decode(ids, skip_special_tokens=True))

    def write(self, max_tokens: int) -> Iterator[str]:
        """Yield text until the model ends it, or ``max_tokens`` are written."""
        ids: list[int] = []
        shown = 0
        for _ in range(max_tokens):
            token = self.choose()
            if token in self.ends:
                break
            ids.append(token)
            text = self.decode(ids)
            if not text.endswith(INCOMPLETE) and len(text) > shown:
                yield text[shown:]
                shown = len(text)
            self.feed([token])
        rest = self.decode(ids)[shown:]
        if rest:
            yield rest
