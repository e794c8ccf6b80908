"""The prefixes of one prompt as a tree of numbered nodes; how they are scored is the subclass's."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Protocol

from clew_models.constrained_decoding.beam_search import Floats
from clew_models.constrained_decoding.token_trie import Tokens

ROOT = 0


class PrefixNodes(ABC):
    """A `PrefixScorer` without its scores. Used by one thread.

    A node is a number; the root is the prompt. A child's number is above its parent's. ``passes``:
    how often the model was run.
    """

    root = ROOT

    def __init__(self) -> None:
        self._parent = [-1]
        self._token = [-1]
        self._depth = [0]
        self._children: list[dict[int, int]] = [{}]
        self._foreseen: list[tuple[int, Tokens]] = []
        self.passes = 0

    def extend(self, node: int, token: int) -> int:
        """Return the node of the prefix ``node`` with ``token`` after it."""
        known = self._children[node].get(token)
        if known is not None:
            return known
        child = len(self._parent)
        self._children[node][token] = child
        self._children.append({})
        self._parent.append(node)
        self._token.append(token)
        self._depth.append(self._depth[node] + 1)
        return child

    def walk(self, node: int, tokens: Sequence[int]) -> list[int]:
        """Return the nodes that ``tokens`` lead through after ``node``, one a token."""
        nodes = []
        for token in tokens:
            node = self.extend(node, token)
            nodes.append(node)
        return nodes

    def foresee(self, wanted: Sequence[tuple[int, Tokens]]) -> None:
        """Have these computed with the next pass, if there is one; it is not made for them."""
        self._foreseen.extend(wanted)

    @abstractmethod
    def score(self, wanted: Sequence[tuple[int, Tokens]]) -> list[Floats]:
        """Return, for each (node, tokens), the log-probabilities of the tokens after the node."""


class TreeModel(Protocol):
    """A language model that makes trees of prefixes."""

    def tree(self, prompt: Sequence[int]) -> PrefixNodes:
        """Return the tree whose root is ``prompt`` (token ids, at least one)."""
        ...
