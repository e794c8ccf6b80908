"""What Clew knows of contextual before it is loaded."""

from clew.strategies.base import Ablation, StrategySpec
from clew.strategies.contextual.options import ContextualOptions

SPEC = StrategySpec(
    name="contextual",
    summary="The question, enriched with what triples near it and between them say.",
    paper="KG-CQR",
    prefix="contextual",
    options=ContextualOptions,
    reads=("llm_model", "llm_max_tokens", "hybrid_pool", "hybrid_dense_weight"),
    needs=("embedder",),
    loader="clew.strategies.contextual.strategy:Contextual",
    ablations=(
        Ablation(
            "without filter",
            "leaving out triples that are near the question and say nothing of it",
            {"contextual_filtered": False},
        ),
        Ablation(
            "without completion",
            "triples on paths between those near the question",
            {"contextual_completed": False},
        ),
    ),
    backbones=("dense", "bm25", "hybrid"),
)
