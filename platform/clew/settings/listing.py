"""Every setting with its value and where that came from, secrets masked: for people to read."""

import os
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from clew.settings.method_options import FLAT
from clew.settings.settings import ENVIRONMENT_PREFIX, Settings, all_settings, file_values

MASK = "••••••"
Source = Literal["argument", "environment", "file", "default"]


@dataclass(frozen=True)
class SettingInfo:
    """A setting as people see it.

    ``group``: the prefix of the method whose option it is, "" for those of Clew as a whole;
    ``variable``: what sets it in the environment. A secret that is set is shown as a mask.
    """

    name: str
    group: str
    value: str
    source: Source
    variable: str
    meaning: str
    secret: bool


def settings_list(settings: Settings) -> list[SettingInfo]:
    """Return every setting of this process, in the order in which they are declared.

    A `.env` file is the environment's. Where a value is neither the default nor what a source
    says, a program gave it (``argument``).
    """
    from_file = file_values({"home": settings.home})
    return [_info(settings, name, field, from_file) for name, field in all_settings().items()]


def _info(
    settings: Settings, name: str, field: FieldInfo, from_file: dict[str, Any]
) -> SettingInfo:
    value = settings.value(name)
    variables = [f"{ENVIRONMENT_PREFIX}{name.upper()}"]
    if name.startswith("neo4j_"):
        variables.append(name.upper())
    source: Source = "default"
    if any(variable in os.environ for variable in variables):
        source = "environment"
    elif name in from_file:
        source = "file"
    elif (name in FLAT or name in settings.model_fields_set) and value != field.get_default(
        call_default_factory=True
    ):
        source = "argument"
    secret = isinstance(value, SecretStr) or "SecretStr" in str(field.annotation)
    return SettingInfo(
        name=name,
        group=FLAT[name][0] if name in FLAT else "",
        value=MASK if isinstance(value, SecretStr) else _without_password(value),
        source=source,
        variable=variables[0],
        meaning=field.description or "",
        secret=secret,
    )


def _without_password(value: Any) -> str:
    """Return a value as text; what stands between // and @ of an address may be a password."""
    text = str(value)
    if "://" not in text or "@" not in text:
        return text
    parts = urlsplit(text)
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{MASK}@{host}"))
