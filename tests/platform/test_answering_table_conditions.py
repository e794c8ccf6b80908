"""What rows of a table are not to be, and what lies within bounds: days, sums, units."""

from functools import partial

import pytest

from clew.answering.base import whole_answer
from clew.answering.extractive import ExtractiveReader
from clew.comprehension.annotation import Annotator
from clew.results.evidence import Evidence

from .read_passages import chunks_of
from .test_answering_tables import tables_in, told_by

JOBS = (
    "Job: J-1; Site: Arden; Closed: yes; Car: yes; Started: 2025-01-05; Cost: £1500",
    "Job: J-2; Site: Arden; Closed: no; Car: no; Started: 2025-02-03; Cost: £20000",
    "Job: J-3; Site: Selm; Closed: yes; Car: no; Started: 2025-03-03; Cost: £25k",
    "Job: J-4; Site: Karrow; Closed: no; Car: yes; Started: 2024-11-20; Cost: £300",
    "Job: J-5; Site: Selm; Closed: no; Car: no; Started: 2025-03-12; Cost: £1000",
)
ORDERS = (
    "Order: PO-1; Ordered: 2024-12-30; Amount: £1800; Status: sold; Yard: Orrin",
    "Order: PO-2; Ordered: 2025-01-05; Amount: £980; Status: sold; Yard: Pell",
    "Order: PO-3; Ordered: 2025-02-03; Amount: £6150; Status: kept; Yard: Orrin",
    "Order: PO-4; Ordered: 2025-03-12; Amount: £310; Status: kept; Yard: Brae",
)
ENGINES = (
    "Engine: Atlas; Power: 750 W; Tank: 500 ml; Weight: 20 kg; Price: £300; Time: 2 h",
    "Engine: Corvus; Power: 1.2 kW; Tank: 2 l; Weight: 900 g; Price: €350; Time: 45 min",
    "Engine: Dione; Power: 500 W; Tank: 900 ml; Weight: 31 kg; Price: £320; Time: 90 min",
    "Engine: Total station; Power: 2 kW; Tank: 1 l; Weight: 15 kg; Price: £12; Time: 30 min",
    "Engine: Umbra; Power: 400 W; Tank: 1 l; Weight: 4 kg; Price: £20; Time: 1 h",
    "Engine: Total weight; Weight: 70.9 kg",
)
GRANTS = (
    "Grant: Pier; Budget: €2.5m; Dose: 0.001; Deposit: 1.250; Litres: 1’250; "
    "Runs: 20 (2 failed); Fee: 40",
    "Grant: Lock Gate; Budget: €900k; Dose: 0.002; Deposit: 980; Litres: 980; Runs: 8; Fee: tbc",
    "Grant: Sea Wall; Budget: €450k; Dose: 0.0005; Deposit: 2.100; Litres: 840; Runs: 9; Fee: 25",
    "Grant: Beacon; Budget: €3.1m; Dose: 0.001; Deposit: 450; Litres: 760; Runs: 15; Fee: 35",
    "Grant: Weir; Budget: €1m; Dose: 0.003; Deposit: 870; Litres: 620; Runs: 7; Fee: 30",
    "Grant: Quay; Budget: €1m; Dose: 0.0015; Deposit: 870; Litres: 610; Runs: 6; Fee: 30",
)
TABLES = tables_in(
    {
        "Jobs": JOBS,
        "Purchase orders 2025": ORDERS,
        "Engines": ENGINES,
        "Grants": GRANTS,
    }
)
told = partial(told_by, TABLES)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Which jobs haven't been closed?", "J-2, J-4 and J-5"),
        ("Which jobs haven’t been closed?", "J-2, J-4 and J-5"),
        ("Which jobs have never been closed?", "J-2, J-4 and J-5"),
        ("What is the total cost of the jobs that aren't closed?", "£21,300"),
        ("How many jobs don't belong to Arden?", "3"),
        ("How many jobs are not in Arden and not in Selm?", "1"),
        ("How many jobs have no car in Arden?", "1"),
        ("How many jobs have not been closed in Arden?", "1"),
        ("How many jobs did not start in 2025?", "1"),
        ("How many jobs don't cost more than £1000?", "2"),
    ],
)
def test_what_is_denied_is_left_out(annotator: Annotator, question: str, right: str) -> None:
    answer = told(annotator, question)
    assert answer is not None
    assert answer.short == right


