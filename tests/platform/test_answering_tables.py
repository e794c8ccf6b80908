"""Questions that a whole table answers: how many rows, which one, the sum; or nothing for sure."""

from collections.abc import Mapping, Sequence

import pytest

from clew.answering.base import whole_answer
from clew.answering.extractive import ExtractiveReader
from clew.answering.finding import find
from clew.answering.found import OF_TABLE
from clew.comprehension.annotation import Annotator
from clew.comprehension.question_form import understand
from clew.comprehension.tables.answers import answer_of_tables
from clew.comprehension.tables.asked import asked_of_a_table
from clew.comprehension.tables.cells import (
    day_in,
    number_in,
    writes_day_first,
    writes_decimal_comma,
)
from clew.comprehension.tables.reading import tables_of
from clew.comprehension.tables.table import Table
from clew.comprehension.tables.things import TableAnswer
from clew.results.evidence import Answer, Evidence, ScoredChunk

CORPUS = "tables"
BOATS = (
    "Hull no.: B01; Boat: Kittiwake; Yard: Orrin & Sons; Built: 2009; Length m: 12.4; "
    "Price EUR: 84000; Status: afloat; Skipper: A. Lund",
    "Hull no.: B02; Boat: Guillemot; Yard: Pell Marine; Built: 2016; Length m: 9.8; "
    "Price EUR: 61500; Status: in dry dock",
    "Hull no.: B03; Boat: Puffin; Yard: Orrin & Sons; Built: 2012; Length m: 15.1; "
    "Price EUR: 132000; Status: afloat; Skipper: J. Marsh",
    "Hull no.: B04; Boat: Fulmar; Yard: Pell Marine; Built: 2021; Length m: 11.0; "
    "Price EUR: 97250; Status: sold; Skipper: -",
    "Hull no.: B05; Boat: Gannet; Yard: Brae Boats; Built: 2016; Length m: 7.3; "
    "Price EUR: 45000; Status: afloat; Skipper: Mira Okafor",
    "Hull no.: Total; Price EUR: 419750",
)
FAULTS = (
    "No: F-11; Reported: 2024-03-02; Boat: Puffin; Fault: bilge pump; Fixed: 2024-03-05; Hours: 4",
    "No: F-12; Reported: 2024-03-19; Boat: Gannet; Fault: radio; Fixed: open; Hours: 2",
    "No: F-13; Reported: 2024-04-07; Boat: Puffin; Fault: winch; Fixed: 2024-05-01; Hours: 11",
    "No: F-14; Reported: 2024-05-22; Boat: Fulmar; Fault: radio; Fixed: open; Hours: 3",
)
MEMBERS = (
    "Member: Ita Coyle; Joined: 2019; Fee EUR: 40; Paid: yes; Card: issued; Stock: 3",
    "Member: Bo Lind; Joined: 2021; Fee EUR: 25; Paid: no; Card: not issued; Stock: 0",
    "Member: Cleo Marr; Joined: 2017; Fee EUR: 40; Paid: yes; Card: issued (2nd); Stock: 7",
    "Member: Dag Voss; Joined: 2022; Fee EUR: 25; Card: not issued; Stock: 2",
    "Member: Eli Born; Joined: 2020; Fee EUR: 25; Paid: half; Card: issued; Stock: 4",
)


def passages(title: str, lines: Sequence[str], size: int = 2) -> list[ScoredChunk]:
    """A document of rows as it is stored: so many in each passage, in their order."""
    return [
        ScoredChunk(
            id=f"{title}-{start}",
            document_id=title,
            title=title,
            text="\n".join(f"{line}." for line in lines[start : start + size]),
            score=1,
        )
        for start in range(0, len(lines), size)
    ]


def tables_in(pages: Mapping[str, Sequence[str]]) -> list[Table]:
    """The tables of documents, from their titles and lines."""
    return [table for title, lines in pages.items() for table in tables_of(passages(title, lines))]


