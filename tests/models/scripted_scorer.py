"""A language model for tests: what follows a prefix is drawn from the prefix itself."""

from collections.abc import Sequence

import numpy as np

VOCABULARY = 12


def following(prefix: Sequence[int], seed: int = 0) -> np.ndarray:
    """[V] log-probabilities of the next token, fixed for each prefix."""
    random = np.random.default_rng([seed, len(prefix), *prefix])
    logits = random.normal(scale=2.0, size=VOCABULARY)
    return (logits - np.log(np.exp(logits).sum())).astype(np.float32)


class ScriptedScorer:
    """A PrefixScorer over `following` that counts its passes."""

    root = 0

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.prefixes: list[tuple[int, ...]] = [()]
        self.passes = 0
        self.seen: set[int] = {0}
        self.foreseen: list[int] = []

    def extend(self, node: int, token: int) -> int:
        prefix = (*self.prefixes[node], token)
        if prefix not in self.prefixes:
            self.prefixes.append(prefix)
        return self.prefixes.index(prefix)

    def foresee(self, wanted: Sequence[tuple[int, np.ndarray]]) -> None:
        self.foreseen.extend(node for node, _ in wanted)

    def score(self, wanted: Sequence[tuple[int, np.ndarray]]) -> list[np.ndarray]:
        if any(node not in self.seen for node, _ in wanted):
            self.passes += 1
            self.seen |= {node for node, _ in wanted} | set(self.foreseen)
        self.foreseen.clear()
        return [following(self.prefixes[node], self.seed)[tokens] for node, tokens in wanted]
