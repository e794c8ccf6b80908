"""Which extractor a corpus has, as a word: rules, llm, model, none, or file:
and a path.
"""

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from clew_ingest.errors import IngestError
from clew_ingest.reading.sources import local_path

FILE_PREFIX = "file:"
VALID = ("rules", "llm", "model", "none", "file:PATH")
"""What an extractor can be called."""

_KINDS: dict[str, Literal["rules", "llm", "model", "none"]] = {
    "rules": "rules",
    "llm": "llm",
    "model": "model",
    "none": "none",
}

DEFAULT = "rules"

SUMMARIES = {
    "rules": "from the parse; no language model",
    "llm": "by the language model of the settings; costs tokens",
    "model": "by a model that was trained on triples (`clew train text-to-triples`)",
    "none": "no triples",
    "file:PATH": "ready-made, from a file",
}
"""What each of ``VALID`` does, for people who choose."""


class UnknownExtractor(IngestError):
    """No extractor is called so, or the one that is cannot be used as things are."""

    exit_code = 2
    http_status = 422


@dataclass(frozen=True)
class ExtractorChoice:
    """An extractor; ``path``: the file of a ``file`` one. ``str()`` gives back the word."""

    kind: Literal["rules", "llm", "model", "none", "file"]
    path: Path | None = None

    def __str__(self) -> str:
        return self.kind if self.path is None else f"{FILE_PREFIX}{self.path}"

    @classmethod
    def parse(cls, word: str) -> "ExtractorChoice":
        """Return what a word names; a path is made absolute, seen from the current directory.

        Raises UnknownExtractor, which names what is valid.
        """
        plain = word.strip()
        if plain.startswith(FILE_PREFIX) and plain != FILE_PREFIX:
            return cls("file", local_path(plain.removeprefix(FILE_PREFIX)).absolute())
        kind = _KINDS.get(plain)
        if kind is not None:
            return cls(kind)
        near = difflib.get_close_matches(plain.casefold(), VALID, n=1)
        raise UnknownExtractor(
            f"There is no extractor {word[:80]!r}; there are: {', '.join(VALID)}.",
            remedy=f"Did you mean {near[0]!r}?" if near else "`rules` needs nothing else.",
        )
