"""The extractive reader on lists of frequent questions, instructions and glossaries."""

import pytest

from clew.answering.extractive import ExtractiveReader
from clew.answering.finding import find
from clew.answering.found import Finding
from clew.comprehension.annotation import Annotator
from clew.comprehension.chains import parsed_question
from clew.comprehension.question_form import understand
from clew.comprehension.sections import asks_how
from clew.comprehension.yes_no import told_by_a_sentence
from clew.results.evidence import Answer, Evidence, ScoredChunk

HELP = (
    ("How do I reset my password?", "How do I reset my password?"),
    ("How do I reset my password?", "Open the portal and choose Forgotten password. The link is "
     "valid for 30 minutes."),
    ("Can I install software myself?", "Can I install software myself?"),
    ("Can I install software myself?", "No. Software is installed by the help desk."),
    ("Is there a canteen?", "Is there a canteen?"),
    ("Is there a canteen?", "Yes, on the second floor."),
    ("Is there a gym?", "Is there a gym?"),
    ("Is there a gym?", "No. The nearest one is in Ansel."),
    ("Are visitors insured?", "Are visitors insured?"),
    ("Are visitors insured?", "The insurer decides."),
    ("What is the guest Wi-Fi called?", "What is the guest Wi-Fi called?"),
    ("What is the guest Wi-Fi called?", "The network is called Fernhill-Guest."),
    ("What is Beacon?", "What is Beacon?"),
    ("What is Beacon?", "Our system for expenses and travel. It replaced paper forms in 2023."),
    ("Connecting from home", "Connecting from home"),
    ("Connecting from home", "1. Install FernConnect."),
    ("Connecting from home", "2. Log in with your staff number."),
    ("Toner", "Toner"),
    ("Toner", "In urgent cases write to print@fernhill.example. The drum is not opened."),
    ("Printing › Adding a printer", "Adding a printer"),
    ("Printing › Adding a printer", "Open the Software Centre and pick FollowMe."),
    ("Backups", "Backups"),
    ("Backups", "The nightly backup holds mail. It is kept in Ansel."),
)  # fmt: skip


def evidence(question: str = "") -> Evidence:
    headings, lines = zip(*HELP, strict=True)
    chunk = ScoredChunk(
        id="a",
        document_id="a",
        title="Help desk",
        text="\n".join(lines),
        headings=headings,
        score=1,
    )
    return Evidence(question=question, corpus="c", strategy="dense", chunks=(chunk,))


def found(reader: ExtractiveReader, question: str) -> Finding:
    finding = find(question, reader.opened(evidence().chunks))
    assert finding is not None
    return finding


