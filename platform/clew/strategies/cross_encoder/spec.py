"""What Clew knows of cross-encoder before it is loaded."""

from clew.strategies.base import Ablation, StrategySpec
from clew.strategies.cross_encoder.options import CrossEncoderOptions

SPEC = StrategySpec(
    name="cross-encoder",
    summary="The first passages of another strategy, read together with the question.",
    paper="Nogueira and Cho, 2019",
    prefix="cross_encoder",
    options=CrossEncoderOptions,
    needs=("embedder", "parser"),
    loader="clew.strategies.cross_encoder.strategy:CrossEncoder",
    ablations=(
        Ablation(
            "without reading", "reading: the other strategy's order", {"cross_encoder_weight": 0.0}
        ),
        Ablation(
            "without leads",
            "the sentence of another passage that led there",
            {"cross_encoder_leads": False, "cross_encoder_credit": False},
        ),
        Ablation(
            "without credit",
            "what a passage counts for one that it led to",
            {"cross_encoder_credit": False},
        ),
    ),
    backbones=("chain-ranking",),
    any_backbone=True,
)
