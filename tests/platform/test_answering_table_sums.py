"""What tables add up and compare for each thing, what is no data of theirs, and what is asked of
the row that is found; conditions of which either holds.
"""

from functools import partial

import pytest

from clew.comprehension.annotation import Annotator
from clew.comprehension.tables.cells import number_in
from clew.comprehension.tables.reading import tables_of

from .test_answering_tables import passages, tables_in, told_by

DISHES = (
    "Dish: Cream soup; Allergens: milk; Course: starter; Price: £6",
    "Dish: Walnut loaf; Allergens: milk, nuts; Course: main; Price: £9",
    "Dish: Brittle; Allergens: nuts; Course: dessert; Price: £4",
    "Dish: Rice; Allergens: gluten; Course: main; Price: £3",
)
ORDERS = (
    "Order: 1041; Supplier: Arden; Placed: 2023-11-02; Amount: £300; Seats: 12",
    "Order: 1042; Supplier: Selm; Placed: 2024-01-05; Amount: £250; Seats: 4",
    "Order: 1043; Supplier: Selm; Placed: 2024-04-05; Amount: £200; Seats: 3",
    "Order: 1044; Supplier: Brae; Placed: 2023-02-05; Amount: £100; Seats: 5",
)
STAFF = (
    "Employee: Ann Horn; Department: Sales; Salary: 30000; Hours: 10",
    "Employee: Bea Lund; Department: Sales; Salary: 31000; Hours: 12",
    "Employee: Cal Jost; Department: Stores; Salary: 40000; Hours: 5",
    "Salary: 101000; Hours: 27",
)
DRILLS = (
    "Drill: Annex; Day: 2024-05-01; Length min: 6; Bell dB: 90",
    "Drill: Tower; Day: 2024-02-01; Length min: 4; Bell dB: 95",
    "Drill: Hall; Day: 2023-02-01; Length min: 9; Bell dB: 80",
    "Drill: Average; Length min: 6.3; Bell dB: 88",
)
TABLES = tables_in(
    {
        "Dishes": DISHES,
        "Orders": ORDERS,
        "Staff": STAFF,
        "Fire drills": DRILLS,
    }
)
told = partial(told_by, TABLES)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("How many dishes contain milk or nuts?", "3"),
        ("How many dishes contain milk and nuts?", "1"),
        ("How many main dishes contain milk or nuts?", "1"),
        ("Which dish is the cheapest, Brittle or Rice?", "Rice"),
        ("Which supplier did we spend the most on?", "Selm"),
        ("Which supplier did we spend the least on?", "Brae"),
        ("Which department has the highest total salary?", "Sales"),
        ("Which department has the highest average salary?", "Stores"),
        ("Which employee has the highest salary?", "Cal Jost"),
        ("What is the total salary?", "101,000"),
        ("What is the total salary in Sales?", "61,000"),
        ("When was the last fire drill?", "2024-05-01"),
        ("When was the longest fire drill?", "2023-02-01"),
        ("How long was the longest fire drill?", "9"),
        ("Which fire drill was the last?", "Annex"),
        ("How much is the cheapest dish?", "£3"),
        ("How many orders were placed between 2023 and 2024?", "4"),
        ("How many orders were placed in January?", "1"),
        ("How many orders were placed since October 2023?", "3"),
    ],
)
def test_what_is_asked_for_is_told(annotator: Annotator, question: str, right: str) -> None:
    answer = told(annotator, question)
    assert answer is not None
    assert answer.short == right


@pytest.mark.parametrize(
    "question",
    [
        "How many dishes are main or contain milk?",  # or both?
        "What is the total salary of each department?",
        "What is the average salary by department?",
        "What is the largest order?",  # not the highest number
        "How long was the loudest fire drill?",
        "How much did the longest fire drill cost?",
        "How many orders cost between 1500 and 2500?",  # no years
        "How many orders cost between 1900 and 2000?",
        "How many orders were placed since October?",  # of which year?
    ],
)
def test_what_is_not_sure_is_not_told(annotator: Annotator, question: str) -> None:
    assert told(annotator, question) is None


def test_conditions_of_which_either_holds_are_said_so(annotator: Annotator) -> None:
    answer = told(annotator, "How many dishes contain milk or nuts?")
    assert answer is not None
    assert answer.basis.endswith("3 of 4 rows, where Allergens is “milk” or “nuts”.")
    assert len(answer.rows) == 3


@pytest.mark.parametrize(
    ("last", "rows"),
    [
        ("Part: Sub-total; Price: 30", 3),
        ("Part: Net total; Price: 30; Shelf: 2", 3),
        ("Part: Balance; Price: 30", 3),
        ("Part: Mean; Price: 10; Shelf: 2", 3),
        ("Price: 30", 3),
        ("Part: Balance; Price: 10; Shelf: top left", 4),
        ("Price: 10; Shelf: top left", 4),
        ("Part: Balance beam; Price: 10; Shelf: 3", 4),
    ],
)
def test_rows_of_totals_are_no_rows(last: str, rows: int) -> None:
    lines = [f"Part: {name}; Price: 10; Shelf: {n}" for n, name in enumerate("ABC")]
    (table,) = tables_of(passages("Parts", [*lines, last]))
    assert len(table.rows) == rows


def test_large_sums_keep_their_cents() -> None:
    number = number_in("£1")
    assert number is not None
    assert number.written(1_234_567_890.01) == "£1,234,567,890.01"
    assert number.written(0.1 + 0.2 + 0.7) == "£1"
    assert number.written(1_234_567_890) == "£1,234,567,890"