@pytest.mark.parametrize(
    ("question", "right"),
    [
        (
            "How do I reset my password?",
            "Open the portal and choose Forgotten password. The link is valid for 30 minutes.",
        ),
        ("how to add a printer", "Open the Software Centre and pick FollowMe."),
        (
            "How can I connect from home?",
            "1. Install FernConnect. 2. Log in with your staff number.",
        ),
        ("Can I install software?", "no"),
        ("Is there a canteen?", "yes"),
        ("What is Beacon?", "Our system for expenses and travel"),
        ("What is the guest Wi-Fi called?", "Fernhill-Guest"),
    ],
)
def test_what_stands_under_the_question_answers_it(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    finding = found(reader, question)
    assert finding.short == right
    assert finding.confidence >= 0.5


@pytest.mark.parametrize(
    "question",
    ["Are visitors insured?", "Can I not install software?", "Can I install a canteen?"],
)
def test_neither_yes_nor_no_is_made_up(reader: ExtractiveReader, question: str) -> None:
    assert not Finding.confidence.fget(found(reader, question))  # type: ignore[attr-defined]


def test_how_something_is_done_is_told_in_its_steps(reader: ExtractiveReader) -> None:
    *_, answer = reader.read(evidence("How do I connect from home?"))
    assert isinstance(answer, Answer)
    assert answer.items == ("Install FernConnect.", "Log in with your staff number.")
    steps = "1. Install FernConnect.\n2. Log in with your staff number."
    assert answer.text == f"Under “Connecting from home”:\n“{steps}” [1]"
    (cited,) = answer.citations
    assert cited.quote == steps


def test_a_bare_yes_or_no_is_quoted_with_its_reason(reader: ExtractiveReader) -> None:
    *_, answer = reader.read(evidence("Is there a gym?"))
    assert isinstance(answer, Answer)
    assert answer.short == "no"
    assert "The nearest one is in Ansel." in answer.text


def test_questions_and_answers_of_plain_text(reader: ExtractiveReader) -> None:
    text = "Q: Do you ship abroad?\nA: No, only to Ansel.\nQ: Do you take cards?\nA: Yes."
    chunk = ScoredChunk(id="a", document_id="a", title="Shop", text=text, score=1)
    for question, right in (("Do you ship abroad?", "no"), ("Do you take cards?", "yes")):
        finding = find(question, reader.opened([chunk]))
        assert finding is not None
        assert finding.short == right


def test_an_address_is_not_cut(reader: ExtractiveReader) -> None:
    finding = found(reader, "Where do I write in urgent cases?")
    assert finding.short.endswith("print@fernhill.example")


def test_a_condition_may_be_that_something_is_not_so(reader: ExtractiveReader) -> None:
    text = "Late payment: £15.\nEarly payment: £5 back."
    chunk = ScoredChunk(id="a", document_id="a", title="Fees", text=text, score=1)
    for question in ("What is paid late if I do not pay?", "If I don't pay, what is late payment?"):
        finding = find(question, reader.opened([chunk]))
        assert finding is not None
        assert not finding.of_other
    finding = find("What payment is not late?", reader.opened([chunk]))
    assert finding is not None
    assert finding.of_other


def test_what_is_not_so_is_not_told_by_what_is(reader: ExtractiveReader) -> None:
    assert found(reader, "What is not in the nightly backup?").confidence < 0.35
    row = "to find: backups; look in: the cellar.\nto find: toner; look in: the office."
    chunk = ScoredChunk(id="a", document_id="a", title="Where", text=row, score=1)
    for question, stated in (("Where are backups not found?", False), ("Where are backups?", True)):
        finding = find(question, reader.opened([chunk]))
        assert finding is not None
        assert (finding.confidence > 0.35) == stated, question


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("What is follow-me printing?", "a job is held until you touch a printer"),
        ("What is answer_threshold?", "When nothing is said"),
        ("What does pick-up mean?", "Collection by a lorry"),
    ],
)
def test_a_term_is_defined(reader: ExtractiveReader, question: str, right: str) -> None:
    text = (
        "Follow-me printing means that a job is held until you touch a printer.\n"
        "setting: answer_threshold; default: 0.08; meaning: When nothing is said.\n"
        "setting: answer_length; default: 20; meaning: Longest answer.\n"
        "Term: pick-up; Definition: Collection by a lorry.\n"
        "Term: drop-off; Definition: Delivery to us."
    )
    chunk = ScoredChunk(id="a", document_id="a", title="Terms", text=text, score=1)
    finding = find(question, reader.opened([chunk]))
    assert finding is not None
    assert finding.short.removeprefix("that ") == right
    assert finding.confidence >= 0.5


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("How do I get a new card when mine is lost?", "Lost cards are blocked at the desk."),
        ("how can i print from my phone", "Send the file to print@fernhill.example."),
        ("i lost my card, what do i do now", "Lost cards are blocked at the desk."),
    ],
)
def test_the_section_that_is_nearest_tells_how(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    lines = (
        ("Replacing a lost card", "Replacing a lost card"),
        ("Replacing a lost card", "Lost cards are blocked at the desk. A new one costs £5."),
        ("Mobile printing", "Mobile printing"),
        ("Mobile printing", "Send the file to print@fernhill.example. Then touch any printer."),
    )
    headings, texts = zip(*lines, strict=True)
    chunk = ScoredChunk(
        id="a", document_id="a", title="Help", text="\n".join(texts), headings=headings, score=1
    )
    finding = find(question, reader.opened([chunk]))
    assert finding is not None
    assert finding.short.startswith(right)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("How do I add a printer?", True),
        ("i lost my card, what now", True),
        ("Can you tell me how to add a printer?", True),
        ("i want to add a printer myself, how", True),
        ("i need a letter, what's the right way?", True),
        ("the printer is dead, what shall i do", True),
        ("Which guide tells how to add a printer?", False),
        ("How to Reset Your Password", True),
        ("How to Eat, released in which year, is a book by whom?", False),
        ("The author of How to Train Your Dragon was born in what city?", False),
        ("How long do I wait?", False),
        ("How did Ada die?", False),
    ],
)
def test_what_asks_how(question: str, right: bool) -> None:
    (parsed,) = Annotator().annotate([question])[0]
    assert asks_how(understand(parsed)) == right


