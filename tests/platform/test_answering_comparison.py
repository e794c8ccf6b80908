"""Two things compared by what the evidence says of each: amounts, sums, counts, spans of time."""

import pytest

from clew.answering.extractive import ExtractiveReader
from clew.answering.sureness import LIKELY, POSSIBLE
from clew.results.evidence import Answer

from .read_passages import answer_from

PASSAGES = {
    "Alder Bridge": "The Alder Bridge crosses the Seld. Its building cost €400,000.",
    "Birch Bridge": "The Birch Bridge crosses the Karrow. Its building cost £380,000.",
    "Cedar Bridge": "The Cedar Bridge crosses the Orne. Its building cost 390,000 euros.",
    "Elm Bridge": "The Elm Bridge crosses the Asker. Its building cost 410,000.",
    "River Weller": "The River Weller is a river in the north of Tarn. It is 142 km long and flows "
    "into the Sea of Orm.",
    "River Asker": "The River Asker rises in the Grey Hills and runs for 96 miles to the coast.",
    "Ilsa Werner": "Ilsa Werner (born 3 March 1931) is a Tarnish composer. She has written four "
    "operas and 12 string quartets.",
    "Peter Holler": "Peter Holler (17 June 1928 – 2 May 1999) was an Austrian composer and "
    "conductor. He wrote seven operas.",
    "Northern Lines": "Northern Lines is a shipping company with headquarters in Pollmer. It "
    "employs 4,200 people and had a revenue of $1.2 billion in 2014.",
    "Baxter Group": "The Baxter Group is a retailer based in Hesterby. In 2014 its revenue was "
    "$860 million; it has 9,100 employees.",
    "The Water Garden": "The Water Garden is a 1962 film directed by Ilsa Roth. It runs for 94 "
    "minutes.",
    "Summer of Glass": "Summer of Glass is a 1971 drama film by Otto Venn with a running time of "
    "two hours.",
    "Roller Model 3": "The Roller Model 3 is a tractor. It weighs 2,450 kg.",
    "Harter 500": "The Harter 500 is a compact tractor that weighs 1.9 tonnes.",
}


