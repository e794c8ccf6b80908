"""What callers send to start a run, as choices and questions: from JSON, or from a form."""

import json
from typing import Any

from werkzeug.datastructures import FileStorage, MultiDict

from clew.errors import InvalidDataSet, InvalidRequest
from clew.results.data_set import BenchQuestion
from clew_web.api.bench_models import QUESTIONS_LIMIT, BenchChoices, BenchUpload, NewBench

Sent = tuple[BenchChoices, list[BenchQuestion] | None]


def from_json(body: Any) -> Sent:
    """Return what a JSON body asks for. Raises ValidationError, and InvalidDataSet."""
    sent = NewBench.model_validate(body)
    if sent.questions is None:
        return sent, None
    lines = "\n".join(json.dumps(question) for question in sent.questions)
    return sent, read(lines.encode(), "questions")


def from_form(fields: MultiDict[str, str], files: MultiDict[str, FileStorage]) -> Sent:
    """Return what a form asks for; a field that was left empty counts as unset.

    Raises ValidationError, InvalidRequest where the questions are no file, and InvalidDataSet
    where the file cannot be read as questions.
    """
    if fields.get("questions"):
        raise InvalidRequest(
            "The questions are sent as text.", remedy="Send them as a file in the part `questions`."
        )
    given: dict[str, Any] = {name: value for name, value in fields.items() if value}
    if "strategies" in given:
        given["strategies"] = fields.getlist("strategies")
    # a browser sends a nameless part for a file that was not chosen
    given |= {name: file for name, file in files.items() if file.filename}
    sent = BenchUpload.model_validate(given)
    if sent.questions is None:
        return sent, None
    return sent, read(sent.questions.read(), sent.questions.filename or "questions")


def read(data: bytes, where: str) -> list[BenchQuestion]:
    """Return the questions of JSON Lines; raises InvalidDataSet, which names record and field."""
    from clew.evaluation.data_sets.json_lines import read_questions

    questions = read_questions(data, where)
    for number, question in enumerate(questions, 1):
        try:
            question.model_dump_json()
        except ValueError as error:
            raise InvalidDataSet(
                f"{where}, question {number} holds half a Unicode character (a lone surrogate).",
                remedy="Save the questions as UTF-8.",
            ) from error
    if len(questions) > QUESTIONS_LIMIT:
        raise InvalidDataSet(
            f"{where} holds {len(questions)} questions, over {QUESTIONS_LIMIT}.",
            remedy="Send fewer, or use `clew bench`.",
        )
    return questions
