"""What Clew knows of `iterative:NAME` before it is loaded: what wraps any strategy."""

from dataclasses import replace

from clew.strategies.base import Ablation, StrategySpec
from clew.strategies.iterative.options import IterativeOptions

ITERATIVE = "iterative"
ITERATIVE_PREFIX = f"{ITERATIVE}:"
"""What stands before the name of a strategy that is to search in steps."""
LANGUAGE_MODEL = "language model"
"""What a strategy that asks one has among its needs."""
ITERATIVE_LOADER = "clew.strategies.iterative.strategy:Iterative"
LEADER = "clew.strategies.iterative.strategy:LEADER"
OPTIONS = IterativeOptions
ABLATIONS = (
    Ablation("one step", "searching for what is still missing", {f"{ITERATIVE}_steps": 1}),
)
"""Those of the steps; what is asked in steps has its own when it is asked without them."""


def in_one_step(name: str) -> str:
    """Return the name of the strategy that is asked, in steps or not; it may be unknown."""
    return name.removeprefix(ITERATIVE_PREFIX)


def in_steps(name: str) -> str:
    """Return the name by which a strategy is asked in steps."""
    return f"{ITERATIVE_PREFIX}{name}"


def stepwise(inner: StrategySpec) -> StrategySpec:
    """Return what is known of ``inner`` asked in steps; `build_strategy` builds it."""
    own = tuple(f"{ITERATIVE}_{name}" for name in OPTIONS.model_fields)
    return replace(
        inner,
        name=in_steps(inner.name),
        summary=f"In steps led by a language model: {inner.summary}",
        paper=f"IRCoT (Trivedi et al., 2023) as in KG-Translator; {inner.paper}",
        reads=(*inner.reads, *own, "llm_model", "llm_max_tokens"),
        needs=tuple(dict.fromkeys((*inner.needs, LANGUAGE_MODEL))),
        models=(*inner.models, LEADER),
        training="",
        ablations=ABLATIONS,
    )
