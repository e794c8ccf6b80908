"""The entity index (KT-4): a prefix tree over token sequences, in flat arrays.

Source: KG-Translator §3.3.1, Eq. 1 and 5: C_H = Trie(tokenize(H)); a token may follow where the
sequence so far and the token are a prefix of an entry.

    first    0  2  3  3 …      node n's edges are first[n] up to first[n + 1]
    token    5  9  7  …        the token of an edge; ascending within a node
    node     1  2  3  …        edge i leads to node i + 1: nodes are numbered breadth first
    ends     the entries (rows of the sequences given) that end at a node, in CSR form

Differs from the paper: it is built once a corpus revision and lies on disk, not once a question.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from clew_models.offsets import group_offsets

Tokens = NDArray[np.int32]
ROOT = 0


@dataclass(frozen=True)
class TokenTrie:
    """A prefix tree over ``N`` token sequences.

    Shapes (T edges, T + 1 nodes): first [T + 2], token [T], end_offsets [T + 2], end_entries [N].
    """

    first: NDArray[np.int32]
    token: Tokens
    end_offsets: NDArray[np.int32]
    end_entries: NDArray[np.int32]

    @classmethod
    def build(cls, tokens: Tokens, starts: NDArray[np.int64]) -> Self:
        """Return the tree of the sequences tokens[starts[i]:starts[i + 1]]; i is the entry.

        Equal sequences are entries of one node; empty ones are left out. Cost: sorting them.
        """
        lengths = np.diff(starts)
        order, common = _sorted_sequences(tokens, starts)
        order, common = order[lengths[order] > 0], common[lengths[order] > 0]
        length = lengths[order]
        depths = int(length.max(initial=0))
        token_parts, parent_parts = [], []
        rows = np.zeros(1, dtype=np.int64)
        base, node_of = 0, np.zeros(len(order), dtype=np.int64)
        for depth in range(depths):
            # the rows whose sequence has a token here that no earlier row shares
            here = np.flatnonzero((common <= depth) & (length > depth))
            parent_parts.append(base + np.searchsorted(rows, here, side="right") - 1)
            token_parts.append(tokens[starts[order[here]] + depth])
            base = 1 + sum(map(len, token_parts[:-1]))
            rows = here
            ending = np.flatnonzero(length == depth + 1)
            node_of[ending] = base + np.searchsorted(here, ending, side="right") - 1
        token = _joined(token_parts)
        nodes = len(token) + 1
        by_node = np.argsort(node_of, kind="stable")
        return cls(
            first=group_offsets(_joined(parent_parts), nodes).astype(np.int32),
            token=token,
            end_offsets=group_offsets(node_of, nodes).astype(np.int32),
            end_entries=order[by_node].astype(np.int32),
        )

    def allowed(self, node: int) -> Tokens:
        """Return the tokens that may follow, ascending. Cost: none, it is a slice."""
        return self.token[self.first[node] : self.first[node + 1]]

    def child(self, node: int, token: int) -> int:
        """Return the node that ``token`` leads to, or -1. Cost: log of the node's edges."""
        low, high = int(self.first[node]), int(self.first[node + 1])
        edge = low + int(np.searchsorted(self.token[low:high], token))
        return edge + 1 if edge < high and self.token[edge] == token else -1

    def entries(self, node: int) -> NDArray[np.int32]:
        """Return the entries that end at ``node``. Cost: none, it is a slice."""
        return self.end_entries[self.end_offsets[node] : self.end_offsets[node + 1]]

    def find(self, sequence: Sequence[int]) -> int:
        """Return the node of a sequence, or -1. Cost: one `child` a token."""
        node = ROOT
        for token in sequence:
            node = self.child(node, token)
            if node < 0:
                return -1
        return node


def _sorted_sequences(
    tokens: Tokens, starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sequences' order, and how many tokens each shares with the one before it (as
    many as it has, if they are equal).
    """
    # big-endian bytes compare as the sequences of numbers do, a prefix before what it begins
    texts = tokens.astype(">u4").tobytes()
    keys = [texts[4 * a : 4 * b] for a, b in itertools.pairwise(starts)]
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    common = np.zeros(len(order), dtype=np.int64)
    for row in range(1, len(order)):
        common[row] = _shared(keys[order[row - 1]], keys[order[row]])
    return order, common


def _shared(one: bytes, other: bytes) -> int:
    """Return how many tokens two keys share at their beginning."""
    length = min(len(one), len(other)) // 4
    for index in range(length):
        if one[4 * index : 4 * index + 4] != other[4 * index : 4 * index + 4]:
            return index
    return length


def _joined(parts: Sequence[NDArray[np.signedinteger]]) -> NDArray[np.int32]:
    return (np.concatenate(parts) if parts else np.zeros(0)).astype(np.int32)
