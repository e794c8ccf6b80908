"""Where one beam stands: immutable states over the indexes, so that beams can be reordered, copied
and dropped without a thought.

A state says which tokens may follow (`allowed`), where one of them leads (`advance`), whether the
text may end here (`may_end`: the model's end token is one of the choices), and whether nothing can
follow and nothing need be said (`complete`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from clew_models.constrained_decoding.span_index import Span, SpanView
from clew_models.constrained_decoding.token_trie import ROOT, Tokens, TokenTrie

NOTHING: Tokens = np.zeros(0, dtype=np.int32)


class State(Protocol):
    """What the decoding asks of a position in an index."""

    @property
    def allowed(self) -> Tokens:
        """The tokens that may follow, ascending, without the end token."""
        ...

    @property
    def may_end(self) -> bool:
        """Whether the end token may follow."""
        ...

    @property
    def complete(self) -> bool:
        """Whether the text is whole without an end token."""
        ...

    def advance(self, token: int) -> "State":
        """Return the state after ``token``; raises ValueError where it is not allowed."""
        ...


@dataclass(frozen=True)
class EntityState:
    """Within a name (KT-4, Eq. 5), or within the separator after it, which ends the entity.

    ``node``: where a longer name could go on, -1 where none can. ``name``: the node of the name
    that ended, with ``written`` tokens of ``separator`` after it; -1 where none did. Both hold at
    once where a name goes on as the separator begins.
    """

    trie: TokenTrie
    separator: tuple[int, ...]
    node: int = ROOT
    name: int = -1
    written: int = 0

    @property
    def allowed(self) -> Tokens:
        if self.complete:
            return NOTHING
        following = self.trie.allowed(self.node) if self.node >= 0 else NOTHING
        expected = self._expected
        if expected < 0:
            return following
        place = int(np.searchsorted(following, expected))
        if place < len(following) and following[place] == expected:
            return following
        return np.insert(following, place, expected)

    @property
    def may_end(self) -> bool:
        return False

    @property
    def complete(self) -> bool:
        return self.written == len(self.separator)

    def advance(self, token: int) -> "EntityState":
        if self.complete:
            raise ValueError(f"Token {token} cannot follow a whole name.")
        child = self.trie.child(self.node, token) if self.node >= 0 else -1
        if token == self._expected:
            name = self.name if self.written else self.node
            return EntityState(self.trie, self.separator, child, name, self.written + 1)
        if child >= 0:
            return EntityState(self.trie, self.separator, child)
        raise ValueError(f"Token {token} cannot follow here.")

    @property
    def _expected(self) -> int:
        """The token of the separator that may come now, or -1."""
        if self.written:
            return self.separator[self.written]
        ended = self.node >= 0 and len(self.trie.entries(self.node)) > 0
        return self.separator[0] if ended else -1


@dataclass(frozen=True)
class RelationState:
    """Within a span of the hyperrelations of one entity (KT-5, Eq. 6).

    ``speaks``: whether a token is part of a word. A span of none (", ##") says nothing of the
    entity, and may not end (ours). ``spoken``: whether one of the span's tokens is.
    """

    view: SpanView
    span: Span
    speaks: Callable[[int], bool]
    spoken: bool = False

    @classmethod
    def start(cls, view: SpanView, speaks: Callable[[int], bool]) -> "RelationState":
        """Return the state before the first token."""
        return cls(view, view.root, speaks)

    @property
    def allowed(self) -> Tokens:
        return self.view.allowed(self.span)

    @property
    def may_end(self) -> bool:
        return self.spoken

    @property
    def complete(self) -> bool:
        return False

    def advance(self, token: int) -> "RelationState":
        span = self.view.extend(self.span, token)
        if span is None:
            raise ValueError(f"Token {token} cannot follow here.")
        return RelationState(self.view, span, self.speaks, self.spoken or self.speaks(token))
