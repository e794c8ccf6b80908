"""KAMR: encoders that align questions with partial triples, and the search for connected ones."""

from clew_models.partial_alignment.index import (
    IndexKind,
    PartialIndex,
    TripleTable,
    build_index,
    load_index,
    save_index,
)
from clew_models.partial_alignment.kept_vectors import KeptVectors
from clew_models.partial_alignment.search import Found, Options, Stage, find_triples

__all__ = [
    "Found",
    "IndexKind",
    "KeptVectors",
    "Options",
    "PartialIndex",
    "Stage",
    "TripleTable",
    "build_index",
    "find_triples",
    "load_index",
    "save_index",
]
