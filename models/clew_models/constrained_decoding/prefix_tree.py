"""Scores prefixes with a causal language model: each prefix is computed once, whoever shares it.

The texts of a constrained beam search are a tree: the prompt is its root, and a beam is a path.
All nodes lie in one key-value cache of batch size 1, and each token attends to the prompt and to
its own ancestors by a mask (tree attention, as in SpecInfer, Miao et al., 2024):

    prompt ──┬── Ed ── Wood ──┬── @@ ── was …        cache:  prompt | Ed | Wood | Tim | @@ | …
             └── Tim ── …     └── …                  "@@" sees: prompt, Ed, Wood, itself

So beams need no copies of the cache when they are reordered, the prompt is computed once for all
of them, and tokens that follow one another by force are computed in one pass.
"""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew_models.constrained_decoding.beam_search import Floats
from clew_models.constrained_decoding.prefix_nodes import ROOT, PrefixNodes
from clew_models.constrained_decoding.token_trie import Tokens


class PrefixModel:
    """A causal language model of transformers that makes prefix trees; shared by threads.

    ``opening``: the tokens that every prompt begins with; they are computed once.
    """

    def __init__(self, model: Any, opening: Sequence[int] = ()) -> None:
        self.model = model
        self.opening = tuple(opening)
        self._opening_cache: Any = None
        self._lock = threading.Lock()

    def tree(self, prompt: Sequence[int]) -> "PrefixTree":
        """Return the tree whose root is ``prompt`` (token ids, at least one)."""
        return PrefixTree(self, prompt)

    def start(self, prompt: Sequence[int]) -> tuple[Any, Any]:
        """Return the cache of a prompt and the log-probabilities [V] of what follows it."""
        known = len(self.opening)
        if not known or len(prompt) <= known or tuple(prompt[:known]) != self.opening:
            return self.compute(None, list(prompt))
        with self._lock:
            if self._opening_cache is None:
                self._opening_cache, _ = self.compute(None, list(self.opening))
            cache = _copied(self._opening_cache)
        return self.compute(cache, list(prompt[known:]))

    def compute(self, cache: Any, tokens: list[int]) -> tuple[Any, Any]:
        """Append ``tokens`` to a cache (None: a new one); return it and what follows, [V]."""
        import torch

        with torch.inference_mode():
            result = self.model(
                torch.tensor([tokens], device=self.model.device),
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            following = torch.log_softmax(result.logits[0, -1].float(), dim=-1)
        return result.past_key_values, following


class PrefixTree(PrefixNodes):
    """The prefixes of one prompt. Used by one thread.

    ``passes`` counts the prompt's too; ``computed``: tokens the model saw after the prompt.
    """

    def __init__(self, model: PrefixModel, prompt: Sequence[int]) -> None:
        super().__init__()
        self._model = model
        self._prompt = len(prompt)
        self._cache, following = model.start(prompt)
        self._following: dict[int, Any] = {ROOT: following}
        self._place: dict[int, int] = {}
        self.passes = 1
        self.computed = 0

    def score(self, wanted: Sequence[tuple[int, Tokens]]) -> list[Floats]:
        import torch

        missing = [node for node, _ in wanted if node not in self._following]
        if missing:
            self._compute([*missing, *(node for node, _ in self._foreseen)])
        self._foreseen.clear()
        found = []
        for node, tokens in wanted:
            ids = torch.from_numpy(np.asarray(tokens, dtype=np.int64))
            row = self._following[node]
            found.append(row[ids.to(row.device)].cpu().numpy())
        return found

    def _compute(self, nodes: Sequence[int]) -> None:
        """Run the model on ``nodes`` and on the ancestors of theirs that it has not seen."""
        import torch

        fresh = sorted({node for wanted in nodes for node in self._unseen(wanted)})
        device = self._model.model.device
        rows = torch.from_numpy(self._visible(fresh))
        # [1, 1, T, P + T]: 0 where a token sees another, the lowest number where it does not
        dtype = self._model.model.dtype
        mask = torch.zeros(rows.shape, dtype=dtype).masked_fill_(~rows, torch.finfo(dtype).min)
        positions = [self._prompt + self._depth[node] - 1 for node in fresh]
        with torch.inference_mode():
            result = self._model.model(
                torch.tensor([[self._token[node] for node in fresh]], device=device),
                attention_mask=mask[None, None].to(device),
                position_ids=torch.tensor([positions], device=device),
                past_key_values=self._cache,
                use_cache=True,
            )
            following = torch.log_softmax(result.logits[0].float(), dim=-1)  # [T, V]
        self._cache = result.past_key_values
        for row, node in enumerate(fresh):
            self._following[node] = following[row]
        self.passes += 1
        self.computed += len(fresh)

    def _unseen(self, node: int) -> list[int]:
        path = []
        while node != ROOT and node not in self._following:
            path.append(node)
            node = self._parent[node]
        return path

    def _visible(self, fresh: Sequence[int]) -> NDArray[np.bool_]:
        """Return [T, P + T] what each new token sees: the prompt, its ancestors, itself.

        A node's number is above its parent's, so that sorted nodes stand in a valid order.
        """
        seen = len(self._place)
        for place, node in enumerate(fresh, seen):
            self._place[node] = self._prompt + place
        visible = np.zeros((len(fresh), self._prompt + seen + len(fresh)), dtype=bool)
        visible[:, : self._prompt] = True
        for row, node in enumerate(fresh):
            while node != ROOT:
                visible[row, self._place[node]] = True
                node = self._parent[node]
        return visible


def _copied(cache: Any) -> Any:
    """Return a cache with the same contents, which grows by itself."""
    import copy

    return copy.deepcopy(cache)