def asked(reader: ExtractiveReader, question: str) -> Answer:
    titles = [title for title in PASSAGES if title.removeprefix("The ") in question]
    assert len(titles) == 2
    others = [title for title in PASSAGES if title not in titles][:3]
    return answer_from(reader, question, PASSAGES, *titles, *others)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        # a name that ends as comparatives do: "Alder", "River", "Water"
        ("Did the Alder Bridge cost more than the Cedar Bridge?", "yes"),
        ("Did the Cedar Bridge cost more than the Alder Bridge?", "no"),
        ("Was the Cedar Bridge cheaper than the Alder Bridge?", "yes"),
        ("Which was more expensive, the Alder Bridge or the Cedar Bridge?", "Alder Bridge"),
        ("Is the River Weller longer than the River Asker?", "no"),
        ("Is the River Weller shorter than the River Asker?", "yes"),
        ("Is The Water Garden longer than Summer of Glass?", "no"),
        # counts in words
        ("Did Peter Holler write more operas than Ilsa Werner?", "yes"),
        ("Who wrote more operas, Ilsa Werner or Peter Holler?", "Peter Holler"),
        # of all numbers that which is asked for
        (
            "Which had the higher revenue in 2014, Northern Lines or the Baxter Group?",
            "Northern Lines",
        ),
        ("Did the Baxter Group have a higher revenue than Northern Lines in 2014?", "no"),
        ("Does the Baxter Group have more employees than Northern Lines?", "yes"),
        ("Is the Roller Model 3 heavier than the Harter 500?", "yes"),
        ("Which tractor is lighter, the Roller Model 3 or the Harter 500?", "Harter 500"),
    ],
)
def test_amounts_of_two_things_are_compared(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    answer = asked(reader, question)
    assert answer.short.casefold().removeprefix("the ") == right.casefold()
    assert answer.confidence > LIKELY


MORE = {
    "Lake Oddo": "Lake Oddo is a lake in the north of Tarn. It covers 212 square kilometres and "
    "is 94 metres deep.",
    "Lake Verrim": "Lake Verrim has an area of 61 square miles. Its floor drops to 410 feet.",
    "Nordpark lease": "The Nordpark lease took effect in 2023. The rent is £2,350 per month.",
    "Southyard lease": "The Southyard lease was signed in 2024. We pay £27,000 a year.",
    "Fell School": "Fell School is a school for girls in Selm. It has 430 pupils and 52 teachers.",
    "Ridge Academy": "Ridge Academy in Karrow has 1,200 pupils and 85 teachers.",
    "Brackner": "Brackner is a firm of clockmakers in Selm. It employs about 340 people.",
    "Tolvane": "Tolvane is a firm in Selm that builds vans. It has a workforce of twelve hundred.",
    "St Oswin's": "St Oswin's is a cathedral in the north. A ring of 8 bells hangs in its tower.",
    "Holy Ford": "Holy Ford is a church in Limburg. Its tower holds all eight of its bells.",
    "Kell": "Kell was a chemist. She was born in Karrow.",
    "Asker": "Asker was a painter. He was born in Karrow.",
    "Kessing, Nordale": "Kessing is a spa town. It had a population of 9,812 in 2016.",
    "Port Ellis": "Port Ellis is a harbour town. Some twenty-three thousand residents live there.",
}


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Which lake is deeper, Lake Oddo or Lake Verrim?", "Lake Verrim"),
        ("Which lake covers the larger area, Lake Oddo or Lake Verrim?", "Lake Oddo"),
        ("Which costs more, the Nordpark lease or the Southyard lease?", "Nordpark lease"),
        ("Which has fewer teachers, Fell School or Ridge Academy?", "Fell School"),
        ("Does Brackner have more employees than Tolvane?", "no"),
        ("Do St Oswin's and Holy Ford have the same number of bells?", "yes"),
        ("Does Kessing, Nordale have a larger population than Port Ellis?", "no"),
        ("Are Brackner and Tolvane both firms?", "yes"),
        ("Are Kell and Asker both chemists?", "no"),
    ],
)
def test_values_are_told_in_other_words_and_units(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    titles = [title for title in MORE if title in question]
    assert len(titles) == 2
    answer = answer_from(reader, question, MORE, *titles)
    assert answer.short.casefold().removeprefix("the ") == right.casefold()


def test_what_is_not_said_of_one_of_two_is_told_as_possible_at_most(
    reader: ExtractiveReader,
) -> None:
    """Any number of the passage was compared, and the outcome stated plainly."""
    answer = answer_from(reader, "Does Brackner have more lorries than Tolvane?", MORE)
    assert answer.confidence < POSSIBLE


def test_sums_of_two_currencies_are_not_compared(reader: ExtractiveReader) -> None:
    """More euros than pounds was the larger sum."""
    for one, other in (("Alder", "Birch"), ("Birch", "Alder")):
        assert not asked(
            reader, f"Did the {one} Bridge cost more than the {other} Bridge?"
        ).supported
        choice = asked(reader, f"Which cost more, the {one} Bridge or the {other} Bridge?")
        assert choice.confidence < LIKELY


def test_a_sum_without_its_currency_is_compared(reader: ExtractiveReader) -> None:
    assert (
        asked(reader, "Which cost more, the Alder Bridge or the Elm Bridge?").short == "Elm Bridge"
    )


def test_a_value_of_another_passage_is_not_taken_for_the_things_own(
    reader: ExtractiveReader,
) -> None:
    """What the span model marked for the same words was offered to both sides."""
    passages = {
        "Birch House": "The Birch House is a hall in Selm. It cost €2.5 million.",
        "Cedar House": "The Cedar House is a hall in Karrow. It cost €3.5 million.",
    }
    for titles in (passages, reversed(passages)):
        answer = answer_from(
            reader, "Which is dearer, the Cedar House or the Birch House?", passages, *titles
        )
        assert answer.short == "Cedar House"


NOTES = {
    "Offer Kestrel": "Kestrel offers to supply and fit a new boiler for the Mill House at 8,920 "
    "pounds. The appliance weighs 145 kilograms.",
    "Boiler log": "This log belongs to the old boiler of the Mill House. It weighs 210 kilograms "
    "and was bought for 6,300 pounds.",
    "HR note 1": "Ms Okafor works in the box office. Her contract gives her 27 days of leave.",
    "HR note 2": "Mr Lindqvist joined the workshop in 2016. He is entitled to 24 days of leave.",
    "Harbour 1": "Visitors may moor at the north pontoon. There are 24 berths for boats.",
    "Harbour 2": "The creek jetty has 30 berths for smaller boats. There is no power.",
}


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Is the new boiler heavier than the old one?", "no"),
        ("Is the new boiler dearer than the old one was?", "yes"),
        ("Does Ms Okafor get more days of leave than Mr Lindqvist?", "yes"),
        ("Are there more berths at the north pontoon than at the creek jetty?", "no"),
    ],
)
def test_things_are_compared_that_are_no_titles(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    """A thing's values were looked for in the sentences that name it alone, and one that has no
    name was none."""
    assert answer_from(reader, question, NOTES).short == right


def test_what_is_told_of_one_thing_without_a_name_is_not_told_of_the_other(
    reader: ExtractiveReader,
) -> None:
    answer = answer_from(reader, "Is the new boiler louder than the old one?", NOTES)
    assert answer.confidence < POSSIBLE
