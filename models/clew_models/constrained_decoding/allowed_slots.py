"""Holds the requests of a batch to their tokens, and leaves the model's own log-probabilities.

KT-6, Eq. 4 (KG-Translator §3.3.2): what an index forbids has probability 0, and the rest is not
scaled up. So a row z of logits becomes

    z_t ← z_t − log Σ_v exp z_v   where t is allowed,   z_t ← −∞   where it is not,

and whoever reads the row, without another softmax, reads P(t | text) of the model itself. An
engine can do this on its device before anything is copied from there, which a mask alone cannot: a
softmax over masked logits gives what is left the probability of what was forbidden.

It is free of any engine. `vllm_processor.py` makes a logits processor of vLLM of it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clew_models.constrained_decoding.token_trie import Tokens

ALLOWED = "clew_allowed_tokens"
"""The extra argument of a request that holds its tokens."""


def packed(tokens: Tokens) -> bytes:
    """Return tokens as an engine's request can carry them, quick to copy and to send."""
    return np.asarray(tokens).astype("<i4").tobytes()


def unpacked(arguments: Mapping[str, Any] | None) -> Tokens | None:
    """Return the tokens in a request's extra arguments; None where it has none of ours.

    Raises ValueError where they are not what `packed` makes.
    """
    held = (arguments or {}).get(ALLOWED)
    if held is None:
        return None
    if not isinstance(held, bytes) or not held or len(held) % 4:
        raise ValueError(f"{ALLOWED} must be the bytes of one or more 32-bit numbers.")
    return np.frombuffer(held, dtype="<i4")


class AllowedSlots:
    """The allowed tokens of the requests in an engine, by the slot that each is given.

    A slot is a number that a request keeps; in a batch its row may be any.
    """

    def __init__(self) -> None:
        self._tokens: dict[int, Tokens] = {}

    def take(self, slot: int, tokens: Tokens | None) -> bool:
        """Give a slot to a request with these tokens; None: it is not held. Say whether it is.

        What an earlier request left in the slot is gone.
        """
        if tokens is None:
            self._tokens.pop(slot, None)
            return False
        self._tokens[slot] = tokens
        return True

    def hold(self, logits: Any, slots: Sequence[int]) -> Any:
        """Change ``logits`` [B, V] (float32) in place and return it; ``slots`` [B]: of each row.

        Rows of requests that are not held stay as they are. Cost: the same few operations on the
        device, however many rows there are.
        """
        import torch

        if len(slots) != len(logits):
            raise ValueError(f"Expected a slot for each of {len(logits)} rows, got {len(slots)}.")
        rows = [row for row, slot in enumerate(slots) if slot in self._tokens]
        if not rows:
            return logits
        allowed = [self._tokens[slots[row]] for row in rows]
        row_of = np.repeat(np.array(rows), [len(tokens) for tokens in allowed])
        token_of = np.concatenate(allowed).astype(np.int64)
        device = logits.device
        held = torch.from_numpy(np.array(rows)).to(device)
        places = (torch.from_numpy(row_of).to(device), torch.from_numpy(token_of).to(device))
        totals = torch.logsumexp(logits, dim=-1)
        own = logits[places] - totals[places[0]]
        logits[held] = float("-inf")
        logits[places] = own
        return logits
