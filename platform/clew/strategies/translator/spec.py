"""What Clew knows of translator before it is loaded."""

from clew.strategies.base import StrategySpec
from clew.strategies.translator.options import TranslatorOptions

SPEC = StrategySpec(
    name="translator",
    summary="A language model writes clues that exist in the graph; they lead to chunks.",
    paper="KG-Translator",
    prefix="translator",
    options=TranslatorOptions,
    reads=("seed_similarity",),
    needs=("embedder", "parser"),
    loader="clew.strategies.translator.strategy:Translator",
    training="clew.strategies.translator.training:TRAINING",
)
