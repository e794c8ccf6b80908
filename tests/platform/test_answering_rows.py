"""The extractive reader looks up what a table's row tells."""

from collections.abc import Collection, Mapping

import pytest

from clew.answering.extractive import POSSIBLE, ExtractiveReader
from clew.answering.finding import find
from clew.answering.found import Finding
from clew.answering.readers import ANSWER_THRESHOLD
from clew.results.evidence import ScoredChunk

FLEET = (
    "Reg.: BX19 TOL; Make: Brindle Van; Driver: S. Aalto; Mileage: 83442; Test due: 2031-10-23.",
    "Reg.: BX21 KAR; Make: Brindle Van; Driver: K. Mori; Mileage: 47905; Test due: 2031-07-02.",
)
SHEET = (
    "Pos.: 1; Part: Valve seal; No.: VS-417.",
    "Pos.: 2; Part: Bearing set; No.: BS-6309.",
)
PRICES = (
    "Part no.: VS-409; Description: Seal kit 28 mm; List price: 74.00; Lead time weeks: 1.",
    "Part no.: VS-417; Description: Seal kit 38 mm; List price: 96.00; Lead time weeks: 1.",
    "Part no.: BS-6309; Description: Bearings; List price: 88.00; Lead time weeks: 2.",
)
DATA = (
    "Value: Weight; KX-20: 3.4 kg.",
    "Value: Width; KX-20: 40 cm.",
    "Value: Colour; KX-20: red.",
)
INTERVALS = (
    "Equipment: Torque wrenches; Interval: 12 months; Where: Ansel Works.",
    "Equipment: Gauges; Interval: 6 months; Where: Ansel Works.",
)
PAGES = {
    "Vehicle fleet": FLEET,
    "Data sheet of the Lantern pump": SHEET,
    "Price list": PRICES,
    "KX-20": DATA,
    "Calibration of tools": INTERVALS,
}


def chunks(**pages: tuple[str, ...]) -> list[ScoredChunk]:
    return [
        ScoredChunk(id=title, document_id=title, title=title, text="\n".join(rows), score=1)
        for title, rows in pages.items()
    ]


def found(reader: ExtractiveReader, question: str, **pages: tuple[str, ...]) -> Finding:
    finding = find(question, reader.opened(chunks(**(pages or PAGES))))
    assert finding is not None
    return finding


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Which registration has the van of Sanna Aalto?", "BX19 TOL"),
        ("When is the test of K. Mori's van due?", "2031-07-02"),
        ("What is the list price of VS-409?", "74.00"),
        ("How heavy is the KX-20?", "3.4 kg"),
        ("How often must torque wrenches be calibrated?", "12 months"),
    ],
)
def test_a_row_is_found_by_what_its_other_cells_say(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    finding = found(reader, question)
    assert (finding.short, finding.kind) == (right, "row")
    assert finding.confidence > POSSIBLE


def test_what_a_column_is_called_is_meant_before_what_the_noun_may_mean(
    reader: ExtractiveReader,
) -> None:
    """A model may be a person too, and what supplies a pump has its name."""
    wells = (
        "Model: KX-52; Well: TW-2; Fitted: 2031-10-09; Supplier: Orra Pumps Ltd.",
        "Model: HD-41; Well: TW-1; Fitted: 2029-03-02; Supplier: Halden Works.",
    )
    finding = found(reader, "Which pump model is installed in TW-2?", Pumps=wells)
    assert (finding.short, finding.kind) == ("KX-52", "row")


def titled(texts: Mapping[str, str]) -> list[ScoredChunk]:
    """Passages, each the whole of a document, by their titles."""
    return [
        ScoredChunk(id=title, document_id=title, title=title, text=text, score=1.0)
        for title, text in texts.items()
    ]


@pytest.mark.parametrize(
    ("question", "status"),
    [("What is the status of PEP 8?", "Active"), ("What is the status of PEP 572?", "Final")],
)
def test_lines_before_a_text_are_those_of_the_document_that_is_asked_about(
    reader: ExtractiveReader, question: str, status: str
) -> None:
    """By its number, in its title or a line beside, where another has the same lines."""
    heads = {
        "pep-0008": "PEP: 8\nTitle: Style Guide for Python Code\nStatus: Active\nType: Process\n"
        "Created: 05-Jul-2001",
        "Assignments": "PEP: 572\nTitle: Assignment Expressions\nStatus: Final\n"
        "Type: Standards Track\nCreated: 28-Feb-2018",
    }
    finding = find(question, reader.opened(titled(heads)))
    assert finding is not None
    assert (finding.short, finding.kind) == (status, "row")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was PEP 8 created?", "05-Jul-2001"),
        ("What is the status of PEP 8?", "Active"),
        ("Who are the authors of PEP 8?", "Guido van Rossum, Barry Warsaw"),
        ("Who sponsored PEP 703?", "Łukasz Langa"),
    ],
)
def test_fields_of_the_document_that_is_called_by_its_number(
    reader: ExtractiveReader, question: str, answer: str
) -> None:
    """A digit is no word of a question; addresses are none of who wrote it."""
    heads = {
        "PEP-8: Style Guide": "PEP: 8; Author: Guido van Rossum <guido@python.org>, Barry Warsaw "
        "<barry@python.org>; Status: Active; Created: 05-Jul-2001.",
        "PEP-703: Optional Locks": "PEP: 703; Author: Sam Gross <colesbury at gmail.com>; "
        "Sponsor: Łukasz Langa <lukasz at python.org>; Status: Final; Created: 09-Jan-2023.",
    }
    finding = find(question, reader.opened(titled(heads)))
    assert finding is not None
    assert (finding.short, finding.kind) == (answer, "row")


