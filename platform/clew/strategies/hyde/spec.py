"""What Clew knows of hyde before it is loaded."""

from clew.strategies.base import Ablation, StrategySpec
from clew.strategies.hyde.options import HydeOptions

SPEC = StrategySpec(
    name="hyde",
    summary="Passages that read like one which a language model imagines as the answer.",
    paper="HyDE (Gao et al., 2023)",
    prefix="hyde",
    options=HydeOptions,
    reads=("llm_model", "hybrid_pool", "hybrid_dense_weight"),
    needs=("embedder", "language model"),
    models=("clew.strategies.hyde.strategy:WRITER",),
    loader="clew.strategies.hyde.strategy:Hyde",
    ablations=(
        Ablation(
            "passage alone",
            "the question's own vector",
            {"hyde_weight": 0.0},
            not_over=("bm25",),
        ),
    ),
    backbones=("dense", "bm25", "hybrid"),
)
