"""Ways of finding evidence for a question, built by name from one tuple."""

from clew.strategies.base import Strategy
from clew.strategies.catalogue import STRATEGIES, StrategySpec, build_strategy, spec_of
from clew.strategies.context import StrategyContext

__all__ = ["STRATEGIES", "Strategy", "StrategyContext", "StrategySpec", "build_strategy", "spec_of"]
