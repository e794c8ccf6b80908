"""The options of methods within the settings: nested inside, flat names outside.

Each method declares its options in its own folder, as a model; here they are one model of all
methods, by their prefix. Outside they have flat names, the method's prefix before the option's
(``CLEW_HYBRID_POOL``, ``hybrid_pool = 50``), as every other setting has one.
"""

import os
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from clew.strategies.catalogue import STRATEGIES
from clew.strategies.iterative.spec import ITERATIVE, OPTIONS

METHODS = "methods"
OPTION_SETS: dict[str, type[BaseModel]] = {
    spec.prefix: spec.options for spec in STRATEGIES if spec.options
} | {ITERATIVE: OPTIONS}
"""The options of each method, by its prefix."""
FLAT: dict[str, tuple[str, str]] = {
    f"{prefix}_{name}": (prefix, name)
    for prefix, options in OPTION_SETS.items()
    for name in options.model_fields
}
"""Flat name of a method's option → its prefix and its name there."""

if TYPE_CHECKING:

    class MethodOptions(BaseModel):
        """The options of every method, by its prefix."""
else:
    MethodOptions = create_model(
        "MethodOptions",
        __config__=ConfigDict(frozen=True, extra="forbid"),
        **{
            prefix: (options, Field(default_factory=options))
            for prefix, options in OPTION_SETS.items()
        },
    )


def nested(values: dict[str, Any]) -> dict[str, Any]:
    """Return values with the options of methods, given by their flat names, where they belong."""
    if not FLAT.keys() & values.keys():
        return values
    plain = {name: value for name, value in values.items() if name not in FLAT}
    methods = {prefix: dict(given) for prefix, given in plain.get(METHODS, {}).items()}
    for name in FLAT.keys() & values.keys():
        prefix, option = FLAT[name]
        methods.setdefault(prefix, {})[option] = values[name]
    return plain | {METHODS: methods}


class MethodVariables(PydanticBaseSettingsSource):
    """The options of methods that the environment sets, by their flat names."""

    def __init__(self, settings_cls: type[BaseSettings], prefix: str) -> None:
        super().__init__(settings_cls)
        self._prefix = prefix

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        variables = {name: f"{self._prefix}{name.upper()}" for name in FLAT}
        return {name: os.environ[at] for name, at in variables.items() if at in os.environ}
