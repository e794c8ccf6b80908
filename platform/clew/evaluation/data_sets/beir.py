"""BEIR's folder: corpus.jsonl, queries.jsonl and qrels/<split>.tsv.

Source: https://github.com/beir-cellar/beir. The split is test, else dev, else train; the questions
are those that it judges. Relevance is kept as graded; 0 and less is not gold.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from clew.errors import InvalidDataSet
from clew.evaluation.data_sets.collecting import QuestionCollector
from clew.evaluation.data_sets.passages import readable_text
from clew.evaluation.data_sets.question_files import place_of
from clew.evaluation.data_sets.record_files import (
    Filled,
    Id,
    Place,
    Record,
    composed,
    open_text,
    parse,
    records,
)
from clew.results.data_set import (
    BenchDocument,
    BenchQuestion,
    DataSet,
    DataSetFormat,
    DataSetSource,
)

SPLITS = ("test", "dev", "train")
_ID = "_id"


class _Document(Record):
    id: Id = Field(alias=_ID)
    title: str = ""
    text: str


class _Query(Record):
    id: Id = Field(alias=_ID)
    text: Filled


def load(source: DataSetSource) -> DataSet:
    """Read BEIR's folder; raises InvalidDataSet."""
    folder = _folder(source)
    split = _split(folder)
    documents, empty = _documents(folder / "corpus.jsonl")
    judged = _judgements(folder / "qrels" / f"{split}.tsv")
    keys = {document.key for document in documents}
    questions = QuestionCollector(keys.__contains__)
    path = folder / "queries.jsonl"
    found = set()
    for number, value in records(path, str(path)):
        place = place_of(path, number, value, _ID)
        query = parse(_Query, value, place)
        if query.id not in judged:
            continue
        found.add(query.id)
        gold = {key: relevance for key, relevance in judged[query.id].items() if relevance > 0}
        if any(key in empty for key in gold):
            questions.refuse(query.id, "A gold document has neither title nor text.", place)
        else:
            questions.add(BenchQuestion(id=query.id, question=query.text, gold=gold), place)
    unknown = [id_ for id_ in judged if id_ not in found]
    if unknown:
        raise InvalidDataSet(
            f"qrels/{split}.tsv judges {len(unknown)} questions that {path} does not have, the "
            f"first is {unknown[0]!r}.",
            remedy="Take both files from one version of the set.",
        )
    taken, refused = questions.finish(str(path))
    name = folder.resolve().name
    return DataSet(
        name if split == SPLITS[0] else f"{name}-{split}", "beir", documents, taken, refused
    )


def _documents(path: Path) -> tuple[list[BenchDocument], set[str]]:
    """Return the documents, and the keys of those that hold nothing and so cannot be found."""
    found: list[BenchDocument] = []
    seen: set[str] = set()
    empty: set[str] = set()
    for number, value in records(path, str(path)):
        place = place_of(path, number, value, _ID)
        row = parse(_Document, value, place)
        if row.id in seen:
            place.fail(_ID, "another record of the corpus has this id.")
        seen.add(row.id)
        text = readable_text(row.title, row.text)
        if text:
            found.append(BenchDocument(row.id, row.title.strip(), text))
        else:
            empty.add(row.id)
    return found, empty


def _judgements(path: Path) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for place, (query, key, score) in _judgement_rows(path):
        known = judged.setdefault(query, {}).setdefault(key, score)
        if known != score:
            place.fail("score", f"{key!r} is judged {known} above and {score} here.")
    return judged


def _judgement_rows(path: Path) -> Iterator[tuple[Place, tuple[str, str, int]]]:
    with open_text(path, str(path)) as file:
        for number, row in enumerate(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE), 1):
            if not row:
                continue
            place = Place(str(path), number, row[0])
            if len(row) != 3:
                place.fail("columns", f"expected query-id, corpus-id and score, got {row}.")
            try:
                score = int(row[2])
            except ValueError:
                if number == 1:  # the header, which some copies leave out
                    continue
                place.fail("score", f"expected a whole number, got {row[2]!r}.")
            yield place, (composed(row[0].strip()), composed(row[1].strip()), score)


def _split(folder: Path) -> str:
    for split in SPLITS:
        if (folder / "qrels" / f"{split}.tsv").is_file():
            return split
    raise InvalidDataSet(
        f"{folder / 'qrels'} holds none of {', '.join(f'{split}.tsv' for split in SPLITS)}.",
        remedy="The questions' gold stands there: query-id, corpus-id, score, separated by tabs.",
    )


def _folder(source: DataSetSource) -> Path:
    if source.path is None:
        raise InvalidDataSet(f"{source.name} is no folder.")
    return source.path if source.path.is_dir() else source.path.parent


def _recognises(source: DataSetSource) -> bool:
    if source.path is None or not (source.path.is_dir() or source.path.name == "queries.jsonl"):
        return False
    folder = _folder(source)
    return (folder / "corpus.jsonl").is_file() and (folder / "queries.jsonl").is_file()


FORMAT = DataSetFormat(
    name="beir",
    summary="a folder of corpus.jsonl, queries.jsonl and qrels/test.tsv",
    recognises=_recognises,
    load=load,
)
