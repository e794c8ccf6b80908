"""What the signs count: the round numbers of the settings, or what was trained for a corpus."""

import json
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from clew.strategies.chain_ranking.options import ChainOptions, named
from clew.strategies.chain_ranking.spec import SPEC
from clew_models.chain_ranking import ChainWeights

if TYPE_CHECKING:
    from clew.resources.resources import Resources

BASE = "signs-1"
"""The signs that weights are for: a version for others does not serve."""
FILE = "weights.json"


def weights_for(resources: "Resources", corpus: str) -> ChainWeights:
    """Return the weights that serve ``corpus``, less the signs that are to count nothing."""
    options = resources.settings.options(ChainOptions)
    folder = resources.serving_version(SPEC.name, corpus, BASE) if options.trained else None
    weights = round_weights(options) if folder is None else read_weights(folder)
    return lessened(weights, named(options.without))


def lessened(weights: ChainWeights, without: AbstractSet[str]) -> ChainWeights:
    """Return the weights less some signs; ``walk`` stands for its three walks."""
    gone = without | {"reached", "spread"} if "walk" in without else without
    return replace(
        weights,
        node={sign: weight for sign, weight in weights.node.items() if sign not in gone},
        step={sign: weight for sign, weight in weights.step.items() if sign not in gone},
        repeat=0.0 if "repeat" in gone else weights.repeat,
    )


def round_weights(options: ChainOptions) -> ChainWeights:
    """Return the weights of the settings."""
    return ChainWeights(
        node={
            "walk": options.walk,
            "reached": options.walk,
            "spread": options.walk,
            "titled": options.titled,
            "sentence": options.sentence,
            "unnamed": options.unnamed,
            "bm25": options.bm25,
            "named": options.named,
        },
        step={
            "before": options.before,
            "link": options.link,
            "shared": options.shared,
            "part": options.part,
            "new": options.new,
        },
        repeat=options.repeat,
    )


def write_weights(weights: ChainWeights, folder: Path) -> None:
    """Leave the weights of a version in its folder."""
    kept = {"node": dict(weights.node), "step": dict(weights.step), "repeat": weights.repeat}
    (folder / FILE).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


@lru_cache(maxsize=64)
def read_weights(folder: Path) -> ChainWeights:
    """Return the weights of a version, which never change."""
    return ChainWeights(**json.loads((folder / FILE).read_text(encoding="utf-8")))
