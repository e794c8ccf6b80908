"""Questions that ask for several things: lists, and two questions in one."""

from dataclasses import replace

import pytest

from clew.answering.extractive import ExtractiveReader
from clew.answering.finding import find
from clew.comprehension.annotation import Annotator
from clew.comprehension.compound import questions_in
from clew.comprehension.question_form import understand
from clew.comprehension.read_evidence import MANY_PASSAGES
from clew.results.evidence import Answer, Evidence

from .read_passages import answer_from, chunks_of

PASSAGES = {
    "The Salt of Quell": "The Salt of Quell is a 1931 drama film directed by Odo Marant and "
    "starring Lise Farn, Ivo Strand and Gwen Pell. It was shot in nine days.",
    "The Last Ferry": "The Last Ferry is a 1949 thriller film directed by Odo Marant.",
    "Gulls": "Gulls is a comedy film of 1954 directed by Tilda Brook. Odo Marant was not in it.",
    "Odo Marant": "Odo Marant (7 May 1898 – 30 January 1970) was a French film director. He "
    "studied at the University of Lisse.",
    "Lantern Trust": "The Lantern Trust was founded by Ada Thorne and Evan Orr in 1987.\n"
    "We keep three offices:\nKarrow\nPort Selm\nNew Lisse\nEach office is open on weekdays.",
    "Suppliers": "Name: Brask Ltd; Country: Norway; Sells: paper.\n"
    "Name: Ferro AG; Country: Austria; Sells: steel.\n"
    "Name: Orne & Sons; Country: Norway; Sells: steel.",
}


def answered(reader: ExtractiveReader, question: str, *titles: str) -> Answer:
    return answer_from(reader, question, PASSAGES, *titles)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "Who directed Spione, and where was he born?",
            ["Who directed Spione?", "Where was he born?"],
        ),
        (
            "When and where was Ada Lovelace born?",
            ["When was Ada Lovelace born?", "Where was Ada Lovelace born?"],
        ),
        ("Who founded Google and in which year?", ["Who founded Google?", "In which year?"]),
        (
            "In which city and in what year was Ada born?",
            ["In which city was Ada born?", "In what year was Ada born?"],
        ),
        (
            "Can you tell me who directed Jaws and when it was released?",
            ["Who directed Jaws?", "When it was released?"],
        ),
        (
            "What's the population and the area of Lisbon?",
            ["What's the population of Lisbon?", "What's the area of Lisbon?"],
        ),
        (
            "Who was the father of Ada Lovelace, what did he write and where did he die?",
            ["Who was the father of Ada Lovelace?", "What did he write?", "Where did he die?"],
        ),
        (
            "Who directed Jaws? When was it released?",
            ["Who directed Jaws?", "When was it released?"],
        ),
        (
            "I lost my keys. Who do I call? Where do I go?",
            ["I lost my keys. Who do I call?", "Where do I go?"],
        ),
        ("Where are Ann and Bob from?", ["Where are Ann and Bob from?"]),
        ("What is the research and development budget?", None),
        ("Which film was made by the man who wrote Emma and who starred in Ivanhoe?", None),
        ("When many people are arrested, what is a common tactic?", None),
        ("Who is Ada, who wrote the notes?", None),
    ],
)
def test_a_compound_question_is_taken_apart(
    annotator: Annotator, question: str, parts: list[str] | None
) -> None:
    assert questions_in(annotator.annotate([question])[0]) == (parts or [question])


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("Which films did Odo Marant direct?", True),
        ("Which films star Lise Farn?", True),
        ("What are the six Centers of Excellence?", True),
        ("Name the members of the board.", True),
        ("What are the names of the sons of Ada?", True),
        ("Which people attended the meeting?", True),
        ("Which RFCs did Odo Marant write?", True),
        ("Which DNS does he use?", False),
        ("How many films did he direct?", False),
        ("Which of the two films came first?", False),
        ("Which film did he direct?", False),
        ("What causes rain?", False),
        ("What are baby kangaroos called?", False),
        ("Which films did the actor called Ann Lee make?", True),
        ("Who are the actors of the film called Gulls at Noon that won?", True),
        ("What are invigilators paid per session?", False),
    ],
)
def test_a_plural_asks_for_several_things(
    annotator: Annotator, question: str, several: bool
) -> None:
    assert understand(annotator.annotate([question])[0][0]).several == several


@pytest.mark.parametrize(
    ("question", "titles", "items"),
    [
        (
            "Which actors star in The Salt of Quell?",
            ("The Salt of Quell", "Gulls"),
            ("Lise Farn", "Ivo Strand", "Gwen Pell"),
        ),
        (
            "What three offices does the trust keep?",
            ("Lantern Trust",),
            ("Karrow", "Port Selm", "New Lisse"),
        ),
        ("Who founded the Lantern Trust?", ("Lantern Trust",), ("Ada Thorne", "Evan Orr")),
    ],
)
def test_all_of_a_list_is_told(
    reader: ExtractiveReader, question: str, titles: tuple[str, ...], items: tuple[str, ...]
) -> None:
    answer = answered(reader, question, *titles)
    assert answer.supported
    assert answer.items == items
    assert all_told(answer)


