"""2WikiMultihopQA as published: HotpotQA's form, with the triples that prove each answer.

Source: https://github.com/Alab-NII/2wikimultihop. The corpus is ``corpus.json`` beside the file, a
list of {title, text}, else all contexts together.
"""

from pathlib import Path
from typing import Any

from clew.errors import InvalidDataSet
from clew.evaluation.data_sets.hotpotqa import ID, load_supported
from clew.evaluation.data_sets.passages import CORPUS
from clew.evaluation.data_sets.question_files import question_files, the_question_file
from clew.evaluation.data_sets.record_files import first_record
from clew.results.data_set import DataSet, DataSetFormat, DataSetSource


def load(source: DataSetSource) -> DataSet:
    """Read a set in 2WikiMultihopQA's form; raises InvalidDataSet."""
    corpus = _corpus_alone(source)
    if corpus is not None:
        raise InvalidDataSet(
            f"{source.name} holds a corpus ({corpus.name}) but no questions.",
            remedy="Put questions.json beside it, with records as 2WikiMultihopQA publishes them.",
        )
    return load_supported(source, the_question_file(source, fits), "2wikimultihopqa")


def fits(record: dict[str, Any]) -> bool:
    """Say whether a first record looks like 2WikiMultihopQA's."""
    return ID in record and "question" in record and "evidences" in record


def _corpus_alone(source: DataSetSource) -> Path | None:
    if source.path is None:
        return None
    corpus = source.path / CORPUS if source.path.is_dir() else source.path
    if corpus.name != CORPUS or not corpus.is_file():
        return None
    if source.path.is_dir() and any(map(_is_more, source.path.iterdir())):
        return None
    record = first_record(corpus)
    return corpus if record is not None and "question" not in record else None


def _is_more(path: Path) -> bool:
    """Say whether a file is more than what may lie beside a corpus: then it is a plain folder."""
    return path.name != CORPUS and not path.name.lower().startswith((".", "readme", "licen"))


FORMAT = DataSetFormat(
    name="2wikimultihopqa",
    summary="a .json list of {_id, type, question, answer, supporting_facts, evidences, context}; "
    "its folder may hold corpus.json, [{title, text}]",
    recognises=lambda source: (
        bool(question_files(source, fits)) or _corpus_alone(source) is not None
    ),
    load=load,
)
