"""ParseKG as arrays (KT-3 to KT-5): what clues are decoded from, for one corpus at one revision
and one tokenizer.

    name ──▶ entity ──▶ sentences it is head of (R+), sentences it is tail of (R-)
      │                      │
    TokenTrie (KT-4)      SpanIndex over their hyperrelations (KT-5) ──▶ chunk
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clew_models.constrained_decoding import SpanIndex, SpanView, TokenTrie

Direction = Literal["forward", "reverse"]
DIRECTIONS: tuple[Direction, ...] = ("forward", "reverse")
"""forward: the entity is a head of the sentence (R+, Eq. 2); reverse: a tail (R-)."""

KEPT_VIEWS = 256
"""Views of entities with many sentences that are kept between questions."""
HUB_SENTENCES = 64


@dataclass(frozen=True, eq=False)
class ClueIndex:
    """The indexes of a corpus.

    Shapes (C chunks, S sentences, E entities, N names): chunk_ids [C], sentence_ids [S],
    sentence_chunk [S], sentence_hash [S], entity_ids [E] sorted; head_offsets [E + 1] and
    head_sentences: the sentences an entity is head of, tail_offsets and tail_sentences: tail of.
    name_entity [N]: the entity of each entry of ``names``, name_hash [N]. ``hash``: of a text,
    so that the next revision tokenises only what is new; name_starts [N + 1], name_tokens.
    """

    chunk_ids: NDArray[np.str_]
    sentence_ids: NDArray[np.str_]
    sentence_chunk: NDArray[np.int32]
    sentence_hash: NDArray[np.uint64]
    entity_ids: NDArray[np.str_]
    head_offsets: NDArray[np.int64]
    head_sentences: NDArray[np.int32]
    tail_offsets: NDArray[np.int64]
    tail_sentences: NDArray[np.int32]
    name_entity: NDArray[np.int32]
    name_hash: NDArray[np.uint64]
    name_starts: NDArray[np.int64]
    name_tokens: NDArray[np.int32]
    names: TokenTrie
    spans: SpanIndex

    def __post_init__(self) -> None:
        if len(self.spans.starts) != len(self.sentence_ids) + 1:
            raise ValueError(
                f"Expected spans of {len(self.sentence_ids)} sentences, "
                f"got {len(self.spans.starts) - 1}."
            )
        object.__setattr__(self, "_hub_view", lru_cache(KEPT_VIEWS)(self._made_view))

    def entity_row(self, id_: str) -> int | None:
        """Return the row of an entity id; None where it is not here."""
        row = int(np.searchsorted(self.entity_ids, id_))
        return row if row < len(self.entity_ids) and self.entity_ids[row] == id_ else None

    def sentences(self, entity: int, direction: Direction) -> NDArray[np.int32]:
        """Return the rows of the sentences that ``entity`` is head (or tail) of."""
        if direction == "forward":
            offsets, sentences = self.head_offsets, self.head_sentences
        else:
            offsets, sentences = self.tail_offsets, self.tail_sentences
        return sentences[offsets[entity] : offsets[entity + 1]]

    def relations(self, entity: int, direction: Direction) -> SpanView:
        """Return the spans of the hyperrelations of ``entity``; kept, where they are many."""
        if len(self.sentences(entity, direction)) < HUB_SENTENCES:
            return self._made_view(entity, direction)
        view: SpanView = self._hub_view(entity, direction)  # type: ignore[attr-defined]
        return view

    def relations_elsewhere(
        self, entity: int, direction: Direction, chunks: NDArray[np.integer[Any]]
    ) -> SpanView | None:
        """Return the spans of the hyperrelations of ``entity`` outside some chunks (rows); None
        where it has none there.
        """
        sentences = self.sentences(entity, direction)
        elsewhere = sentences[~np.isin(self.sentence_chunk[sentences], chunks)]
        return self.spans.view(elsewhere) if len(elsewhere) else None

    def _made_view(self, entity: int, direction: Direction) -> SpanView:
        return self.spans.view(self.sentences(entity, direction))