def test_an_address_is_no_other_author(reader: ExtractiveReader) -> None:
    chunk = ScoredChunk(
        id="1",
        document_id="1",
        title="PEP-20: The Zen of Python",
        text="PEP: 20; Author: Tim Peters <tim.peters@example.com>; Status: Active.\n"
        "Long time Pythoneer Tim Peters channels the principles.",
        score=1.0,
    )
    finding = find("Who wrote the Zen of Python?", reader.opened([chunk]))
    assert finding is not None
    assert (finding.short, finding.items) == ("Tim Peters", ())


def test_what_the_document_that_is_asked_about_begins_with_is_read(
    reader: ExtractiveReader,
) -> None:
    """The search found another passage of it: its fields are no sentences."""
    title = "PEP-572: Assignment Expressions"
    texts = (
        "PEP: 572; Author: Chris Angelico <rosuav@example.org>; Status: Final; Created: 2018.",
        "The two forms have different uses. Alyssa Coghlan thought of another operator.",
    )
    document = [
        ScoredChunk(id=f"{n}", document_id="d", title=title, text=text, score=1.0)
        for n, text in enumerate(texts)
    ]
    asked: list[set[str]] = []

    def heads(corpus: str, documents: Collection[str] | None) -> list[ScoredChunk]:
        asked.append(set(documents or ()))
        return document[:1]

    whole = ExtractiveReader(reader.models, heads=heads)
    read = whole.opened(document[1:])
    finding = find("Who wrote PEP 572?", read)
    assert finding is not None
    assert (finding.short, finding.kind) == ("Chris Angelico", "row")
    assert [read.view.sentences[i].parse.text for i in finding.carriers] == [texts[0]]
    of_another = find("Who wrote PEP 8?", whole.opened(document[1:]))
    assert of_another is None or of_another.short != "Chris Angelico"
    assert asked == [{"d"}]


def test_tables_are_joined_by_an_identifier(reader: ExtractiveReader) -> None:
    finding = found(reader, "What is the list price of the valve seal of the Lantern pump?")
    assert (finding.short, finding.kind) == ("96.00", "row")
    view = reader.opened(chunks(**PAGES)).view
    assert [view.sentences[i].parse.text for i in finding.carriers] == [PRICES[1], SHEET[0]]


@pytest.mark.parametrize(
    "question",
    [
        "What is the list price of VS-500?",  # no row has it
        "What is the list price of the seal kit?",  # two have
        "Which colour has the van of Sanna Aalto?",  # no column of that table
        "How many vans has Sanna Aalto?",  # nor is a registration a number
    ],
)
def test_what_no_row_tells_is_not_looked_up(reader: ExtractiveReader, question: str) -> None:
    finding = find(question, reader.opened(chunks(**PAGES)))
    assert finding is None or finding.kind != "row"


def test_the_lines_above_a_letter_are_no_table(reader: ExtractiveReader) -> None:
    letter = ("From: Ada Thorne; To: all of Saltmere; Date: 10 April 2031, 09:15.",)
    finding = found(reader, "When does the echo lab move?", **{"The echo lab will move": letter})
    assert finding.kind != "row"


