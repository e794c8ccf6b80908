"""From rows of the graph to a ClueIndex; what an earlier one has is not tokenised again."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from clew_models.constrained_decoding import SpanIndex, TokenTrie
from clew_models.offsets import group_offsets, offsets_of
from clew_models.translator.clue_index import ClueIndex

Tokenize = Callable[[Sequence[str]], list[list[int]]]
"""Token ids of each text, without special tokens."""
TOKENIZE_BATCH = 4096


@dataclass(frozen=True)
class SentenceParts:
    """A sentence of a chunk, its mask, and the entities it has as heads and as tails."""

    id: str
    chunk_id: str
    hyperrelation: str
    heads: Sequence[str]
    tails: Sequence[str]


def build_index(
    sentences: Iterable[SentenceParts],
    names: Iterable[tuple[str, str]],
    tokenize: Tokenize,
    previous: ClueIndex | None = None,
) -> ClueIndex:
    """Return the index of ``sentences``.

    ``names``: (entity id, a name of it), in any order; only entities that head a sentence are
    entries of the trie (KT-4). ``previous``: an index by the same tokenizer.
    """
    rows = sorted(sentences, key=lambda sentence: sentence.id)
    chunk_ids = np.array(sorted({row.chunk_id for row in rows}), dtype=np.str_)
    chunk_row = {str(id_): place for place, id_ in enumerate(chunk_ids)}
    entities = sorted({entity for row in rows for entity in (*row.heads, *row.tails)})
    entity_row = {entity: place for place, entity in enumerate(entities)}
    heads = [[entity_row[entity] for entity in row.heads] for row in rows]
    tails = [[entity_row[entity] for entity in row.tails] for row in rows]
    head_offsets, head_sentences = _by_entity(heads, len(entities))
    tail_offsets, tail_sentences = _by_entity(tails, len(entities))
    entries = sorted(
        {
            (entity_row[entity], name)
            for entity, name in names
            if name and entity in entity_row and _degree(head_offsets, entity_row[entity])
        }
    )
    hyperrelations = [row.hyperrelation for row in rows]
    surfaces = [name for _, name in entries]
    sentence_hash, name_hash = _hashes(hyperrelations), _hashes(surfaces)
    known = _Known(previous)
    sentence_starts, sentence_tokens = known.tokens(hyperrelations, sentence_hash, tokenize)
    name_starts, name_tokens = known.tokens(surfaces, name_hash, tokenize)
    return ClueIndex(
        chunk_ids=chunk_ids,
        sentence_ids=np.array([row.id for row in rows], dtype=np.str_),
        sentence_chunk=np.array([chunk_row[row.chunk_id] for row in rows], dtype=np.int32),
        sentence_hash=sentence_hash,
        entity_ids=np.array(entities, dtype=np.str_),
        head_offsets=head_offsets,
        head_sentences=head_sentences,
        tail_offsets=tail_offsets,
        tail_sentences=tail_sentences,
        name_entity=np.array([entity for entity, _ in entries], dtype=np.int32),
        name_hash=name_hash,
        name_starts=name_starts,
        name_tokens=name_tokens,
        names=TokenTrie.build(name_tokens, name_starts),
        spans=SpanIndex.build(sentence_tokens, sentence_starts),
    )


class _Known:
    """The tokens of texts that an earlier index has, by the texts' hashes."""

    def __init__(self, previous: ClueIndex | None) -> None:
        self._tokens: dict[int, NDArray[np.int32]] = {}
        if previous is not None:
            for row, key in enumerate(previous.sentence_hash.tolist()):
                self._tokens[key] = previous.spans.sequence(row)
            starts = previous.name_starts.tolist()
            for row, key in enumerate(previous.name_hash.tolist()):
                self._tokens[key] = previous.name_tokens[starts[row] : starts[row + 1]]

    def tokens(
        self, texts: Sequence[str], hashes: NDArray[np.uint64], tokenize: Tokenize
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return (starts [N + 1], tokens) of the texts, one after the other."""
        keys = hashes.tolist()
        fresh = {
            key: text for key, text in zip(keys, texts, strict=True) if key not in self._tokens
        }
        pending = list(fresh.items())
        for start in range(0, len(pending), TOKENIZE_BATCH):
            batch = pending[start : start + TOKENIZE_BATCH]
            found = tokenize([text for _, text in batch])
            for (key, _), ids in zip(batch, found, strict=True):
                self._tokens[key] = np.array(ids, dtype=np.int32)
        parts = [self._tokens[key] for key in keys]
        starts = offsets_of([len(part) for part in parts])
        joined = np.concatenate(parts) if parts else np.zeros(0)
        return starts, joined.astype(np.int32)


def _by_entity(
    groups: Sequence[Sequence[int]], entities: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return, from the entities of each sentence, the sentences of each entity in CSR form."""
    sentence = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    entity = np.array([entity for group in groups for entity in group], dtype=np.int64)
    order = np.argsort(entity, kind="stable")
    return group_offsets(entity, entities), sentence[order].astype(np.int32)


def _degree(offsets: NDArray[np.int64], row: int) -> int:
    return int(offsets[row + 1] - offsets[row])


def _hashes(texts: Sequence[str]) -> NDArray[np.uint64]:
    digests = b"".join(blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype=np.uint64)
