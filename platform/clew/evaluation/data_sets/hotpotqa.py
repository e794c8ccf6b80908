"""HotpotQA as published: questions with their supporting facts and a context of ten passages.

Source: https://hotpotqa.github.io; the Hugging Face hub has it in columns: ``id``, and lists of
pairs as two lists side by side. The corpus is ``corpus.json`` beside the file, else all contexts
together. A question's gold are the passages of its supporting facts.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field

from clew.evaluation.data_sets.collecting import (
    QuestionCollector,
    absent,
    answers_of,
    keywords,
)
from clew.evaluation.data_sets.passages import CORPUS, Passage, Passages, joined, read_corpus
from clew.evaluation.data_sets.question_files import (
    place_of,
    question_files,
    set_name,
    the_question_file,
)
from clew.evaluation.data_sets.record_files import (
    Filled,
    Id,
    Place,
    Record,
    Worded,
    parse,
    records,
)
from clew.results.data_set import (
    BenchQuestion,
    DataSet,
    DataSetFormat,
    DataSetSource,
    QuestionStep,
)
from clew_ingest.parsing.entity_names import aliases_of, normalise_name

ID, COLUMNS_ID = "_id", "id"


def _pairs(first: str, second: str) -> BeforeValidator:
    """Return what takes the columns {first: […], second: […]} as the pairs that they hold."""

    def paired(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        one, other = value.get(first), value.get(second)
        if not isinstance(one, list) or not isinstance(other, list):
            return value
        if len(one) != len(other):
            raise ValueError("its lists differ in length")
        return list(zip(one, other, strict=True))

    return BeforeValidator(paired)


class SupportedQuestion(Record):
    """What HotpotQA and 2WikiMultihopQA say of a question; only the latter has evidences."""

    id: Id = Field(alias=ID, validation_alias=AliasChoices(ID, COLUMNS_ID))
    question: Filled
    answer: Worded = ""
    type: str | None = None
    supporting_facts: Annotated[list[tuple[str, int]], _pairs("title", "sent_id")] = Field(
        default_factory=list
    )
    context: Annotated[list[tuple[Filled, list[str]]], _pairs("title", "sentences")] = Field(
        default_factory=list
    )
    evidences: list[tuple[str, str, str]] = Field(default_factory=list)


def load(source: DataSetSource) -> DataSet:
    """Read a set in HotpotQA's form; raises InvalidDataSet."""
    return load_supported(source, the_question_file(source, fits), "hotpotqa")


def load_supported(source: DataSetSource, path: Path, format_name: str) -> DataSet:
    """Read questions whose gold are the titles of their supporting facts."""
    asked = [_parsed(path, number, value) for number, value in records(path, str(path))]
    corpus = path.parent / CORPUS
    if corpus.is_file():
        passages = read_corpus(corpus)
    else:
        passages = Passages(passage for _, item in asked for passage in _context(item))
    documents = passages.documents
    keys = {document.key for document in documents}
    questions = QuestionCollector(keys.__contains__)
    for place, item in asked:
        texts = dict(_context(item))
        titles = list(dict.fromkeys(title.strip() for title, _ in item.supporting_facts))
        gold = {title: passages.find(title, texts.get(title)) for title in titles}
        reason = absent(title for title, key in gold.items() if key is None)
        if reason:
            questions.refuse(item.id, reason, place)
            continue
        questions.add(_question(item, {title: key for title, key in gold.items() if key}), place)
    taken, refused = questions.finish(str(path))
    return DataSet(set_name(path), format_name, documents, taken, refused)


def fits(record: dict[str, Any]) -> bool:
    """Say whether a first record looks like HotpotQA's."""
    fields = set(record)
    if {COLUMNS_ID, "question", "supporting_facts", "context"} <= fields:
        return True
    return {ID, "question"} <= fields and bool({"supporting_facts", "context"} & fields)


def _question(item: SupportedQuestion, gold: Mapping[str, str]) -> BenchQuestion:
    return BenchQuestion(
        id=item.id,
        question=item.question,
        answers=answers_of(item.answer),
        gold=dict.fromkeys(gold.values(), 1),
        gold_triples=tuple(item.evidences),
        steps=_steps(item, gold),
        type=item.type,
        hops=len(gold) or None,
    )


def _steps(item: SupportedQuestion, gold: Mapping[str, str]) -> tuple[QuestionStep, ...]:
    """Return a question for each evidence, proved by the passage whose title is its subject.

    () where one of them has no such passage: the steps would not lead to the answer.
    """
    keys = {name: key for title, key in gold.items() for name in aliases_of(title)}
    keys |= {normalise_name(title): key for title, key in gold.items()}
    steps = []
    for subject, relation, answer in item.evidences:
        key = keys.get(normalise_name(subject))
        if key is None or not answer.strip():
            return ()
        question = keywords(subject, relation)
        steps.append(QuestionStep(question=question, answer=answer.strip(), gold=key))
    return tuple(steps)


def _parsed(path: Path, number: int, value: Any) -> tuple[Place, SupportedQuestion]:
    id_field = COLUMNS_ID if isinstance(value, dict) and ID not in value else ID
    place = place_of(path, number, value, id_field)
    return place, parse(SupportedQuestion, value, place)


def _context(item: SupportedQuestion) -> Iterable[Passage]:
    return ((title, joined(sentences)) for title, sentences in item.context)


FORMAT = DataSetFormat(
    name="hotpotqa",
    summary="a .json list of {_id, question, answer, type, supporting_facts, context}; its folder "
    "may hold corpus.json, {title: [sentences]}",
    recognises=lambda source: bool(question_files(source, fits)),
    load=load,
)