def test_two_words_joined_are_another_thing_than_one(reader: ExtractiveReader) -> None:
    board = ("Function: Chair; Name: Beate Kolb.", "Function: Secretary; Name: Jonas Lund.")
    asked = {"Board of Saltmere": board}
    assert (
        found(reader, "Who is the chair of the board of Saltmere?", **asked).short == "Beate Kolb"
    )
    other = found(reader, "Who is the vice-chair of the board of Saltmere?", **asked)
    assert other.kind != "row"


def test_prose_with_a_semicolon_is_no_row(reader: ExtractiveReader) -> None:
    text = ("Eleven people were killed; 7 by tornadoes and 6 by the storm.",)
    asked = {"Storms of Saltmere": text}
    assert found(reader, "How many people were killed in Saltmere?", **asked).kind != "row"


def test_an_answer_by_a_row_is_as_sure_as_the_steps_that_led_there() -> None:
    values = {"told": 1.0, "called": 1.0}
    values |= {"names": 1.0, "least_probability": 1.0}
    sure = Finding("96.00", "row", values, (0,), ())
    unsure = Finding("96.00", "row", values | {"least_probability": 0.1}, (0,), ())
    assert unsure.confidence == pytest.approx(0.1 * sure.confidence)
    by_class = Finding("96.00", "row", values | {"called": 0.6, "told": 0.8}, (0,), ())
    assert by_class.confidence < sure.confidence
    assert sure.confidence > 0.5


@pytest.mark.parametrize(
    ("question", "text", "right"),
    [
        ("How long was the mill down?", "The mill was down for 6 h 20 min in all.", "6 h 20 min"),
        ("How much sand may there be?", "There may be sand, 50 g/m³.", "50 g/m³"),
        (
            "How high is the fee that the mill owes?",
            "The fee that the mill owes is €6,240.",
            "€6,240",
        ),
        ("What does the mill charge for a visit?", "For a visit the mill charges $25.", "$25"),
        (
            "I need the order number of the mill",
            "The order of the mill has number 4500-7781.",
            "4500-7781",
        ),
    ],
)
def test_a_value_is_told_whole(
    reader: ExtractiveReader, question: str, text: str, right: str
) -> None:
    assert found(reader, question, Mill=(text,)).short == right


def test_days_are_no_headings_behind_the_sentence(reader: ExtractiveReader) -> None:
    text = ("Parcels go out on these days:", "Destruction", "Training", "We send Monday to Friday.")
    finding = found(reader, "On which days do parcels go out?", Parcels=text)
    assert "Destruction" not in finding.items


@pytest.mark.parametrize(
    ("question", "text", "wrong"),
    [
        (
            "Where did Gareth lose the key?",
            "Gareth lost the key yesterday. He was on the bus then.",
            "yesterday",
        ),
        (
            "Why was the mower taken to Hobbs?",
            "Ada took the mower to Hobbs Machinery. Its engine would not start.",
            "Hobbs Machinery",
        ),
    ],
)
def test_no_day_is_a_place_and_no_name_a_reason(
    reader: ExtractiveReader, question: str, text: str, wrong: str
) -> None:
    assert found(reader, question, Mill=(text,)).short != wrong


def test_how_thick_something_is_stands_in_no_column_of_amounts(reader: ExtractiveReader) -> None:
    offer = (
        "Pos.: 1; Description: Scaffolding; Amount: 3,100.",
        "Pos.: 3; Description: Insulation boards 140 mm; Amount: 11,200.",
    )
    asked = found(reader, "How thick are the insulation boards?", **{"Offer of Brindle": offer})
    assert asked.short == "140 mm"


@pytest.mark.parametrize(
    ("question", "rows", "right"),
    [
        (
            "Who has the keys for the boiler house?",
            (
                "Key: N07; Opens: Boiler house; Copies: 2; Holder: T. Averin; Issued: 14/06/2022.",
                "Key: N08; Opens: Chapel; Copies: 1; Holder: P. Lorne; Issued: 03/01/2020.",
            ),
            "T. Averin",
        ),
        (
            "Who is the surveyor for the Lantern Wing?",
            ("The Lantern Wing: notice of delay.", "The roof is finished."),
            None,
        ),
    ],
)
def test_who_is_asked_for_is_no_code_and_no_notice(
    reader: ExtractiveReader, question: str, rows: tuple[str, ...], right: str | None
) -> None:
    asked = find(question, reader.opened(chunks(Register=rows)))
    told = None if asked is None or asked.kind != "row" else asked.short
    assert told == right


