"""The relation index (KT-5): every span of every hyperrelation, by a suffix array.

Source: KG-Translator §3.3.1, Eq. 2, 3 and 6: F_R = FM-index(tokenize(R)); a token may follow where
the tokens so far and it are a substring of one of the hyperrelations R of the chosen entity.

    tokens    was born in | is a ## from | …      sequences, a separator after each
    suffixes  the positions in `tokens`, ordered by what follows them
    ranks     where each position stands in `suffixes`

An FM-index answers count, locate and "what may follow" in the same way, in less memory, but it
reads a text from its end: extending a span to the right, which is what decoding does, needs a
second index of the reversed text, and locating needs sampled positions. A suffix array extends to
the right by itself: a span is an interval of it, and its continuations stand sorted within.

There is one suffix array for a corpus. Those of one entity's hyperrelations need not be sorted
anew for it: its positions are picked and ordered by their rank, which is sorting numbers. So an
entity with 50,000 hyperrelations costs milliseconds, and one with five costs microseconds.

Differs from the paper: a suffix array, made once a corpus revision, not an FM-index a question.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from clew_models.constrained_decoding.token_trie import Tokens

SEPARATOR = -1
"""Ends every sequence; smaller than any token."""


class Span(NamedTuple):
    """Where a span stands in a view: an interval of its suffixes, and how many tokens it has."""

    low: int
    high: int
    length: int


@dataclass(frozen=True)
class SpanIndex:
    """All spans of ``S`` token sequences.

    Shapes (T: tokens with a separator after each sequence): tokens [T], starts [S + 1],
    suffixes [T], ranks [T]. Sequence s is tokens[starts[s] : starts[s + 1] - 1].
    """

    tokens: Tokens
    starts: NDArray[np.int64]
    suffixes: NDArray[np.int32]
    ranks: NDArray[np.int32]

    @classmethod
    def build(cls, tokens: Tokens, starts: NDArray[np.int64]) -> Self:
        """Return the index of tokens[starts[s]:starts[s + 1]], none with a separator of its own.

        Cost: one suffix sort (divsufsort), linear in practice.
        """
        from pydivsufsort import divsufsort

        lengths = np.diff(starts)
        spread = starts + np.arange(len(starts))
        text = np.full(int(spread[-1]), SEPARATOR, dtype=np.int32)
        inner = np.ones(len(text), dtype=bool)
        inner[spread[1:] - 1] = False
        text[inner] = tokens[: int(lengths.sum())]
        # divsufsort wants numbers from 0 without gaps: it makes a table of them
        _, compact = np.unique(text, return_inverse=True)
        suffixes = divsufsort(compact.astype(np.int32)) if len(text) else np.zeros(0)
        ranks = np.empty(len(text), dtype=np.int32)
        ranks[suffixes.astype(np.int64)] = np.arange(len(text), dtype=np.int32)
        return cls(text, spread, suffixes.astype(np.int32), ranks)

    def sequence(self, row: int) -> Tokens:
        """Return the tokens of a sequence, without its separator."""
        return self.tokens[self.starts[row] : self.starts[row + 1] - 1]

    def view(self, sequences: NDArray[np.signedinteger]) -> "SpanView":
        """Return the spans of some sequences only. Cost: sorting as many numbers as they have
        tokens.
        """
        starts, ends = self.starts[sequences], self.starts[np.asarray(sequences) + 1] - 1
        positions = _ranges(starts, ends)
        return SpanView(self, self.suffixes[np.sort(self.ranks[positions])])


@dataclass(frozen=True)
class SpanView:
    """The spans of some sequences of an index. ``suffixes`` [P]: their positions, in order."""

    index: SpanIndex
    suffixes: NDArray[np.int32]

    @property
    def root(self) -> Span:
        """The empty span, which is everywhere."""
        return Span(0, len(self.suffixes), 0)

    def allowed(self, span: Span) -> Tokens:
        """Return the tokens that may follow ``span``, ascending. Cost: its occurrences."""
        if span.length == 0:
            return self._first_tokens
        return self._following(span)

    def extend(self, span: Span, token: int) -> Span | None:
        """Return the span with ``token`` after it; None where it is nowhere. Cost: log of its
        occurrences.
        """
        if token < 0:
            return None
        low = self._bound(span, token)
        high = self._bound(span._replace(low=low), token + 1)
        return Span(low, high, span.length + 1) if high > low else None

    def locate(self, span: Span) -> NDArray[np.int64]:
        """Return the sequences that hold the span, ascending. Cost: its occurrences."""
        positions = self.suffixes[span.low : span.high]
        return np.unique(np.searchsorted(self.index.starts, positions, side="right") - 1)

    def find(self, tokens: Sequence[int]) -> Span | None:
        """Return the span of some tokens; None where it is nowhere. Cost: one `extend` a token."""
        span: Span | None = self.root
        for token in tokens:
            span = self.extend(span, token) if span else None
        return span

    @cached_property
    def _first_tokens(self) -> Tokens:
        return self._following(self.root)

    def _following(self, span: Span) -> Tokens:
        found = self.index.tokens[self.suffixes[span.low : span.high] + span.length]
        if not len(found):
            return found
        changes = np.flatnonzero(found[1:] != found[:-1]) + 1
        distinct = found[np.concatenate([[0], changes])]
        return distinct[1:] if distinct[0] == SEPARATOR else distinct

    def _bound(self, span: Span, token: int) -> int:
        """Return the first place in ``span`` whose next token is not below ``token``."""
        low, high = span.low, span.high
        tokens, suffixes, length = self.index.tokens, self.suffixes, span.length
        while low < high:
            middle = (low + high) // 2
            if tokens[suffixes[middle] + length] < token:
                low = middle + 1
            else:
                high = middle
        return low


def _ranges(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return all numbers of the ranges [starts[i], ends[i]), one after the other."""
    lengths = ends - starts
    jumps = np.repeat(starts - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
    return np.arange(int(lengths.sum()), dtype=np.int64) + jumps
