"""A batching engine for tests: a model of transformers, and after it the steps of vLLM's sampler.

Requests get slots that others had before, rows come in an order of their own, the processor holds
them, and of each row the likeliest go back, after the one that was "sampled".
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from clew_models.constrained_decoding.allowed_slots import ALLOWED, AllowedSlots, packed, unpacked
from clew_models.constrained_decoding.engine_tree import Request
from clew_models.constrained_decoding.vllm_engine import scores_of

SLOTS = 2048


class BatchEngine:
    """A ScoringEngine; ``batches``: the requests of each batch that it ran."""

    def __init__(self, model: Any, seed: int = 0) -> None:
        self._model = model
        self._held = AllowedSlots()
        self._random = np.random.default_rng(seed)
        self.batches: list[list[Request]] = []

    def next_scores(self, requests: Sequence[Request]) -> list[np.ndarray]:
        self.batches.append(list(requests))
        order = self._random.permutation(len(requests)).tolist()
        slots = self._random.permutation(SLOTS)[: len(requests)].tolist()
        for (_, tokens), slot in zip(requests, slots, strict=True):
            assert self._held.take(slot, unpacked({ALLOWED: packed(tokens)}))
        with torch.inference_mode():
            rows = [self._model(torch.tensor([list(requests[i][0])])).logits[0, -1] for i in order]
        logits = self._held.hold(torch.stack(rows).float(), [slots[i] for i in order])
        widest = max(len(tokens) for _, tokens in requests)
        sampled = logits.argmax(dim=-1, keepdim=True)
        ids = torch.cat([sampled, torch.topk(logits, widest, dim=-1).indices], dim=1)
        scores = logits.gather(-1, ids)
        found: list[np.ndarray] = [np.zeros(0)] * len(requests)
        for row, request in enumerate(order):
            tokens = requests[request][1]
            count = 1 + len(tokens)
            found[request] = scores_of(
                tokens, ids[row, :count].tolist(), scores[row, :count].tolist()
            )
        return found
