"""Makes the page of all settings: ``python -m clew.settings.page > platform/SETTINGS.md``.

A test compares the page in the repository with this one, so the two cannot drift apart.
"""

from pathlib import Path

from pydantic import SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from clew.settings import ENVIRONMENT_PREFIX, all_settings

_HEAD = """# Settings

Made by `python -m clew.settings.page > platform/SETTINGS.md` from
[settings.py](clew/settings/settings.py) and the options of each method; a test compares the two.

A setting is taken from the first of these that has it:

1. an argument: of a command, or of `Clew(…)` and `Settings.load(…)`,
2. the environment: the variable below,
3. the file `.env` in the working directory, or the one that `CLEW_ENV_FILE` names (none where that
   is empty): the same variables, a line each; other names in it are not looked at,
4. the file `clew.toml` in `CLEW_HOME`, or the file that `CLEW_SETTINGS_FILE` names,
5. the default.

An unknown name is an error that names the nearest known one. `clew settings` prints each value
with where it came from, secrets masked.

| setting | variable | default | meaning |
|---|---|---|---|
"""


def settings_page() -> str:
    """Return the page as Markdown: a row for each setting, in the order of the class."""
    rows = [
        f"| `{name}` | {_variables(name, field)} | {_default(field)} | {_cell(field.description)} |"
        for name, field in all_settings().items()
    ]
    return _HEAD + "\n".join(rows) + "\n"


def _variables(name: str, field: FieldInfo) -> str:
    alias = field.validation_alias
    choices = getattr(alias, "choices", [f"{ENVIRONMENT_PREFIX}{name.upper()}"])
    return ", ".join(f"`{choice}`" for choice in choices if str(choice).isupper())


def _default(field: FieldInfo) -> str:
    value = field.default
    if value is PydanticUndefined:
        return "required"
    if value is None:
        return "unset"
    if value == "":
        return "empty"
    if isinstance(value, SecretStr):  # never a secret's value, not even a default one
        return "set"
    return f"`{value.as_posix() if isinstance(value, Path) else value}`"


def _cell(text: str | None) -> str:
    return (text or "").replace("|", "\\|")


if __name__ == "__main__":
    print(settings_page(), end="")
