"""The strategy that a page begins with, and whether strategies can be asked in several steps."""

from dataclasses import dataclass
from typing import Any

from clew.errors import CLEW_ERRORS
from clew.settings import Settings
from clew.strategies.catalogue import STRATEGIES
from clew.strategies.iterative.spec import in_one_step, in_steps
from clew.strategies.searching import check_strategy


@dataclass(frozen=True)
class StrategyChoice:
    """The strategy that a page begins with; ``plain``: its name without `iterative:`.

    ``problem``: why it is not the one that was wanted, None where it is; has a ``message`` and a
    ``remedy``.
    """

    name: str
    plain: str
    problem: Any

    @property
    def in_steps(self) -> bool:
        """Whether it is asked in several steps."""
        return self.name != self.plain


def chosen_strategy(wanted: str, settings: Settings) -> StrategyChoice:
    """Return the strategy that is wanted, "" for the settings'; where it cannot be asked, the
    nearest that can be: without the steps, or the settings', or the first.
    """
    default = settings.strategy
    names = (wanted or default, in_one_step(wanted or default), default, in_one_step(default))
    problem = None
    for name in dict.fromkeys(names):
        found = _problem(name, settings)
        if found is None:
            return StrategyChoice(name, in_one_step(name), problem)
        problem = problem or found
    first = STRATEGIES[0].name  # which needs nothing that may be missing
    return StrategyChoice(first, first, problem)


def steps_problem(settings: Settings) -> Any:
    """Return what keeps strategies from being asked in several steps; None where nothing does."""
    return _problem(in_steps(STRATEGIES[0].name), settings)


def _problem(name: str, settings: Settings) -> Any:
    try:
        check_strategy(settings, name)
    except CLEW_ERRORS as error:
        return error
    return None
