"""A prompt: a system file, and a user file with declared inputs."""

import hashlib
import re
from importlib.resources import files

from clew_models.language_model.base import Message

_INPUT = re.compile(r"\{([a-z_]+)\}")


class Prompt:
    """``name.system.md`` and ``name.user.md`` of ``package``; the second has ``{inputs}``.

    ``version`` is a hash of both texts: it changes whenever the wording does, and with it every
    key of the cache. Raises ValueError where files and declared inputs disagree.
    """

    def __init__(self, name: str, *, inputs: tuple[str, ...], package: str) -> None:
        folder = files(package)
        self.name = name
        self.inputs = inputs
        self._system = folder.joinpath(f"{name}.system.md").read_text(encoding="utf-8").strip()
        self._user = folder.joinpath(f"{name}.user.md").read_text(encoding="utf-8").strip()
        used = set(_INPUT.findall(self._user))
        if used != set(inputs):
            raise ValueError(f"{name}.user.md uses {sorted(used)}, but declares {sorted(inputs)}.")
        self.version = hashlib.sha256(f"{self._system}\0{self._user}".encode()).hexdigest()[:16]

    def messages(self, **values: str) -> list[Message]:
        """Return the conversation with every input in place; braces in a value stay as they are.

        Raises ValueError where a value is missing or too many.
        """
        if set(values) != set(self.inputs):
            raise ValueError(f"{self.name} needs {sorted(self.inputs)}, got {sorted(values)}.")
        filled = _INPUT.sub(lambda found: values[found.group(1)], self._user)
        return [Message("system", self._system), Message("user", filled)]
