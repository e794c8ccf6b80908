"""Clew's own form of a data set, and questions for a corpus that is there already."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from clew.errors import InvalidDataSet
from clew.evaluation import data_sets
from clew.evaluation.data_sets.json_lines import read_questions
from clew.evaluation.data_sets.loading import load_data_set
from clew.results.data_set import BenchDocument, BenchQuestion

README = Path(data_sets.__file__).with_name("README.md")
DOCUMENTS = [
    {"id": "d1", "title": "Yard", "text": "A yard.", "source": "kept elsewhere"},
    {"id": 2, "text": "A ship."},
]


def own(folder: Path, questions: list[dict[str, Any]]) -> Path:
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, DOCUMENTS)))
    (folder / "questions.jsonl").write_text("\n\n".join(map(json.dumps, questions)))
    return folder


def test_every_field_is_read(tmp_path: Path) -> None:
    full = {
        "id": 7,
        "question": " Is it a yard? ",
        "answers": ["Yes", "yes", "Yes"],
        "gold": {"d1": 3, "2": 0},
        "gold_paths": [["d1", "2"]],
        "labels": ["Yes", "No"],
        "type": "yes-no",
        "hops": 2,
    }
    folder = own(tmp_path, [full])
    data_set = load_data_set(str(folder))
    assert data_set.name == tmp_path.name
    assert data_set.format == "jsonl"
    assert data_set.documents == [
        BenchDocument("d1", "Yard", "A yard."),
        BenchDocument("2", "", "A ship."),
    ]
    assert data_set.questions == (
        BenchQuestion(
            id="7",
            question="Is it a yard?",
            answers=("Yes", "yes"),
            gold={"d1": 3},
            gold_paths=(("d1", "2"),),
            labels=("Yes", "No"),
            type="yes-no",
            hops=2,
        ),
    )
    assert load_data_set(str(folder / "questions.jsonl")) == data_set


def test_what_is_left_out_follows_from_the_rest(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"question": "By paths?", "gold_paths": [["d1", "2"], ["2"]]},
        {"question": "By answer?", "answer": "Ada", "answers": ["Lovelace"]},
        {"question": "Not said?", "answerable": False},
    ]
    by_paths, by_answer, unsaid = load_data_set(str(own(tmp_path, rows))).questions
    assert by_paths.gold == {"d1": 1, "2": 1}
    assert by_answer.answers == ("Ada", "Lovelace")
    assert not unsaid.answerable
    # the file has empty lines between: an id is that of the line, as an editor counts it
    assert [q.id for q in (by_paths, by_answer, unsaid)] == ["q1", "q3", "q5"]


def test_answers_may_be_numbers_or_truth_values_and_null_is_nothing(tmp_path: Path) -> None:
    null = dict.fromkeys(("id", "gold_paths", "labels", "type", "hops", "answerable"))
    rows: list[dict[str, Any]] = [
        {"question": "When?", "answer": 1881, "answers": [1881.0, "in 1881"], **null},
        {"question": "How deep?", "answer": 3.5, "answers": None, "gold": None},
        {"question": "Is it?", "answer": True, "labels": [True, False], "type": 2},
        {"question": "Was it?", "answer": None, "answers": [False]},
    ]
    found = load_data_set(str(own(tmp_path, rows))).questions
    answers = [question.answers for question in found]
    assert answers == [("1881", "in 1881"), ("3.5",), ("yes",), ("no",)]
    assert (found[2].labels, found[2].type) == (("yes", "no"), "2")


def test_one_letter_in_two_spellings_of_unicode_is_one(tmp_path: Path) -> None:
    composed, apart = "Kr\u00f6ger", "Kro\u0308ger"
    documents = [{"id": apart, "text": "A judge."}, {"id": "d", "text": apart}]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, documents)))
    rows = [{"question": "Who?", "answer": apart, "gold": [composed]}]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    data_set = load_data_set(str(tmp_path))
    assert data_set.questions[0].answers == (composed,)
    assert data_set.questions[0].gold == {composed: 1}
    assert [document.key for document in data_set.documents] == [composed, "d"]


def test_what_cannot_be_scored_is_refused_with_the_reason(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "a", "question": "Nothing?"},
        {"id": "b", "question": "Elsewhere?", "gold": ["d1", "x", "y", "z", "w"], "answer": "Ada"},
        {"id": "c", "question": "A path?", "answer": "Ada", "gold": ["d1"], "gold_paths": [["x"]]},
        {"id": "d", "question": "Fine?", "gold": ["d1"]},
    ]
    data_set = load_data_set(str(own(tmp_path, rows)))
    assert [q.id for q in data_set.questions] == ["d"]
    assert {r.id: r.reason for r in data_set.refused} == {
        "a": "It has neither answers nor gold documents.",
        "b": "Its gold is not in the corpus: 'x', 'y', 'z' and 1 more.",
        "c": "Its gold is not in the corpus: 'x'.",
    }


def test_the_readme_shows_what_is_read(tmp_path: Path) -> None:
    corpus, questions = re.findall(r"```json\n(.*?)```", README.read_text(), re.DOTALL)
    (tmp_path / "corpus.jsonl").write_text(corpus)
    (tmp_path / "questions.jsonl").write_text(questions)
    data_set = load_data_set(str(tmp_path))
    assert [(q.id, dict(q.gold)) for q in data_set.questions] == [
        ("q1", {"ship": 1, "yard": 1}),
        ("q2", {"yard": 2, "ship": 1}),
        ("q3", {}),
    ]


def test_questions_for_a_corpus_that_is_there_are_not_looked_up(tmp_path: Path) -> None:
    row = {"question": "Who?", "gold": ["Any title", "file:///x.md"], "answer": "Ada"}
    data = json.dumps(row).encode()
    found = read_questions(data, "upload.jsonl")
    assert found == [
        BenchQuestion(
            id="q1",
            question="Who?",
            answers=("Ada",),
            gold={"Any title": 1, "file:///x.md": 1},
        )
    ]
    path = tmp_path / "mine.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + data)
    assert read_questions(path, str(path)) == found
    assert read_questions(json.dumps([row]).encode(), "list.json") == found


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ('{"question": "Who?"}', "up.jsonl, record 1, field answers: It has neither answers nor"),
        ('{"id":"a","question":"?","answer":"x"}\n' * 2, "record 2 (id 'a'), field id: 'a' is"),
        ('{"id": "a", "answer": "x"}', "record 1 (id 'a'), field question: it is missing"),
        ('{"question": "Who?', "up.jsonl, line 1, column"),
        ("", "up.jsonl holds no records"),
    ],
)
def test_a_wrong_upload_names_record_and_field(rows: str, problem: str) -> None:
    with pytest.raises(InvalidDataSet, match=re.escape(problem)):
        read_questions(rows.encode(), "up.jsonl")
