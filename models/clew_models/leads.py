"""Which sentence of another passage leads to each of the best passages, and where it arrives.

    sentences of the best passages, with cosines ─▶ pairs (s of a, t of c) ─▶ each c's best pair

A passage of many rows, names or dates is held by many entities, and which of them is meant depends
on the sentence that one comes from. So whole sentences are compared, by their words: "Ticket: 112;
By: M. Pell; Trouble: lift stuck" leads to "Name: Mara Pell; Ext: 205", whether a recogniser knows
the name, the number of a berth or of an order, or not. Of a pair:

    score(s, t) = qidf(s ∪ t) + cos(q, s) + cos(q, t) + BRIDGE min(held(s, t) / HELD_WHOLE, 1)

``qidf``: the share of the question's words that they hold (a title's are each sentence's), weighed
by idf; ``held``: Σ idf of the words of s that t holds and the question does not; at least
HELD_LEAST, or it is no pair. Idf: ln of the N sentences of all these passages / those with the
word, so that what stands in every row says nothing; of what leads on in parts of ln N / 2, which a
word has that two sentences hold. Where s holds the title of c, it leads to c's nearest sentence
with TITLED in the place of BRIDGE, whatever that holds. Alone a passage scores as its best sentence
would that leads to itself, without BRIDGE.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew_models.words import FUNCTION_WORDS, content_words, words_of

SOURCES, SOURCE_SENTENCES = 6, 24
"""Best passages that leads come from, and the so many sentences of theirs that are nearest."""
BRIDGE, TITLED, HELD_WHOLE, HELD_LEAST = 0.5, 1.5, 1.6, 0.5
TITLE_SHARE = 0.6
"""Of a title's words, those that a sentence holds which names it."""
SHORTEST = 2
"""Letters of a word that leads on."""
SMALLEST = 1e-9

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Passage:
    """A passage: its title, and its sentences in order, each with its cosine with the question."""

    title: str
    sentences: Sequence[tuple[str, float]]


@dataclass(frozen=True)
class Lead:
    """A sentence of a passage (places) that leads to the sentence ``arriving`` of another."""

    passage: int
    sentence: int
    arriving: int


class Led(NamedTuple):
    """The best lead to a passage, None where nothing leads there, and how well it fits with it, or
    alone where that is better.
    """

    lead: Lead | None
    score: float


def leads_among(question: str, passages: Sequence[Passage]) -> list[Led]:
    """Return what leads to each of ``passages``, which are given best ranked first."""
    owner = np.array([p for p, one in enumerate(passages) for _ in one.sentences], dtype=np.int64)
    if not len(owner):
        return [Led(None, 0.0)] * len(passages)
    read = _Sentences(question, passages, owner)
    alone = read.alone()
    sources = np.flatnonzero(owner < SOURCES)
    sources = sources[np.argsort(-read.relevance[sources], kind="stable")[:SOURCE_SENTENCES]]
    if not len(sources) or owner[0] == owner[-1]:
        return [Led(None, float(score)) for score in alone]
    scores, arriving = read.best_of_passages(sources)
    first = np.searchsorted(owner, np.arange(len(passages)))
    found = []
    for passage, at in enumerate(scores.argmax(axis=0)):
        lead, source = None, int(sources[at])
        if np.isfinite(scores[at, passage]):
            lead = Lead(
                int(owner[source]),
                source - int(first[owner[source]]),
                int(arriving[at, passage] - first[passage]),
            )
        found.append(Led(lead, float(max(scores[at, passage], alone[passage]))))
    return found


