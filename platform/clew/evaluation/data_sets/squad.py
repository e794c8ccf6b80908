"""SQuAD as published, and sets in its form such as XQuAD: questions on single paragraphs.

Source: Rajpurkar et al., 2016 (SQuAD), 2018 (SQuAD 2.0); Artetxe et al., 2020 (XQuAD). All
paragraphs together are the corpus. They have no titles: an article's title would tell its
paragraphs apart from those of others before anything is read. A question of SQuAD 2.0 that is
impossible has no gold.
"""

import re
from pathlib import Path

from pydantic import Field

from clew.errors import InvalidDataSet
from clew.evaluation.data_sets.collecting import QuestionCollector, answers_of
from clew.evaluation.data_sets.question_files import set_name
from clew.evaluation.data_sets.record_files import (
    PEEK_BYTES,
    Filled,
    Id,
    Place,
    Record,
    Worded,
    open_text,
    parse,
    read_json,
)
from clew.results.data_set import (
    BenchDocument,
    BenchQuestion,
    DataSet,
    DataSetFormat,
    DataSetSource,
)

_ARTICLES = re.compile(rb'"data"\s*:\s*\[\s*\{')
_PARAGRAPHS = re.compile(rb'"paragraphs"\s*:\s*\[')


class _Answer(Record):
    text: Worded


class _Question(Record):
    id: Id
    question: Filled
    answers: list[_Answer] = Field(default_factory=list)
    is_impossible: bool = False


class _Paragraph(Record):
    context: Filled
    qas: list[_Question]


class _Article(Record):
    title: str = ""
    paragraphs: list[_Paragraph]


def load(source: DataSetSource) -> DataSet:
    """Read a set in SQuAD's form; raises InvalidDataSet, which names the article."""
    path = _the_file(source)
    with open_text(path, str(path)) as file:
        articles = read_json(file, str(path))["data"]
    documents: list[BenchDocument] = []
    questions = QuestionCollector(lambda _: True)
    keys: dict[str, str] = {}
    for number, value in enumerate(articles, 1):
        title = value.get("title") if isinstance(value, dict) else None
        place = Place(str(path), number, title if isinstance(title, str) else None)
        article = parse(_Article, value, place)
        for position, paragraph in enumerate(article.paragraphs, 1):
            key = keys.get(paragraph.context)
            if key is None:
                key = f"{article.title or number} #{number}.{position}"
                keys[paragraph.context] = key
                documents.append(BenchDocument(key, "", paragraph.context))
            for asked in paragraph.qas:
                questions.add(_question(asked, key), place)
    taken, refused = questions.finish(str(path))
    return DataSet(set_name(path), "squad", documents, taken, refused)


def _question(asked: _Question, key: str) -> BenchQuestion:
    possible = not asked.is_impossible
    return BenchQuestion(
        id=asked.id,
        question=asked.question,
        answers=answers_of("", [answer.text for answer in asked.answers]) if possible else (),
        gold={key: 1} if possible else {},
        answerable=possible,
        hops=1 if possible else None,
    )


def _files(source: DataSetSource) -> list[Path]:
    if source.path is None:
        return []
    if source.path.is_dir():
        found = sorted(path for path in source.path.glob("*.json") if path.is_file())
    else:
        found = [source.path]
    return [path for path in found if _fits(path)]


def _fits(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            begin = file.read(PEEK_BYTES[0])
    except OSError:
        return False
    return bool(_ARTICLES.search(begin) and _PARAGRAPHS.search(begin))


def _the_file(source: DataSetSource) -> Path:
    found = _files(source)
    if len(found) != 1:
        names = ", ".join(path.name for path in found)
        raise InvalidDataSet(
            f"{source.name} should hold one file of articles, but has {len(found)}: {names}.",
            remedy="Name the file instead of the folder.",
        )
    return found[0]


FORMAT = DataSetFormat(
    name="squad",
    summary='a .json object {"data": [{title, paragraphs: [{context, qas}]}]} (SQuAD, XQuAD); '
    "each paragraph is a document without a title",
    recognises=lambda source: bool(_files(source)),
    load=load,
)
