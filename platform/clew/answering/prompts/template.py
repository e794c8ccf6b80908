"""A prompt file with declared inputs."""

import re
from importlib.resources import files

_INPUT = re.compile(r"\{([a-z_]+)\}")


class Prompt:
    """A text with ``{inputs}`` to fill in; ``package``: whose folder holds the file.

    Raises ValueError where file and inputs disagree.
    """

    def __init__(
        self, file: str, *, inputs: tuple[str, ...], package: str = "clew.answering.prompts"
    ) -> None:
        self.file = file
        self.inputs = inputs
        self._text = files(package).joinpath(file).read_text(encoding="utf-8")
        used = set(_INPUT.findall(self._text))
        if used != set(inputs):
            raise ValueError(f"{file} uses {sorted(used)}, but declares {sorted(inputs)}.")

    def filled(self, **values: str) -> str:
        """Return the text with every input in place; braces in a value stay as they are."""
        if set(values) != set(self.inputs):
            raise ValueError(f"{self.file} needs {sorted(self.inputs)}, got {sorted(values)}.")
        return _INPUT.sub(lambda found: values[found.group(1)], self._text).strip()
