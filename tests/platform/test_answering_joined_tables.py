"""The extractive reader puts rows of two tables together that tell of one thing."""

from collections.abc import Sequence

import pytest

from clew.answering.extractive import POSSIBLE, ExtractiveReader
from clew.answering.finding import find
from clew.answering.found import Finding
from clew.comprehension.annotation import Annotator
from clew.comprehension.chains import parse_question
from clew.comprehension.question_form import understand
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.tables.joining import joined_rows
from clew.comprehension.tables.reading import tables_of
from clew.results.evidence import Evidence, ScoredChunk

STOCK = (
    "Code: HL-02; Description: Brass diving helmet; Shelf: 3; Rate: B; Bought: 2019.",
    "Code: HL-05; Description: Whalebone corset; Shelf: 4; Rate: C; Bought: 2012.",
    "Code: HL-09; Description: Feathered mask; Shelf: 3; Rate: A; Bought: 2022.",
    "Code: HL-11; Description: Tin sword; Shelf: 6; Rate: A; Bought: 2015.",
)
LOANS = (
    "No.: 31/01; Article: HL-09; Borrower: Harbour Players; Out: 2031-02-01; Returned: 2031-02-09.",
    "No.: 31/02; Article: HL-02; Borrower: Kelm Opera; Out: 2031-03-04; Returned: 2031-03-20.",
    "No.: 31/03; Article: HL-05; Borrower: Tollan School; Out: 2031-05-02; Returned: 2031-05-17.",
)
RATES_30 = (
    "Class: A; Week EUR: 10; Deposit EUR: 30.",
    "Class: B; Week EUR: 25; Deposit EUR: 90.",
    "Class: C; Week EUR: 18; Deposit EUR: 60.",
)
RATES_31 = (
    "Class: A; Week EUR: 12; Deposit EUR: 35.",
    "Class: B; Week EUR: 28; Deposit EUR: 110.",
    "Class: C; Week EUR: 20; Deposit EUR: 75.",
)
VANS = (
    "Van: W1; Plate: KA 41 X; Usual driver: N. Harrow; Test due: 14/03/2031.",
    "Van: W2; Plate: KA 55 B; Usual driver: S. Okoye; Test due: 02/09/2031.",
    "Van: W3; Plate: LM 70 C; Usual driver: T. Brandt; Test due: 21/11/2031.",
)
STAFF = (
    "Name: Nora Harrow; Trade: plumber; Ext.: 412.",
    "Name: Sam Okoye; Trade: roofer; Ext.: 420.",
    "Name: Tilda Brandt; Trade: electrician; Ext.: 433.",
)
TOOLS = (
    "Tool: Pipe press; Serial: PX-881; Kept by: Harrow; Kept in: W1.",
    "Tool: Sound meter; Serial: SM-207; Kept by: Brandt; Kept in: W3.",
    "Tool: Wind gauge; Serial: WG-114; Kept by: Okoye; Kept in: W2.",
)
ROTA = (
    "Day: Thu 12 June; Hall: Parlour; Morning: N. Harrow; Afternoon: Sam; Note: school class.",
    "Day: Fri 13 June; Hall: Parlour; Morning: Brandt; Afternoon: N. Harrow.",
    "Day: Sat 14 June; Hall: Attic; Morning: Sam; Afternoon: Brandt.",
)
PUPILS = (
    "Pupil: Amy Thorn; Instrument: viola; Lesson: Thu 16:15; With: HB; Tariff: B.",
    "Pupil: Ben Oduya; Instrument: piano; Lesson: Fri 15:00; With: LM; Tariff: A.",
    "Pupil: Cleo Vance; Instrument: organ; Lesson: Mon 17:30; With: LM; Tariff: C.",
)
FEES = (
    "Band: A; Lesson: 20 min in pairs; Per term: £120; Pieces: none.",
    "Band: B; Lesson: 30 min single; Per term: £198; Pieces: duets, trios.",
    "Band: C; Lesson: 45 min single; Per term: £260; Pieces: sonatas, suites.",
)
FILES = {
    "Stock of the wardrobe": STOCK,
    "Loans register": LOANS,
    "Hire rates 2030": RATES_30,
    "Hire rates 2031": RATES_31,
    "Vans of the workshop": VANS,
    "Phone list": STAFF,
    "Tool register": TOOLS,
    "Stewards in June": ROTA,
    "Pupils": PUPILS,
    "Fees from September": FEES,
}


