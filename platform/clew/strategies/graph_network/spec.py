"""What Clew knows of graph-network before it is loaded."""

from clew.strategies.base import StrategySpec
from clew.strategies.graph_network.options import NetworkMethodOptions

SPEC = StrategySpec(
    name="graph-network",
    summary="A graph network reads the question and ranks passages by what their neighbours say.",
    paper="QSGNN",
    prefix="graph_network",
    options=NetworkMethodOptions,
    reads=("seed_similarity",),
    needs=("embedder", "parser"),
    loader="clew.strategies.graph_network.strategy:GraphNetworkStrategy",
    training="clew.strategies.graph_network.training:TRAINING",
)