@pytest.mark.parametrize(
    "question",
    [
        "How many jobs are not in Arden or Selm?",
        "How many jobs excluding Arden are closed?",
        "How many jobs other than J-1 are closed?",
        "How many closed jobs are outside Arden?",
        "How many jobs are neither in Arden nor closed?",
        "How many orders were not sold by Orrin?",
    ],
)
def test_what_else_is_denied_is_not_counted(annotator: Annotator, question: str) -> None:
    assert told(annotator, question) is None


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("How many jobs started no later than 3 March 2025?", "4"),
        ("How many jobs started not before March 2025?", "2"),
        ("How many jobs started on or before 3 February 2025?", "3"),
        ("How many jobs started before or on 3 February 2025?", "3"),
        ("How many jobs started on or after 3 February 2025?", "3"),
        ("How many jobs started by 3 February 2025?", "3"),
        ("How many jobs started on 3 March 2025 or later?", "2"),
        ("How many jobs started from January to February 2025?", "2"),
        ("How many jobs started from November to January 2025?", "2"),
        ("How many jobs started between 3 and 12 March 2025?", "2"),
        ("How many jobs started from 2025 onwards?", "4"),
        ("How many jobs cost not over £1500?", "3"),
        ("How many jobs cost not more than £300?", "1"),
        ("How many jobs cost no less than £1000?", "4"),
        ("How many jobs cost £20,000 or more?", "2"),
        ("How many jobs cost more than 1500?", "2"),
        ("How many jobs cost over 20k?", "1"),
        ("How many grants have a budget of more than €1m?", "2"),
        ("How many grants have a budget over 0.9 million?", "4"),
        ("How many engines have a weight over 1000 g?", "4"),
        ("How many engines have a weight over 16kg?", "2"),
    ],
)
def test_bounds_are_as_they_are_said(annotator: Annotator, question: str, right: str) -> None:
    answer = told(annotator, question)
    assert answer is not None
    assert answer.short == right


def test_the_year_of_a_title_is_no_sum(annotator: Annotator) -> None:
    for word in ("from", "in"):
        answer = told(annotator, f"What is the total amount of the purchase orders {word} 2025?")
        assert answer is not None
        assert answer.short == "£9,240"
    since = told(annotator, "What is the total amount of the purchase orders since 2025?")
    assert since is not None
    assert since.short == "£7,440"


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Which grant has the largest budget?", "Beacon"),
        ("Which grant has the smallest budget?", "Sea Wall"),
        ("What is the total budget of the grants?", "€8,950,000"),
        ("Which engine has the most power?", "Total station"),
        ("Which engine has the largest tank?", "Corvus"),
        ("Which engine is the heaviest?", "Dione"),
        ("Which engine takes the longest?", "Atlas"),
        ("What is the average dose of the grants?", "0.0015"),
        ("What is the total deposit of the grants?", "6,520"),
        ("Which grant has the highest deposit?", "Sea Wall"),
        ("What are the total litres of the grants?", "5,060"),
        ("How many engines are there?", "5"),
    ],
)
def test_numbers_are_compared_in_their_units(
    annotator: Annotator, question: str, right: str
) -> None:
    answer = told(annotator, question)
    assert answer is not None
    assert answer.short == right


@pytest.mark.parametrize(
    "question",
    [
        "What is the most expensive engine?",  # £ and €
        "How many engines cost more than 290?",
        "How many engines have a weight over 16?",  # kg or g
        "What are the total runs of the grants?",  # 20 (2 failed)
        "Which grant has the most runs?",
    ],
)
def test_what_cannot_be_compared_is_not_told(annotator: Annotator, question: str) -> None:
    assert told(annotator, question) is None


def test_rows_without_a_number_are_not_among_those_added_up(annotator: Annotator) -> None:
    answer = told(annotator, "What is the total fee of the grants?")
    assert answer is not None
    assert answer.short == "160"
    assert "5 of 6 rows" in answer.basis


def test_the_row_is_quoted_and_no_heading_that_it_holds(reader: ExtractiveReader) -> None:
    text = (
        "Desks in Selm\nSelm\n"
        "Person: Ann Horn; Office: Selm; Desk: 11; Screens: 2.\n"
        "Person: Bea Lund; Office: Selm annex; Desk: 12; Screens: 1.\n"
        "Person: Cal Jost; Office: Selm annex; Desk: 13; Screens: 3."
    )
    document = chunks_of({"Desk plan": text}, ["Desk plan"])
    whole = ExtractiveReader(reader.models, whole=lambda corpus, document_id: document)
    question = "Which person has the most screens?"
    asked = Evidence(question=question, corpus="any", strategy="bm25", chunks=document)
    answer = whole_answer(whole, asked)
    assert answer.short == "Cal Jost"
    assert [one.quote.split(";")[0] for one in answer.citations] == ["Person: Cal Jost"]
