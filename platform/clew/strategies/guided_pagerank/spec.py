"""What Clew knows of guided-pagerank before it is loaded."""

from clew.strategies.base import StrategySpec
from clew.strategies.guided_pagerank.options import GuidedOptions

SPEC = StrategySpec(
    name="guided-pagerank",
    summary="PageRank over entities and chunks along edges that fit the question.",
    paper="Clew, after HippoRAG (Jiménez Gutiérrez et al., 2024)",
    prefix="guided",
    options=GuidedOptions,
    reads=("seed_similarity",),
    needs=("embedder", "parser"),
    loader="clew.strategies.guided_pagerank.strategy:GuidedPageRank",
)
