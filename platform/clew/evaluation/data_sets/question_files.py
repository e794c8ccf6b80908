"""Which file of a folder holds the questions, and what the data set is then called."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from clew.errors import InvalidDataSet
from clew.evaluation.data_sets.passages import CORPUS
from clew.evaluation.data_sets.record_files import Place, first_record
from clew.results.data_set import DataSetSource

USUAL = ("questions.json", "questions.jsonl")
"""Names under which questions are looked for first."""

Fits = Callable[[dict[str, Any]], bool]
"""Says whether a first record is of a format."""


def question_files(source: DataSetSource, fits: Fits) -> list[Path]:
    """Return the files of ``source`` whose first record fits, one of a usual name alone."""
    if source.path is None:
        return []
    if source.path.is_dir():
        named = [source.path / name for name in USUAL if (source.path / name).is_file()]
        found = named or sorted(
            path
            for path in source.path.iterdir()
            if path.suffix in (".json", ".jsonl") and path.name != CORPUS and path.is_file()
        )
    else:
        found = [source.path]
    return [path for path in found if (record := first_record(path)) is not None and fits(record)]


def the_question_file(source: DataSetSource, fits: Fits) -> Path:
    """Return the one file of questions; raises InvalidDataSet where there are several."""
    found = question_files(source, fits)
    if len(found) != 1:
        names = ", ".join(path.name for path in found) or "none"
        raise InvalidDataSet(
            f"{source.name} should hold one file of questions, but has {len(found)}: {names}.",
            remedy="Name the file instead of the folder.",
        )
    return found[0]


def set_name(path: Path) -> str:
    """Return what the set is called: its file, or its folder where the file has a usual name."""
    usual = (*USUAL, CORPUS, "corpus.jsonl")
    return path.resolve().parent.name if path.name in usual else path.stem


def place_of(where: Path | str, number: int, value: Any, id_field: str) -> Place:
    """Return where a record stands, with its id where it can be read."""
    id_ = value.get(id_field) if isinstance(value, dict) else None
    return Place(str(where), number, str(id_) if isinstance(id_, str | int) else None)
