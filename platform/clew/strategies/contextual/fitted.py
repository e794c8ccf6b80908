"""How much of the graph counts: the settings' numbers, or those fitted to a corpus."""

import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from clew.strategies.contextual.options import ContextualOptions
from clew.strategies.contextual.spec import SPEC

if TYPE_CHECKING:
    from clew.resources.resources import Resources

BASE = "options-1"
"""What is fitted: a version of something else does not serve."""
FILE = "fitted.json"


class Fitted(BaseModel):
    """Those of the options that are fitted: α, W, L and K."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weight: float
    width: int
    length: int
    added: int

    @classmethod
    def of(cls, options: ContextualOptions) -> "Fitted":
        """Return those of ``options``."""
        return cls(**options.model_dump(include=set(cls.model_fields)))


def options_for(resources: "Resources", corpus: str) -> ContextualOptions:
    """Return the options of the settings, with what was fitted to ``corpus`` in their place."""
    options = resources.settings.options(ContextualOptions)
    folder = resources.serving_version(SPEC.name, corpus, BASE) if options.trained else None
    return (
        options if folder is None else options.model_copy(update=read_fitted(folder).model_dump())
    )


def write_fitted(fitted: Fitted, folder: Path) -> None:
    """Leave what was fitted in the folder of a version."""
    (folder / FILE).write_text(fitted.model_dump_json(indent=1) + "\n", encoding="utf-8")


@lru_cache(maxsize=64)
def read_fitted(folder: Path) -> Fitted:
    """Return what a version holds, which never changes."""
    return Fitted(**json.loads((folder / FILE).read_text(encoding="utf-8")))
