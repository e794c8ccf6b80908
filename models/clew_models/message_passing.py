"""PyTorch Geometric's message passing: loaded without warnings, and leaving no files behind.

For each class of layers a process writes a module into the directory for temporary files, imports
it and leaves it there, its compiled form too. A host that starts workers for months would collect
thousands.
"""

import sys
import warnings
from pathlib import Path
from typing import TypeVar

from clew_models.loading_lock import loading_alone

with loading_alone, warnings.catch_warnings():
    # of torch's own affairs, which users can do nothing about
    warnings.filterwarnings("ignore", message=".*torch.jit", category=FutureWarning)
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    from torch_geometric.nn import (
        GATConv,
        GCNConv,
        MessagePassing,
        TransformerConv,
        global_mean_pool,
    )
    from torch_geometric.utils import softmax

__all__ = [
    "GATConv",
    "GCNConv",
    "MessagePassing",
    "TransformerConv",
    "global_mean_pool",
    "softmax",
    "tidied",
]

Layer = TypeVar("Layer", bound=MessagePassing)


def tidied(layer: Layer) -> Layer:
    """Return a layer that was just made, without the files that making it wrote."""
    for method in (layer.propagate, layer.edge_updater):
        spec = sys.modules[method.__module__].__spec__
        # named after the whole module, as no file of a package is
        if spec and spec.origin and Path(spec.origin).name.startswith(f"{spec.name}_"):
            for written in filter(None, (spec.origin, spec.cached)):
                Path(written).unlink(missing_ok=True)
    return layer
