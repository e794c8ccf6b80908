"""The triples of a corpus as partial triples in FAISS (KA-1; KAMR Eq. 1), once a revision.

Every distinct text of a partial triple or an element is embedded once; what an earlier revision had
is not embedded again. The triples themselves stay in Neo4j: here are their ids and numbers.
"""

import hashlib
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew_models.array_files import load_arrays, save_arrays
from clew_models.offsets import group_offsets, offsets_of
from clew_models.partial_alignment.examples import partial_texts
from clew_models.partial_alignment.kept_vectors import KeptVectors

IndexKind = Literal["auto", "flat", "ivf", "hnsw"]
FORMAT = "partial-alignment-1"
FLAT_UP_TO = 100_000
"""Partial triples up to which each is compared with a question: 150 MB, some milliseconds."""
PROBED = 32
"""Of the cells of an IVF index, those that a question looks into."""
TRAINED_ON = 40
"""Vectors a cell that k-means sees."""
EMBEDDED_AT_ONCE = 1024
"""Texts between two looks at how far it is, which an interruption costs at most."""
Floats = NDArray[np.floating[Any]]
Rows = NDArray[np.integer[Any]]


class TripleRow(NamedTuple):
    """A triple as the graph has it: its id, and its elements in words, with the ids of the ends."""

    id: str
    head_id: str
    head: str
    relation: str
    tail_id: str
    tail: str