def passages(title: str, rows: Sequence[str]) -> list[ScoredChunk]:
    """Each row is a passage of its own: evidence seldom has a whole table."""
    return [
        ScoredChunk(id=f"{title}/{n}", document_id=title, title=title, text=row, score=1.0)
        for n, row in enumerate(rows)
    ]


DOCUMENTS = {title: passages(title, rows) for title, rows in FILES.items()}


def opened(reader: ExtractiveReader, *rows: str) -> ReadEvidence:
    """Open evidence that has some rows; all of their documents can be read."""
    whole = ExtractiveReader(reader.models, whole=lambda corpus, document: DOCUMENTS[document])
    every = {one.text: one for own in DOCUMENTS.values() for one in own}
    return whole.opened([every[row] for row in rows])


def told(read: ReadEvidence, question: str) -> Finding:
    finding = find(question, read)
    assert finding is not None
    return finding


@pytest.mark.parametrize(
    ("question", "rows", "right"),
    [
        # the row that tells it is not in the evidence
        ("When was the diving helmet returned?", (STOCK[0], LOANS[0]), "2031-03-20"),
        ("Which theatre borrowed the diving helmet?", (STOCK[0], LOANS[0]), "Kelm Opera"),
        ("Who borrowed the whalebone corset?", (STOCK[1], LOANS[0]), "Tollan School"),
        # a letter calls the row, and the list of the year before has it, too
        ("What is the deposit for the whalebone corset?", (STOCK[1], RATES_31[0]), "75"),
        (
            "What is the present deposit for the diving helmet?",
            (STOCK[0], RATES_30[1], RATES_31[0]),
            "110",
        ),
        (
            "What was the deposit for the diving helmet in 2030?",
            (STOCK[0], RATES_30[0], RATES_31[1]),
            "90",
        ),
        # names of people are written otherwise
        ("When is the roofer's van due for its test?", (STAFF[1], VANS[0]), "02/09/2031"),
        (
            "What is the extension of the one who keeps the sound meter?",
            (TOOLS[1], STAFF[0]),
            "433",
        ),
        ("What is the plate of the van with the wind gauge?", (TOOLS[2], VANS[0]), "KA 55 B"),
        # a row names two people
        (
            "What is the extension of the steward in the Parlour on the morning of 12 June?",
            (ROTA[0], STAFF[1]),
            "412",
        ),
        (
            "What is the extension of the steward in the Parlour on the afternoon of 12 June?",
            (ROTA[0], STAFF[0]),
            "420",
        ),
        # "Lesson" is in both, and one of them does not say how long
        ("How long are the lessons of Amy Thorn?", (PUPILS[0], FEES[0]), "30 min single"),
        # several things in one cell
        ("Which pieces are in the lessons of Amy Thorn?", (PUPILS[0], FEES[0]), "duets, trios"),
    ],
)
def test_what_one_table_describes_another_one_tells(
    reader: ExtractiveReader, question: str, rows: tuple[str, ...], right: str
) -> None:
    read = opened(reader, *rows)
    finding = told(read, question)
    assert (finding.short, finding.kind) == (right, "row")
    quoted = [read.view.sentences[place].parse.text for place in finding.carriers]
    assert rows[0] in quoted
    assert any(right in row and row != rows[0] for row in quoted)


def test_what_the_row_itself_tells_comes_from_it(reader: ExtractiveReader) -> None:
    finding = told(opened(reader, STOCK[0], LOANS[0]), "When was the diving helmet bought?")
    assert finding.short == "2019"