def test_the_sentence_that_asks_is_understood(reader: ExtractiveReader) -> None:
    read = reader.opened(evidence().chunks)
    for question, asking in (
        ("I forgot the cat when I booked. Can I still add her?", "Can I still add her?"),
        ("i have never given blood at this place. can i start", "can i start"),
        ("Spione is a film of 1928. Who directed it? Please tell.", "Who directed it?"),
    ):
        assert parsed_question(question, read).text == asking


def test_a_section_goes_on_in_the_passages_beside_it(reader: ExtractiveReader) -> None:
    texts = (
        "Lost cards\nTell the desk when your card is lost.",
        "Bring a photo.\nPay five pounds there.\nOpening hours\nWe open at nine.",
        "We close at five.",
    )
    lost, hours = "Lost cards", "Opening hours"
    headings = ((lost, lost), (lost, lost, hours, hours), (hours,))
    chunks = [
        ScoredChunk(id=str(n), document_id="d", title="Help", text=text, headings=above, score=1)
        for n, (text, above) in enumerate(zip(texts, headings, strict=True))
    ]
    whole = ExtractiveReader(reader.models, whole=lambda corpus, document: chunks)
    question = "What do I have to do when my card is lost?"
    for first in (0, 1):
        asked = Evidence(question=question, corpus="c", strategy="dense", chunks=(chunks[first],))
        *_, answer = whole.read(asked)
        assert isinstance(answer, Answer)
        quotes = {one.quote for one in answer.citations}
        assert quotes == {
            "Tell the desk when your card is lost.",
            "Bring a photo.\nPay five pounds there.",
        }
        assert [chunk.id for chunk in answer.evidence.chunks] == [str(first), str(1 - first)]
    *_, answer = reader.read(asked)
    assert isinstance(answer, Answer)
    assert {one.quote for one in answer.citations} == {"Bring a photo.\nPay five pounds there."}


RULES = (
    "Backups can be encrypted with a password. Nested groups are not followed.",
    "Dogs are not allowed in the library. Children may bring scooters into the library.",
    "You do not need a permit on Sundays. Visitors need a badge in the library.",
    "Only members may book courts. Telemetry is off.",
    "The library opens on Mondays. The library does not open on Fridays.",
    "The machines do not take notes and don't give change.",
    "Laptops may be taken home, yet not sold.",
    "Visitors may not eat, drink or smoke in halls. Green tea counts as clear; milk does not.",
    "Members may bring 2 guests to the hut. The water key must be returned before 1 November.",
)


