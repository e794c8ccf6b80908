"""The mask on a model's logits: what a decoding loop of somebody else's needs to be held to an
index, such as `generate` of transformers, or an engine that takes logits processors.

Beam search of ours asks the states itself and needs no mask.
"""

from collections.abc import Sequence
from typing import Any

from clew_models.constrained_decoding.states import State


class LogitsMask:
    """Forbids, for one text that is being written, every token that its state does not allow.

    ``end``: the token that may follow where the state may end, and the only one once it is
    complete. Tokens may be taken back: the state of each prefix is found again from those kept.
    """

    def __init__(self, start: State, end: int) -> None:
        self._states: dict[tuple[int, ...], State] = {(): start}
        self._end = end

    def __call__(self, written: Sequence[int], logits: Any) -> Any:
        """Return logits [V] with forbidden tokens at minus infinity; ``written``: the token ids
        after the prompt. Raises ValueError where these are not allowed themselves.
        """
        import torch

        allowed = torch.tensor(self.allowed(written), device=logits.device)
        masked = torch.full_like(logits, float("-inf"))
        masked[allowed] = logits[allowed]
        return masked

    def allowed(self, written: Sequence[int]) -> list[int]:
        """Return the tokens that may follow ``written``."""
        if written and written[-1] == self._end and self._ended(tuple(written[:-1])):
            return [self._end]
        state = self._state(tuple(written))
        tokens: list[int] = state.allowed.tolist()
        return [*tokens, self._end] if state.may_end or state.complete else tokens

    def _state(self, written: tuple[int, ...]) -> State:
        known = self._states.get(written)
        if known is None:
            known = self._state(written[:-1]).advance(written[-1])
            self._states[written] = known
        return known

    def _ended(self, before: tuple[int, ...]) -> bool:
        """Say whether the end token after ``before`` was an end, and not a token of the text."""
        if before and before[-1] == self._end:
            return True
        state = self._state(before)
        return (state.may_end or state.complete) and self._end not in state.allowed