@dataclass(frozen=True)
class PartialIndex:
    """The triples of a corpus by their parts; one that several passages state is one.

    Shapes (T triples, S statements of them, P partial triples, E elements, N entities, D numbers):
        ids [S] bytes: ids in Neo4j, those of triple t from stated[t] to stated[t + 1]
        stated [T + 1]
        ends [T, 2]: numbers of its entities
        elements [T, 3]: h, r and t among the texts of elements
        parts [T, 3]: (h, r), (r, t), (h, t) among the partial triples
        end_offsets [N + 1], end_triples: the triples at each entity
        part_offsets [P + 1], part_triples [3 T]: the triples of each partial triple
        partial_keys [P], element_keys [E]: hashes of the texts
        partial_vectors [P, D], element_vectors [E, D]: float16, of unit length, mapped to files
        full_vectors [T, D], or [0, D]: of whole triples, where an ablation asks for them
        packed: an IVF or HNSW index as FAISS writes it; empty for a flat one
    """

    ids: NDArray[np.bytes_]
    stated: Rows
    ends: Rows
    elements: Rows
    parts: Rows
    end_offsets: Rows
    end_triples: Rows
    part_offsets: Rows
    part_triples: Rows
    partial_keys: NDArray[np.uint64]
    element_keys: NDArray[np.uint64]
    partial_vectors: Floats
    element_vectors: Floats
    full_vectors: Floats
    packed: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.elements)

    def statements(self, row: int, kept: NDArray[np.bool_] | None = None) -> list[str]:
        """Return the ids in Neo4j of a triple; ``kept`` [S]: of these statements alone."""
        own = slice(self.stated[row], self.stated[row + 1])
        ids = self.ids[own] if kept is None else self.ids[own][kept[own]]
        return [id_.decode() for id_ in ids.tolist()]

    def statements_among(self, ids: Collection[str]) -> NDArray[np.bool_]:
        """Return [S] which statements have one of the ``ids``."""
        return np.isin(self.ids, np.array(list(ids), dtype=np.bytes_))

    def triples_of(self, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return [T] which triples some of the statements ``kept`` [S] state."""
        before = np.concatenate([[0], np.cumsum(kept)])
        found: NDArray[np.bool_] = before[self.stated[1:]] > before[self.stated[:-1]]
        return found

    @cached_property
    def _compared(self) -> NDArray[np.float32]:
        """[P, D] What a flat search compares with."""
        return np.ascontiguousarray(self.partial_vectors, np.float32)

    @cached_property
    def _unpacked(self) -> Any:
        import faiss

        index = faiss.deserialize_index(np.asarray(self.packed))
        if hasattr(index, "nprobe"):
            index.nprobe = PROBED
        if hasattr(faiss, "index_cpu_to_all_gpus") and faiss.get_num_gpus():
            index = faiss.index_cpu_to_all_gpus(index)
        return index

    def nearest_parts(self, vector: NDArray[np.float32], count: int) -> Rows:
        """Return the numbers of the ``count`` partial triples nearest to ``vector`` [D]."""
        import faiss

        count = min(count, len(self.partial_keys))
        if not count:
            return np.zeros(0, np.int64)
        asked = vector[None].astype(np.float32)
        faiss.omp_set_num_threads(1)  # of this thread: one question is over before others wake
        if len(self.packed):
            found = self._unpacked.search(asked, count)[1][0]
        else:
            metric = faiss.METRIC_INNER_PRODUCT
            found = faiss.knn(asked, self._compared, count, metric=metric)[1][0]
        known: Rows = found[found >= 0]
        return known

    def nearest_full(
        self, vector: NDArray[np.float32], count: int, among: NDArray[np.bool_] | None = None
    ) -> tuple[Rows, Floats]:
        """Return the ``count`` triples whose whole text is nearest to ``vector``, with cosines;
        ``among`` [T]: of these triples alone.
        """
        scores = self.full_vectors.astype(np.float32) @ vector
        order = np.argsort(-scores, kind="stable")
        order = (order if among is None else order[among[order]])[:count]
        return order, scores[order]


class TripleTable:
    """Triples as they are read, each distinct text and entity with a number."""

    def __init__(self) -> None:
        self.partials: dict[str, int] = {}
        self.elements: dict[str, int] = {}
        self._entities: dict[str, int] = {}
        self._triples: dict[tuple[int, int, int], int] = {}
        self._rows: list[tuple[int, ...]] = []
        self._statements: list[list[str]] = []

    def add(self, rows: Iterable[TripleRow]) -> None:
        """Take triples; the order decides between equal ones."""
        for row in rows:
            words = row.head, row.relation, row.tail
            head, relation, tail = (self._number(self.elements, word) for word in words)
            ends = (
                self._number(self._entities, row.head_id),
                self._number(self._entities, row.tail_id),
            )
            known = self._triples.setdefault((ends[0], relation, ends[1]), len(self._rows))
            if known < len(self._rows):
                self._statements[known].append(row.id)
                continue
            parts = (self._number(self.partials, text) for text in partial_texts(*words))
            self._rows.append((*ends, head, relation, tail, *parts))
            self._statements.append([row.id])

    @staticmethod
    def _number(table: dict[str, int], text: str) -> int:
        return table.setdefault(text, len(table))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of :class:`PartialIndex` that need no vectors."""
        rows = np.array(self._rows, np.int32).reshape(-1, 8)
        ends, elements, parts = rows[:, :2], rows[:, 2:5], rows[:, 5:]
        at_ends = _grouped(_distinct_ends(ends), len(self._entities))
        at_parts = _grouped(parts, len(self.partials))
        statements = [id_ for ids in self._statements for id_ in ids]
        return {
            "ids": np.array(statements, dtype=np.bytes_),
            "stated": offsets_of([len(ids) for ids in self._statements]),
            "ends": ends,
            "elements": elements,
            "parts": parts,
            "end_offsets": at_ends[0],
            "end_triples": at_ends[1],
            "part_offsets": at_parts[0],
            "part_triples": at_parts[1],
        }

    def full_texts(self) -> list[str]:
        """Return the whole text of each triple."""
        words = list(self.elements)
        return [" ".join(words[number] for number in row[2:5]) for row in self._rows]


def build_index(
    table: TripleTable,
    embed: Callable[[Sequence[str]], Floats],
    dimension: int,
    kind: IndexKind = "auto",
    previous: PartialIndex | None = None,
    full: bool = False,
    kept: KeptVectors | None = None,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> PartialIndex:
    """Embed what neither ``previous`` nor ``kept`` has, and index it.

    ``embed`` returns [N, D] of unit length; ``previous`` and ``kept`` must be of the same encoder.
    ``kept`` takes each batch as it comes. ``full``: with vectors of whole triples. ``tell``: how
    many of the new texts are embedded, and of how many.
    """
    wanted = {"partial": list(table.partials), "element": list(table.elements)}
    keys = {name: _keys(texts) for name, texts in wanted.items()}
    vectors: dict[str, Floats] = {}
    missing: dict[str, Rows] = {}
    for name, texts in wanted.items():
        vectors[name] = np.empty((len(texts), dimension), np.float16)
        missing[name] = np.arange(len(texts))
        before = [(kept.keys, kept.vectors)] if kept is not None else []
        if previous is not None:
            own = getattr(previous, f"{name}_keys"), getattr(previous, f"{name}_vectors")
            before.insert(0, own)
        for known_keys, known_vectors in before:
            rows = _known(keys[name][missing[name]], known_keys)
            vectors[name][missing[name][rows >= 0]] = known_vectors[rows[rows >= 0]]
            missing[name] = missing[name][rows < 0]
    new, done = sum(map(len, missing.values())), 0
    for name, texts in wanted.items():
        for start in range(0, len(missing[name]), EMBEDDED_AT_ONCE):
            tell(done, new)
            rows = missing[name][start : start + EMBEDDED_AT_ONCE]
            vectors[name][rows] = embed([texts[row] for row in rows])
            if kept is not None:
                kept.add(keys[name][rows], vectors[name][rows])
            done += len(rows)
    whole = np.zeros((0, dimension), np.float16)
    if full:
        whole = embed(table.full_texts()).astype(np.float16)
    return PartialIndex(
        **table.arrays(),
        partial_keys=keys["partial"],
        element_keys=keys["element"],
        partial_vectors=vectors["partial"],
        element_vectors=vectors["element"],
        full_vectors=whole,
        packed=packed_index(vectors["partial"], kind),
    )


def packed_index(vectors: Floats, kind: IndexKind) -> NDArray[np.uint8]:
    """Return an IVF or HNSW index over vectors of a byte a dimension; empty for a flat one.

    auto: flat up to FLAT_UP_TO partial triples, then IVF with √P cells.
    """
    import faiss

    count, dimension = vectors.shape
    if kind == "flat" or (kind == "auto" and count <= FLAT_UP_TO) or count < TRAINED_ON:
        return np.zeros(0, np.uint8)
    cells = min(math.isqrt(count), count // TRAINED_ON)
    form = "HNSW32_SQ8" if kind == "hnsw" else f"IVF{max(cells, 1)},SQ8"
    index = faiss.index_factory(dimension, form, faiss.METRIC_INNER_PRODUCT)
    sample = np.random.default_rng(0).permutation(count)[: TRAINED_ON * max(cells, 1)]
    index.train(vectors[np.sort(sample)].astype(np.float32))
    for start in range(0, count, EMBEDDED_AT_ONCE):
        index.add(vectors[start : start + EMBEDDED_AT_ONCE].astype(np.float32))
    packed: NDArray[np.uint8] = faiss.serialize_index(index)
    return packed


def save_index(index: PartialIndex, folder: Path) -> None:
    """Write the index to ``folder``, which appears complete or not at all."""
    save_arrays({one.name: getattr(index, one.name) for one in fields(index)}, folder, FORMAT)


def load_index(folder: Path) -> PartialIndex | None:
    """Return the index of ``folder``, its vectors mapped; None where there is none."""
    arrays = load_arrays(folder, FORMAT)
    return None if arrays is None else PartialIndex(**arrays)


def _grouped(members: Rows, count: int) -> tuple[Rows, Rows]:
    """Return offsets [count + 1] and, group by group, the rows of ``members`` [T, M] in each."""
    rows, columns = np.nonzero(members >= 0)
    groups = members[rows, columns]
    order = np.argsort(groups, kind="stable")
    return group_offsets(groups, count), rows[order].astype(np.int32)


def _distinct_ends(ends: Rows) -> Rows:
    """Return the ends, those of a triple from an entity to itself once."""
    distinct = ends.copy()
    distinct[ends[:, 0] == ends[:, 1], 1] = -1
    return distinct


def _keys(texts: Sequence[str]) -> NDArray[np.uint64]:
    """Return a hash of each text; of a million texts two are alike with odds of 1 to 40 million."""
    digests = b"".join(hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, np.uint64).copy()


def _known(keys: NDArray[np.uint64], before: NDArray[np.uint64] | None) -> Rows:
    """Return where each key stands in ``before``; -1 where it does not."""
    if before is None or not len(before):
        return np.full(len(keys), -1)
    order = np.argsort(before)
    place = order[np.minimum(np.searchsorted(before, keys, sorter=order), len(before) - 1)]
    found: Rows = np.where(before[place] == keys, place, -1)
    return found
