"""What Clew knows of contextual before it is loaded."""

from clew.strategies.base import Ablation, StrategySpec
from clew.strategies.contextual.options import ContextualOptions

WEIGHTS = (0.0, 0.3, 0.5, 0.9, 1.0)
"""Of the question's own vector, beside the paper's 0.7: from the context alone to none of it."""

SPEC = StrategySpec(
    name="contextual",
    summary="The question, enriched with what triples near it and between them say.",
    paper="KG-CQR",
    prefix="contextual",
    options=ContextualOptions,
    reads=("llm_model", "llm_max_tokens", "hybrid_pool", "hybrid_dense_weight"),
    needs=("embedder", "parser"),
    loader="clew.strategies.contextual.strategy:Contextual",
    training="clew.strategies.contextual.training:TRAINING",
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
        Ablation(
            "with every path",
            "keeping only the best paths on the way (Figure 4: naive breadth-first search)",
            {"contextual_search": "breadth-first"},
        ),
        *(
            Ablation(
                f"α = {weight}",
                "the context's vector",
                {"contextual_weight": weight, "contextual_trained": False},
                not_over=("bm25",),
            )
            for weight in WEIGHTS
        ),
    ),
    backbones=("dense", "bm25", "hybrid"),
)
