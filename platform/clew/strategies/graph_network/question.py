"""The part of the graph that a question is about, from its seeds."""

from collections.abc import Sequence

import numpy as np

from clew.strategies.graph_network.options import NetworkMethodOptions
from clew.strategies.retrieval import Retrieval
from clew.strategies.seeds import Seeds
from clew_models.graph_network import Budget, Neighbourhood, NetworkArrays, neighbourhood


def question_part(
    retrieval: Retrieval,
    arrays: NetworkArrays,
    seeds: Seeds,
    options: NetworkMethodOptions,
    *,
    least: int = 0,
    candidates: Sequence[str] | None = None,
) -> Neighbourhood:
    """Return the neighbourhood of a retrieval's question, of ``least`` chunks or more.

    ``candidates``: ids of the chunks that are ranked; None: those that the seeds lead to.
    """
    entities = arrays.rows("entity", list(seeds.entities))
    nearest = sorted(seeds.cosines, key=lambda id_: (-seeds.cosines[id_], id_))
    near = arrays.rows("chunk", nearest)
    whole = candidates is None and len(arrays.chunk_ids) <= options.whole_below
    budget = Budget(options.hops, max(options.chunks, least), options.entities, whole)
    only = None
    if candidates is not None:
        only = np.array(list(arrays.rows("chunk", candidates).values()), dtype=np.int64)
    return neighbourhood(
        arrays,
        retrieval.vector,
        {row: seeds.entities[id_] for id_, row in entities.items()},
        np.array([near[id_] for id_ in nearest if id_ in near], dtype=np.int64),
        budget,
        only,
    )