def test_a_day_that_is_not_named_is_no_date(reader: ExtractiveReader) -> None:
    text = "On the day the Fox goes for inspection I hire a lorry from Hartley, with a tail lift."
    read = reader.opened(chunks(Mail=(text,)))
    asked = find("For what date is the lorry from Hartley hired?", read)
    assert asked is None or "day" not in asked.short or asked.confidence < ANSWER_THRESHOLD


@pytest.mark.parametrize(
    ("question", "text", "wrong"),
    [
        (
            "When did the study get its approval?",
            "Ethics: the approval of the study is RREC 2023/0112.",
            "2023/0112",
        ),
        (
            "To which room should I bring old labels?",
            "Whoever finds old labels: bring them to my room, where they are counted.",
            "my room",
        ),
        (
            "what will a replacement for the missing thermometer cost",
            "The thermometer T-9 is missing; a replacement was ordered.",
            "T-9",
        ),
    ],
)
def test_what_is_no_answer_of_that_kind_is_not_let_in(
    reader: ExtractiveReader, question: str, text: str, wrong: str
) -> None:
    finding = find(question, reader.opened(chunks(Notes=(text,))))
    assert finding is None or finding.short != wrong


def test_what_something_will_cost_is_an_amount(reader: ExtractiveReader) -> None:
    text = "The thermometer T-9 is lost. A replacement will cost £310 and comes in May."
    finding = find(
        "What will a replacement for the lost thermometer cost us?",
        reader.opened(chunks(Notes=(text,))),
    )
    assert finding is not None
    assert finding.short == "£310"


