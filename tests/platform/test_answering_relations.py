"""Questions about relatives, and comparisons of what is related to two things that are named."""

from collections.abc import Sequence

import pytest

from clew.answering.extractive import ExtractiveReader
from clew.answering.sureness import LIKELY
from clew.comprehension.annotation import AnnotatedSentence, Annotator
from clew.comprehension.compared import comparison_in
from clew.comprehension.dates import life_dates
from clew.comprehension.gender import parents
from clew.comprehension.kinship import by_steps, told_as
from clew.comprehension.lexicon import classes_of
from clew.comprehension.naming import annotate_named
from clew.comprehension.nationalities import countries_told
from clew.comprehension.normalisation import exact_match
from clew.comprehension.passage_memory import PassageMemory
from clew.comprehension.question_form import understand
from clew.results.evidence import Answer
from clew_ingest.parsing.spacy_pipeline import Pipeline

from .read_passages import answer_from, chunks_of

PASSAGES = {
    "The Salt of Quell (1931 film)": "The Salt of Quell is a 1931 drama film directed by Odo "
    "Marant and starring Lise Farn. It was shot in nine days.",
    "Gulls, Stay Away": "Gulls, Stay Away is a comedy film of 1954. The film was directed by "
    "Tilda Brook, who also wrote it.",
    "The Last Ferry": "The Last Ferry is a 1949 thriller film directed by Odo Marant.",
    "Odo Marant": "Odo Marant (7 May 1898 – 30 January 1970) was a French film director. He "
    "studied at the University of Lisse and died of lung cancer.",
    "Tilda Brook": "Tilda Brook (12 June 1911 – 2 March 1969) was a British writer and film "
    "director. She was married to the painter Evan Orr.",
    "Anselm II, Count of Perrow": "Anselm II, Count of Perrow (1201–1260) was the son of Rotger I, "
    "Count of Perrow, and his wife Maud of Selm, daughter of Hugh of Selm. He joined his father "
    "at the siege of Karrow.",
    "Rotger I, Count of Perrow": "Rotger I, Count of Perrow (1170–1231), was the second son of "
    "Count Bern of Perrow and Adela of Orne. He had two brothers.",
    "Maud of Selm": "Maud of Selm (1175–1240) was a noblewoman. She was the eldest daughter of "
    "Hugh of Selm and Ida of Lenz.",
    "Evan Orr": "Evan Orr (1905–1980) was a painter. He was the son of Gwen Pell and Morgan Orr, "
    "a baronet. His mother Gwen Pell was a singer.",
    "Quellstone": "Quellstone is a village in Powys, Wales. Its church was built in 1820.",
    "Fort Marlow": "Fort Marlow is a town in Minnesota. It has a harbour.",
    "Brackmoor": "Brackmoor is a hamlet near Perth, Scotland.",
}


def answered(reader: ExtractiveReader, question: str, *titles: str) -> Answer:
    return answer_from(reader, question, PASSAGES, *titles)


FILMS = (
    *("The Salt of Quell (1931 film)", "Odo Marant", "Gulls, Stay Away", "Tilda Brook"),
    "The Last Ferry",
)
FAMILY = ("Anselm II, Count of Perrow", "Rotger I, Count of Perrow", "Maud of Selm")


@pytest.mark.parametrize(
    ("question", "titles", "right"),
    [
        (
            "Who is the paternal grandfather of Anselm Ii, Count Of Perrow?",
            FAMILY,
            "Count Bern of Perrow",
        ),
        ("Who is Anselm II, Count Of Perrow's paternal grandmother?", FAMILY, "Adela of Orne"),
        ("Who is the maternal grandmother of Anselm II, Count of Perrow?", FAMILY, "Ida of Lenz"),
        ("When did Anselm II, Count of Perrow's mother die?", FAMILY, "1240"),
        ("Who is the father-in-law of Tilda Brook?", ("Tilda Brook", "Evan Orr"), "Morgan Orr"),
        ("Who is Tilda Brook's mother-in-law?", ("Tilda Brook", "Evan Orr"), "Gwen Pell"),
        ("Where did the director of film The Salt Of Quell (1931 Film) study?", FILMS, "Lisse"),
        ("Why did the director of film The Salt of Quell die?", FILMS, "lung cancer"),
        ("When is the director of Gulls, Stay Away's birthday?", FILMS, "12 June 1911"),
    ],
)
def test_relatives_and_titles_are_understood(
    reader: ExtractiveReader, question: str, titles: tuple[str, ...], right: str
) -> None:
    assert right in answered(reader, question, *titles).short


