"""What Clew knows of partial-alignment before it is loaded."""

from clew.strategies.base import Ablation, StrategySpec
from clew.strategies.partial_alignment.options import AlignmentOptions

SPEC = StrategySpec(
    name="partial-alignment",
    summary="Triples of which the question says two parts, and the triples connected to them.",
    paper="KAMR",
    prefix="partial_alignment",
    options=AlignmentOptions,
    reads=("llm_model",),
    needs=("embedder",),
    for_triples=True,
    loader="clew.strategies.partial_alignment.strategy:PartialAlignment",
    training="clew.strategies.partial_alignment.training:TRAINING",
    ablations=(
        Ablation(
            "anchor only",
            "the stages of connected triples",
            {"partial_alignment_expand": False},
        ),
        Ablation(
            "without third stage",
            "the stage next to the connected triples; 25 and 25, as in the paper",
            {"partial_alignment_anchors": 25, "partial_alignment_third": 0},
        ),
        Ablation(
            "full anchor triples",
            "comparing anchors by their partial triples",
            {"partial_alignment_full_anchors": True},
        ),
        Ablation(
            "full connected triples",
            "comparing connected triples by their elements",
            {"partial_alignment_full_connected": True},
        ),
        Ablation(
            "without L_a",
            "learning to align partial triples",
            {"partial_alignment_anchor_loss": False},
            trained=True,
        ),
        Ablation(
            "without L_c",
            "learning to align single elements",
            {"partial_alignment_connected_loss": False},
            trained=True,
        ),
    ),
)
