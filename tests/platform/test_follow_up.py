"""A question that leans on those before it, understood as one that stands alone."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.answering.follow_up import understood
from clew.answering.sureness import said_in, stated
from clew.answering.unsupported import NOT_SAID
from clew.clew import Clew
from clew.comprehension.annotation import Annotator
from clew.comprehension.follow_up import AskedBefore, standing_alone
from clew.results.evidence import Progress, Told, TraceStep, Turn

from ..running_clew import OwnSettings
from ..scripted_llm import ChatEndpoint, serving

ADA = ("Where was Ada Lovelace born?", "London")
EMMA = ("Who wrote Emma?", "Jane Austen")
PRIZE = ("Who won the Nobel Prize in Physics in 1921?", "Albert Einstein")
FILM = ("Which film did Steven Spielberg direct in 1975?", "Jaws")
CITY = ("Which city was Ada Lovelace born in?", "London")
LONDON, ITS = "Who designed London's flag?", "Who designed its flag?"
RULED, FATHER = "Who ruled it?", "Who was Ada Lovelace's father?"
YARD = ("Who built the Aurelia?", "Seld Shipyard")


def alone(annotator: Annotator, question: str, *turns: tuple[str, str]) -> str:
    before = [
        AskedBefore(
            annotator.annotate([asked])[0][0],
            annotator.annotate([answer])[0][0] if answer else None,
        )
        for asked, answer in turns
    ]
    return standing_alone(annotator.annotate([question])[0], question, before)


@pytest.mark.parametrize(
    ("before", "question", "meant"),
    [
        (ADA, "Who was her father?", "Who was Ada Lovelace's father?"),
        (ADA, "When did she die?", "When did Ada Lovelace die?"),
        (ADA, "Who designed its flag?", "Who designed London's flag?"),
        (ADA, "Who else lived there?", "Who else lived in London?"),
        (EMMA, "When was it published?", "When was Emma published?"),
        (EMMA, "Where was she born?", "Where was Jane Austen born?"),
        (PRIZE, "Did he have children?", "Did Albert Einstein have children?"),
        (
            ("Who founded Google?", "Larry Page and Sergey Brin"),
            "When did they meet?",
            "When did Larry Page and Sergey Brin meet?",
        ),
        (
            ("Who directed Jaws?", "Steven Spielberg"),
            "When was it released?",
            "When was Jaws released?",
        ),
        (
            ("Who is the wife of Percy Shelley?", "Mary Shelley is the wife of Percy Shelley [1]."),
            "What did she write?",
            "What did Mary Shelley write?",
        ),
        (
            ("Where was Helena Marsh born?", "Port Ansel"),  # to the parser neither is a person
            "Who was her teacher?",
            "Who was Helena Marsh's teacher?",
        ),
        (
            ("In what year was Halvor Strand born?", "1871"),
            "Who was his teacher?",
            "Who was Halvor Strand's teacher?",
        ),
    ],
)
def test_words_that_point_back_become_names(
    annotator: Annotator, before: tuple[str, str], question: str, meant: str
) -> None:
    assert alone(annotator, question, before) == meant


@pytest.mark.parametrize(
    ("before", "question", "meant"),
    [
        (CITY, "When was the city founded?", "When was London founded?"),
        (FILM, "What did the film cost?", "What did Jaws cost?"),
        (YARD, "How old is that company?", "How old is Seld Shipyard?"),
    ],
)
def test_what_was_asked_for_can_be_named_by_its_kind(
    annotator: Annotator, before: tuple[str, str], question: str, meant: str
) -> None:
    assert alone(annotator, question, before) == meant


@pytest.mark.parametrize(
    ("before", "question", "meant"),
    [
        (ADA, "When?", "When was Ada Lovelace born?"),
        (CITY, "When?", "When was Ada Lovelace born in?"),
        (EMMA, "When?", "When Jane Austen wrote Emma?"),
        (ADA, "And Charles Babbage?", "Where was Charles Babbage born?"),
        (ADA, "What about Charles Babbage?", "Where was Charles Babbage born?"),
        (PRIZE, "And in 1990?", "Who won the Nobel Prize in Physics in 1990?"),
        (
            ("Where is the best museum in London?", "The Tate"),
            "and in Paris?",
            "Where is the best museum in Paris?",
        ),
    ],
)
def test_a_question_of_a_few_words_is_completed(
    annotator: Annotator, before: tuple[str, str], question: str, meant: str
) -> None:
    assert alone(annotator, question, before) == meant


@pytest.mark.parametrize(
    ("counted", "question", "meant"),
    [
        ("How many boats are afloat?", "Which ones?", "Which boats are afloat?"),
        ("How many boats are afloat?", "And which?", "Which boats are afloat?"),
        ("How many boats did Orrin build?", "Which ones?", "Which boats did Orrin build?"),
        ("How many members have not paid?", "Who?", "Who have not paid?"),
        ("How many boats are afloat?", "Where?", "Where?"),  # where 3 are?
        ("How long is the Puffin?", "Why?", "Why?"),
    ],
)
def test_which_they_are_can_be_asked_after_how_many(
    annotator: Annotator, counted: str, question: str, meant: str
) -> None:
    assert alone(annotator, question, (counted, "3")) == meant
    assert alone(annotator, "When?", ("How did Ada Lovelace die?", "Cancer")) == (
        "When did Ada Lovelace die?"
    )


@pytest.mark.parametrize(
    "question",
    [
        "Who directed Jaws?",
        "Did Charles Babbage know her mother?",  # what stands in the question comes first
        "Was Charles Babbage proud of his engine?",
        "Is there a bridge?",
        "And then?",
        "thanks",
        "?!",
        "她是谁？",
    ],
)
def test_what_stands_alone_stays_as_it_is(annotator: Annotator, question: str) -> None:
    assert alone(annotator, question, ADA) == question
    assert alone(annotator, "Who was her father?") == "Who was her father?"


def test_the_newest_of_a_kind_is_meant(annotator: Annotator) -> None:
    person, place = ("Who was Ada Lovelace's father?", "Lord Byron"), ("Where did he die?", "")
    assert alone(annotator, "When was he born?", ADA, person) == "When was Lord Byron born?"
    assert alone(annotator, "Who ruled it?", ADA, person, place) == "Who ruled London?"


class Rewriter(ChatEndpoint):
    """Says ``said``, whatever it is asked."""

    said = "Who was the father of Ada Lovelace?"

    def reply(self, body: dict[str, Any]) -> str:
        return self.said


@pytest.fixture
def rewriter() -> Iterator[Rewriter]:
    with serving(Rewriter()) as endpoint:
        yield endpoint


@pytest.fixture
def clew(own_settings: OwnSettings, tmp_path: Path, rewriter: Rewriter) -> Iterator[Clew]:
    settings = own_settings(
        tmp_path,
        llm_base_url=rewriter.url,
        llm_model="scripted",
    )
    with Clew(settings) as clew:
        yield clew


def asked(clew: Clew, reader: str | None = None) -> tuple[str, dict[str, Any], list[Told]]:
    told: list[Told] = []
    history = [Turn(question=ADA[0], answer="She was born in London [1].")]
    text, (step,) = understood(clew.resources, "Who was her father?", history, reader, told.append)
    return text, step.detail, told


def test_a_language_model_that_answers_also_understands(clew: Clew, rewriter: Rewriter) -> None:
    text, detail, told = asked(clew)
    assert text == "Who was the father of Ada Lovelace?"
    assert (detail["by"], detail["prompt_tokens"]) == ("scripted", 14)
    assert told == [
        TraceStep(name="follow-up", seconds=told[0].seconds, detail=detail),  # type: ignore[union-attr]
        Progress(text="Asking: Who was the father of Ada Lovelace?"),
    ]
    shown = json.dumps(rewriter.asked[0].body["messages"])
    assert "Answer: She was born in London." in shown
    assert understood(clew.resources, "Who was she?", (), None, told.append) == ("Who was she?", ())
    assert len(rewriter.asked) == 1


def test_what_a_model_thinks_before_is_no_question(clew: Clew, rewriter: Rewriter) -> None:
    rewriter.said = "<think>\nIs her Ada?\n</think>\n\nWho was the father of Ada Lovelace?"
    assert asked(clew)[0] == "Who was the father of Ada Lovelace?"


@pytest.mark.parametrize("said", ["", "She was born in London.\nIn 1815.", "?!", "who " * 3000])
def test_a_reply_that_is_no_question_leaves_it_to_the_rules(
    clew: Clew, rewriter: Rewriter, said: str
) -> None:
    rewriter.said = said
    text, detail, _ = asked(clew)
    assert text == "Who was Ada Lovelace's father?"
    assert detail["by"] == "rules"
    assert detail["reply"] == said[:200]


def test_without_a_language_model_the_rules_understand(clew: Clew, rewriter: Rewriter) -> None:
    text, detail, _ = asked(clew, "extractive")
    assert (text, detail["by"]) == ("Who was Ada Lovelace's father?", "rules")
    assert rewriter.asked == []


@pytest.mark.parametrize(
    ("said", "question", "meant"),
    [
        ("Probably London.\n“Ada was born in London.” [1]", "Who designed its flag?", LONDON),
        ("Possibly London; the evidence is not clear.", "Who designed its flag?", LONDON),
        ("Probably London [1].\n\nConfidence: 52%", "Who designed its flag?", LONDON),
        ("Where was Ada Lovelace born? Probably London.", "Who designed its flag?", LONDON),
        ("Port Ansel.\n“She was born in Port Ansel.” [1]", "Who was her father?", FATHER),
        ("She was born in Paris.\n\nThe evidence does not say.", "Who designed its flag?", ITS),
        ("The evidence does not say. The nearest it comes:\n“Paris.” [1]", "Who ruled it?", RULED),
    ],
)
def test_how_sure_an_answer_was_is_no_part_of_what_it_says(
    clew: Clew, said: str, question: str, meant: str
) -> None:
    """A conversation may hold the texts of answers whole, as programs show them."""
    history = [Turn(question=ADA[0], answer=said)]
    text, _ = understood(clew.resources, question, history, "extractive", lambda told: None)
    assert text == meant


def test_an_answer_that_there_was_none_names_nobody(clew: Clew) -> None:
    history = [Turn(question=EMMA[0], answer="The evidence does not say.")]
    text, _ = understood(clew.resources, "When?", history, "extractive", lambda told: None)
    assert text == "When?"


@pytest.mark.parametrize("confidence", [0.2, 0.5, 0.9])
def test_what_is_stated_is_read_back(confidence: float) -> None:
    assert said_in(stated("Seld Shipyard; in 1874", confidence)) == "Seld Shipyard; in 1874."
    both = f"Who built it? {stated('the yard', confidence)}\n“The yard did.” [1]\n\n" + (
        f"When was it built? {NOT_SAID}\n\nConfidence: 52% · The corpus has no “Aurelja”."
    )
    assert said_in(both).casefold() == "the yard."


def test_questions_before_may_lean_on_those_before_them(clew: Clew) -> None:
    history = [Turn(question=ADA[0]), Turn(question="Who was her father?")]
    meant, _ = understood(
        clew.resources, "When was he born?", history, "extractive", lambda told: None
    )
    assert meant == "When was Ada Lovelace born?"
