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
from clew_models.language_model.causal_model import CausalModel


class PrefixModel:
    """A causal language model that makes prefix trees; shared by threads.

    ``opening``: the tokens that every prompt begins with; they are computed once.
    """

    def __init__(self, model: CausalModel, opening: Sequence[int] = ()) -> None:
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
        cache = None
        if not known or len(prompt) <= known or tuple(prompt[:known]) != self.opening:
            known = 0
        else:
            with self._lock:
                if self._opening_cache is None:
                    self._opening_cache, _ = self.model.append(None, self.opening)
                cache = self.model.copied(self._opening_cache)
        cache, rows = self.model.append(cache, prompt[known:])
        return cache, rows[-1]


class PrefixTree(PrefixNodes):
    """The prefixes of one prompt. Used by one thread.

    ``passes`` counts the prompt's too; ``computed``: tokens the model saw after the prompt.
    """

    def __init__(self, model: PrefixModel, prompt: Sequence[int]) -> None:
        super().__init__()
        self._model = model.model
        self._prompt = len(prompt)
        self._cache, following = model.start(prompt)
        self._following: dict[int, Any] = {ROOT: following}
        self._place: dict[int, int] = {}
        self.passes = 1
        self.computed = 0

    def score(self, wanted: Sequence[tuple[int, Tokens]]) -> list[Floats]:
        missing = [node for node, _ in wanted if node not in self._following]
        if missing:
            self._compute([*missing, *(node for node, _ in self._foreseen)])
        self._foreseen.clear()
        return [self._model.pick(self._following[node], tokens) for node, tokens in wanted]

    def _compute(self, nodes: Sequence[int]) -> None:
        """Run the model on ``nodes`` and on the ancestors of theirs that it has not seen."""
        fresh = sorted({node for wanted in nodes for node in self._unseen(wanted)})
        self._cache, following = self._model.append(
            self._cache,
            [self._token[node] for node in fresh],
            positions=[self._prompt + self._depth[node] - 1 for node in fresh],
            visible=self._visible(fresh),
            every=True,
        )
        self._following.update(zip(fresh, following, strict=True))
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
