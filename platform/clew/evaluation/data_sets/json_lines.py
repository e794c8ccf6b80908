"""Clew's own form: a folder of corpus.jsonl and questions.jsonl, as README.md here describes it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field

from clew.errors import InvalidDataSet
from clew.evaluation.data_sets.collecting import QuestionCollector, answers_of, no_gold
from clew.evaluation.data_sets.passages import readable_text
from clew.evaluation.data_sets.question_files import place_of, set_name
from clew.evaluation.data_sets.record_files import (
    Filled,
    Id,
    Place,
    Record,
    Worded,
    first_record,
    parse,
    records,
    shown,
)
from clew.results.data_set import (
    BenchDocument,
    BenchQuestion,
    DataSet,
    DataSetFormat,
    DataSetSource,
)

CORPUS = "corpus.jsonl"
QUESTIONS = "questions.jsonl"


class _Document(Record):
    id: Id
    title: str = ""
    text: Filled


def _graded(value: Any) -> Any:
    """Return a list of ids as ids with relevance 1."""
    if isinstance(value, list) and all(isinstance(id_, str | int) for id_ in value):
        return dict.fromkeys(value, 1)
    if not isinstance(value, dict):
        raise ValueError("it is neither a list of ids nor {id: relevance}")
    return value


class _Question(Record):
    model_config = ConfigDict(extra="forbid")

    id: Id | None = None
    question: Filled
    answers: list[Worded] = Field(default_factory=list)
    answer: Worded = ""
    gold: Annotated[dict[Id, int], BeforeValidator(_graded)] = Field(default_factory=dict)
    gold_paths: list[list[Id]] = Field(default_factory=list)
    labels: list[Worded] = Field(default_factory=list)
    type: Worded | None = None
    hops: int | None = Field(None, ge=1)
    answerable: bool = True


def load(source: DataSetSource) -> DataSet:
    """Read a folder of corpus.jsonl and questions.jsonl; raises InvalidDataSet."""
    path = _questions_file(source)
    corpus = path.with_name(CORPUS)
    if not corpus.is_file():
        raise InvalidDataSet(
            f"{path.name} needs the documents it asks about, but there is no {corpus}.",
            remedy=f"Put {CORPUS} beside it, with {{id, title, text}} in each line; or ingest the "
            "documents and name their corpus as the data set, and the questions beside it.",
        )
    documents = _documents(corpus)
    keys = {document.key for document in documents}
    questions = QuestionCollector(keys.__contains__)
    for place, question in _questions(path, str(path)):
        questions.add(question, place)
    taken, refused = questions.finish(str(path))
    return DataSet(set_name(path), "jsonl", documents, taken, refused)


def read_questions(data: bytes | Path, where: str) -> list[BenchQuestion]:
    """Return the questions of a file that is asked of a corpus which is indexed already.

    ``data``: its bytes, or where it is; ``where`` names it in errors. Gold names documents by
    address, title or id, and is not looked up here. Raises InvalidDataSet with record and field,
    also for a question without answers and gold.
    """
    found: dict[str, int] = {}
    questions = []
    for place, question in _questions(data, where):
        first = found.setdefault(question.id, place.number)
        if first != place.number:
            place.fail("id", f"{question.id!r} is the id of record {first} already.")
        if reason := no_gold(question):
            place.fail("answers", reason, "Add one of them, or answerable: false.")
        questions.append(question)
    return questions


def _questions(data: bytes | Path, where: str) -> Iterator[tuple[Place, BenchQuestion]]:
    for number, value in records(data, where):
        place = place_of(where, number, value, "id")
        yield place, _question(parse(_Question, value, place), place)


def _question(row: _Question, place: Place) -> BenchQuestion:
    answers = answers_of(row.answer, row.answers)
    gold = {key: relevance for key, relevance in row.gold.items() if relevance > 0}
    paths = tuple(tuple(path) for path in row.gold_paths if path)
    gold = gold or dict.fromkeys((key for path in paths for key in path), 1)
    if not row.answerable and (answers or gold):
        place.fail("answerable", "it is false, but the question has answers or gold.")
    if row.labels and answers and answers[0] not in row.labels:
        place.fail("labels", f"the answer {answers[0]!r} is none of {row.labels}.")
    return BenchQuestion(
        id=row.id or f"q{place.number}",
        question=row.question,
        answers=answers,
        gold=gold,
        gold_paths=paths,
        labels=tuple(row.labels),
        answerable=row.answerable,
        type=row.type,
        hops=row.hops,
    )


def _documents(path: Path) -> list[BenchDocument]:
    found: list[BenchDocument] = []
    numbers: dict[str, int] = {}
    for number, value in records(path, str(path)):
        place = place_of(path, number, value, "id")
        row = parse(_Document, value, place)
        first = numbers.setdefault(row.id, number)
        if first != number:
            place.fail("id", f"{row.id!r} is the id of record {first} already.")
        if not readable_text("", row.text):
            place.fail("text", f"it holds no letter or digit, got {shown(row.text)}.")
        found.append(BenchDocument(row.id, row.title.strip(), row.text))
    return found


def _questions_file(source: DataSetSource) -> Path:
    path = source.path
    if path is None or not path.is_dir():
        return path or Path(source.name)
    if not (path / QUESTIONS).is_file():
        raise InvalidDataSet(
            f"{source.name} holds {CORPUS} but no {QUESTIONS}.",
            remedy="Each of its lines is {question, answers, gold}.",
        )
    return path / QUESTIONS


def _recognises(source: DataSetSource) -> bool:
    if source.path is None:
        return False
    if source.path.is_dir():
        return (source.path / CORPUS).is_file() or _fits(source.path / QUESTIONS)
    return source.path.suffix == ".jsonl" and _fits(source.path)


def _fits(path: Path) -> bool:
    record: dict[str, Any] | None = first_record(path)
    return record is not None and "question" in record


FORMAT = DataSetFormat(
    name="jsonl",
    summary="a folder of corpus.jsonl, {id, title, text}, and questions.jsonl, {id, question, "
    "answers, gold: [ids]}, an object a line",
    recognises=_recognises,
    load=load,
)
