"""Two things compared by what the evidence says of each: amounts, sums, counts, spans of time."""

import pytest

from clew.answering.extractive import ExtractiveReader
from clew.answering.sureness import LIKELY
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