class _Sentences:
    """All sentences of the passages ([S]), their words ([S, V]) and what they tell."""

    def __init__(
        self, question: str, passages: Sequence[Passage], owner: NDArray[np.int64]
    ) -> None:
        self._owner, self._passages = owner, len(passages)
        places: dict[str, int] = {}
        asked = [places.setdefault(word, len(places)) for word in content_words(question)]
        titles = [_places(one.title, places) for one in passages]
        rows = [_places(text, places) for one in passages for text, _ in one.sentences]
        self._held = _matrix(rows, len(places))
        self._titles = _matrix(titles, len(places))
        idf = np.log(len(rows) / np.maximum(self._held.sum(axis=0), 1.0))
        self._leading = idf / max(float(np.log(len(rows) / 2)), SMALLEST)  # of words that lead on
        self._leading[asked] = 0.0
        for word, place in places.items():
            if word in FUNCTION_WORDS or len(word) < SHORTEST:
                self._leading[place] = 0.0
        self._cosines = np.array([cosine for one in passages for _, cosine in one.sentences])
        self._weights = idf[asked] / max(float(idf[asked].sum()), SMALLEST)
        self._has = (self._held[:, asked].toarray() + self._titles[:, asked].toarray()[owner]) > 0
        self.relevance: Floats = self._cosines + self._has @ self._weights

    def alone(self) -> Floats:
        """Return how well each passage fits by its best sentence ([P]); 0 of one without any."""
        found = np.zeros(self._passages)
        np.maximum.at(found, self._owner, self.relevance + self._cosines)
        return found

    def best_of_passages(self, sources: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
        """Return for each source and passage ([N, P]) the score of the best pair, −∞ where there is
        none, and the place of the sentence that it arrives at.
        """
        carried = self._held[sources] * self._leading[None, :]
        held = (carried @ self._held.T).toarray()
        both = self._has[sources][:, None, :] | self._has[None, :, :]
        plain = both @ self._weights + self._cosines[sources][:, None] + self._cosines[None, :]
        apart = self._owner[sources][:, None] != self._owner[None, :]
        pairs = plain + BRIDGE * np.minimum(held / HELD_WHOLE, 1.0)
        pairs[(held < HELD_LEAST) | ~apart] = -np.inf
        scores = np.full((len(sources), self._passages), -np.inf)
        arriving = np.zeros(scores.shape, dtype=np.int64)
        titled = self._titled(sources, carried)
        rows = np.arange(len(sources))
        for passage in np.unique(self._owner):
            own = np.flatnonzero(self._owner == passage)
            best = own[pairs[:, own].argmax(axis=1)]
            scores[:, passage], arriving[:, passage] = pairs[rows, best], best
            nearest = own[self.relevance[own].argmax()]
            by_title = plain[:, nearest] + titled[:, passage]
            better = by_title > scores[:, passage]
            scores[better, passage], arriving[better, passage] = by_title[better], nearest
        return scores, arriving

    def _titled(self, sources: NDArray[np.int64], carried: Any) -> Floats:
        """Return what a source that names a passage's title adds ([N, P]), −∞ where it does not, or
        stands below that title itself.
        """
        held = (carried @ self._titles.T).toarray()
        telling = (self._titles * (self._leading > 0)[None, :]).tocsr()
        share = ((carried > 0).astype(float) @ telling.T).toarray()
        share /= np.maximum(telling.sum(axis=1), 1.0)[None, :]
        same = (self._titles @ self._titles.T).toarray()
        sizes = self._titles.sum(axis=1)
        alike = (same >= sizes[:, None]) & (same >= sizes[None, :])
        adds = TITLED * np.minimum(held / HELD_WHOLE, 1.0)
        adds[(held < HELD_LEAST) | (share < TITLE_SHARE) | alike[self._owner[sources]]] = -np.inf
        return adds


def _places(text: str, places: dict[str, int]) -> list[int]:
    return list(dict.fromkeys(places.setdefault(word, len(places)) for word in words_of(text)))


def _matrix(rows: Sequence[Sequence[int]], width: int) -> Any:
    """Return [rows, width], 1 where a row holds a word."""
    from scipy.sparse import csr_array

    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    columns = np.array([place for row in rows for place in row], dtype=np.int64)
    return csr_array((np.ones(len(columns)), columns, offsets), shape=(len(rows), width))