@pytest.mark.parametrize(
    ("question", "right"),
    [
        (
            "Which film has the director who died later, The Salt Of Quell (1931 Film) or Gulls, "
            "Stay Away?",
            "The Salt Of Quell (1931 Film)",
        ),
        (
            "Which film whose director was born later, The Last Ferry or Gulls, Stay Away?",
            "Gulls, Stay Away",
        ),
        (
            "Which film has the director who is older, Gulls, Stay Away or The Last Ferry?",
            "The Last Ferry",
        ),
        (
            "Who was born first, the director of The Last Ferry or the director of Gulls, Stay "
            "Away?",
            "Odo Marant",
        ),
        ("Which film came out first, The Last Ferry or Gulls, Stay Away?", "The Last Ferry"),
        (
            "Which film was released more recently, The Salt of Quell or The Last Ferry?",
            "The Last Ferry",
        ),
        ("Who lived longer, Tilda Brook or Odo Marant?", "Odo Marant"),
        ("Who was born first out of Tilda Brook and Odo Marant?", "Odo Marant"),
        ("Of Tilda Brook and Odo Marant, who died first?", "Tilda Brook"),
        (
            "Are the directors of both films The Last Ferry and Gulls, Stay Away from the same "
            "country?",
            "no",
        ),
        (
            "Do both films, The Salt Of Quell and The Last Ferry, have the directors that share "
            "the same nationality?",
            "yes",
        ),
    ],
)
def test_what_is_related_to_two_things_is_compared(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    answer = answered(reader, question, *FILMS)
    assert exact_match(answer.short, [right])
    assert answer.supported
    if "director" in question:
        cited = {citation.title for citation in answer.citations}
        assert cited & {"Odo Marant", "Tilda Brook"}
        assert cited - {"Odo Marant", "Tilda Brook"}, "who it is stands in the films' passages"


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("How old was Odo Marant when he died?", "71"),
        ("At what age did the director of Gulls, Stay Away die?", "57"),
        ("How long did Tilda Brook live?", "57"),
    ],
)
def test_an_age_is_computed_from_the_days_of_a_life(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    answer = answered(reader, question, *FILMS)
    assert answer.short == right
    assert any("1970" in one.quote or "1969" in one.quote for one in answer.citations)


def test_an_age_by_years_alone_is_less_sure(reader: ExtractiveReader) -> None:
    by_years = answered(reader, "How old was Evan Orr when he died?", "Evan Orr")
    by_days = answered(reader, "How old was Odo Marant when he died?", "Odo Marant")
    assert by_years.short == "75"
    assert by_years.confidence < LIKELY < by_days.confidence


def test_no_day_is_an_age(reader: ExtractiveReader) -> None:
    answer = answered(reader, "How old is Odo Marant?", "Odo Marant")
    assert "1898" not in answer.short


@pytest.mark.parametrize(
    ("one", "other", "right"),
    [("Quellstone", "Brackmoor", "yes"), ("Quellstone", "Fort Marlow", "no")],
)
def test_places_in_parts_of_a_country_lie_in_it(
    reader: ExtractiveReader, one: str, other: str, right: str
) -> None:
    question = f"Are both places, {one} and {other}, located in the same country?"
    assert answered(reader, question, one, other).short == right


def test_a_title_in_a_question_is_one_name(annotator: Annotator) -> None:
    question = "When did Hugh Of Orne, Lord Of De Lek's mother move to film Gulls, Stay Away?"
    titles = ["Hugh of Orne, Lord of De Lek", "Gulls, Stay Away", "mother"]
    (found,) = annotate_named(annotator.annotate, [question], titles)
    (sentence,) = found
    assert sentence.text == question
    names = [token for token in sentence.tokens if " " in token.text]
    assert [token.text for token in names] == ["Hugh Of Orne, Lord Of De Lek", names[1].text]
    assert names[1].text.startswith("film Gulls, Stay Away")
    for token in sentence.tokens:
        assert question[token.start : token.end] == token.text
    form = understand(sentence)
    assert set(form.names) == {"hugh of orne, lord of de lek", "gulls, stay away"}
    assert {"hugh", "orne", "lek", "gulls", "stay", "away", "mother"} <= set(form.words)


def test_texts_without_titles_are_parsed_as_ever(annotator: Annotator) -> None:
    texts = ["Who founded the Seld Shipyard?", "two\nlines of it"]
    assert annotate_named(annotator.annotate, texts, ["Odo Marant"]) == annotator.annotate(texts)


def test_a_comparison_of_words_in_titles_is_none(annotator: Annotator) -> None:
    question = "Which film has more actors, The Last Ferry or The First Man Born?"
    (found,) = annotate_named(
        annotator.annotate, [question], ["The Last Ferry", "The First Man Born"]
    )
    asked = comparison_in(found[0])
    assert asked is not None
    assert [option.written for option in asked.options] == ["The Last Ferry", "The First Man Born"]
    assert asked.compared == "number", "neither 'Last' nor 'First' nor 'Born' is asked"


def test_how_many_one_has_is_no_relation(annotator: Annotator) -> None:
    question = "Which village had more inhabitants in 2021, Quellstone or Brackmoor?"
    (found,) = annotate_named(annotator.annotate, [question], PASSAGES)
    asked = comparison_in(found[0])
    assert asked is not None
    assert [option.relation for option in asked.options] == ["", ""]
    assert asked.compared == "number"


def test_a_title_that_says_where_a_thing_is_is_not_compared(reader: ExtractiveReader) -> None:
    buildings = {
        "Selm": "Selm is a town. Its best-known building is the Corn Exchange, opened in 1868.",
        "Karrow Opera House": "The Karrow Opera House was opened in 1883.",
    }
    question = "Which opened first, the Corn Exchange in Selm or the Karrow Opera House?"
    assert exact_match(answer_from(reader, question, buildings).short, ["Corn Exchange in Selm"])


def test_a_question_is_parsed_once_whatever_title_stands_in_it(annotator: Annotator) -> None:
    parsed: list[str] = []

    class Counting(Annotator):
        def annotate(self, texts: Sequence[str]) -> list[list[AnnotatedSentence]]:
            parsed.extend(texts)
            return annotator.annotate(texts)

    memory, counting = PassageMemory(), Counting(Pipeline("not loaded"))
    for question in ("Who directed The Last Ferry?", "Who directed The Salt of Quell?"):
        found = annotate_named(lambda texts: memory.questions(texts, counting), [question], FILMS)
        assert found == annotate_named(annotator.annotate, [question], FILMS)
        assert question.removeprefix("Who directed ") in found[0][0].text
    assert len(parsed) == 1
    assert memory.size() > 0


@pytest.mark.parametrize(
    "question",
    [
        "Is the director of The Last Ferry the father of Tilda Brook?",
        "Were The Last Ferry and Gulls, Stay Away directed by the husband of Tilda Brook?",
        "Who directed The Last Ferry?",
    ],
)
def test_what_sets_no_two_titles_side_by_side_is_no_comparison(
    annotator: Annotator, question: str
) -> None:
    (found,) = annotate_named(annotator.annotate, [question], PASSAGES)
    assert comparison_in(found[0]) is None


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        (
            "Who is the maternal grandfather of Ann?",
            ["Who is the father of the mother of Ann?"],
        ),
        (
            "When did Ann's father-in-law die?",
            ["When did the father of Ann's wife die?", "When did the father of Ann's husband die?"],
        ),
        ("Who is the father of Ann?", []),
        ("What is a grandfather clock?", []),
    ],
)
def test_relatives_by_steps(question: str, steps: list[str]) -> None:
    assert by_steps(question) == steps


