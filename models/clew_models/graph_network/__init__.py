"""QSGNN (QS-1 to QS-7): a graph network that reads the question, on the levels of a graph.

`levels.py`: which levels and relations there are, and a network's options. `arrays.py`: what is
kept of a corpus. `neighbourhood.py`: the part of it that a question is about. These need numpy
only; `layers.py`, `network.py`, `batches.py` and `training.py` import torch, and torch_geometric.
"""

from clew_models.graph_network.arrays import (
    NetworkArrays,
    load_network_arrays,
    save_network_arrays,
)
from clew_models.graph_network.levels import NetworkOptions
from clew_models.graph_network.neighbourhood import Budget, Neighbourhood, neighbourhood

__all__ = [
    "Budget",
    "Neighbourhood",
    "NetworkArrays",
    "NetworkOptions",
    "load_network_arrays",
    "neighbourhood",
    "save_network_arrays",
]