def rules() -> ScoredChunk:
    return ScoredChunk(id="a", document_id="a", title="Rules", text="\n".join(RULES), score=1)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Can backups be encrypted?", "yes"),
        ("are nested groups followed", "no"),
        ("Are dogs allowed in the library?", "no"),
        ("Can I bring dogs into the library?", ""),
        ("May children bring scooters?", "yes"),
        ("Do I need a permit on Sundays?", "no"),
        ("Do I need a permit on Mondays?", ""),
        ("Must visitors have a badge in the library?", "yes"),
        ("Can visitors book courts?", ""),
        ("Does the library open on Mondays?", "yes"),
        ("Does the library open on Fridays?", "no"),
        ("Does the library open on Saturdays?", ""),
        ("Do the machines give change?", "no"),
        ("Can laptops be taken home?", "yes"),
        ("Can visitors smoke in halls?", "no"),
        ("Does green tea count as clear?", "yes"),
        ("May members bring 2 guests to the hut?", "yes"),
        ("May members bring 5 guests to the hut?", ""),
        ("Must the water key be returned before 1 November?", "yes"),
        ("Must the water key be returned after 1 November?", ""),
    ],
)
def test_yes_or_no_is_told_by_a_sentence_that_says_it(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    read = reader.opened([rules()])
    said = told_by_a_sentence(parsed_question(question, read), read.view)
    assert (said[0] if said else "") == right


def test_a_heading_alone_says_nothing_of_what_stands_under_it(reader: ExtractiveReader) -> None:
    chunk = ScoredChunk(
        id="a",
        document_id="a",
        title="Hours",
        text="Count 30 minutes for your lunch break.",
        headings=("Holiday pay, credit hours, and overtime",),
        score=1,
    )
    read = reader.opened([chunk])
    said = told_by_a_sentence(parsed_question("Is my lunch break paid?", read), read.view)
    assert said is None


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Can guests eat in halls?", "no"),
        ("Is my backup safe from the rain?", ""),
        ("Can I not install software?", ""),
    ],
)
def test_yes_or_no_is_understood_or_the_nearest_is_shown(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    *_, answer = reader.read(
        Evidence(question=question, corpus="c", strategy="dense", chunks=(rules(),))
    )
    assert isinstance(answer, Answer)
    assert answer.short == right
    assert answer.citations
    assert not right or answer.confidence >= 0.65


@pytest.mark.parametrize(
    "question", ["Can I split what I owe into parts?", "Is anything added if I pay bit by bit?"]
)
def test_a_yes_or_no_is_quoted_with_what_stands_beside_it(
    reader: ExtractiveReader, question: str
) -> None:
    """ "There is no extra charge." alone says no."""
    text = "Fees may be paid in three instalments. There is no extra charge. The last falls in May."
    chunk = ScoredChunk(id="a", document_id="a", title="Paying fees", text=text, score=1)
    finding = find(question, reader.opened([chunk]))
    assert finding is not None
    assert finding.kind == "verdict"
    assert len(finding.carriers) > 1
    evidence = Evidence(question=question, corpus="c", strategy="dense", chunks=(chunk,))
    *_, answer = reader.read(evidence)
    assert isinstance(answer, Answer)
    (cited,) = answer.citations
    assert cited.quote in text
    assert "instalments. There is no extra charge." in cited.quote


@pytest.mark.parametrize(
    ("above", "below", "right"),
    [
        ("Can I spread the cost of membership?", "Yes, in four equal parts, until October.", "yes"),
        ("Must I pay all at once?", "No, you may pay in four equal parts, until October.", "yes"),
    ],
)
def test_what_answers_a_question_by_yes_or_no_says_so_itself(
    reader: ExtractiveReader, above: str, below: str, right: str
) -> None:
    """As long as it is not put the other way round."""
    lines = (f"Q: {above}", f"A: {below}", "Q: Where is my key?", "A: At the bar, for £10.")
    chunk = ScoredChunk(id="a", document_id="a", title="Members", text="\n".join(lines), score=1)
    finding = find("May I pay in four parts?", reader.opened([chunk]))
    assert finding is not None
    assert (finding.kind, finding.short) == ("verdict", right)
    assert finding.confidence >= 0.35