def told_by(tables: Sequence[Table], annotator: Annotator, question: str) -> TableAnswer | None:
    """What tables tell."""
    ((sentence, *_),) = annotator.annotate([question])
    asked = asked_of_a_table(understand(sentence), sentence)
    assert asked is not None
    return answer_of_tables(asked, tables)


DOCUMENTS = {
    "Boat register": passages("Boat register", BOATS),
    "Fault log 2024": passages("Fault log 2024", FAULTS),
    "Members": passages("Members", MEMBERS),
}


@pytest.fixture(scope="module")
def tables(reader: ExtractiveReader) -> ExtractiveReader:
    """The reader, for which the documents are there as a whole."""

    def whole(corpus: str, document_id: str) -> list[ScoredChunk]:
        assert corpus == CORPUS
        return DOCUMENTS[document_id]

    return ExtractiveReader(reader.models, whole=whole)


def answered(reader: ExtractiveReader, question: str) -> Answer:
    """What is answered where the search found one passage of each document."""
    chunks = tuple(document[0] for document in DOCUMENTS.values())
    evidence = Evidence(question=question, corpus=CORPUS, strategy="bm25", chunks=chunks)
    return whole_answer(reader, evidence)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("How many boats are there?", "5"),
        ("How many boats are in the register altogether?", "5"),
        ("how many boats are afloat", "3"),
        ("How many boats did we get from Orrin & Sons?", "2"),
        ("How many boats are not afloat?", "2"),
        ("number of boats built before 2016", "2"),
        ("How many boats cost more than €90,000?", "2"),
        ("How many boats have a skipper?", "3"),
        ("How many boats are without a skipper?", "2"),
        ("How many faults were reported in March 2024?", "2"),
        ("How many faults were reported between 2024-03-10 and 2024-05-01?", "2"),
        ("How many radio faults are not fixed yet?", "2"),
        ("Which boat is the most expensive?", "Puffin (B03)"),
        ("What is the cheapest boat?", "Gannet (B05)"),
        ("Which is our oldest boat?", "Kittiwake (B01)"),
        ("Which boat has the greatest length?", "Puffin (B03)"),
        ("What is the highest price of a boat?", "132000"),
        ("Which fault took the longest?", "winch (F-13)"),
        ("Which boats are afloat?", "Kittiwake (B01), Puffin (B03) and Gannet (B05)"),
        ("What is the total price of the boats afloat?", "261,000"),
        ("average length of the boats", "11.12"),
        ("Who has been a member the longest?", "Cleo Marr"),
        ("How many members have a card issued?", "3"),
        ("Which members have not paid?", "Bo Lind"),
        ("What is the total of the fees that members have paid?", "80"),
        ("How many hours did the faults of the Puffin take in total?", "15"),
    ],
)
def test_a_whole_table_is_asked(tables: ExtractiveReader, question: str, right: str) -> None:
    answer = answered(tables, question)
    assert answer.short == right
    assert answer.confidence == OF_TABLE
    assert answer.supported


@pytest.mark.parametrize(
    "question",
    [
        "How many boats are in Spain?",  # no place is told
        "How many boats are insured?",
        "Which boat uses the most fuel?",
        "How many wooden boats are there?",
        "Who is the oldest skipper?",  # no births are
        "What is the total weight of the boats?",
        "How many boats were built last year?",
        "How many boats are afloat in Puffin?",  # none is both
        "How many faults are there of the Puffin at the Orrin yard?",
        "Who is the skipper of the Puffin?",  # is looked up
        "How many members are out of stock?",
        "What is the total of the cards?",  # is no number
        "Hull number of the boat at Pell Marine?",
        "How many teachers are members?",
        "Who is the landlord of Pell Marine?",
        "Who was woken when the boat of Pell Marine was sold?",
    ],
)
def test_what_a_table_does_not_know_is_not_counted(tables: ExtractiveReader, question: str) -> None:
    chunks = [document[0] for document in DOCUMENTS.values()]
    found = find(question, tables.opened(chunks, corpus=CORPUS))
    assert found is None or not found.basis


