"""What Clew knows of chain-ranking before it is loaded."""

from clew.strategies.base import StrategySpec
from clew.strategies.chain_ranking.options import ChainOptions

SPEC = StrategySpec(
    name="chain-ranking",
    summary="Each passage by the best single step that leads to it from another good one.",
    paper="Clew, on guided-pagerank",
    prefix="chain",
    options=ChainOptions,
    reads=("seed_similarity",),
    needs=("embedder", "parser"),
    loader="clew.strategies.chain_ranking.strategy:ChainRankingStrategy",
    training="clew.strategies.chain_ranking.training:TRAINING",
)
