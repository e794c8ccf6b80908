"""Scores prefixes with an engine that batches requests and keeps the caches of their beginnings.

An engine such as vLLM takes whole texts, not a tree: so a prefix is one request of one token, all
that a step of a beam search asks are one batch, and the cache of what they begin with in common
(the prompt, then each beam's own past) is found again by the engine: its prefix cache does what
`prefix_tree.py` does with a mask.

    prompt Ed Wood        ▸ @@ 0.41 …        one request a node: the text of the node,
    prompt Tim Burton     ▸ @@ 0.37 …        the tokens that are allowed after it, and back
    prompt Tim Burton @@  ▸ was 0.2, is …    come their log-probabilities
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from clew_models.constrained_decoding.beam_search import Floats
from clew_models.constrained_decoding.prefix_nodes import ROOT, PrefixNodes
from clew_models.constrained_decoding.token_trie import Tokens

Request = tuple[Sequence[int], Tokens]
"""A text as token ids, and the tokens that may follow it: ascending, each once, at least one."""

_NOTHING = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32))


class ScoringEngine(Protocol):
    """A language model that scores what may follow texts, many at a time; shared by threads."""

    def next_scores(self, requests: Sequence[Request]) -> list[Floats]:
        """Return the model's own log-probabilities of each request's tokens, in one batch."""
        ...


class EngineModel:
    """Makes prefix trees over an engine; shared by threads."""

    def __init__(self, engine: ScoringEngine) -> None:
        self.engine = engine

    def tree(self, prompt: Sequence[int]) -> "EngineTree":
        """Return the tree whose root is ``prompt`` (token ids, at least one)."""
        return EngineTree(self.engine, prompt)


class EngineTree(PrefixNodes):
    """The prefixes of one prompt. Used by one thread.

    Only the log-probabilities that were asked for are known, not those of the whole vocabulary:
    another token after a known node is another request. ``requests``: how many there were.
    """

    def __init__(self, engine: ScoringEngine, prompt: Sequence[int]) -> None:
        super().__init__()
        self._engine = engine
        self._prompt = list(prompt)
        self._known: dict[int, tuple[Tokens, Floats]] = {}
        self.requests = 0

    def score(self, wanted: Sequence[tuple[int, Tokens]]) -> list[Floats]:
        missing: dict[int, Tokens] = {}
        for node, tokens in wanted:
            self._note_missing(missing, node, tokens)
        if missing:
            for node, tokens in self._foreseen:
                self._note_missing(missing, node, tokens)
            self._ask(missing)
        self._foreseen.clear()
        return [self._found(node, tokens) for node, tokens in wanted]

    def _note_missing(self, missing: dict[int, Tokens], node: int, tokens: Tokens) -> None:
        known, _ = self._known.get(node, _NOTHING)
        new = np.setdiff1d(tokens, known)
        if len(new):
            missing[node] = np.union1d(missing[node], new) if node in missing else new

    def _ask(self, missing: dict[int, Tokens]) -> None:
        """Run the engine on ``missing``, and keep what it answers, in ascending order."""
        nodes = list(missing)
        answers = self._engine.next_scores([(self._text(node), missing[node]) for node in nodes])
        for node, scores in zip(nodes, answers, strict=True):
            tokens, known = self._known.get(node, _NOTHING)
            tokens = np.concatenate([tokens, missing[node]])
            order = np.argsort(tokens)
            self._known[node] = (tokens[order], np.concatenate([known, scores])[order])
        self.passes += 1
        self.requests += len(nodes)

    def _found(self, node: int, tokens: Tokens) -> Floats:
        known, scores = self._known.get(node, _NOTHING)
        found: Floats = scores[np.searchsorted(known, tokens)]
        return found

    def _text(self, node: int) -> list[int]:
        path = []
        while node != ROOT:
            path.append(self._token[node])
            node = self._parent[node]
        return [*self._prompt, *reversed(path)]