def test_the_answer_says_what_was_counted_and_shows_the_rows(tables: ExtractiveReader) -> None:
    answer = answered(tables, "How many boats are afloat?")
    said = "Probably 3. Counted in “Boat register”: 3 of 5 rows, where Status is “afloat”."
    assert answer.text.startswith(said)
    quotes = [citation.quote for citation in answer.citations]
    assert [quote.split("; ")[1] for quote in quotes] == [
        "Boat: Kittiwake",
        "Boat: Puffin",
        "Boat: Gannet",
    ]
    # the passages of the other rows were not found: they are read, and shown how they came
    assert len(answer.evidence.chunks) == 5
    by_id = {chunk.id: chunk for chunk in answer.evidence.chunks}
    assert all(
        citation.quote in by_id[citation.chunk_id or ""].text for citation in answer.citations
    )
    card = answer.evidence.explanation[-1]
    assert card.kind == "rounds"
    assert [found.id for found in card.rounds[0].found] == ["Boat register-2", "Boat register-4"]


def test_what_rows_are_not_is_said_as_the_table_says_it(tables: ExtractiveReader) -> None:
    answer = answered(tables, "How many members have not paid?")
    assert "1 of 5 rows, where Paid is no." in answer.text


def test_of_many_rows_the_first_are_quoted(reader: ExtractiveReader) -> None:
    crates = [f"Crate: C{number}; Weight kg: {number}; Bay: north" for number in range(1, 15)]
    document = passages("Crates", crates, 5)
    whole = ExtractiveReader(reader.models, whole=lambda corpus, document_id: document)
    evidence = Evidence(
        question="What do the crates weigh in total?",
        corpus=CORPUS,
        strategy="bm25",
        chunks=(document[0],),
    )
    answer = whole_answer(whole, evidence)
    assert "105" in answer.short
    assert "14 of 14 rows. The first 10 of them are quoted." in answer.text
    assert [cited.quote.split(";")[0] for cited in answer.citations] == [
        f"Crate: C{number}" for number in range(1, 11)
    ]


def test_nothing_is_counted_where_only_a_part_is_there(reader: ExtractiveReader) -> None:
    answer = answered(reader, "How many boats are afloat?")
    assert "Counted" not in answer.text
    too_long = ExtractiveReader(reader.models, whole=lambda corpus, document: ())
    assert "Counted" not in answered(too_long, "How many boats are afloat?").text


def test_two_tables_that_tell_differently_tell_nothing(reader: ExtractiveReader) -> None:
    other = passages("Boat register old", BOATS[:4])
    documents = {"Boat register": DOCUMENTS["Boat register"], "Boat register old": other}
    both = ExtractiveReader(reader.models, whole=lambda corpus, document: documents[document])
    chunks = [documents["Boat register"][0], other[0]]
    found = find("How many boats are afloat?", both.opened(chunks, corpus=CORPUS))
    assert found is None or not found.basis
    named = find("How many boats in the old register are afloat?", both.opened(chunks))
    assert named is not None
    assert named.short == "2"


def test_a_table_is_read_over_passages_without_its_totals() -> None:
    (table,) = tables_of(DOCUMENTS["Boat register"])
    assert len(table.rows) == 5
    assert [column.name for column in table.columns][:3] == ["Hull no.", "Boat", "Yard"]
    skipper = table.columns[-1]
    assert skipper.values == ("A. Lund", "", "J. Marsh", "-", "Mira Okafor")
    assert skipper.filled == (True, False, True, False, True)
    prose = ScoredChunk(
        id="p", document_id="p", title="", text="Owner: Ada\nShe said: wait; then: go", score=1
    )
    assert tables_of([prose]) == []
    assert tables_of([]) == []


def test_sums_are_no_years() -> None:
    sums = ("1090", "1995", "2400", "480")
    lines = [f"Day: 2024-05-0{n}; Sum EUR: {sums[n]}; Built: {1990 + n}" for n in range(4)]
    (table,) = tables_of(passages("Sums", lines))
    day, money, built = table.columns
    assert (day.is_of_days, money.is_of_days, built.is_of_days) == (True, False, True)
    assert not money.has_some_days


