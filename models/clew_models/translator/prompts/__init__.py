"""The prompts of the translator (paper: appendix M, prompts 1 and 4), written afresh."""

from importlib.resources import files
from typing import Literal

ClueForm = Literal["pair", "triple"]
_FILES: dict[ClueForm, str] = {"pair": "clue.system.md", "triple": "triple.system.md"}


def instruction(form: ClueForm) -> str:
    """Return what the model is told to write."""
    return (files(__name__) / _FILES[form]).read_text(encoding="utf-8").strip()
