"""Data sets: every format read from small made-up files, recognised, and told apart."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.errors import InvalidDataSet
from clew.evaluation.data_set_corpus import corpus_of_data_set
from clew.evaluation.data_sets.loading import (
    FORMATS,
    describe_formats,
    fingerprint,
    load_data_set,
)
from clew.evaluation.data_sets.pathquestion import readable_name
from clew.results.data_set import BenchDocument, BenchQuestion, DataSet, DataSetSource
from clew.settings import Settings

YARD = ["The yard was founded in 1881.", " Victor Ferrand founded it."]
SHIP = ["The Aurelia was built at the yard."]
NOISE = ["The fern grows on Corvay."]
HOTPOT = {
    "_id": "h1",
    "question": "Who founded the yard of the Aurelia?",
    "answer": "Victor Ferrand",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": [["Yard", 1], ["Aurelia", 0], ["Yard", 0]],
    "context": [["Yard", YARD], ["Aurelia", SHIP], ["Fern", NOISE]],
}
MUSIQUE = {
    "id": "3hop1__1_2_3",
    "question": "Who founded the yard of the Aurelia?",
    "answer": "Victor Ferrand",
    "answer_aliases": ["Ferrand", "Victor Ferrand"],
    "answerable": True,
    "question_decomposition": [],
    "paragraphs": [
        {"idx": 0, "title": "Yard", "paragraph_text": "Ferrand founded it.", "is_supporting": True},
        {"idx": 1, "title": "Yard", "paragraph_text": "A place for cars.", "is_supporting": False},
        {"idx": 2, "title": "Ship", "paragraph_text": "She was built.", "is_supporting": True},
    ],
}
WIKI = {
    "_id": "w1",
    "type": "compositional",
    "question": "Who founded the yard of the Aurelia?",
    "context": [["Yard", ["It is old.", "Ferrand founded it."]], ["Aurelia", ["A ship."]]],
    "supporting_facts": [["Aurelia", 0], ["Yard", 1]],
    "evidences": [["Aurelia", "built by", "Yard"], ["Yard", "founder", "Ferrand"]],
    "answer": "Ferrand",
}


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, content)), encoding="utf-8")
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return path


def keys(data_set: DataSet) -> list[str]:
    return [document.key for document in data_set.documents]


def beir(folder: Path, qrels: str, split: str = "test") -> Path:
    write(folder / "corpus.jsonl", [{"_id": str(i), "title": f"T{i}", "text": "x"} for i in (1, 2)])
    write(folder / "queries.jsonl", [{"_id": q, "text": f"{q}?"} for q in ("a", "b", "c")])
    write(folder / "qrels" / f"{split}.tsv", qrels)
    return folder


def pathquestion(folder: Path, questions: str, triples: str) -> str:
    write(folder / "PQ-2H.txt", questions)
    write(folder / "2H-kb.txt", triples)
    return str(folder)


def test_hotpotqa_without_a_corpus_takes_the_contexts(tmp_path: Path) -> None:
    data_set = load_data_set(str(write(tmp_path / "dev.json", [HOTPOT])))
    assert (data_set.name, data_set.format) == ("dev", "hotpotqa")
    assert [(d.key, d.title, d.text) for d in data_set.documents] == [
        ("Yard", "Yard", "The yard was founded in 1881. Victor Ferrand founded it."),
        ("Aurelia", "Aurelia", "The Aurelia was built at the yard."),
        ("Fern", "Fern", "The fern grows on Corvay."),
    ]
    assert data_set.questions[0] == BenchQuestion(
        id="h1",
        question="Who founded the yard of the Aurelia?",
        answers=("Victor Ferrand",),
        gold={"Yard": 1, "Aurelia": 1},
        type="bridge",
        hops=2,
    )


def test_hotpotqa_in_columns_is_the_same(tmp_path: Path) -> None:
    """As the Hugging Face hub has it: ``id``, and lists of pairs as two lists side by side."""
    lines: dict[str, Any] = {
        **{name: value for name, value in HOTPOT.items() if name != "_id"},
        "id": HOTPOT["_id"],
        "supporting_facts": {
            "title": [title for title, _ in HOTPOT["supporting_facts"]],
            "sent_id": [number for _, number in HOTPOT["supporting_facts"]],
        },
        "context": {
            "title": [title for title, _ in HOTPOT["context"]],
            "sentences": [sentences for _, sentences in HOTPOT["context"]],
        },
    }
    published = load_data_set(str(write(tmp_path / "as-published" / "dev.json", [HOTPOT])))
    columns = write(tmp_path / "in-columns" / "dev.jsonl", [lines])
    assert load_data_set(str(columns)) == published
    assert load_data_set(str(columns.parent)) == published
    lines["context"]["title"].append("One more")
    with pytest.raises(InvalidDataSet, match="field context: its lists differ in length"):
        load_data_set(str(write(columns, [lines])))


def test_published_answers_may_be_numbers_or_truth_values(tmp_path: Path) -> None:
    hotpot = [
        {**HOTPOT, "_id": str(n), "answer": answer} for n, answer in enumerate((1881, True, None))
    ]
    found = load_data_set(str(write(tmp_path / "hotpot.json", hotpot))).questions
    assert [question.answers for question in found] == [("1881",), ("yes",), ()]
    musique = [{**MUSIQUE, "answer": 4, "answer_aliases": [4.5], "answerable": None}]
    found = load_data_set(str(write(tmp_path / "musique.json", musique))).questions
    assert found[0].answers == ("4", "4.5")


def test_names_in_two_spellings_of_unicode_are_one_in_tables_too(tmp_path: Path) -> None:
    write(tmp_path / "corpus.jsonl", [{"_id": "Kr\u00f6ger", "title": "", "text": "x"}])
    write(tmp_path / "queries.jsonl", [{"_id": "a", "text": "Who?"}])
    write(tmp_path / "qrels" / "test.tsv", "a\tKro\u0308ger\t1")
    assert load_data_set(str(tmp_path)).questions[0].gold == {"Kr\u00f6ger": 1}
    name = pathquestion(
        tmp_path / "paths", "who is o\u0308l ?\tx(x)\to\u0308l#is#x\n", "\u00f6l\tis\tx\n"
    )
    assert load_data_set(name).questions[0].gold == {"\u00f6l | is | x": 1}


def test_hotpotqa_with_its_corpus_is_the_same_by_folder_and_by_file(tmp_path: Path) -> None:
    folder = tmp_path / "hotpot-x"
    path = write(folder / "questions.json", [{**HOTPOT, "context": []}])
    write(folder / "corpus.json", {"Yard": YARD, "Aurelia": SHIP, "Other": "A text."})
    data_set = load_data_set(str(folder))
    assert data_set == load_data_set(str(path))
    assert data_set.name == "hotpot-x"
    assert keys(data_set) == ["Yard", "Aurelia", "Other"]


def test_one_title_with_two_texts_is_two_documents_and_gold_is_that_of_the_context(
    tmp_path: Path,
) -> None:
    other = {**HOTPOT, "_id": "h2", "context": [["Yard", ["Another."]], ["Aurelia", SHIP]]}
    first = load_data_set(str(write(tmp_path / "a.json", [HOTPOT, other])))
    turned = load_data_set(str(write(tmp_path / "b.json", [other, HOTPOT])))
    texts = {d.key: d.text for d in first.documents}
    assert len(texts) == 4
    assert texts == {d.key: d.text for d in turned.documents}
    gold = {q.id: {texts[key] for key in q.gold} for q in first.questions}
    assert gold["h1"] == {"".join(YARD), *SHIP}
    assert gold["h2"] == {"Another.", *SHIP}


def test_a_question_whose_gold_is_not_in_the_corpus_is_refused(tmp_path: Path) -> None:
    bare = {**HOTPOT, "_id": "h2", "answer": "", "supporting_facts": []}
    write(tmp_path / "corpus.json", {"Yard": YARD})
    yes = {**HOTPOT, "_id": "h3", "supporting_facts": [["Yard", 0]]}
    path = write(tmp_path / "questions.json", [HOTPOT, bare, yes])
    data_set = load_data_set(str(path))
    assert [q.id for q in data_set.questions] == ["h3"]
    assert [(r.id, r.reason) for r in data_set.refused] == [
        ("h1", "Its gold is not in the corpus: 'Aurelia'."),
        ("h2", "It has neither answers nor gold documents."),
    ]


def test_musique_tells_passages_of_one_title_apart(tmp_path: Path) -> None:
    data_set = load_data_set(str(write(tmp_path / "m.jsonl", [MUSIQUE])))
    assert data_set.format == "musique"
    assert len(set(keys(data_set))) == 3
    question = data_set.questions[0]
    texts = {d.key: d.text for d in data_set.documents}
    assert {texts[key] for key in question.gold} == {"Ferrand founded it.", "She was built."}
    assert question.answers == ("Victor Ferrand", "Ferrand")
    assert (question.type, question.hops) == ("3hop1", 3)


@pytest.mark.parametrize("literal", [repr, json.dumps])
def test_musique_reads_paragraphs_that_are_a_string(tmp_path: Path, literal: Any) -> None:
    row = {**MUSIQUE, "paragraphs": literal(MUSIQUE["paragraphs"])}
    data_set = load_data_set(str(write(tmp_path / "m.json", [row])))
    assert data_set.questions == load_data_set(str(write(tmp_path / "n.json", [MUSIQUE]))).questions


def test_musique_with_a_corpus_finds_gold_by_title_and_text(tmp_path: Path) -> None:
    write(
        tmp_path / "corpus.json",
        [
            {"title": "Yard", "text": "A place for cars."},
            {"title": "Yard", "text": "Ferrand  founded it. "},
            {"title": "Ship", "text": "She was built."},
            {"title": "Fern", "text": "Unasked."},
        ],
    )
    other = {**MUSIQUE, "id": "2hop__4_5"}
    other["paragraphs"] = [{"title": "Ship", "paragraph_text": "Not so.", "is_supporting": True}]
    write(tmp_path / "questions.json", [MUSIQUE, other])
    data_set = load_data_set(str(tmp_path))
    assert len(data_set.documents) == 4
    assert [q.hops for q in data_set.questions] == [3]
    assert [r.id for r in data_set.refused] == ["2hop__4_5"]


def test_musique_unanswerable_has_no_gold_and_a_twin_is_refused(tmp_path: Path) -> None:
    alone = {**MUSIQUE, "id": "2hop__9_9", "answerable": False}
    twin = {**MUSIQUE, "answerable": False}
    data_set = load_data_set(str(write(tmp_path / "m.json", [MUSIQUE, alone, twin])))
    assert [(q.id, q.answerable, q.gold != {}) for q in data_set.questions] == [
        ("3hop1__1_2_3", True, True),
        ("2hop__9_9", False, False),
    ]
    assert data_set.questions[1].answers == ()
    assert [r.id for r in data_set.refused] == ["3hop1__1_2_3 (unanswerable)"]


def stepped(*steps: tuple[str, str, int | None]) -> dict[str, Any]:
    return {
        **MUSIQUE,
        "question_decomposition": [
            {"id": number, "question": question, "answer": answer, "paragraph_support_idx": idx}
            for number, (question, answer, idx) in enumerate(steps)
        ],
    }


def test_musique_has_its_steps_with_earlier_answers_in_them(tmp_path: Path) -> None:
    row = stepped(
        ("Aurelia >> built by", "Seld Yard", 2),
        ("#1 >> director", "Ada", 0),
        ("Did #2 , of #1 , sing #3 ?", "Ferrand", 1),
    )
    data_set = load_data_set(str(write(tmp_path / "m.json", [row])))
    texts = {d.key: d.text for d in data_set.documents}
    steps = data_set.questions[0].steps
    assert [(step.question, step.answer, texts[step.gold]) for step in steps] == [
        ("Aurelia built by?", "Seld Yard", "She was built."),
        ("Seld Yard director?", "Ada", "Ferrand founded it."),
        ("Did Ada, of Seld Yard, sing #3?", "Ferrand", "A place for cars."),
    ]


@pytest.mark.parametrize("step", [("#1 >> director", "", 0), ("Who?", "Ada", None)])
def test_steps_of_which_one_lacks_something_are_none(
    tmp_path: Path, step: tuple[str, str, int | None]
) -> None:
    row = stepped(("Aurelia >> built by", "Seld Yard", 2), step)
    data_set = load_data_set(str(write(tmp_path / "m.json", [row])))
    assert data_set.questions[0].steps == ()


def test_steps_change_nothing_that_is_measured(tmp_path: Path) -> None:
    row = stepped(("Aurelia >> built by", "Seld Yard", 2))
    with_steps = load_data_set(str(write(tmp_path / "m.json", [row])))
    without = load_data_set(str(write(tmp_path / "n.json", [MUSIQUE])))
    assert with_steps.questions[0].steps
    assert fingerprint(with_steps) == fingerprint(without)
    assert with_steps.questions[0].model_dump() == without.questions[0].model_dump()


def test_two_wiki_has_a_step_for_each_evidence(tmp_path: Path) -> None:
    data_set = load_data_set(str(write(tmp_path / "train.json", [WIKI])))
    assert [(s.question, s.answer, s.gold) for s in data_set.questions[0].steps] == [
        ("Aurelia built by?", "Yard", "Aurelia"),
        ("Yard founder?", "Ferrand", "Yard"),
    ]
    film = {
        **WIKI,
        "context": [["Yard (film)", ["It is old."]], ["Aurelia", ["A ship."]]],
        "supporting_facts": [["Aurelia", 0], ["Yard (film)", 0]],
    }
    data_set = load_data_set(str(write(tmp_path / "film.json", [film])))
    assert [step.gold for step in data_set.questions[0].steps] == ["Aurelia", "Yard (film)"]
    apart = {**WIKI, "evidences": [["Aurelia", "built by", "Yard"], ["Fern", "home", "Corvay"]]}
    data_set = load_data_set(str(write(tmp_path / "apart.json", [apart])))
    assert data_set.questions[0].steps == ()


def test_two_wiki_has_hops_by_its_gold(tmp_path: Path) -> None:
    data_set = load_data_set(str(write(tmp_path / "train.json", [WIKI])))
    assert data_set.format == "2wikimultihopqa"
    assert [d.text for d in data_set.documents] == ["It is old. Ferrand founded it.", "A ship."]
    question = data_set.questions[0]
    assert (question.type, question.hops, set(question.gold)) == (
        "compositional",
        2,
        {"Yard", "Aurelia"},
    )
    assert question.gold_triples == (
        ("Aurelia", "built by", "Yard"),
        ("Yard", "founder", "Ferrand"),
    )


def test_two_wiki_without_questions_says_so(tmp_path: Path) -> None:
    write(tmp_path / "corpus.json", [{"title": "Yard", "text": "It is old."}])
    for named in (tmp_path, tmp_path / "corpus.json"):
        with pytest.raises(
            InvalidDataSet, match=r"holds a corpus \(corpus.json\) but no questions"
        ):
            load_data_set(str(named))


def test_pathquestion_is_a_knowledge_base(tmp_path: Path) -> None:
    triples = "frederica_of_hanover\tspouse\tgeorge_iv\ngeorge_iv\tplace_of_birth\tnew_york\n"
    line = (
        "where was frederica_of_hanover 's couple born ?\tnew_york(new_york/york/)\t"
        "frederica_of_hanover#spouse#george_iv#place_of_birth#new_york#<end>#new_york\n"
    )
    folder = pathquestion(tmp_path / "pq", line, triples)
    data_set = load_data_set(folder)
    spouse, birth = data_set.triples
    assert (data_set.documents, data_set.unit) == ((), "triple")
    assert data_set.triples[spouse] == ("Frederica of Hanover", "spouse", "George IV")
    assert data_set.triples[birth] == ("George IV", "place of birth", "New York")
    assert data_set.questions == (
        BenchQuestion(
            id="PQ-2H-1",
            question="where was Frederica of Hanover's couple born?",
            answers=("New York", "York"),
            gold={spouse: 1, birth: 1},
            gold_paths=((spouse, birth),),
            hops=2,
        ),
    )
    for name in ("PQ-2H", "PQ-2H.txt"):
        assert load_data_set(f"{folder}/{name}") == data_set


def test_pathquestion_merges_chains_walks_backwards_and_refuses_what_is_not_there(
    tmp_path: Path,
) -> None:
    triples = "a\tr\tb\nc\ts\tb\nb\ts\td\n"
    lines = [
        "of a ?\tc(c/)\ta#r#b#s#c#<end>#c",
        "of a ?\td(d/)\ta#r#b#s#d#<end>#d",
        "else ?\te(e/)\ta#r#b#s#e#<end>#e",
    ]
    data_set = load_data_set(pathquestion(tmp_path, "\n".join(lines), triples))
    assert [q.gold_paths for q in data_set.questions] == [
        (("a | r | b", "c | s | b"), ("a | r | b", "b | s | d"))
    ]
    assert set(data_set.questions[0].gold) == {"a | r | b", "c | s | b", "b | s | d"}
    assert data_set.questions[0].answers == ("C", "D")
    assert [r.id for r in data_set.refused] == ["PQ-2H-3"]
    assert "b | s | e" in data_set.refused[0].reason


def test_pathquestion_folder_with_two_sets_asks_which(tmp_path: Path) -> None:
    pathquestion(tmp_path, "q", "t")
    write(tmp_path / "PQ-3H.txt", "q")
    with pytest.raises(InvalidDataSet, match=r"PQ-2H.txt and PQ-3H.txt.*Name one of them"):
        load_data_set(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "relation", "readable"),
    [
        ("ernest_augustus_i_of_hanover", "", "Ernest Augustus I of Hanover"),
        ("frederica_of_mecklenburg-strelitz", "", "Frederica of Mecklenburg-Strelitz"),
        ("louis_xiv", "spouse", "Louis XIV"),
        ("burnham-on-sea", "", "Burnham-on-Sea"),
        ("lung_cancer", "cause_of_death", "lung cancer"),
        ("ivan_vi_of_russia", "", "Ivan VI of Russia"),
        ("de_wet", "", "De Wet"),
    ],
)
def test_names_are_written_as_people_write_them(name: str, relation: str, readable: str) -> None:
    assert readable_name(name, relation) == readable


SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "Aurelia",
            "paragraphs": [
                {
                    "context": "The Aurelia was built in 1902.",
                    "qas": [
                        {
                            "id": "s1",
                            "question": "When was the Aurelia built?",
                            "answers": [{"text": "1902", "answer_start": 25}] * 2,
                        },
                        {
                            "id": "s2",
                            "question": "Who sank the Aurelia?",
                            "answers": [],
                            "is_impossible": True,
                        },
                    ],
                },
                {"context": "The yard is on the Seld.", "qas": []},
            ],
        },
        {
            "title": "Copy",
            "paragraphs": [
                {
                    "context": "The yard is on the Seld.",
                    "qas": [
                        {
                            "id": "s3",
                            "question": "Where is the yard?",
                            "answers": [{"text": "on the Seld", "answer_start": 12}],
                        }
                    ],
                }
            ],
        },
    ],
}


def test_squad_has_paragraphs_without_titles_for_documents(tmp_path: Path) -> None:
    path = write(tmp_path / "squad" / "dev-v2.0.json", SQUAD)
    for place in (path, path.parent):
        found = load_data_set(str(place))
        assert (found.name, found.format) == ("dev-v2.0", "squad")
        assert [document.title for document in found.documents] == ["", ""]
        texts = {document.key: document.text for document in found.documents}
        first, second, third = found.questions
        assert first.answers == ("1902",)
        assert [texts[key] for key in first.gold] == ["The Aurelia was built in 1902."]
        assert (second.answerable, second.gold, second.answers) == (False, {}, ())
        assert [texts[key] for key in third.gold] == ["The yard is on the Seld."]


def test_squad_names_the_article_that_is_broken(tmp_path: Path) -> None:
    broken = {"data": [SQUAD["data"][0], {"title": "Yard", "paragraphs": [{"qas": []}]}]}
    path = write(tmp_path / "broken.json", broken)
    with pytest.raises(InvalidDataSet, match=r"record 2 \(id 'Yard'\).*context"):
        load_data_set(str(path))


def test_beir_keeps_graded_relevance_and_drops_zero(tmp_path: Path) -> None:
    qrels = "query-id\tcorpus-id\tscore\na\t1\t2\na\t2\t0\nb\t1\t0\n"
    data_set = load_data_set(str(beir(tmp_path / "set", qrels)))
    assert (data_set.name, data_set.format, keys(data_set)) == ("set", "beir", ["1", "2"])
    assert data_set.questions == (BenchQuestion(id="a", question="a?", gold={"1": 2}),)
    assert [r.id for r in data_set.refused] == ["b"]


def test_beir_takes_dev_where_there_is_no_test_and_needs_no_header(tmp_path: Path) -> None:
    data_set = load_data_set(str(beir(tmp_path / "set", "a\t1\t1\nc\t2\t1\n", "dev")))
    assert data_set.name == "set-dev"
    assert [q.id for q in data_set.questions] == ["a", "c"]


def test_beir_document_without_text_has_its_title_and_without_both_cannot_be_gold(
    tmp_path: Path,
) -> None:
    folder = beir(tmp_path, "a\t1\t1\nb\t2\t1\n")
    rows = [{"_id": "1", "title": "Yard", "text": " … "}, {"_id": "2", "title": "", "text": " "}]
    write(folder / "corpus.jsonl", rows)
    data_set = load_data_set(str(folder))
    assert data_set.documents == [BenchDocument("1", "Yard", "Yard")]
    assert [(r.id, r.reason) for r in data_set.refused] == [
        ("b", "A gold document has neither title nor text.")
    ]


def test_sample_has_its_articles_and_questions() -> None:
    data_set = load_data_set("sample")
    assert (len(data_set.documents), len(data_set.questions), data_set.refused) == (66, 54, ())
    aurelia = next(d for d in data_set.documents if d.key == "aurelia")
    assert aurelia.title == "Aurelia"
    assert aurelia.text.startswith("The Aurelia was a three-masted research ship")
    assert sum(not q.answerable for q in data_set.questions) == 5
    assert data_set.questions[0].gold == {"seld-shipyard": 1, "victor-ferrand": 1}


def test_an_unknown_path_lists_the_formats(tmp_path: Path) -> None:
    write(tmp_path / "notes.json", [{"colour": "red"}])
    for named, seen in (
        (tmp_path / "nowhere", "There is no file or folder"),
        (Path("~nobody-is-called-so"), "There is no file or folder"),
        (tmp_path, "notes.json begins with a record of the fields colour."),
        (write(tmp_path / "x" / "broken.json", "[{"), "does not begin with a JSON object"),
    ):
        with pytest.raises(InvalidDataSet) as caught:
            load_data_set(str(named))
        assert seen in str(caught.value)
        for format_ in FORMATS:
            assert format_.summary in str(caught.value)
    assert len(describe_formats().splitlines()) == len(FORMATS)


def test_a_folder_of_documents_is_no_data_set(tmp_path: Path) -> None:
    """Nothing recognises it, so that it can be ingested as it is."""
    write(tmp_path / "corpus.json", [{"title": "Yard", "text": "It is old."}])
    write(tmp_path / "faq.json", [{"_id": "1", "question": "Where?", "answer": "Here."}])
    write(tmp_path / "notes.md", "# Notes")
    source = DataSetSource(str(tmp_path), tmp_path)
    assert [format_.name for format_ in FORMATS if format_.recognises(source)] == []


def test_a_long_first_record_is_recognised(tmp_path: Path) -> None:
    path = write(tmp_path / "dev.json", [{"more": "x" * 200_000, **HOTPOT}])
    assert load_data_set(str(path)).format == "hotpotqa"


def test_two_files_of_questions_in_a_folder_are_not_guessed(tmp_path: Path) -> None:
    write(tmp_path / "train.json", [HOTPOT])
    write(tmp_path / "dev.json", [HOTPOT])
    with pytest.raises(InvalidDataSet, match=r"has 2: dev.json, train.json. Name the file"):
        load_data_set(str(tmp_path))


def test_the_fingerprint_is_that_of_documents_and_questions() -> None:
    documents = [BenchDocument("a", "A", "one"), BenchDocument("b", "B", "two")]
    question = BenchQuestion(id="q", question="Who?", gold={"a": 1})
    whole = DataSet("x", "jsonl", documents, (question,))
    mark = fingerprint(whole)
    assert len(mark) == 16
    assert set(mark) <= set("0123456789abcdef")
    assert fingerprint(DataSet("y", "beir", documents[::-1], (question,))) == mark
    moved = [BenchDocument("a", "Ao", "ne"), documents[1]]
    regraded = question.model_copy(update={"gold": {"a": 2}})
    for other in (
        DataSet("x", "jsonl", moved, (question,)),
        DataSet("x", "jsonl", documents[:1], (question,)),
        DataSet("x", "jsonl", documents, (regraded,)),
        DataSet("x", "jsonl", documents, (question,), unit="chunk"),
    ):
        assert fingerprint(other) != mark


def test_other_questions_on_the_same_documents_find_them_indexed() -> None:
    documents = [BenchDocument("a", "A", "one"), BenchDocument("b", "B", "two")]
    asked = BenchQuestion(id="q", question="Who?", gold={"a": 1})
    other = BenchQuestion(id="r", question="Where?", gold={"b": 1})

    def corpus(documents: list[BenchDocument], question: BenchQuestion) -> str:
        data_set = DataSet("x", "jsonl", documents, (question,))
        return corpus_of_data_set(data_set, 0, Settings())

    assert corpus(documents, asked) == corpus(documents, other)
    assert corpus(documents[:1], asked) != corpus(documents, asked)
