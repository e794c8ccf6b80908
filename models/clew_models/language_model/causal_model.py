"""A causal language model as decoding sees it: a cache grows by tokens, and rows come back.

`packed_model.py` is the one that comes with Clew, on a processor; any model of transformers is the
other, here.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Cache = Any
"""What a model keeps of the tokens before: its own kind, used by one thread at a time."""
Row = Any
"""The log-probabilities of all tokens at one place, where the model computes."""


class CausalModel(Protocol):
    """Computes log-probabilities; shared by threads, each with caches of its own."""

    def append(
        self,
        cache: Cache | None,
        tokens: Sequence[int],
        *,
        positions: Sequence[int] | None = None,
        visible: NDArray[np.bool_] | None = None,
        every: bool = False,
    ) -> tuple[Cache, list[Row]]:
        """Append tokens to a cache (None: a new one), and return it with what follows the last.

        ``positions``: of the tokens, else they go on from the cache. ``visible`` [T, P + T]: what
        each token sees, of the P before it too, nothing after itself; else all before it.
        ``every``: return what follows each token. The cache that was given is used up.
        """
        ...

    def copied(self, cache: Cache) -> Cache:
        """Return a cache with the same contents, which grows by itself."""
        ...

    def pick(self, row: Row, tokens: NDArray[np.integer[Any]]) -> Floats:
        """Return the log-probabilities of some tokens."""
        ...


class TransformersModel:
    """Any causal model of transformers, on whatever device it is."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def append(
        self,
        cache: Cache | None,
        tokens: Sequence[int],
        *,
        positions: Sequence[int] | None = None,
        visible: NDArray[np.bool_] | None = None,
        every: bool = False,
    ) -> tuple[Cache, list[Row]]:
        """See CausalModel."""
        import torch

        device, dtype = self.model.device, self.model.dtype
        more: dict[str, Any] = {}
        if positions is not None:
            more["position_ids"] = torch.tensor([list(positions)], device=device)
        if visible is not None:
            # [1, 1, T, P + T]: 0 where a token sees another, the lowest number where it does not
            seen = torch.from_numpy(visible)
            mask = torch.zeros(seen.shape, dtype=dtype).masked_fill_(~seen, torch.finfo(dtype).min)
            more["attention_mask"] = mask[None, None].to(device)
        with torch.inference_mode():
            result = self.model(
                torch.tensor([list(tokens)], device=device),
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=0 if every else 1,
                **more,
            )
            following = torch.log_softmax(result.logits[0].float(), dim=-1)
        return result.past_key_values, list(following)

    def copied(self, cache: Cache) -> Cache:
        """See CausalModel."""
        import copy

        return copy.deepcopy(cache)

    def pick(self, row: Row, tokens: NDArray[np.integer[Any]]) -> Floats:
        """See CausalModel."""
        import torch

        ids = torch.from_numpy(np.asarray(tokens, dtype=np.int64))
        found: Floats = row[ids.to(row.device)].cpu().numpy()
        return found