STAFF = (
    "Name: Josh Tennant; Ext.: 203; Line manager: M. Dube; First aid valid to: 28/08/2026.",
    "Name: Marion Dube; Ext.: 201; Line manager: G. Penhale; First aid valid to: 07/05/2025.",
    "Name: Ann Orr; Ext.: 209; Line manager: M. Dube; First aid valid to: 01/02/2027.",
)
TRIPS = ("Trip no.: T11; Trip: Fossil Beach; Leader: M. Dube; Deputy: B. Coyle; Price GBP: 12.",)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("What is M. Dube's extension?", "201"),
        ("What is Marion Dube's extension?", "201"),
        ("What is the extension of the leader of the Fossil Beach trip?", "201"),
        ("Until when is the first aid of the leader of trip T11 valid?", "07/05/2025"),
        ("Who is the line manager of Ann Orr?", "M. Dube"),
    ],
)
def test_a_row_is_about_whom_its_first_cell_names_with_initials_too(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    asked = find(question, reader.opened(chunks(Staff=STAFF, Trips=TRIPS)))
    assert asked is not None
    assert (asked.kind, asked.short) == ("row", right)


GOODS = (
    "Article: KT-7; Product: Quince jam; Unit: jar 150 g; Price per unit (GBP): 0.64; "
    "Per carton: 20; Shelf life: 20 days; Minimum order: 3 cartons; Serial: CX5-12.",
    "Article: KT-9; Product: Plum jam; Unit: jar 200 g; Price per unit (GBP): 0.91; "
    "Per carton: 12; Shelf life: 30 days; Minimum order: 4 cartons; Serial: CX5-19.",
)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("What does one jar of quince jam cost?", "0.64"),
        ("What is the serial number of KT-9?", "CX5-19"),
    ],
)
def test_a_sum_is_no_number_of_cartons_and_a_number_of_one_thing_is_copied(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    finding = found(reader, question, **{"Jams of Ansel Works": GOODS})
    assert (finding.short, finding.kind) == (right, "row")


@pytest.mark.parametrize(
    ("question", "text", "wrong"),
    [
        (
            "Until what time can I book a parcel with Kessel?",
            "Kessel collects parcels that are booked from Monday to Friday.",
            "Friday",
        ),
        (
            "On which day does the fish van come?",
            "The fish van leaves Saltmere at 12:05 and comes by the harbour.",
            "12:05",
        ),
        (
            "For how many months does the guarantor pay?",
            "The guarantor pays the rent of £612 where the tenant does not.",
            "612",
        ),
        (
            "What does a box of tiles cost?",
            "A box of tiles holds 12 tiles, and 3 boxes cover the floor.",
            "3 boxes",
        ),
    ],
)
def test_what_is_of_another_measure_is_not_let_in(
    reader: ExtractiveReader, question: str, text: str, wrong: str
) -> None:
    finding = find(question, reader.opened(chunks(Notes=(text,))))
    assert finding is None or wrong not in finding.short


def test_a_time_of_day_is_told(reader: ExtractiveReader) -> None:
    text = "From Monday to Friday parcels for Kessel can be booked until 16:30."
    question = "Until what time can I book a parcel with Kessel?"
    assert "16:30" in found(reader, question, Notes=(text,)).short


@pytest.mark.parametrize(
    ("question", "text", "stated"),
    [
        ("Who leads the stand at Saltmere now?", "Joost Verhagen leads the stand.", False),
        ("Who leads the stand at Saltmere now?", "Joost Verhagen now leads the stand.", True),
        ("Who leads the stand at Saltmere?", "Joost Verhagen leads the stand.", True),
        ("Who leads the stand in what is now Saltmere?", "Joost Verhagen leads the stand.", True),
    ],
)
def test_what_is_so_now_is_told_as_possible_where_no_sentence_says_so(
    reader: ExtractiveReader, question: str, text: str, stated: bool
) -> None:
    finding = found(reader, question, **{"Fair of Saltmere": (text,)})
    assert finding.short == "Joost Verhagen"
    assert (finding.confidence > POSSIBLE) == stated


PEOPLE = (
    "Name: Ida Kolb; Job: Grants; Room: 2.04; Days: Mon–Thu; With us since: 2017.",
    "Name: Omar Reyes; Job: Reception; Room: 0.01; Days: 20 h a week; With us since: 2023.",
    "Name: Ansel Voss; Job: Director; Room: 3.10; Days: Mon–Fri; With us since: 2009.",
)
TOOLS = (
    "No.: EQ-017; Item: Dehumidifier; Serial no.: DX40-551902; Price £: 365.",
    "No.: EQ-018; Item: Dehumidifier; Serial no.: DX40-551917; Price £: 365.",
    "No.: EQ-019; Item: Defibrillator; Serial no.: PO-771240; Price £: 1080.",
)
SITES = (
    "site_no: 03; town: Ostby; study_nurse: Camilla Juul; pharmacy_contact: Ahmed Warsame.",
    "site_no: 04; town: Lunde; study_nurse: Gro Tangen; pharmacy_contact: Nils Aasen.",
)
PARCELS = (
    "Site: Milford Quay; Days: Monday to Friday; Latest booking: 16:30.",
    "Site: Tarn; Days: Monday to Thursday; Latest booking: 15:00.",
)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("On which days of the week does Ida Kolb work?", "Mon–Thu"),
        ("Which days does Ida work?", "Mon–Thu"),
        ("What is the serial number of EQ-018?", "DX40-551917"),
        ("Serial number of the defibrillator?", "PO-771240"),
        ("Who is the pharmacy contact in Ostby?", "Ahmed Warsame"),
        ("Until what time can parcels be booked at Milford Quay?", "16:30"),
    ],
)
def test_a_cell_is_told_whatever_its_kind(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    """Days of the week, a number that identifies, a column called as programs call them."""
    finding = found(reader, question, Staff=PEOPLE, Tools=TOOLS, Sites=SITES, Parcels=PARCELS)
    assert (finding.short, finding.kind, finding.items) == (right, "row", ())


RULES = (
    "Visitors may use bays 21 to 24 for up to 48 hours, with a slip behind the windscreen.",
    "The guarantor pays the rent for up to six months.",
    "Residents wash in the basement.",
)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Which bays may visitors use?", "bays 21 to 24"),
        ("Where may visitors park?", "bays 21 to 24"),
        ("For how many months' rent does the guarantor have to pay?", "up to six months"),
    ],
)
def test_what_is_marked_may_hold_a_number_or_a_word_for_one(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    finding = found(reader, question, Rules=RULES)
    assert finding.short.startswith(right)


def test_a_row_is_of_what_is_named_beside_its_table(reader: ExtractiveReader) -> None:
    """No row of it need name Ms Abara, though one of another table does."""
    survey = (
        "The surveyor went through the flat of Ms Abara on 3 March.",
        "Place: under the lintel; Moisture (%): 27.",
        "Place: north wall; Moisture (%): 14.",
    )
    tenants = ("Tenant: Ms Abara; Flat: 9; Rent: 548.", "Tenant: Mr Dolan; Flat: 7; Rent: 612.")
    question = "What moisture was measured under the lintel in Ms Abara's bedroom?"
    assert found(reader, question, Survey=survey, Tenants=tenants).short == "27"


METERS = (
    "Asset: T-026; What: Sound level meter; Serial: SM-1140; Calibration due: 05/05/2026.",
    "Asset: T-027; What: Torque wrench; Serial: TW-2093; Calibration due: 11/01/2026.",
)
VISITS = (
    "Ticket: S-312; Date: 11/03/2025; Customer: Fr. Leahy; Fault: radiators; Who went: Fergal.",
    "Ticket: S-313; Date: 12/03/2025; Customer: Ms Daly; Fault: no heating; Who went: Bronagh.",
)
SUPPLIERS = (
    "Name: Keltherm; Phone: 090 555 0162; Account no.: 20883; Payment days: 30; Delivery days: 10.",
    "Name: Roofhold; Phone: 043 555 0165; Account no.: R-338; Payment days: 14; Delivery days: 5.",
)
USHERS = (
    "Date: 2025-12-05; Show: Lamplight (opening); Head usher: Sunil Rao; Coats: Tom Wiebe.",
    "Date: 2025-12-20; Show: Lamplight (last night); Head usher: Kit Moreau; Coats: Bea Lachance.",
)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("When is the sound level meter to be calibrated next?", "05/05/2026"),
        ("Who went to Fr. Leahy's when his radiators failed?", "Fergal"),
        ("How many days does it take Keltherm to deliver?", "10"),
        ("What is the telephone number of Roofhold?", "043 555 0165"),
        ("What is Roofhold's account number?", "R-338"),
    ],
)
def test_a_cell_is_of_the_kind_and_the_name_that_are_asked_for(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    """No serial number is a day, no customer who went to him, no account a telephone."""
    pages = {"Meters": METERS, "Visits": VISITS, "Suppliers": SUPPLIERS}
    finding = found(reader, question, **pages)
    assert (finding.short, finding.kind) == (right, "row")


def test_no_four_figures_are_a_day(reader: ExtractiveReader) -> None:
    bills = ("Invoice: 3315; From: Hoyer; Sum: 1,385; Note: paid 30 Oct.",)
    finding = find("When was the invoice of 1,385 paid?", reader.opened(chunks(Bills=bills)))
    assert finding is None or finding.kind != "row"


def test_a_number_of_another_thing_is_none(reader: ExtractiveReader) -> None:
    machines = ("No.: M-10; Machine: Scissor lift; Inspected by: Halvorsen Rigging Inspection.",)
    question = "What is the telephone number of Halvorsen Rigging Inspection?"
    finding = find(question, reader.opened(chunks(Machines=machines)))
    assert finding is None or finding.kind != "row"


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Who takes the coats on the opening night of Lamplight?", USHERS),
        (
            "How much did posters for the tour really come to?",
            ("Line: 12; Item: Posters for the tour; Budget CAD: 1900; Actual CAD: 2045.",),
        ),
    ],
)
def test_of_two_cells_that_may_be_meant_none_is_told_for_sure(
    reader: ExtractiveReader, question: str, rows: tuple[str, ...]
) -> None:
    finding = find(question, reader.opened(chunks(Table=rows)))
    assert finding is None or finding.kind != "row"


