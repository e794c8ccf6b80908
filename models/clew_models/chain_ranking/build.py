"""From plain ids, titles and texts to the arrays of chains."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew_models.chain_ranking.arrays import ChainArrays, members
from clew_models.guided_pagerank import GraphParts, build_arrays
from clew_models.guided_pagerank.arrays import Ids, Indices, rows_of
from clew_models.guided_pagerank.build import VectorReader
from clew_models.offsets import group_offsets, offsets_of
from clew_models.words import words_of

TextReader = Callable[[Sequence[str]], Mapping[str, str]]
TEXT_BATCH = 4096
MOST = 255
"""As often as a word of a chunk is counted."""


class TitleParts(NamedTuple):
    """A chunk's document with its title. ``key``: by which documents of one title are known, "" for
    none; ``openings``: the words that its names begin with (`opening`); ``dates``: those in it
    (2024-10-02)."""

    document_id: str
    title: str
    key: str
    openings: Sequence[str] = ()
    dates: Sequence[str] = ()


@dataclass(frozen=True)
class ChainParts:
    """What the arrays are made of, in any order; what refers to something unknown is left out.

    ``graph``: as guided PageRank has it, lists. ``titles``: by chunk id. ``links``: (sentence id,
    id of a document that it names by its title). ``inside``: (entity id, chunk id),
    the entity's name stands inside the chunk's title.
    """

    graph: GraphParts
    titles: Mapping[str, TitleParts]
    links: Iterable[tuple[str, str]]
    inside: Iterable[tuple[str, str]]


def build_chain_arrays(
    parts: ChainParts,
    dimension: int,
    read_vectors: VectorReader,
    read_texts: TextReader,
    previous: ChainArrays | None = None,
) -> ChainArrays:
    """Return the arrays of ``parts``.

    ``read_vectors`` returns [n, dimension] vectors for n sentence ids, ``read_texts`` the texts
    of chunks by id; both are asked, in batches, only for what ``previous`` does not have.
    """
    chunk_of = dict(parts.graph.sentences)
    title_of = {chunk: entity for entity, chunk in sorted(parts.graph.titles, reverse=True)}
    document_of = {chunk: title.document_id for chunk, title in parts.titles.items()}
    entities_of: dict[str, set[str]] = {}
    for chunk, entity in title_of.items():
        if chunk in document_of:
            entities_of.setdefault(document_of[chunk], set()).add(entity)
    key_of = {title.document_id: title.key for title in parts.titles.values()}

    links = sorted(
        {
            (sentence, document)
            for sentence, document in parts.links
            if sentence in chunk_of
            and document in key_of
            and not _same_title(document_of.get(chunk_of[sentence]), document, key_of)
        }
    )
    named = [(entity, s) for s, document in links for entity in entities_of.get(document, ())]
    graph = build_arrays(
        replace(parts.graph, mentions=[*parts.graph.mentions, *named]),
        dimension,
        read_vectors,
        previous.graph if previous else None,
    )
    chunks = [str(id_) for id_ in graph.chunk_ids]
    documents = np.array(sorted({document_of.get(id_, id_) for id_ in chunks}), dtype=np.str_)
    document_row = {str(id_): row for row, id_ in enumerate(documents)}
    of_chunk = [document_of.get(id_, id_) for id_ in chunks]
    groups = [key_of.get(document) or f"\n{document}" for document in of_chunk]
    group_row = {group: row for row, group in enumerate(sorted(set(groups)))}
    entity_row = {str(id_): row for row, id_ in enumerate(graph.entity_ids)}
    chunk_row = {id_: row for row, id_ in enumerate(chunks)}
    sentence_row = {str(id_): row for row, id_ in enumerate(graph.sentence_ids)}

    sentence_chunk = np.array(
        [chunk_row[chunk_of[str(id_)]] for id_ in graph.sentence_ids], dtype=np.int32
    )
    kept = [(s, d) for s, d in links if s in sentence_row and d in document_row]
    link_sentence = np.array([sentence_row[s] for s, _ in kept], dtype=np.int32)
    link_document = np.array([document_row[d] for _, d in kept], dtype=np.int32)
    link_chunk = sentence_chunk[link_sentence]
    by_chunk = np.lexsort((link_document, link_sentence, link_chunk))
    inside = sorted(
        {
            (chunk_row[chunk], entity_row[entity])
            for entity, chunk in parts.inside
            if chunk in chunk_row and entity in entity_row and title_of.get(chunk) != entity
        }
    )
    titles = [parts.titles[id_].title if id_ in parts.titles else "" for id_ in chunks]
    digests = np.array([_digest(title) for title in titles], dtype=np.uint64)
    vocabulary = _words(chunks, digests, parts.titles, read_texts, previous)
    return ChainArrays(
        graph=graph,
        document_ids=documents,
        **_title_arrays(documents, parts.titles.values()),
        chunk_document=_int32(document_row[document] for document in of_chunk),
        chunk_group=_int32(group_row[group] for group in groups),
        title_entity=_int32(entity_row.get(title_of.get(id_, ""), -1) for id_ in chunks),
        sentence_chunk=sentence_chunk,
        link_offsets=group_offsets(link_chunk, len(chunks)),
        link_sentence=link_sentence[by_chunk],
        link_document=link_document[by_chunk],
        part_offsets=group_offsets(_int32(chunk for chunk, _ in inside), len(chunks)),
        part_entity=_int32(entity for _, entity in inside),
        title_digest=digests,
        **vocabulary,
    )


def _title_arrays(documents: Ids, titles: Iterable[TitleParts]) -> dict[str, NDArray[Any]]:
    """Return the titles, and whose names begin with which words or which hold which dates."""
    by_document = {title.document_id: title for title in titles}
    held = [by_document.get(str(id_)) for id_ in documents]
    texts = [title.title.encode() if title else b"" for title in held]
    found = sorted(
        (word, row)
        for row, title in enumerate(held)
        if title
        for word in {*title.openings, *title.dates}
    )
    words, counts = np.unique(
        np.array([word for word, _ in found], dtype=np.str_), return_counts=True
    )
    return {
        "title_offsets": offsets_of([len(text) for text in texts]),
        "title_text": np.frombuffer(b"".join(texts), dtype=np.uint8),
        "first_words": words,
        "first_offsets": offsets_of(counts),
        "first_documents": _int32(row for _, row in found),
    }


def _same_title(own: str | None, document: str, key_of: Mapping[str, str]) -> bool:
    return own == document or bool(own and key_of.get(own) and key_of[own] == key_of[document])


def _words(
    chunks: Sequence[str],
    digests: NDArray[np.uint64],
    titles: Mapping[str, TitleParts],
    read_texts: TextReader,
    previous: ChainArrays | None,
) -> dict[str, NDArray[Any]]:
    """Return the vocabulary and the words of each chunk and its title, with their counts.

    ``digests``: of the titles; a chunk that ``previous`` has under another title is read again,
    since its id does not depend on that; so is one without words: it was gone, and may be there.
    """
    rows = rows_of(previous.graph.chunk_ids, list(chunks)) if previous else {}
    held_words = np.diff(previous.word_offsets) if previous else np.zeros(0, dtype=np.int64)
    known = {
        id_: rows[id_]
        for id_, digest in zip(chunks, digests, strict=True)
        if previous
        and id_ in rows
        and held_words[rows[id_]]
        and previous.title_digest[rows[id_]] == digest
    }
    fresh = [id_ for id_ in chunks if id_ not in known]
    read: dict[str, Counter[str]] = {}
    for start in range(0, len(fresh), TEXT_BATCH):
        for id_, text in read_texts(fresh[start : start + TEXT_BATCH]).items():
            read[id_] = Counter(words_of(f"{titles[id_].title if id_ in titles else ''} {text}"))
    old = previous.words if previous and known else np.zeros(0, dtype=np.str_)
    new = sorted({word for found in read.values() for word in found})
    words = np.unique(np.concatenate([old, np.array(new, dtype=np.str_)]))
    place = {word: int(np.searchsorted(words, word)) for word in new}
    moved = np.searchsorted(words, old)
    held: list[NDArray[np.int64]] = []
    counts: list[NDArray[np.uint8]] = []
    for id_ in chunks:
        if previous and id_ in known:
            at, _ = members(previous.word_offsets, np.array([known[id_]]))
            held.append(moved[previous.word_ids[at]])
            counts.append(previous.word_counts[at])
        else:
            found = sorted((place[word], count) for word, count in read.get(id_, Counter()).items())
            held.append(np.array([row for row, _ in found], dtype=np.int64))
            counts.append(np.array([min(count, MOST) for _, count in found], dtype=np.uint8))
    ids = np.concatenate([*held, np.zeros(0, dtype=np.int64)])
    used, ids = np.unique(ids, return_inverse=True)
    return {
        "words": words[used],
        "word_offsets": offsets_of([len(row) for row in held]),
        "word_ids": ids.astype(np.int32),
        "word_counts": np.concatenate([*counts, np.zeros(0, dtype=np.uint8)]),
    }


def _digest(title: str) -> int:
    return int.from_bytes(hashlib.blake2b(title.encode(), digest_size=8).digest(), "big")


def _int32(values: Iterable[int]) -> Indices:
    return np.fromiter(values, dtype=np.int32)
