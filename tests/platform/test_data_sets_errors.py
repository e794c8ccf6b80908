"""A wrong file of a data set says which file, record and field is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.errors import InvalidDataSet
from clew.evaluation.data_sets.loading import load_data_set

HOTPOT = {
    "_id": "h1",
    "question": "Who?",
    "answer": "Ada",
    "supporting_facts": [["T", 0]],
    "context": [["T", ["A text."]]],
}
MUSIQUE = {
    "id": "2hop__1",
    "question": "Who?",
    "answer": "Ada",
    "paragraphs": [{"title": "T", "paragraph_text": "A text.", "is_supporting": True}],
}
DOCUMENT = {"id": "d1", "title": "T", "text": "A text."}
QUESTION = {"id": "q1", "question": "Who?", "gold": ["d1"]}


def lines(rows: list[Any]) -> str:
    return "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)


def fails(path: Path, *parts: str) -> str:
    with pytest.raises(InvalidDataSet) as caught:
        load_data_set(str(path))
    for part in parts:
        assert part in str(caught.value)
    return str(caught.value)


def own(folder: Path, questions: list[Any], documents: list[Any]) -> Path:
    (folder / "corpus.jsonl").write_text(lines(documents), encoding="utf-8")
    (folder / "questions.jsonl").write_text(lines(questions), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        ({"question": 5}, "question", "it is no text, got 5"),
        ({"question": "  "}, "question", 'it is empty, got "  "'),
        ({"question": None}, "question", "it is missing"),
        ({"answer": ["Ada"]}, "answer", 'got ["Ada"]'),
        ({"supporting_facts": [["T", 0], ["U"]]}, "supporting_facts[1][1]", "it is missing"),
        ({"supporting_facts": [["T", "first"]]}, "supporting_facts[0][1]", 'got "first"'),
        ({"context": [["T", "A text."]]}, "context[0][1]", 'got "A text."'),
        ({"context": {"T": []}}, "context", "got {"),
    ],
)
def test_hotpotqa_names_record_and_field(
    tmp_path: Path, change: dict[str, Any], field: str, problem: str
) -> None:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([HOTPOT, {**HOTPOT, "_id": "h2", **change}]))
    fails(path, f"{path}, record 2 (id 'h2'), field {field}: ", problem)


@pytest.mark.parametrize("missing", ["_id", "question"])
def test_a_missing_field_is_named(tmp_path: Path, missing: str) -> None:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([HOTPOT, {k: v for k, v in HOTPOT.items() if k != missing}]))
    fails(path, "record 2", f"field {missing}: it is missing.", "A record has the fields _id, que")


def test_a_record_that_is_no_object_is_named(tmp_path: Path) -> None:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([HOTPOT, ["no"]]))
    fails(path, 'record 2: expected an object, got ["no"]')


def test_an_id_twice_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([HOTPOT, {**HOTPOT, "_id": "h2"}, HOTPOT]))
    fails(path, "record 3 (id 'h1'), field id: 'h1' is the id of record 1 already")


def test_an_id_twice_in_an_article_is_an_error(tmp_path: Path) -> None:
    paragraphs = [
        {
            "context": f"{name} lived in Oslo.",
            "qas": [{"id": "0", "question": f"{name}?"}],
        }
        for name in ("Ada", "Bo")
    ]
    path = tmp_path / "dev.json"
    path.write_text(json.dumps({"data": [{"title": "Oslo", "paragraphs": paragraphs}]}))
    fails(path, "record 1 (id 'Oslo'), field id: '0' is the id of a question of it already")


def test_invalid_json_names_its_line(tmp_path: Path) -> None:
    whole = tmp_path / "dev.json"
    whole.write_text(json.dumps([HOTPOT], indent=1)[:-2] + ",\n{oops}]")
    text = whole.read_text()
    fails(whole, f"{whole}, line {text.count(chr(10)) + 1}, column 2: this is not valid JSON")
    by_line = tmp_path / "dev.jsonl"
    by_line.write_text(lines([MUSIQUE, "", '{"id": 1,']))
    fails(by_line, f"{by_line}, line 3, column", "not valid JSON")


@pytest.mark.parametrize("value", ["[" * 200_000, "9" * 5000])
def test_json_that_python_cannot_hold_is_an_error_too(tmp_path: Path, value: str) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text(lines([MUSIQUE, value]))
    fails(path, "line 2: this is not valid JSON")


def test_half_a_character_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text(lines([MUSIQUE, '{"id": "b", "question": "\\ud800?", "paragraphs": []}']))
    fails(path, "line 2: this is not valid JSON: \\ud800 is half a Unicode character")


def test_whole_characters_and_what_only_looks_like_half_a_one_are_read(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text(
        '{"id": "b", "question": "\\ud83d\\ude00 \\\\ud800?", "answer": "x", "paragraphs": []}'
    )
    assert load_data_set(str(path)).questions[0].question == "😀 \\ud800?"


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "dev.json"
    path.write_bytes(json.dumps([HOTPOT]).encode()[:-1] + b', {"_id": "\xff"}]')
    fails(path, f"{path} is not UTF-8", "Save it as UTF-8")


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "dev.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps([HOTPOT]).encode())
    assert [q.id for q in load_data_set(str(path)).questions] == ["h1"]


def test_if_every_question_is_refused_the_set_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "test.json"
    path.write_text(json.dumps([{**HOTPOT, "answer": "", "supporting_facts": []}]))
    fails(path, "none of its 1 questions can be scored", "h1: It has neither answers nor gold")


@pytest.mark.parametrize(
    ("corpus", "problem"),
    [
        ({"T": ["A text."], "U": [1]}, "record 2 (id 'U'), field sentences[0]: "),
        ([{"title": "T", "text": "x"}, {"title": "U"}], "record 2 (id 'U'), field text: it is mi"),
        ([{"title": " ", "text": "x"}], "record 1 (id ' '), field title: it is empty"),
        ("nothing", "is neither an object nor a list"),
    ],
)
def test_corpus_json_names_record_and_field(tmp_path: Path, corpus: Any, problem: str) -> None:
    (tmp_path / "questions.json").write_text(json.dumps([HOTPOT]))
    (tmp_path / "corpus.json").write_text(json.dumps(corpus))
    fails(tmp_path, str(tmp_path / "corpus.json"), problem)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"paragraphs": "[{'title': "}, "paragraphs: the text is neither JSON nor a Python"),
        ({"paragraphs": [{"title": "T"}]}, "paragraphs[0].paragraph_text: it is missing"),
        ({"answer_aliases": "Ada"}, "answer_aliases: the text is neither JSON"),
        ({"answerable": "perhaps"}, "answerable: "),
    ],
)
def test_musique_names_record_and_field(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    path = tmp_path / "dev.jsonl"
    path.write_text(lines([MUSIQUE, {**MUSIQUE, "id": "2hop__2", **change}]))
    fails(path, f"{path}, record 2 (id '2hop__2'), field {field}")


def test_two_wiki_names_a_broken_triple(tmp_path: Path) -> None:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([{**HOTPOT, "evidences": [["a", "b", "c"], ["a", "b"]]}]))
    fails(path, "record 1 (id 'h1'), field evidences[1][2]: it is missing")


@pytest.mark.parametrize(
    ("questions", "triples", "problem"),
    [
        (
            "q ?\ta(a/)",
            "a\tr\tb",
            "PQ-2H.txt, record 1, field question: expected question, answers",
        ),
        ("q ?\ta\ta#r#b", "a\tr\tb", "PQ-2H.txt, record 1, field answer: expected answer(answer/…"),
        ("\nq ?\tb(b/)\ta#r", "a\tr\tb", "PQ-2H.txt, record 2, field path: expected subject#"),
        ("q ?\tb(b/)\ta#r#b", "a\tr\tb\na\tr", "2H-kb.txt, record 2, field triple: expected sub"),
    ],
)
def test_pathquestion_names_line_and_field(
    tmp_path: Path, questions: str, triples: str, problem: str
) -> None:
    (tmp_path / "PQ-2H.txt").write_text(questions)
    (tmp_path / "2H-kb.txt").write_text(triples)
    fails(tmp_path, problem)


def test_pathquestion_without_its_knowledge_base_says_so(tmp_path: Path) -> None:
    (tmp_path / "PQ-2H.txt").write_text("q ?\tb(b/)\ta#r#b")
    fails(tmp_path, "knowledge base of PQ-2H.txt is missing", "2H-kb.txt")


@pytest.mark.parametrize(
    ("qrels", "problem"),
    [
        ("a\t1\t1\na\t1\n", "test.tsv, record 2 (id 'a'), field columns: expected query-id, corp"),
        ("a\t1\t1\na\t2\thigh\n", "test.tsv, record 2 (id 'a'), field score: expected a whole"),
        ("a\t1\t1\na\t1\t2\n", "test.tsv, record 2 (id 'a'), field score: '1' is judged 1 above"),
        (
            "z\t1\t1\n",
            "judges 1 questions that",
        ),
        ("a\t9\t1\n", "a: Its gold is not in the corpus: '9'"),
    ],
)
def test_beir_names_line_and_field(tmp_path: Path, qrels: str, problem: str) -> None:
    (tmp_path / "corpus.jsonl").write_text(lines([{"_id": i, "text": "x"} for i in "12"]))
    (tmp_path / "queries.jsonl").write_text(lines([{"_id": "a", "text": "Who?"}]))
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text(qrels)
    fails(tmp_path, problem)


def test_beir_without_qrels_and_with_broken_records(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text(lines([{"_id": "1", "text": "x"}] * 2))
    (tmp_path / "queries.jsonl").write_text(lines([{"_id": "a"}]))
    fails(tmp_path, "holds none of test.tsv, dev.tsv, train.tsv")
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("a\t1\t1")
    fails(tmp_path, "corpus.jsonl, record 2 (id '1'), field _id: another record of the corpus")
    (tmp_path / "corpus.jsonl").write_text(lines([{"_id": "1", "text": "x"}]))
    fails(tmp_path, "queries.jsonl, record 1 (id 'a'), field text: it is missing")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"question": ""}, "field question: it is empty"),
        ({"golds": ["d1"]}, "field golds: no such field is known. Known: id, question, answers"),
        ({"gold": "d1"}, "field gold: it is neither a list of ids nor {id: relevance}"),
        ({"gold": {"d1": "high"}}, "field gold.d1: it is no whole number"),
        ({"answers": "Ada"}, "field answers: "),
        ({"hops": 0}, "field hops: "),
        ({"answerable": False}, "field answerable: it is false, but the question has answers"),
        ({"answers": ["no"], "labels": ["yes"]}, "field labels: the answer 'no' is none of"),
    ],
)
def test_own_questions_name_record_and_field(
    tmp_path: Path, change: dict[str, Any], problem: str
) -> None:
    folder = own(tmp_path, [QUESTION, {**QUESTION, "id": "q2", **change}], [DOCUMENT])
    fails(folder, f"{folder / 'questions.jsonl'}, record 2 (id 'q2'), ", problem)


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({"id": "d2", "text": " "}, "record 2 (id 'd2'), field text: it is empty"),
        ({"text": "x"}, "record 2, field id: it is missing"),
        ({"id": "d2", "text": "…"}, "record 2 (id 'd2'), field text: it holds no letter or digit"),
        (DOCUMENT, "record 2 (id 'd1'), field id: 'd1' is the id of record 1 already"),
    ],
)
def test_own_corpus_names_record_and_field(
    tmp_path: Path, document: dict[str, Any], problem: str
) -> None:
    folder = own(tmp_path, [QUESTION], [DOCUMENT, document])
    fails(folder, f"{folder / 'corpus.jsonl'}, {problem}")


def test_own_folder_that_lacks_a_file_says_which(tmp_path: Path) -> None:
    own(tmp_path, [QUESTION], [DOCUMENT])
    (tmp_path / "corpus.jsonl").unlink()
    fails(tmp_path, "questions.jsonl needs the documents it asks about")
    own(tmp_path, [QUESTION], [DOCUMENT])
    (tmp_path / "questions.jsonl").unlink()
    fails(tmp_path, "holds corpus.jsonl but no questions.jsonl")


def test_an_empty_file_of_questions_is_an_error(tmp_path: Path) -> None:
    folder = own(tmp_path, [], [DOCUMENT])
    fails(folder, f"{folder / 'questions.jsonl'} holds no records")