def test_documents_of_their_own_are_told(reader: ExtractiveReader) -> None:
    """The likeliest first: which of two that say the same depends on how the processor computes."""
    films = "The Salt of Quell", "The Last Ferry"
    answer = answered(reader, "Which films did Odo Marant direct?", *films, "Odo Marant")
    assert answer.supported
    assert sorted(answer.items) == sorted(films)
    assert all_told(answer)


def all_told(answer: Answer) -> bool:
    """Say whether the items are the short answer, and each stands in what is cited."""
    *before, last = answer.items
    cited = [f"{one.title} {one.quote}" for one in answer.citations]
    told = answer.short == f"{', '.join(before)} and {last}"
    return told and all(any(item in text for text in cited) for item in answer.items)


def test_of_a_list_of_what_the_question_names_nothing_is_left_to_tell(
    reader: ExtractiveReader,
) -> None:
    offices = {"Lantern": "We keep three offices:\nKarrow\nSelm\nEach of them is open on weekdays."}
    answer = answer_from(reader, "Which offices are there beside Karrow and Selm?", offices)
    assert answer.items == ()


def test_a_raised_figure_counts_nothing(reader: ExtractiveReader) -> None:
    passages = {"Store": "Here are the m ³ filters:\nAlder\nBirch\nCedar"}
    assert answer_from(reader, "Which filters are ours?", passages).evidence.chunks


def test_one_thing_is_no_list(reader: ExtractiveReader) -> None:
    assert answered(reader, "Who directed The Last Ferry?", "The Last Ferry").items == ()
    assert answered(reader, "Which films did Tilda Brook direct?", "Gulls").short == "Gulls"


def test_each_of_two_questions_is_answered(reader: ExtractiveReader) -> None:
    question = "Who directed The Last Ferry and when was he born?"
    answer = answered(reader, question, "The Last Ferry", "Odo Marant")
    assert answer.items == ("Odo Marant", "7 May 1898")
    assert answer.short == "Odo Marant; 7 May 1898"
    assert answer.question == question
    first, second = answer.text.split("\n\n")
    assert first.startswith("Who directed The Last Ferry? Odo Marant.")
    assert second.startswith("When was Odo Marant born?")
    assert "7 May 1898" in second


def test_what_an_earlier_question_describes_is_meant_by_a_later_one(
    reader: ExtractiveReader,
) -> None:
    answer = answered(
        reader,
        "Where did the director of The Last Ferry study, and when did he die?",
        *("The Last Ferry", "Odo Marant"),
    )
    assert answer.items == ("University of Lisse", "30 January 1970")


def test_what_is_not_said_of_two_questions_is_told_so(reader: ExtractiveReader) -> None:
    answer = answered(
        reader, "Who directed Gulls and how much did the harbour of Karrow cost?", "Gulls"
    )
    assert answer.supported
    assert answer.short == "Tilda Brook"
    assert "The evidence does not say." in answer.text.split("\n\n")[1]


def test_more_is_searched_for_where_documents_of_their_own_are_the_answer(
    reader: ExtractiveReader,
) -> None:
    searched = []
    known = chunks_of(PASSAGES, ("The Salt of Quell", "The Last Ferry"))
    more = {"Nine Keys": "Nine Keys is a film of 1960 directed by Odo Marant."}
    question = "Which films did Odo Marant direct?"
    asked = Evidence(question=question, corpus="test", strategy="none", chunks=known)

    def search(part: str, passages: int) -> Evidence:
        searched.append((part, passages))
        return asked.model_copy(update={"chunks": (*known[:1], *chunks_of(more, more))})

    *_, answer = reader.read(asked, search)
    assert isinstance(answer, Answer)
    assert sorted(answer.items) == ["Nine Keys", "The Last Ferry", "The Salt of Quell"]
    assert searched == [(question, MANY_PASSAGES)]
    assert answer.evidence.chunks[-1].id == "Nine Keys"


def test_a_list_is_as_sure_as_the_steps_that_led_to_it(reader: ExtractiveReader) -> None:
    direct = answered(reader, "Which films did Odo Marant direct?")
    by_step = answered(reader, "Which films did the director of The Last Ferry direct?")
    assert direct.items
    assert set(by_step.items) == set(direct.items)
    assert by_step.confidence <= direct.confidence
    found = find("Which films did Odo Marant direct?", reader.opened(chunks_of(PASSAGES, PASSAGES)))
    assert found is not None
    unsure = replace(found, values={**found.values, "least_probability": 0.4})
    assert unsure.kind == "list"
    assert unsure.confidence == pytest.approx(0.4 * found.confidence)
