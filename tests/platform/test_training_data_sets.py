"""Training data from a data set's single-hop questions (KT-10, F.1): heads, chains, what is left
out, and a whole run.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from clew.clew import Clew
from clew.cli.app import app
from clew.errors import InvalidDataSet, InvalidRequest
from clew.evaluation.data_sets.loading import load_data_set
from clew.results.data_set import BenchDocument, BenchQuestion, DataSet, QuestionStep
from clew.strategies.learning.single_hop import SingleHop, single_hop_questions
from clew.strategies.translator.data_set_examples import DataSetExamples
from clew.strategies.translator.head_options import (
    HeadRule,
    LeftOut,
    answer_in,
    head_options,
    named_entities,
    nearest_heads,
)
from clew_cypher.export.training import (
    PassageChunk,
    PassageEntity,
    PassageSentence,
    StoredPassage,
)
from clew_ingest.reading.sources import Source
from clew_models.translator.examples import TranslationExample

from ..command_line import as_wide_as
from .training_corpus import FILMS as CORPUS
from .training_corpus import PEOPLE, film_of, musique_questions

TITLES_CORPUS = f"{CORPUS}-titles"
RULE = HeadRule(titles=True, tails=False)
TEXT = "Brand is a verse drama by Henrik Ibsen."
MASKED = "## is a verse drama by ##."


def entity(name: str, *aliases: str, title: bool = False, surface: str = "") -> PassageEntity:
    return PassageEntity(name.lower(), name, (surface or name,), aliases, title)


def passage(
    *sentences: tuple[str, str, list[str], list[str]], entities: list[PassageEntity]
) -> StoredPassage:
    stated = tuple(
        PassageSentence("c1", text, masked, tuple(heads), tuple(tails))
        for text, masked, heads, tails in sentences
    )
    text = " ".join(sentence.text for sentence in stated)
    chunk = PassageChunk("c1", text, stated, {one.id: one for one in entities})
    return StoredPassage("d1", "Brand (play)", (chunk,))


PLAY = entity("Brand (play)", "brand", title=True)
IBSEN = entity("Henrik Ibsen", "ibsen")
DRAMA = passage(
    (TEXT, MASKED, ["brand"], ["henrik ibsen"]),
    entities=[entity("Brand"), IBSEN, PLAY],
)


# heads that a question names


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who wrote Brand?", {"brand (play)": "Brand (play)"}),
        ("who wrote BRAND (play)", {"brand (play)": "Brand (play)"}),
        ("What did Ibsen write?", {"henrik ibsen": "Henrik Ibsen"}),
        ("What did HENRIK IBSEN's son write?", {"henrik ibsen": "Henrik Ibsen"}),
        ("Which brands are there?", {}),
        ("", {}),
    ],
)
def test_a_question_names_entities_by_name_and_alias(
    question: str, expected: dict[str, str]
) -> None:
    assert named_entities(question, [PLAY, IBSEN]) == expected


def test_accents_do_not_count_and_what_the_text_writes_is_written() -> None:
    wrestler = entity("Kenji Imada", "akinoshu kenji", surface="Akinoshū Kenji")
    found = named_entities("Akinoshu Kenji place of birth?", [wrestler])
    assert found == {"kenji imada": "Akinoshū Kenji"}


def test_a_part_of_a_longer_name_is_not_named() -> None:
    towns = [entity("Chicago"), entity("West Chicago")]
    assert named_entities("In what county is West Chicago?", towns) == {
        "west chicago": "West Chicago"
    }
    both = named_entities("Is Chicago near West Chicago?", towns)
    assert set(both) == {"chicago", "west chicago"}


# what a question may ask for


def asked(question: str, *answers: str) -> SingleHop:
    return SingleHop(question, answers, "Brand (play)")


def test_the_head_that_the_question_names_is_taken() -> None:
    options = head_options(asked("Brand author?", "Henrik Ibsen"), DRAMA, RULE)
    assert isinstance(options, list)
    assert {one.head.id for one in options} == {"brand", "brand (play)"}
    assert all(one.named and one.tail == "Henrik Ibsen" for one in options)
    assert options[0].beside == {"henrik ibsen", "brand (play)"}


def test_without_a_name_all_heads_are_compared_but_not_the_answer() -> None:
    said = passage(("Ibsen met Grieg.", "## met ##.", ["ibsen", "grieg"], []), entities=[
        entity("Ibsen"), entity("Grieg"), PLAY,
    ])  # fmt: skip
    options = head_options(asked("Who met whom?", "grieg"), said, RULE)
    assert isinstance(options, list)
    assert [one.head.id for one in options] == ["ibsen", "brand (play)"]
    assert not any(one.named for one in options)
    assert {one.tail for one in options} == {"Grieg"}


def test_of_heads_without_a_name_the_nearest_is_kept_if_it_is_near() -> None:
    places = {"Brand": (0.2, 0), "Brand (play)": (0.6, 0), "What is verse?": (1, 0)}

    def embed(texts: Sequence[str]) -> np.ndarray:
        return np.array([places.get(text, (0, 1)) for text in texts], dtype=np.float32)

    like, unlike = asked("What is verse?", "verse drama"), asked("Where?", "verse drama")
    named, gone = asked("Brand form?", "verse drama"), asked("Brand?", "Grieg")
    made = {hop: head_options(hop, DRAMA, RULE) for hop in (like, unlike, named, gone)}
    found = nearest_heads(made, embed)
    near = found[like]
    assert isinstance(near, list)
    assert [one.head.id for one in near] == ["brand (play)"]
    assert found[unlike] is LeftOut.FAR_HEAD
    assert found[named] == made[named]
    assert found[gone] is LeftOut.NO_SENTENCE


@pytest.mark.parametrize(
    ("rule", "heads"),
    [
        (HeadRule(titles=False, tails=False), {"brand"}),
        (HeadRule(titles=True, tails=False), {"brand", "brand (play)"}),
        (HeadRule(titles=False, tails=True), {"brand", "henrik ibsen"}),
    ],
)
def test_heads_are_those_of_the_clue_index(rule: HeadRule, heads: set[str]) -> None:
    options = head_options(asked("What sort of text is it?", "verse drama"), DRAMA, rule)
    assert isinstance(options, list)
    assert {one.head.id for one in options} == heads


@pytest.mark.parametrize(
    ("answers", "rule", "reason"),
    [
        (("Grieg",), RULE, LeftOut.NO_SENTENCE),
        (("yes",), RULE, LeftOut.CLOSED),
        (("Brand",), HeadRule(titles=False, tails=False), LeftOut.NO_HEAD),
    ],
)
def test_what_fits_nothing_says_why(
    answers: tuple[str, ...], rule: HeadRule, reason: LeftOut
) -> None:
    assert head_options(asked("Is it?", *answers), DRAMA, rule) is reason


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["henrik ibsen"], "Henrik Ibsen"),
        (["the verse  drama"], "verse drama"),
        (["Ibsen, Henrik", "Ibsen"], "Ibsen"),
        (["rand"], None),
        ([""], None),
    ],
)
def test_an_answer_is_found_as_the_text_has_it(answers: list[str], expected: str | None) -> None:
    assert answer_in(TEXT, answers) == expected


# which questions there are


def test_questions_of_one_hop_and_steps() -> None:
    steps = (
        QuestionStep(question="Brand author?", answer="Ibsen", gold="a"),
        QuestionStep(question="Where was Ibsen born?", answer="Skien", gold="b"),
    )
    questions = (
        BenchQuestion(id="1", question="One?", answers=("x", "y"), gold={"a": 1}),
        BenchQuestion(id="2", question="Two?", answers=("x",), gold={"a": 1, "b": 1}),
        BenchQuestion(id="3", question="No answer?", gold={"a": 1}),
        BenchQuestion(
            id="4", question="Steps?", answers=("Skien", "S."), gold={"a": 1, "b": 1}, steps=steps
        ),
    )
    found = single_hop_questions(DataSet("set", "test", (), questions))
    assert [(one.question, [hop.question for hop in one.hops]) for one in found] == [
        ("One?", ["One?"]),
        ("Steps?", ["Brand author?", "Where was Ibsen born?"]),
    ]
    assert found[0].hops[0].answers == ("x", "y")
    assert found[1].hops[0].answers == ("Ibsen",)
    assert found[1].hops[1].answers == ("Skien", "S.")


# in a graph


@pytest.fixture(scope="module")
def musique(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("films") / "films.json"
    path.write_text(json.dumps(musique_questions()), encoding="utf-8")
    return path


def made(
    clew: Clew, data_set: DataSet, count: int = 1000, seed: int = 0
) -> tuple[list[TranslationExample], dict[str, Any]]:
    maker = DataSetExamples(
        clew.resources.store, CORPUS, data_set, RULE, clew.resources.embedder.embed
    )
    return maker.make(count, seed), maker.use.counts()


def test_steps_are_clues_and_lead_on_in_a_chain(clew: Clew, musique: Path) -> None:
    data_set = load_data_set(str(musique))
    examples, use = made(clew, data_set)
    assert use == {
        "questions": 60,
        "used": 60,
        "named": 60,
        "several_steps": 30,
        "chains": 30,
        "left_out": {},
    }
    by_question = {example.question: example for example in examples}
    assert len(by_question) == len(examples) == 90
    for number, person in enumerate(PEOPLE):
        film = film_of(number)
        directed = by_question[f"{film} director?"]
        born = by_question[f"Where was {person} born?"]
        chain = by_question[f"In which city was the director of {film} born?"]
        assert directed.clues[0].entity in film
        assert directed.clues[0].relation.endswith("directed by ")
        assert born.clues[0].entity == person
        assert born.clues[0].relation.strip(" #").startswith("was born in")
        assert chain.clues == (*directed.clues, *born.clues)
        assert chain.chunk_ids == (*directed.chunk_ids, *born.chunk_ids)
        assert chain.chunk_ids[0] != chain.chunk_ids[1]


def test_the_seed_draws_and_the_count_ends(clew: Clew, musique: Path) -> None:
    data_set = load_data_set(str(musique))
    told: list[int] = []
    maker = DataSetExamples(
        clew.resources.store, CORPUS, data_set, RULE, clew.resources.embedder.embed
    )
    first = maker.make(12, 0, told.append)
    use = maker.use.counts()
    assert 12 <= len(first) <= 14
    assert told == [12]
    assert use["used"] + use["chains"] == len(first)
    assert first == made(clew, data_set, 12)[0]
    assert first != made(clew, data_set, 12, seed=1)[0]


def test_what_is_left_out_is_counted_with_the_reason(clew: Clew) -> None:
    person, film = PEOPLE[0], film_of(0)
    film_text = f"{film} is a drama film directed by {person}."
    texts = [(film, film_text), ("Nowhere", "Not there.")]
    cases = [
        ("Who directed the amber door?", person, film),
        ("How old is the moon?", person, film),
        ("Who sang it?", "Zelda Quint", film),
        ("Is it a film?", "yes", film),
        ("What is it?", "Nowhere", "Nowhere"),
        ("Which film is that?", film, film),
    ]
    data_set = DataSet(
        "small",
        "test",
        tuple(BenchDocument(title, title, text) for title, text in texts),
        tuple(
            BenchQuestion(id=str(number), question=text, answers=(answer,), gold={gold: 1})
            for number, (text, answer, gold) in enumerate(cases)
        ),
    )
    examples, use = made(clew, data_set)
    assert [example.question for example in examples] == ["Who directed the amber door?"]
    assert (use["questions"], use["used"], use["named"]) == (6, 1, 0)
    assert use["left_out"] == {
        LeftOut.FAR_HEAD: 1,
        LeftOut.NO_SENTENCE: 1,
        LeftOut.CLOSED: 1,
        LeftOut.NO_DOCUMENT: 1,
        LeftOut.NO_HEAD: 1,
    }


def test_of_documents_with_one_title_the_text_decides(clew: Clew) -> None:
    texts = ["The yard of Marlow Harbour was founded by Victor Ferrand.", "Marlow Yard sells cars."]
    for number, text in enumerate(texts):
        data = json.dumps({"title": "Marlow Yard", "text": text}).encode()
        clew.ingest(Source(uri=f"memory:{number}", name="r.json", data=data), corpus=TITLES_CORPUS)
    keys = [f"Marlow Yard #{number}" for number in range(2)]
    data_set = DataSet(
        "titles",
        "test",
        tuple(
            BenchDocument(key, "Marlow Yard", text) for key, text in zip(keys, texts, strict=True)
        ),
        tuple(
            BenchQuestion(id=key, question=f"{key}?", answers=("cars",), gold={key: 1})
            for key in keys
        ),
    )
    maker = DataSetExamples(
        clew.resources.store, TITLES_CORPUS, data_set, RULE, clew.resources.embedder.embed
    )
    examples = maker.make(10, 0)
    clew.delete_corpus(TITLES_CORPUS)
    assert [example.question for example in examples] == [f"{keys[1]}?"]
    assert maker.use.left_out == {LeftOut.NO_SENTENCE: 1}


# whole runs


def versions(clew: Clew) -> list[Path]:
    return [path for path in (clew.settings.home / "models").glob("*/*/*") if path.is_dir()]


@pytest.mark.parametrize(
    ("data_set", "error", "said"),
    [
        ("sample", InvalidRequest, "has no single-hop questions"),
        ("nowhere.json", InvalidDataSet, "There is no file or folder"),
    ],
)
def test_a_data_set_that_cannot_be_used_is_said_and_leaves_nothing(
    clew: Clew, data_set: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        clew.train("translator", CORPUS, data_set=data_set)
    assert versions(clew) == []


def test_documents_of_another_corpus_are_said_with_what_to_do(clew: Clew, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    text = json.dumps(musique_questions()).replace("Marlow", "Quint").replace("Thorne", "Quist")
    path.write_text(text.replace("Vale", "Quell"), encoding="utf-8")
    with pytest.raises(InvalidRequest, match="none of the documents") as raised:
        clew.train("translator", CORPUS, data_set=str(path))
    assert f"clew ingest FILE --corpus {CORPUS}" in raised.value.remedy
    assert versions(clew) == []


def test_too_few_questions_are_said_with_the_reasons(clew: Clew, tmp_path: Path) -> None:
    path = tmp_path / "few.json"
    rows = musique_questions()[:4]
    rows[0]["question_decomposition"][1]["answer"] = "Atlantis"
    path.write_text(json.dumps(rows), encoding="utf-8")
    with pytest.raises(InvalidRequest, match="it takes 20") as raised:
        clew.train("translator", CORPUS, data_set=str(path))
    assert f"1: {LeftOut.NO_SENTENCE}" in raised.value.message
    assert versions(clew) == []


def test_a_run_on_a_data_set_tells_what_became_of_its_questions(clew: Clew, musique: Path) -> None:
    settings = clew.settings
    assert settings.neo4j_password is not None
    environment = {
        "CLEW_HOME": str(settings.home),
        "CLEW_CACHE_DIR": str(settings.cache),
        "NEO4J_URI": str(settings.neo4j_uri),
        "NEO4J_USERNAME": settings.neo4j_username,
        "NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
        "CLEW_TRANSLATOR_MODEL": settings.value("translator_model"),
        "CLEW_TRANSLATOR_PRECISION": "float32",
    }
    command = ["train", "translator", "--corpus", CORPUS, "--data-set", str(musique)]
    options = ["--held-out", "6", "--batch", "8", "--epochs", "0.5"]
    result = CliRunner().invoke(app, [*command, *options], env=environment)
    assert result.exit_code == 0, result.output
    shown = " ".join(result.output.split())
    assert "films: 60 of 60 single-hop questions became examples" in shown
    assert "30 of 30 with several steps became chains" in shown
    (model, _) = clew.trained_models("translator")
    assert model.data["data_set"] == "films"
    assert model.data["questions"]["used"] == 60
    assert model.data["held_out"] == 6
    # no passage of a held-out question is learned from
    assert 60 <= model.data["examples"] <= 84
    with as_wide_as(200):
        listed = CliRunner().invoke(app, ["train", "list"], env=environment)
    (shown,) = [line for line in listed.output.splitlines() if model.version in line]
    assert "films" in shown
