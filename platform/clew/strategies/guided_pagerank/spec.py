"""What Clew knows of guided-pagerank before it is loaded."""

from clew.strategies.base import Ablation, StrategySpec
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
    ablations=(
        Ablation(
            "unguided",
            "edges and chunks that weigh the more, the more they fit the question",
            {"guided_temperature": 1e6},
        ),
        Ablation(
            "without the walk",
            "walking on from where it begins (d = 0.01)",
            {"guided_damping": 0.01},
        ),
        Ablation(
            "without dense seeds",
            "a walk that begins at the nearest chunks, too",
            {"guided_dense_weight": 0.0},
        ),
    ),
)
