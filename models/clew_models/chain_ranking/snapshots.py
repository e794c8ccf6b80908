"""The arrays of chains on disk."""

from dataclasses import fields
from pathlib import Path

from clew_models.array_files import load_arrays, save_arrays
from clew_models.chain_ranking.arrays import ChainArrays
from clew_models.guided_pagerank.arrays import GuidedArrays

FORMAT = "chain-ranking-6"
_GRAPH = tuple(field.name for field in fields(GuidedArrays))
_OWN = tuple(field.name for field in fields(ChainArrays) if field.name != "graph")
_MAPPED = (
    *("sentence_vectors", "words", "word_offsets", "word_ids", "word_counts"),
    *("title_text", "first_words"),
)
"""What a question reads little of."""


def save_chains(arrays: ChainArrays, folder: Path) -> None:
    """Write ``arrays`` to ``folder``, which appears complete or not at all."""
    named = {name: getattr(arrays.graph, name) for name in _GRAPH}
    save_arrays(named | {name: getattr(arrays, name) for name in _OWN}, folder, FORMAT)


def load_chains(folder: Path) -> ChainArrays | None:
    """Return the arrays of ``folder``, vectors and words memory-mapped; None where there are none,
    or where another version of the format wrote them or they are damaged.
    """
    arrays = load_arrays(folder, FORMAT, mapped=_MAPPED)
    if arrays is None:
        return None
    try:
        graph = GuidedArrays(**{name: arrays.pop(name) for name in _GRAPH})
        return ChainArrays(graph=graph, **arrays)
    except (KeyError, TypeError, ValueError):
        return None
