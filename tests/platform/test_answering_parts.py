"""The parts of the extractive reader: question forms, decomposition, metrics, building."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from clew.answering.base import build_reader
from clew.answering.calibration import calibration, logistic
from clew.answering.extractive import ExtractiveReader
from clew.answering.language_model_reader import LanguageModelReader
from clew.comprehension.annotation import AnnotatedSentence, Annotator
from clew.comprehension.asked_noun import in_full
from clew.comprehension.decomposition import inner_phrases
from clew.comprehension.features import FEATURES, PLAIN
from clew.comprehension.lexicon import classes_of, is_of_size
from clew.comprehension.normalisation import best_f1, exact_match, token_f1
from clew.comprehension.question_form import understand
from clew.comprehension.read_evidence import ReaderModels, ReadEvidence
from clew.comprehension.scorer import LED_FEATURES, weights
from clew.comprehension.stems import family, stem
from clew.errors import InvalidSetting
from clew.resources.resources import Resources
from clew.results.evidence import ScoredChunk
from clew.settings import Settings
from clew_ingest.errors import ParserNotInstalled
from clew_ingest.parsing.entity_names import normalise_name
from clew_ingest.parsing.spacy_pipeline import Pipeline
from clew_models.embedding.load import load_embedder
from clew_models.span_reader import SpanReader

from ..held_resources import held_resources


def parse(annotator: Annotator, text: str) -> AnnotatedSentence:
    return annotator.annotate([text])[0][0]


@pytest.mark.parametrize(
    ("question", "kind", "classes", "focus"),
    [
        ("Who wrote the novel?", "open", {"PERSON"}, ""),
        ("Where was she born?", "open", {"PLACE"}, ""),
        ("In which town was the leader born?", "open", {"PLACE"}, "town"),
        ("In what year did the museum open?", "open", {"DATE"}, "year"),
        ("How many seats has the hall?", "open", {"NUMBER"}, "seat"),
        ("What is the number of seats in the hall?", "open", {"NUMBER"}, "number"),
        ("What is the serial number of the pump?", "open", {"NUMBER", "CODE"}, "number"),
        ("What is the number of the van?", "open", {"NUMBER", "CODE"}, "number"),
        ("Which medicine works against the fever?", "open", set(), "medicine"),
        ("Thumb is on a network founded by who?", "open", {"PERSON"}, ""),
        ("Are Medici and Senet both board games?", "yes-no", set(), ""),
        ("If I leave early, will my lock be opened?", "yes-no", set(), ""),
        ("i booked this morning, do i get it all back", "yes-no", set(), ""),
        ("Do I have to know which form to take?", "yes-no", set(), ""),
        ("Can I split what I owe into parts?", "yes-no", set(), ""),
        ("Does the letter say how much money I need?", "yes-no", set(), ""),
        ("it's thursday morning can i skip next week's box", "yes-no", set(), ""),
        ("Caught without a ticket: do I pay twice?", "yes-no", set(), ""),
        ("So sending it back is free, right?", "yes-no", set(), ""),
        ("Does anybody know who built the bridge?", "open", {"PERSON"}, ""),
        ("The firm that lost a hatch: what do they cost per day?", "open", {"NUMBER"}, ""),
        ("Can you tell me who founded the shipyard?", "open", {"PERSON"}, ""),
        ("Which is longer, the River Seld or the River Karrow?", "choice", set(), ""),
    ],
)
def test_what_a_question_asks_for(
    annotator: Annotator, question: str, kind: str, classes: set[str], focus: str
) -> None:
    form = understand(parse(annotator, question))
    assert (form.kind, set(form.classes), form.focus) == (kind, classes, focus)


@pytest.mark.parametrize(
    ("question", "asked", "left"),
    [
        (
            "Who founded the shipyard that built the research ship Aurelia?",
            "the shipyard that built the research ship Aurelia",
            "Who founded NAME?",
        ),
        (
            "Where was the architect who designed the National Museum of Tessmark born?",
            "the architect who designed the National Museum of Tessmark",
            "Where was NAME born?",
        ),
        (
            "Where was the chemist born who isolated the substance of the fern?",
            "the chemist who isolated the substance of the fern",
            "Where was NAME born?",
        ),
        (
            "Toad Hall is a residential hall in a university located in what Australian city?",
            "Toad Hall is a residential hall in a university",
            "NAME located in what Australian city?",
        ),
        (
            "Where was A Race for Life's director educated?",
            "A Race for Life's director",
            "Where was NAME educated?",
        ),
        (
            "What is A Race for Life's director's date of birth?",
            "A Race for Life's director",
            "What is NAME's date of birth?",
        ),
        (
            "When did the filmmaker behind An Ideal Woman die?",
            "the filmmaker behind An Ideal Woman",
            "When did NAME die?",
        ),
        (
            "Who is the mother of the director of Polish-Russian War (film)?",
            "the director of Polish-Russian War (film)",
            "Who is the mother of NAME?",
        ),
        (
            "Serial number of the laptop whose battery swelled up?",
            "the laptop whose battery swelled up",
            "Serial number of NAME?",
        ),
        (
            "Tell me the country of the customer that Ann Lee wrote to",
            "the customer that Ann Lee wrote to",
            "Tell me the country of NAME",
        ),
        (
            "What is the repair of Toad's cooler expected to cost?",
            "Toad's cooler",
            "What is the repair of NAME expected to cost?",
        ),
        (
            "On which floor will the porter work who found the grey wallet?",
            "the porter who found the grey wallet",
            "On which floor will NAME work?",
        ),
        (
            "What does the mixer cost that the bakers chose in May?",
            "the mixer that the bakers chose in May",
            "What does NAME cost?",
        ),
        (
            "How many boats does the club own whose treasurer resigned?",
            "the club whose treasurer resigned",
            "How many boats does NAME own?",
        ),
        (
            "Which class is the girl in who lost her scarf?",
            "the girl who lost her scarf",
            "Which class is NAME in?",
        ),
        (
            "How many beds are kept in the hostel whose roof the storm no longer spared?",
            "the hostel whose roof the storm no longer spared",
            "How many beds are kept in NAME?",
        ),
        (
            "Phone number of whoever opened the gate on Friday",
            "the person who opened the gate on Friday",
            "Phone number of NAME",
        ),
        (
            "Which desk has the project manager for the harbour tunnel?",
            "the project manager for the harbour tunnel",
            "Which desk has NAME?",
        ),
        (
            "When did the company that made the blue pump close?",
            "the company that made the blue pump",
            "When did NAME close?",
        ),
        (
            "How long will the teacher who replaces Ms Day stay?",
            "the teacher who replaces Ms Day",
            "How long will NAME stay?",
        ),
        (
            "what rent will the tram driver who has been waiting since May 2021 pay?",
            "the tram driver who has been waiting since May 2021",
            "what rent will NAME pay?",
        ),
        (
            "What did the repair that report RB-12 recommends cost in the end?",
            "the repair that report RB-12 recommends",
            "What did NAME cost in the end?",
        ),
        (
            "Where did the ship that the Seld yard built sink?",
            "the ship that the Seld yard built",
            "Where did NAME sink?",
        ),
        (
            "How much does the person in charge of the warehouse earn?",
            "the person in charge of the warehouse",
            "How much does NAME earn?",
        ),
        (
            "When did the man running the shop retire?",
            "the man running the shop",
            "When did NAME retire?",
        ),
        (
            "Where does the engineer responsible for pump 7 live?",
            "the engineer responsible for pump 7",
            "Where does NAME live?",
        ),
        (
            "What is the serial number of the laptop Freya Lunde gets?",
            "the laptop Freya Lunde gets",
            "What is the serial number of NAME?",
        ),
        (
            "Which machine stands in the room the lost key belongs to?",
            "the room the lost key belongs to",
            "Which machine stands in NAME?",
        ),
        (
            "What is the phone number of the firm we hired the truck from?",
            "the firm we hired the truck from",
            "What is the phone number of NAME?",
        ),
        (
            "How old is the school Anna Berg went to?",
            "the school Anna Berg went to",
            "How old is NAME?",
        ),
        (
            "What is the address of the company repairing the roof?",
            "the company repairing the roof",
            "What is the address of NAME?",
        ),
        (
            "What year was the captain of the ship Aurelia born?",
            "the captain of the ship Aurelia",
            "What year was NAME born?",
        ),
        (
            "I would like to know the extension of the head of Music",
            "the head of Music",
            "I would like to know the extension of NAME",
        ),
    ],
)
def test_the_inner_phrase_is_asked_for_first(
    annotator: Annotator, question: str, asked: str, left: str
) -> None:
    phrase = inner_phrases(parse(annotator, question))[0]
    assert (phrase.text, phrase.replaced("NAME")) == (asked, left)


@pytest.mark.parametrize(
    "question",
    [
        "Who founded the University of Oxford?",
        "How fast was the river going up on Monday afternoon?",
        "How much is the government giving for the ramp?",
        "What allowance does Jonas get for the week beginning 17 November?",
        "Why was straightening the stone free of charge?",
        "When was the ship Aurelia built?",
        "Which artists worked on the comic series We Are the Robins?",
        "When was the company repairing the roof?",
    ],
)
def test_a_plain_question_has_no_inner_phrase(annotator: Annotator, question: str) -> None:
    assert inner_phrases(parse(annotator, question)) == []


@pytest.mark.parametrize(
    "question",
    [
        "Tell me the country of Vestholm Rederi",
        "Can I have the phone number of Imran Sadiq?",
        "I would like to know the extension of the Music department",
        "Tell me the name of the cat that lives at the boarding house.",
        "What is the hostel called where Year 9 stay in Belgium?",
        "What is the law named that defines a charge moving through a field?",
        "Who was the medical report written for?",
        "According to the report, what is the share of the pumps that failed?",
        "Whoever opened the gate?",
    ],
)
def test_what_is_asked_for_as_a_whole_is_no_inner_phrase(
    annotator: Annotator, question: str
) -> None:
    assert inner_phrases(parse(annotator, question)) == []


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("Price of the SB-12", "What is the price of the SB-12?"),
        ("The price of the SB-12?", "What is the price of the SB-12?"),
        ("Extension of Kwame Asante", "What is the extension of Kwame Asante?"),
        ("owner of SOP-CT-007", "What is the owner of SOP-CT-007?"),
        ("Members of the climate committee", "What are the members of the climate committee?"),
        (
            "Yearly fee of the ferry contract, please",
            "What is the yearly fee of the ferry contract?",
        ),
        ("ISO certificate of Ardwell", "What is the ISO certificate of Ardwell?"),
    ],
)
def test_what_is_left_out_where_a_thing_is_asked_for_by_its_name_is_said(
    annotator: Annotator, question: str, whole: str
) -> None:
    assert in_full(parse(annotator, question)) == whole


@pytest.mark.parametrize(
    "question",
    [
        "What is the price of the SB-12?",
        "How much did the translation into Polish cost?",
        "An oil sketch of which painting was sold?",
        "Tell me the price of the SB-12",
        "Victor Ferrand",
        "The price of gold rose in which year?",
    ],
)
def test_what_is_a_question_stays_as_it_is(annotator: Annotator, question: str) -> None:
    assert in_full(parse(annotator, question)) == question


def test_words_of_one_family() -> None:
    assert stem("director") == stem("directed") == stem("direct")
    assert stem("wife") in family("spouse")
    assert not family("king") & family("ring")


def test_nouns_and_places() -> None:
    assert classes_of("violinist") == {"PERSON"}
    assert classes_of("population") == {"NUMBER"}
    assert classes_of("number") == {"NUMBER", "CODE"}
    assert classes_of("gadget") == frozenset()
    assert is_of_size("country", "norway")
    assert not is_of_size("country", "oslo")
    assert is_of_size("city", "oslo")
    assert not is_of_size("city", "norway")
    assert is_of_size("place", "norway")


# Worked by hand from the definition in Rajpurkar et al. 2016.
@pytest.mark.parametrize(
    ("answer", "gold", "f1"),
    [
        ("the Eiffel Tower", "Eiffel Tower!", 1.0),
        ("in Paris", "Paris", 2 / 3),
        ("red blue green", "blue", 0.5),
        ("Rome", "Paris", 0.0),
        ("yes", "yes it is", 0.0),
    ],
)
def test_token_f1(answer: str, gold: str, f1: float) -> None:
    assert token_f1(answer, gold) == pytest.approx(f1)


def test_the_best_right_answer_counts() -> None:
    assert best_f1("46 m", ["46 metres", "46 m"]) == 1
    assert exact_match("The Hallin Bridge", ["River", "Hallin Bridge"])
    assert not exact_match("", [])


def test_every_feature_has_a_weight_and_the_file_says_its_source() -> None:
    reading, alone, led = weights()
    assert reading.shape == (len(PLAIN),)
    assert alone.shape == (len(FEATURES),)
    assert led.shape == (len(LED_FEATURES),)
    stored = json.loads(files("clew.comprehension").joinpath("scorer.json").read_text())
    assert stored["trained_on"]
    assert stored["recipe"]


def test_confidence_grows_with_the_score() -> None:
    measured = calibration()["extractive"]["open"]["weights"]
    low = dict.fromkeys(measured, 0.0) | {"score": 2.0, "probability": 0.1, "span": -1.0}
    high = dict.fromkeys(measured, 0.0) | {"score": 11.0, "probability": 0.9, "span": 1.0}
    assert 0 < logistic("open", low) < logistic("open", high) < 1
    kinds = {"open", "choice", "yes-no", "list", "row", "led", "open checked", "led checked"}
    kinds |= {"section", "verdict", "two values"}
    assert set(calibration()["extractive"]) == kinds


class NoEmbedder:
    name, dimension = "none", 1


def test_the_reader_follows_the_settings() -> None:
    plain = held_resources(Settings.load(), embedder=NoEmbedder())
    assert isinstance(build_reader(plain), ExtractiveReader)
    remote = Settings.load(llm_model="m", llm_base_url="http://127.0.0.1:9/v1")
    reader = build_reader(Resources(remote))
    assert isinstance(reader, LanguageModelReader)
    assert reader.name == "openai"


def test_a_missing_key_file_is_named(tmp_path) -> None:  # type: ignore[no-untyped-def]
    settings = Settings.load(llm_model="m", llm_api_key_file=tmp_path / "absent")
    with pytest.raises(InvalidSetting, match="absent"):
        build_reader(Resources(settings))


def test_a_missing_pipeline_is_named() -> None:
    with pytest.raises(ParserNotInstalled, match="no_such_pipeline"):
        Annotator(Pipeline("no_such_pipeline")).annotate(["Hello."])


def test_every_candidate_stands_at_its_characters(annotator: Annotator, cache_dir: Path) -> None:
    text = (
        "Victor Ferrand (1839–1915) was a shipbuilder. He founded the Seld Shipyard in 1868, "
        "and wrote “A Life with Ropes”."
    )
    chunk = ScoredChunk(id="a", document_id="a", title="Victor Ferrand", text=text, score=1)
    embedder = load_embedder("minilm", cache_dir=cache_dir, threads=1)
    view = ReadEvidence([chunk], ReaderModels(embedder, SpanReader(threads=1), annotator)).view
    question = "Who founded the Seld Shipyard?"
    assert view.marks.score(question, view.candidates[0], view.sentences) is None
    view.marks.read([(question, [0])])
    proposed = view.marks.candidates(question, view.sentences)
    assert proposed
    found = [*view.candidates, *proposed]
    for candidate in found:
        start, end = candidate.span(view.sentences)
        source = chunk.title if candidate.implicit else text
        assert normalise_name(source[start:end]).strip(",.“” ") in candidate.key or (
            candidate.key in normalise_name(source[start:end])
        ), candidate
        assert view.marks.score(question, candidate, view.sentences) is not None, candidate
    assert {"1868", "1839"} <= {c.text for c in found}


def test_the_one_who_does_something_is_a_person(annotator: Annotator) -> None:
    person = parse(annotator, "the one who leads the trip to Fossil Beach")
    thing = parse(annotator, "the one that stands in the hall")
    assert understand(person, phrase_head=1).classes == {"PERSON"}
    assert not understand(thing, phrase_head=1).classes
