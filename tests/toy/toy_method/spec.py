"""What Clew knows of toy-method before it is loaded."""

from clew.strategies.base import StrategySpec
from toy_method.options import ToyOptions

SPEC = StrategySpec(
    name="toy-method",
    summary="Chunks that share words with the question, those of long titles first.",
    paper="Nobody (2026)",
    prefix="toy",
    options=ToyOptions,
    loader="toy_method.strategy:ToyMethod",
    training="toy_method.training:TRAINING",
)
