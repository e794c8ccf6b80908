"""Constrained beam search (KT-6): several searches side by side, scored together.

Source: KG-Translator §3.3.2, Eq. 4: the probability of a text is the product of the language
model's own probabilities of its tokens, and 0 where the index forbids one. So what is forbidden is
left out, and the rest is not scaled up. A text ends with the end token, where its state is
complete, or at the limit of tokens, if it may end there.

All beams of all searches take a step together, and the scorer is asked once for each step.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from clew_models.constrained_decoding.states import State
from clew_models.constrained_decoding.token_trie import Tokens

Floats = NDArray[np.float32]


class PrefixScorer(Protocol):
    """Knows the log-probabilities of what follows a prefix; prefixes are nodes of a tree."""

    root: int

    def extend(self, node: int, token: int) -> int:
        """Return the node of a prefix with one more token; the model is not asked."""
        ...

    def score(self, wanted: Sequence[tuple[int, Tokens]]) -> list[Floats]:
        """Return, for each (node, tokens), the log-probability of each token after the node.

        All that the model has not seen yet is computed in one pass.
        """
        ...

    def foresee(self, wanted: Sequence[tuple[int, Tokens]]) -> None:
        """Have these computed with the next pass, since `score` is likely to be asked for them."""
        ...


@dataclass(frozen=True)
class Hypothesis:
    """A text: its tokens (without an end token), its log-probability, and where it stands.

    ``node``: the scorer's node after the last token.
    """

    tokens: tuple[int, ...]
    log_probability: float
    state: State
    node: int


@dataclass
class Search:
    """One beam search: where it starts, and how it ends.

    ``beams``: texts kept and returned. ``max_tokens``: the longest text. ``end``: the end token,
    None where states are complete by themselves. ``length_penalty`` p: texts that ended are
    compared by log-probability / length^p; 0, the default, is Eq. 4.
    """

    start: State
    node: int
    beams: int
    max_tokens: int
    end: int | None = None
    length_penalty: float = 0.0
    live: list[Hypothesis] = field(init=False)
    ended: list[tuple[float, int, Hypothesis]] = field(init=False, default_factory=list)
    _count: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        if self.beams < 1 or self.max_tokens < 1:
            raise ValueError(
                f"Expected beams and max_tokens from 1, got {self.beams} and {self.max_tokens}."
            )
        self.live = [Hypothesis((), 0.0, self.start, self.node)]

    @property
    def results(self) -> list[Hypothesis]:
        """The texts that ended, best first."""
        return [hypothesis for _, _, hypothesis in sorted(self.ended, reverse=True)]

    def options(self) -> list[tuple[int, Tokens]]:
        """Return what the scorer is to be asked: a node and its allowed tokens for each beam."""
        return [(beam.node, self._choices(beam.state)) for beam in self.live]

    def look_ahead(self, scorer: PrefixScorer, limit: int) -> None:
        """Have ``scorer`` foresee up to ``limit`` tokens of each beam that goes on in one way."""
        for beam in self.live:
            state, node = beam.state, beam.node
            for _ in range(limit):
                following = state.allowed
                if len(following) != 1:
                    break
                state = state.advance(int(following[0]))
                node = scorer.extend(node, int(following[0]))
                scorer.foresee([(node, self._choices(state))])

    def step(self, scorer: PrefixScorer, scores: Sequence[Floats]) -> None:
        """Take one step with the scores of `options`; afterwards `live` may be empty: done."""
        candidates: list[tuple[float, int, Hypothesis, int]] = []
        for beam, found in zip(self.live, scores, strict=True):
            choices = self._choices(beam.state)
            best = np.argsort(-found, kind="stable")[: 2 * self.beams]
            for place in best:
                total = beam.log_probability + float(found[place])
                candidates.append((total, len(candidates), beam, int(choices[place])))
        candidates.sort(key=lambda candidate: (-candidate[0], candidate[1]))
        self.live = []
        for rank, (total, _, beam, token) in enumerate(candidates):
            if token == self.end:
                # as everywhere in beam search: an end counts only among the best
                if rank < self.beams:
                    self._finish(Hypothesis(beam.tokens, total, beam.state, beam.node))
                continue
            if len(self.live) == self.beams:
                break
            state = beam.state.advance(token)
            node = scorer.extend(beam.node, token)
            tokens = (*beam.tokens, token)
            self.live.append(Hypothesis(tokens, total, state, node))
        going = []
        for hypothesis in self.live:
            whole = len(hypothesis.tokens) == self.max_tokens
            if hypothesis.state.complete or (whole and hypothesis.state.may_end):
                self._finish(hypothesis)
            elif not whole:
                going.append(hypothesis)
        self.live = going if self._may_improve(going) else []

    def _choices(self, state: State) -> Tokens:
        if self.end is None or not state.may_end:
            return state.allowed
        return np.append(state.allowed, np.int32(self.end))

    def _finish(self, hypothesis: Hypothesis) -> None:
        self._count += 1
        entry = (self._value(hypothesis), -self._count, hypothesis)
        heapq.heappush(self.ended, entry)
        if len(self.ended) > self.beams:
            heapq.heappop(self.ended)

    def _value(self, hypothesis: Hypothesis) -> float:
        length = max(len(hypothesis.tokens), 1)
        return hypothesis.log_probability / float(length**self.length_penalty)

    def _may_improve(self, going: Sequence[Hypothesis]) -> bool:
        """Say whether a text that goes on can still be among the results: log-probabilities only
        fall, and length can divide them by max_tokens^p at most.
        """
        if not going or len(self.ended) < self.beams:
            return bool(going)
        best = max(hypothesis.log_probability for hypothesis in going)
        return best / float(self.max_tokens**self.length_penalty) > self.ended[0][0]


def run_searches(scorer: PrefixScorer, searches: Sequence[Search], foresight: int = 0) -> None:
    """Take all searches to their ends, all beams of a step in one pass of the model.

    ``foresight``: where a beam can go on in one way only, this many tokens of it are computed
    ahead with the same pass. They are scored as if they had come one by one: results are the same.
    """
    while True:
        active = [search for search in searches if search.live]
        if not active:
            return
        if foresight:
            for search in active:
                search.look_ahead(scorer, foresight)
        wanted = [option for search in active for option in search.options()]
        scores = scorer.score(wanted)
        for search in active:
            count = len(search.live)
            search.step(scorer, scores[:count])
            scores = scores[count:]
