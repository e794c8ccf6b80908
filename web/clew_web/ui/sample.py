"""The sample corpus' questions, as examples for those who ask for the first time."""

import json
from functools import cache
from importlib.resources import files

SAMPLE_CORPUS = "sample"
EXAMPLES = 4


@cache
def example_questions() -> tuple[str, ...]:
    """Return questions over two articles or more, of different types, and one without an answer."""
    folder = files("clew") / "sample_corpus"
    rows = _rows((folder / "questions.jsonl").read_text(encoding="utf-8"))
    by_type: dict[str, list[str]] = {}
    for row in rows:
        by_type.setdefault(row["type"], []).append(row["question"])
    turns = [question for group in zip(*by_type.values(), strict=False) for question in group]
    unanswerable = _rows((folder / "unanswerable.jsonl").read_text(encoding="utf-8"))
    return (*turns[:EXAMPLES], unanswerable[0]["question"])


def _rows(text: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]
