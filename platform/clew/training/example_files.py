"""Training examples on disk: JSON Lines, an example a line."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from clew_models.translator.examples import ClueTarget, TranslationExample


def write_examples(examples: Sequence[TranslationExample], path: Path) -> None:
    """Write examples to ``path``."""
    path.write_text(_text(examples), encoding="utf-8")


def read_examples(path: Path) -> list[TranslationExample]:
    """Return the examples of a file that `write_examples` wrote."""
    examples = []
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        clues = tuple(ClueTarget(**clue) for clue in entry["clues"])
        examples.append(TranslationExample(entry["question"], clues, tuple(entry["chunk_ids"])))
    return examples


def fingerprint(examples: Sequence[TranslationExample]) -> str:
    """Name examples by their content."""
    return hashlib.sha256(_text(examples).encode()).hexdigest()[:16]


def _text(examples: Sequence[TranslationExample]) -> str:
    return "".join(json.dumps(asdict(example), ensure_ascii=False) + "\n" for example in examples)