def test_of_somebody_by_another_part_of_the_name_is_told_as_less_sure(
    reader: ExtractiveReader,
) -> None:
    """And of a namesake nothing."""
    question = "Where does Noor Haddad work?"
    of_her = found(reader, question, Staff=("Haddad works in the workshop in Kilrush.",))
    of_another = found(reader, question, Staff=("Samir Haddad works in the workshop in Kilrush.",))
    assert of_her.confidence > 0 == of_another.confidence


OFFERS = {
    "Boyne": ("Boyne sends two men.", "They need four days to put the scaffold up."),
    "Corrib": ("Corrib sends a foreman.", "He needs three days to put the scaffold up."),
}


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Does Boyne need more days to put the scaffold up than Corrib?", "yes"),
        ("Does Boyne need fewer days to put the scaffold up than Corrib?", "no"),
    ],
)
def test_whether_one_has_more_is_told_by_their_amounts(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    finding = found(reader, question, **OFFERS)
    assert (finding.short, finding.kind) == (right, "yes-no")


def test_that_both_have_some_is_no_answer_to_who_has_more(reader: ExtractiveReader) -> None:
    pages = {"Boyne": ("Boyne has some days to spare.",), "Corrib": ("Corrib has days to spare.",)}
    question = "Does Boyne have more days to spare than Corrib?"
    finding = find(question, reader.opened(chunks(**pages)))
    assert finding is None or finding.kind != "yes-no"