def test_what_says_that_somebody_is_a_relative() -> None:
    told = told_as("Who is the maternal grandfather of Ann?")
    assert told.search("She was the granddaughter of Hugh.")
    assert not told.search("She was the daughter of a grand duke.")
    assert not told_as("Who is the father of Ann?").search("the grandfather of Ann")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            "He was the son of Rotger I, Count of Perrow, and Maud, daughter of Hugh and Ida.",
            [("Rotger I, Count of Perrow", "male"), ("Maud, ", None)],
        ),
        ("She was a daughter of Queen Ida.", [("Queen Ida", "female")]),
        ("He married Anna, daughter of Frederick I.", []),
        ("He was the only son of Hugh and heir to the empire.", [("Hugh", None)]),
        ("He had two brothers.", []),
        (
            "He is the son of Tabitha King and the actor Evan Orr.",
            [("Tabitha King", None), ("the actor Evan Orr", "male")],
        ),
    ],
)
def test_parents_that_a_sentence_names(text: str, named: list[tuple[str, str | None]]) -> None:
    assert [(text[p.start : p.end], p.gender) for p in parents(text)] == named


@pytest.mark.parametrize(
    ("text", "countries"),
    [
        ("Odo Marant (born in Rome, Italy) was a French director in Berlin.", {"france"}),
        ("She is an Italian-born American actress.", {"italy", "united states"}),
        ("Odo (born in Rome, Italy) was a director.", {"italy"}),
        ("It is for us and may polish the turkey.", set()),
    ],
)
def test_countries_that_a_sentence_tells(text: str, countries: set[str]) -> None:
    assert countries_told(text) == countries


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("Ann (12 June 1911 – 2 March 1969) was", ("12 June 1911", "2 March 1969")),
        ("Ann (10 February 190427 January 1963) was", ("10 February 1904", "27 January 1963")),
        ("Ann (born 2 May 1959 in London) is", ("2 May 1959", "")),
        ("Ann (died 12 October 1740) was", ("", "died 12 October 1740")),
        ("Ann was born in 1911.", ("", "")),
    ],
)
def test_the_dates_of_a_life(text: str, dates: tuple[str, str]) -> None:
    assert life_dates(text) == dates


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Was The Salt of Quell or The Last Ferry released first?", "The Salt of Quell"),
        ("Is Quellstone or Brackmoor a village?", None),
    ],
)
def test_a_choice_may_begin_without_an_asking_word(
    reader: ExtractiveReader, question: str, said: str | None
) -> None:
    titles = ("The Salt of Quell (1931 film)", "The Last Ferry", "Quellstone", "Brackmoor")
    answer = answered(reader, question, *titles)
    assert answer.short not in {"yes", "no"}
    if said is not None:
        assert answer.short == said