@pytest.mark.parametrize(
    ("cell", "value", "written"),
    [
        ("£1,240.50", 1240.5, "£2"),
        ("12,5 kg", 12.5, "2 kg"),
        ("25 %", 25, "2 %"),
        ("25%", 25, "2 %"),
        ("EUR 300", 300, "EUR 2"),
        ("-4", -4, "2"),
        ("1 200", 1200, "2"),
        ("54/h", 54, "2 /h"),
        ("1’250", 1250, "2"),
        ("1\u00a0250", 1250, "2"),
        ("1.250,50 €", 1250.5, "2€"),
        ("0,125", 0.125, "2"),
        ("-430 m", -430, "2 m"),
        ("-£5", -5, "£2"),
        ("€2.5m", 2_500_000, "€2"),
        ("2.5bn EUR", 2_500_000_000, "2 EUR"),
        ("900k", 900_000, "2"),
        ("3 m", 3, "2 m"),
    ],
)
def test_numbers_of_cells(cell: str, value: float, written: str) -> None:
    number = number_in(cell)
    assert number is not None
    assert number.value == value
    assert number.written(2) == written


@pytest.mark.parametrize(
    "cell", ["", "open", "12 of 30", "SK-409", "2024-03-01", "10-11", "3; 4", "9" * 400]
)
def test_what_is_no_one_number(cell: str) -> None:
    assert number_in(cell) is None


@pytest.mark.parametrize(
    ("cells", "decimal_comma"),
    [
        (["1.250", "980", "2.100"], True),
        (["1.250.000", "1.250"], True),
        (["0,125", "1,250"], True),
        (["1.250", "0.980", "2.100"], False),
        (["1.250", "2.125", "3"], False),
        (["1.250 kg", "980 g", "2.100 kg"], False),
        (["1,250", "980"], False),
        (["1,250.50", "980.00"], False),
    ],
)
def test_what_a_point_is_in_a_number_the_column_says(cells: list[str], decimal_comma: bool) -> None:
    assert writes_decimal_comma(cells) == decimal_comma
    first = number_in("1.250", decimal_comma)
    assert first is not None
    assert first.value == (1250 if decimal_comma else 1.25)


def test_small_numbers_are_written_with_what_they_say() -> None:
    number = number_in("0.001 mg")
    assert number is not None
    assert number.written(0.00108) == "0.00108 mg"
    assert number.written(0.0125) == "0.0125 mg"
    assert number.written(2.5) == "2.50 mg"


@pytest.mark.parametrize(
    ("cell", "day"),
    [
        ("2024-03-05", (2024, 3, 5)),
        ("5 March 2024", (2024, 3, 5)),
        ("05.03.2024", (2024, 3, 5)),
        ("05/03/24", (2024, 3, 5)),
        ("12/05/58", (1958, 5, 12)),
        ("30.11.99", (1999, 11, 30)),
        ("2009-08", (2009, 8, 0)),
        ("2016", (2016, 0, 0)),
        ("open", None),
        ("31/31/2024", None),
    ],
)
def test_days_of_cells(cell: str, day: tuple[int, int, int] | None) -> None:
    assert day_in(cell, True) == day


def test_days_are_written_as_the_column_does() -> None:
    assert writes_day_first(["03/04/2024", "25/04/2024"])
    assert not writes_day_first(["03/04/2024", "04/25/2024"])
    assert day_in("03/04/2024", False) == (2024, 3, 4)


@pytest.mark.parametrize(
    "question",
    ["Is the Puffin the oldest boat?", "How long is the Puffin?", "When was the Gannet built?"],
)
def test_other_questions_ask_for_no_table(annotator: Annotator, question: str) -> None:
    ((sentence, *_),) = annotator.annotate([question])
    assert asked_of_a_table(understand(sentence), sentence) is None
