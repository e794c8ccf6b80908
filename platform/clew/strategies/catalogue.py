"""Every strategy, once. The CLI, REST, the UI, the docs and the bench read this tuple.

A method is a module, or a package with a `spec.py`, that holds its `SPEC`. A package that is
installed beside Clew adds its own by an entry point of the group ``clew.methods``. Each strategy
can be asked in steps: `iterative:NAME` wraps NAME; and by a method that asks any other one:
`planner:NAME`. These names are understood wherever a strategy is named, and made here. What is
imported here is light: specs load their strategies when asked.
"""

import difflib
from dataclasses import replace
from importlib import import_module
from importlib.metadata import entry_points

from clew.errors import UnknownStrategy
from clew.strategies.base import Learner, StrategySpec
from clew.strategies.iterative.spec import (
    in_one_step,
    in_steps,
    stepwise,
)

METHODS: tuple[str, ...] = (
    "chain_ranking",
    "guided_pagerank",
    "pagerank",
    "hybrid",
    "dense",
    "bm25",
    "translator",
    "contextual",
    "hyde",
    "cross_encoder",
    "graph_network",
    "partial_alignment",
    "planner",
)
"""The modules of this package that are methods. The first is the default."""

FOR_ALL = (Learner("text-to-triples", "clew.strategies.text_to_triples.training:TRAINING"),)
"""What learns and is no strategy: it makes what strategies read."""

ENTRY_POINTS = "clew.methods"


def _specs() -> tuple[StrategySpec, ...]:
    modules = [f"{__package__}.{name}" for name in METHODS]
    modules += [point.value for point in entry_points(group=ENTRY_POINTS)]
    found = []
    for name in modules:
        module = import_module(name)
        spec = import_module(f"{name}.spec") if hasattr(module, "__path__") else module
        found += spec.SPEC.over_each()
    return tuple(found)


STRATEGIES: tuple[StrategySpec, ...] = _specs()


def spec_of(name: str) -> StrategySpec:
    """Return what is known of a strategy, `NAME` or `iterative:NAME`; raises UnknownStrategy."""
    plain = in_one_step(name)
    for spec in (*STRATEGIES, *_over_any(plain)):
        if spec.name == plain:
            return spec if plain == name else stepwise(spec)
    known = [spec.name for spec in STRATEGIES]
    near = difflib.get_close_matches(name, [*known, *map(in_steps, known)], n=1)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    twice = in_one_step(plain) != plain
    nested = " What is asked in steps cannot be in steps itself." if twice else ""
    raise UnknownStrategy(
        f"There is no strategy {name!r}.{nested}", remedy=f"{hint}There are: {strategy_names()}."
    )


def _over_any(name: str) -> tuple[StrategySpec, ...]:
    """Return what is known of `METHOD:NAME`, if the method asks any strategy and NAME is one that
    asks none.
    """
    return tuple(
        replace(
            spec.over(inner.name),
            needs=tuple(dict.fromkeys((*spec.needs, *inner.needs))),
            models=(*inner.models, *spec.models),
        )
        for spec in STRATEGIES
        if spec.any_backbone
        for inner in STRATEGIES
        if not inner.any_backbone and name == f"{spec.name}:{inner.name}"
    )


def one_search(name: str) -> str:
    """Return the strategy that does a single search for ``name``, which may do several."""
    spec = spec_of(in_one_step(name))
    return spec.backbone if spec.any_backbone else spec.name


def trainable() -> tuple[Learner, ...]:
    """Return all that learns: strategies, and what serves all of them."""
    own = tuple(Learner(spec.name, spec.training) for spec in STRATEGIES if spec.training)
    return (*own, *FOR_ALL)


def learner_of(name: str) -> Learner | None:
    """Return what is trained under a name; None for a strategy that learns nothing.

    Raises UnknownStrategy, which names what can be trained.
    """
    for one in trainable():
        if one.name == name:
            return one
    try:
        spec_of(name)
    except UnknownStrategy as error:
        names = ", ".join(one.name for one in trainable())
        raise UnknownStrategy(error.message, remedy=f"These can be trained: {names}.") from None
    return None


def for_triples() -> tuple[StrategySpec, ...]:
    """Return the strategies that are for corpora without passages."""
    return tuple(spec for spec in STRATEGIES if spec.for_triples)


def strategy_names() -> str:
    """Return, for people, the names that can be given."""
    names = ", ".join(spec.name for spec in STRATEGIES)
    over = " or ".join(
        f"{spec.name}:NAME" for spec in STRATEGIES if spec.any_backbone and ":" not in spec.name
    )
    steps = f"{in_steps('NAME')} (one of these in steps, led by a language model)"
    return f"{names}, {over} (over one of these that asks no other), or {steps}"
