"""MuSiQue as published: questions over 2 to 4 hops with twenty paragraphs each.

Source: https://github.com/StonyBrookNLP/musique. The corpus is ``corpus.json`` beside the file, a
list of {title, text}, else all paragraphs together. Hops are those of the id: ``2hop__…``,
``3hop1__…``; a question marked as not answerable has no gold.

The steps of a question are those of ``question_decomposition``, with the answers of earlier steps
in the place of "#1", "#2"; "Brand >> author" becomes "Brand author?".
"""

import ast
import json
import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from clew.evaluation.data_sets.collecting import (
    QuestionCollector,
    absent,
    answers_of,
    keywords,
)
from clew.evaluation.data_sets.passages import CORPUS, Passages, read_corpus
from clew.evaluation.data_sets.question_files import (
    place_of,
    question_files,
    set_name,
    the_question_file,
)
from clew.evaluation.data_sets.record_files import Filled, Id, Record, Worded, parse, records
from clew.results.data_set import (
    BenchQuestion,
    DataSet,
    DataSetFormat,
    DataSetSource,
    QuestionStep,
)

TWIN = (
    "It is the unanswerable twin of a question of the set, whose paragraphs the corpus has: "
    "searched in the whole corpus, it can be answered."
)
"""Why the second of two questions of one id, as MuSiQue-Full has them, is left out."""
_HOPS = re.compile(r"(?P<type>(?P<hops>\d+)hop\d*)__")
_EARLIER = re.compile(r"#(\d+)")
_LOOSE = re.compile(r"\s+(?=[?.,!])")
_RELATION = ">>"


def _literal(value: Any) -> Any:
    """Return what a string of JSON or of a Python literal holds: some copies have such strings."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        pass
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError("the text is neither JSON nor a Python literal") from error


class _Paragraph(Record):
    title: Filled
    paragraph_text: str
    is_supporting: bool = False
    idx: int | None = None


class _Step(Record):
    question: Filled
    answer: Worded = ""
    paragraph_support_idx: int | None = None


class _Question(Record):
    id: Id
    question: Filled
    answer: Worded = ""
    answer_aliases: Annotated[list[Worded], BeforeValidator(_literal)] = Field(default_factory=list)
    answerable: bool = True
    paragraphs: Annotated[list[_Paragraph], BeforeValidator(_literal)]
    question_decomposition: Annotated[list[_Step], BeforeValidator(_literal)] = Field(
        default_factory=list
    )


def load(source: DataSetSource) -> DataSet:
    """Read a set in MuSiQue's form; raises InvalidDataSet."""
    path = the_question_file(source, fits)
    asked = []
    for number, value in records(path, str(path)):
        place = place_of(path, number, value, "id")
        asked.append((place, parse(_Question, value, place)))
    corpus = path.parent / CORPUS
    if corpus.is_file():
        passages = read_corpus(corpus)
    else:
        passages = Passages(
            (paragraph.title, paragraph.paragraph_text)
            for _, item in asked
            for paragraph in item.paragraphs
        )
    documents = passages.documents
    keys = {document.key for document in documents}
    questions = QuestionCollector(keys.__contains__)
    answerable = {item.id for _, item in asked if item.answerable}
    for place, item in asked:
        if not item.answerable and item.id in answerable:
            questions.refuse(f"{item.id} (unanswerable)", TWIN, place)
            continue
        gold = [
            (paragraph.title, passages.find_exactly(paragraph.title, paragraph.paragraph_text))
            for paragraph in item.paragraphs
            if paragraph.is_supporting and item.answerable
        ]
        reason = absent(title for title, key in gold if key is None)
        if reason:
            questions.refuse(item.id, reason, place)
        else:
            steps = _steps(item, passages) if item.answerable else ()
            questions.add(_question(item, [key for _, key in gold if key], steps), place)
    taken, refused = questions.finish(str(path))
    return DataSet(set_name(path), "musique", documents, taken, refused)


def fits(record: dict[str, Any]) -> bool:
    """Say whether a first record looks like MuSiQue's."""
    return {"id", "question", "paragraphs"} <= set(record)


def _steps(item: _Question, passages: Passages) -> tuple[QuestionStep, ...]:
    """Return the steps of a question; () where one of them lacks its answer or its paragraph."""
    paragraphs = {paragraph.idx: paragraph for paragraph in item.paragraphs}
    answers: list[str] = []
    steps = []
    for step in item.question_decomposition:
        proof = paragraphs.get(step.paragraph_support_idx)
        gold = proof and passages.find_exactly(proof.title, proof.paragraph_text)
        answer = step.answer.strip()
        if not gold or not answer:
            return ()
        steps.append(
            QuestionStep(question=_asked(step.question, answers), answer=answer, gold=gold)
        )
        answers.append(answer)
    return tuple(steps)


def _asked(text: str, answers: list[str]) -> str:
    """Return a step's question with the answers of earlier steps in it."""

    def named(match: re.Match[str]) -> str:
        place = int(match[1])
        return answers[place - 1] if 1 <= place <= len(answers) else match[0]

    subject, _, relation = _LOOSE.sub("", _EARLIER.sub(named, text)).partition(_RELATION)
    return keywords(subject, relation) if relation else subject.strip()


def _question(item: _Question, gold: list[str], steps: tuple[QuestionStep, ...]) -> BenchQuestion:
    hops = _HOPS.match(item.id)
    return BenchQuestion(
        id=item.id,
        question=item.question,
        answers=answers_of(item.answer, item.answer_aliases) if item.answerable else (),
        gold=dict.fromkeys(gold, 1),
        steps=steps,
        answerable=item.answerable,
        type=hops["type"] if hops else None,
        hops=int(hops["hops"]) if hops else len(gold) or None,
    )


FORMAT = DataSetFormat(
    name="musique",
    summary="a .json list or .jsonl of {id, question, answer, answer_aliases, answerable, "
    "paragraphs}; its folder may hold corpus.json, [{title, text}]",
    recognises=lambda source: bool(question_files(source, fits)),
    load=load,
)