def test_nothing_said_of_either_is_no_no(reader: ExtractiveReader) -> None:
    question = "Are both The Last Ferry and Gulls, Stay Away in the public domain?"
    answer = answered(reader, question, "The Last Ferry", "Gulls, Stay Away")
    assert not answer.supported
    assert answer.confidence < 0.35


def test_amounts_of_two_things_are_compared_by_what_they_are(reader: ExtractiveReader) -> None:
    cities = {
        "Karrow": "Karrow is a city. It has a population of 2.5 million people.",
        "Selm": "Selm is a city. It has a population of 900,000 people.",
    }
    question = "Which city has a larger population, Karrow or Selm?"
    assert answer_from(reader, question, cities).short == "Karrow"


def test_of_a_life_of_which_one_end_has_a_year_alone_years_are_counted(
    reader: ExtractiveReader,
) -> None:
    singer = {"Gwen Pell": "Gwen Pell (1900 – 3 December 1950) was a singer."}
    question = "How old was Gwen Pell when she died?"
    assert answer_from(reader, question, singer).short == "50"


def test_a_last_name_means_who_its_own_passage_is_about(reader: ExtractiveReader) -> None:
    people = {
        "Edda Marlow": "Edda Marlow was a mayor of Karrow. Marlow opened the new harbour.",
        "Jon Marlow": "Jon Marlow was a painter, born in Selm.",
    }
    view = reader.opened(chunks_of(people, people)).view
    short = [one for one in view.candidates if one.sentence == 1 and "Marlow" in one.text]
    assert {one.text for one in short if not one.implicit} == {"Edda Marlow"}


def test_brackets_that_never_close_cost_nothing() -> None:
    assert life_dates("(" + "1900 " * 5_000) == ("", "")


@pytest.mark.parametrize("noun", ["address", "business", "server", "container", "variant"])
def test_a_thing_is_no_person_for_its_ending(noun: str) -> None:
    assert "PERSON" not in classes_of(noun)


@pytest.mark.parametrize("noun", ["actress", "assistant", "composer", "author", "tutor", "member"])
def test_a_person_is_one(noun: str) -> None:
    assert "PERSON" in classes_of(noun)


LIVES = {
    "Anton Grell": "Anton Grell (3 May 1660 – 9 June 1690) was a painter.",
    "Josef Amsel": "Josef Amsel (2 May 1700 – 1 July 1788) was a painter.",
    "Greystone hut": "Greystone hut was founded on 5 May 1962.",
    "Redmoor hut": "Redmoor hut was founded in 1962.",
}


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Who was older when they died, Anton Grell or Josef Amsel?", "Josef Amsel"),
        ("Who died younger, Anton Grell or Josef Amsel?", "Anton Grell"),
        ("Who died later, Anton Grell or Josef Amsel?", "Josef Amsel"),
    ],
)
def test_ages_at_death_are_no_days_of_death(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    assert answer_from(reader, question, LIVES).short == right


@pytest.mark.parametrize("order", ["before", "after"])
def test_what_was_of_one_year_is_not_put_in_order(reader: ExtractiveReader, order: str) -> None:
    answer = answer_from(reader, f"Was Greystone hut founded {order} Redmoor hut?", LIVES)
    assert answer.short != "no"
