"""The environment the services get: every setting as resolved here, and nothing stale."""

import os
import sys
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from clew.resources.runtime_state import OWNER_VARIABLE
from clew.settings import ENVIRONMENT_PREFIX, Settings
from clew.settings.listing import settings_list
from clew_cypher.embedded.child_environment import child_environment


def bare_environment(settings: Settings) -> dict[str, str]:
    """Return the environment of a service that reads no setting: without any of our secrets."""
    return child_environment(**{OWNER_VARIABLE: str(settings.home)})


def service_environment(settings: Settings) -> dict[str, str]:
    """Return the whole environment of a child: ours, with the settings that were resolved here.

    So a service sees what the command line of ``clew up`` said, whatever it would read itself.
    What is a default here, is left for it to be one there: it says where its settings come from.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith((ENVIRONMENT_PREFIX, "NEO4J_"))
    }
    for one in settings_list(settings):
        value = settings.value(one.name)
        if value is not None and one.source != "default":
            environment[one.variable] = _as_text(value)
    environment[ENVIRONMENT_PREFIX + "HOME"] = str(settings.home)
    environment[OWNER_VARIABLE] = str(settings.home)
    environment["PYTHONUNBUFFERED"] = "1"
    # uncompiled, as images that set this leave the packages, all of it is compiled at each start
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["HF_HUB_OFFLINE"] = "1"
    environment["TOKENIZERS_PARALLELISM"] = "false"
    binaries = str(Path(sys.executable).parent)
    environment["PATH"] = os.pathsep.join([binaries, environment.get("PATH", os.defpath)])
    return environment


def _as_text(value: Any) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