def test_a_thing_that_is_named_beside_what_is_asked_for_is_no_answer(
    reader: ExtractiveReader,
) -> None:
    finding = find("In which bay does the van with the wind gauge stand?", opened(reader, TOOLS[2]))
    assert finding is None or finding.short not in {"W2", "W1", "W3"} or finding.confidence < 0.35


@pytest.mark.parametrize(
    ("question", "row", "wrong"),
    [
        ("Who teaches Amy Thorn?", "Initials: HB; Teaches: violin, viola; Days: Mon.", "violin"),
        (
            "What is the membership number of Priya Nair?",
            "Name: Priya Nair; Joined: 2019; Membership: Full.",
            "Full",
        ),
        (
            "What is the address of the caretaker of the hedge trimmer?",
            "Machine: Hedge trimmer; Caretaker: Françoise.",
            "Françoise",
        ),
        (
            "What deposit was due for Yiannis Pavlou's plot?",
            "Plot: 2; Tenant: Yiannis Pavlou; Since: 2006.",
            "2",
        ),
    ],
)
def test_what_a_row_tells_of_another_kind_is_not_stated(
    reader: ExtractiveReader, question: str, row: str, wrong: str
) -> None:
    finding = find(question, reader.opened(passages("List", [row])))
    assert finding is None or wrong not in finding.short or finding.confidence < POSSIBLE


def test_a_noun_that_is_asked_for_may_be_taken_for_a_verb(annotator: Annotator) -> None:
    asked = {
        "Which runbook belongs to the Harbour service?": "runbook",
        "In which charging bay does the van stand?": "bay",
    }
    for question, noun in asked.items():
        assert understand(parse_question(question, annotator)).focus == noun


def test_what_is_read_beside_the_evidence_is_told(reader: ExtractiveReader) -> None:
    read = opened(reader, STOCK[0], LOANS[0])
    told(read, "When was the diving helmet returned?")
    assert LOANS[1] in [chunk.text for chunk in read.chunks]
    (first, *_) = read.grown(_evidence(read)).explanation
    assert "rows" in first.model_dump_json()


def test_numbers_join_only_columns_that_are_called_alike(reader: ExtractiveReader) -> None:
    berths = tuple(f"Berth: {n}; Boat: {name}." for n, name in enumerate(("Wels", "Karl", "Iva")))
    bills = tuple(f"Bill: {n}; Pieces: {n}; Sum: {n + 40}." for n in range(3))
    visits = tuple(f"Guest: {g}; Berth no.: {n}." for n, g in enumerate(("Ann", "Bo", "Cy")))
    tables = [
        table
        for title, rows in {"Berths": berths, "Bills": bills, "Visits": visits}.items()
        for table in tables_of(passages(title, rows))
    ]
    read = reader.opened(passages("Berths", berths))
    found = joined_rows(("karl",), read.view, tables)
    assert {row.text for _, row in found} == {visits[1]}


def test_a_row_that_is_called_by_no_letter_joins_nothing(reader: ExtractiveReader) -> None:
    keys = ("Key: K1; Holder: Ann Daly.", "Key: K2; Holder: Bo.", "Key: K3; Holder: Cy Orr.")
    names = ("Name: (…); Ext.: 1.", "Name: Ann Daly; Ext.: 2.", "Name: Cy Orr; Ext.: 3.")
    tables = [
        table
        for title, rows in {"Keys": keys, "Names": names}.items()
        for table in tables_of(passages(title, rows))
    ]
    read = reader.opened(passages("Keys", keys))
    assert joined_rows(("k2",), read.view, tables) == []
    assert [row.text for _, row in joined_rows(("k3",), read.view, tables)] == [names[2]]


def _evidence(read: ReadEvidence) -> Evidence:
    return Evidence(question="q", corpus="c", strategy="none", chunks=tuple(read.chunks))
