"""The extractive reader on what teams write down: headings, spans of time, definitions."""

import numpy as np
import pytest

from clew.answering.extractive import ExtractiveReader
from clew.answering.finding import find
from clew.answering.found import CHANGED, Finding
from clew.comprehension.annotation import AnnotatedSentence, Annotator
from clew.comprehension.candidates import Candidate, EvidenceSentence, find_candidates
from clew.comprehension.chains import understood
from clew.comprehension.definitions import spells_out
from clew.comprehension.eligibility import Eligibility
from clew.comprehension.marks import MARKED
from clew.comprehension.question_form import understand
from clew.results.evidence import ScoredChunk
from clew_ingest.parsing.entity_names import normalise_name

from .read_passages import chunks_of

LINES = (
    ("Leave › Annual leave", "Annual leave"),
    ("Leave › Annual leave", "Everyone has 24 days a year. A request is answered within two days."),
    ("Leave › Study leave", "Study leave"),
    ("Leave › Study leave", "It lasts 6 weeks and may be taken every three years."),
    ("Tools", "Tools"),
    ("Tools", "Larder is our stock, invoice, and delivery system. It costs $1,900 a month."),
    ("Tools", "Leave Without Pay (LWOP) is asked for in Larder."),
    ("Tools", "The whole company meets twice a year in Ansel. One of those weeks is free."),
)


def handbook() -> ScoredChunk:
    headings, lines = zip(*LINES, strict=True)
    return ScoredChunk(
        id="a",
        document_id="a",
        title="How we work",
        text="\n".join(lines),
        headings=headings,
        score=1,
    )


def found(reader: ExtractiveReader, question: str) -> Finding:
    finding = find(question, reader.opened([handbook()]))
    assert finding is not None
    return finding


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("How many days of annual leave are there?", "24 days"),
        ("How long is study leave?", "6 weeks"),
        ("How often may study leave be taken?", "every three years"),
        ("How often does the company meet?", "twice a year"),
        ("What is Larder?", "our stock, invoice, and delivery system"),
        ("What is LWOP?", "Leave Without Pay"),
    ],
)
def test_what_is_asked_for_is_answered_whole(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    finding = found(reader, question)
    assert finding.short == right
    assert finding.confidence >= reader._threshold


def test_a_price_is_told_with_its_month_or_without(reader: ExtractiveReader) -> None:
    """In bfloat16 the span model marks "a month", too; in integers it does not."""
    finding = found(reader, "How much does Larder cost?")
    assert finding.short in {"$1,900 a month", "$1,900"}
    assert finding.confidence >= reader._threshold


def test_a_title_that_names_nothing_is_no_answer(reader: ExtractiveReader) -> None:
    view = reader.opened([handbook()]).view
    assert "How we work" not in {candidate.text for candidate in view.candidates}
    named = handbook().model_copy(update={"title": "Larder"})
    view = reader.opened([named]).view
    assert "Larder" in {candidate.text for candidate in view.candidates if candidate.implicit}


def test_a_person_s_article_is_of_them_where_it_only_says_she(reader: ExtractiveReader) -> None:
    text = "She moved to Ansel in 1931. The house burned down."
    chunk = ScoredChunk(id="a", document_id="a", title="Ingrid Brandt", text=text, score=1)
    for title, named in (("Ingrid Brandt", True), ("Working with Larder", False)):
        view = reader.opened([chunk.model_copy(update={"title": title})]).view
        assert (title in {candidate.text for candidate in view.candidates}) == named


def test_a_heading_counts_for_what_stands_under_it_alone(reader: ExtractiveReader) -> None:
    view = reader.opened([handbook()]).view
    texts = [sentence.parse.text for sentence in view.sentences]
    lasts = texts.index("It lasts 6 weeks and may be taken every three years.")
    has = texts.index("Everyone has 24 days a year.")
    assert view.covered(["study"], [lasts]) == 1
    assert view.covered(["study"], [has]) == 0
    # the same passage under other headings is read anew
    moved = handbook().model_copy(update={"headings": ("Holidays",)})
    again = reader.opened([moved]).view
    assert again.covered(["study"], [lasts]) == 0
    assert again.covered(["holiday"], [lasts]) == 1


def test_lines_that_look_like_headings_count_where_no_markup_says_so(
    reader: ExtractiveReader,
) -> None:
    lines = [line for _, line in LINES]
    plain = handbook().model_copy(update={"headings": (), "text": "\n".join(lines)})
    view = reader.opened([plain]).view
    texts = [sentence.parse.text for sentence in view.sentences]
    assert view.covered(
        ["study"], [texts.index("It lasts 6 weeks and may be taken every three years.")]
    )
    assert not view.covered(["study"], [texts.index("Everyone has 24 days a year.")])
    assert not view.covered(["study"], [texts.index("It costs $1,900 a month.")])


def test_no_sentence_goes_on_over_the_end_of_a_line(annotator: Annotator) -> None:
    text = "Summer hours\nWe work four days from May\n\nDays off\nAsk your manager. Then go."
    (sentences,) = annotator.annotate([text])
    assert [sentence.text for sentence in sentences] == [
        "Summer hours",
        "We work four days from May",
        "Days off",
        "Ask your manager.",
        "Then go.",
    ]
    for sentence in sentences:
        assert text[sentence.start :].startswith(sentence.text)


def candidates(annotator: Annotator, text: str) -> list[Candidate]:
    (sentences,) = annotator.annotate([text])
    read = [
        EvidenceSentence(0, n, "", "", "", parse, parse.text.casefold(), np.zeros(3, np.float32))
        for n, parse in enumerate(sentences)
    ]
    return find_candidates(read)


@pytest.mark.parametrize(
    ("text", "value", "label"),
    [
        ("She was 12 years old then.", "12 years old", "DURATION"),
        ("Employees take a 6-week sabbatical.", "6-week", "DURATION"),
        ("It took a week.", "a week", "DURATION"),
        ("You can request up to 240 hours (30 days) of leave.", "240 hours", "DURATION"),
        ("A mirror of 91 centimetres in diameter.", "91 centimetres", "QUANTITY"),
        ("You may keep 240 annual leave hours at most.", "240 annual leave hours", "DURATION"),
        ("A cab (~$20) is faster.", "$20", "MONEY"),
        ("The walk takes ~2 hours.", "2 hours", "DURATION"),
        ("The hall has 1,150 seats.", "1,150 seats", "COUNT"),
        ("He died aged 71.", "71", "CARDINAL"),
        ("He died in 2011.", "2011", "DATE"),
        ("It costs $191,900 in 2024.", "$191,900", "MONEY"),
        ("We pay it every three years.", "every three years", "SET"),
        ("Salaries are reviewed annually.", "annually", "SET"),
        ("They meet 3 times a month.", "3 times a month", "SET"),
        ("The team, which is large, meets once per quarter.", "once per quarter", "SET"),
    ],
)
def test_values_are_of_the_type_that_they_measure(
    annotator: Annotator, text: str, value: str, label: str
) -> None:
    assert (value, label) in {(c.text, c.label) for c in candidates(annotator, text)}


def test_no_measure_answers_for_another(reader: ExtractiveReader) -> None:
    text = "The telescope of Ansel has a mirror of 91 centimetres. It took 12 years to build."
    chunk = ScoredChunk(id="a", document_id="a", title="Telescope of Ansel", text=text, score=1)
    view = reader.opened([chunk]).view
    labels = {candidate.text: candidate.label for candidate in view.candidates}
    assert (labels["91 centimetres"], labels["12 years"]) == ("QUANTITY", "DURATION")
    for question, right in (
        ("How much did the telescope of Ansel cost?", None),
        ("How long did it take to build the telescope of Ansel?", "12 years"),
        ("How wide is the mirror of the telescope of Ansel?", "91 centimetres"),
    ):
        finding = find(question, reader.opened([chunk]))
        said = None if finding is None or finding.confidence < 0.05 else finding.short
        assert said == right, question


def test_one_of_those_counts_nothing(annotator: Annotator) -> None:
    texts = {c.text for c in candidates(annotator, "That was one of those metal bars.")}
    assert not {"one", "one of"} & texts
    assert "one" in {c.text for c in candidates(annotator, "She has one daughter.")}


def test_definitions_are_whole_and_say_what_they_are_of(annotator: Annotator) -> None:
    text = "Larder is our stock, invoice, and delivery system. Ada Thorne, a noted singer, left."
    told = {(c.of, c.text) for c in candidates(annotator, text) if c.label == "DEFINITION"}
    assert told == {
        ("larder", "our stock, invoice, and delivery system"),
        ("ada thorne", "noted singer"),
    }


@pytest.mark.parametrize(
    ("text", "definition"),
    [
        ("Ask for Leave Without Pay (LWOP) in time.", ("lwop", "Leave Without Pay")),
        (
            "The Office of Products and Programs (OPP) moved.",
            ("opp", "Office of Products and Programs"),
        ),
        ("He joined the Ministry of Defence (MOD) then.", ("mod", "Ministry of Defence")),
        ("SLIP - Ship Lift Inspection Plan, also SL&P.", ("slip", "Ship Lift Inspection Plan")),
        ("Dry dock – A basin that can be emptied.", ("dry dock", "basin that can be emptied")),
        (
            "Splice is a hosted tool for short and long-term storage, search, alerting, and "
            "reports of logs that all of the teams in all of the offices write whenever one of "
            "their services fails, slows down, or starts again.",
            ("splice", "hosted tool"),
        ),
    ],
)
def test_short_forms_are_spelt_out_and_long_definitions_cut(
    annotator: Annotator, text: str, definition: tuple[str, str]
) -> None:
    told = {(c.of, c.text) for c in candidates(annotator, text) if c.label == "DEFINITION"}
    assert definition in told


def test_a_sentence_with_a_dash_explains_no_term(annotator: Annotator) -> None:
    told = candidates(annotator, "Every berth is paid for - no exceptions.")
    assert not [c for c in told if c.label == "DEFINITION"]


def test_a_question_is_cut_at_marks_and_ends_of_lines_alone(annotator: Annotator) -> None:
    whole, two, lines = annotator.annotate_questions(
        [
            "How many days off do I get if my dog dies?",
            "My dog died. How many days off do I get?",
            "Days off\nHow many do I get?",
        ]
    )
    (one,) = whole
    assert one.text == "How many days off do I get if my dog dies?"
    assert [one.text[token.start : token.end] for token in one.tokens] == [
        token.text for token in one.tokens
    ]
    assert understand(one).asks_how_many
    assert [len(two), len(lines)] == [2, 2]


NEAR_VALUES = {
    "Getting here": "If you're coming from Ostby, you can take a cab (~$30) or ride the tram, "
    "which is likely faster.\nIf you're coming from Karrow Airport (KRW), you can take a cab "
    "(~$90) or ride the tram.",
    "Approvals": "The following people approve travel:\nferry.example: Ada Thorne until a new head "
    "is named\ncrane.example: Ben Oduya\nHarbour Lights: Cleo Marsh.",
    "Leave": "You can carry over a maximum of 240 annual leave hours, from one leave year to the "
    "next.\nYou can carry over a maximum of 15 days of Guard Leave into the next fiscal year.\n"
    "Helpers can be granted up to 4 hours of Service Leave for blood donation.\n"
    "You can use up to 30 days of Service Leave to serve as an organ donor.\n"
    "You can receive two weeks (80 hours) of grief leave for the passing of your dog.",
    "Thorne": "In 1968 Ada Thorne moved with her crew to Ostby. In 1971 she moved with her crew to "
    "Selm, and back to Ostby.\nIn 1964 Ben Oduya moved with the crew to Ostby.",
    "Opposition (Ostby)": "The current Leader of Opposition, and the first woman to hold the "
    "position, is Hon. Cleo Marsh of the Forum for Local Change. The Opposition in Ostby is made "
    "up of members of the Forum for Local Change, and of others.",
    "Schedules": "By default, new Harbour staff are on a fixed schedule.",
    "Holidays": "Staff get 20 days of shift leave and rest days plus 9 local holidays every year.",
}


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("How much is a taxi from Karrow to the office?", "$90"),
        ("Who approves travel for crane.example?", "Ben Oduya"),
        ("How many hours of annual leave can I carry over?", "240 annual leave hours"),
        ("How much time off can I get to donate blood?", "4 hours"),
        ("Who is the current opposition leader in Ostby?", "Cleo Marsh"),
    ],
)
def test_of_values_that_stand_side_by_side_the_one_that_is_asked_for_is_told(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    finding = find(question, reader.opened(chunks_of(NEAR_VALUES, NEAR_VALUES)))
    assert finding is not None
    assert finding.short == right
    assert finding.confidence >= reader._threshold


@pytest.mark.parametrize(
    ("question", "title", "told", "left_out"),
    [
        ("Which schedule are staff on by default?", "Schedules", "fixed schedule", "Harbour"),
        ("Whose staff are on a fixed schedule?", "Schedules", "Harbour", ""),
        ("How much is a taxi from Karrow to the office?", "Getting here", "$90", "$30"),
        ("How much is a taxi to the office?", "Getting here", "$30", ""),
        ("Who approves travel for crane.example?", "Approvals", "Ben Oduya", "Ada Thorne"),
        ("Who approves travel?", "Approvals", "Ada Thorne", ""),
        ("When did Ada Thorne move with her crew?", "Thorne", "1971", ""),
        ("When did Ada Thorne move with her crew?", "Thorne", "1968", "1964"),
    ],
)
def test_what_is_told_of_another_thing_in_the_same_words_is_no_answer(
    reader: ExtractiveReader, question: str, title: str, told: str, left_out: str
) -> None:
    view = reader.opened(chunks_of(NEAR_VALUES, (title,))).view
    form = understand(reader.models.annotator.annotate([question])[0][0])
    left = {candidate.text for candidate in Eligibility(form, view).among(view.candidates)}
    assert told in left
    assert left_out not in left


def test_a_span_of_time_in_another_unit_than_is_asked_for_is_possible_at_most(
    reader: ExtractiveReader,
) -> None:
    passage = {"Permits": "A permit of the harbour office is valid for 90 days."}
    for question, unsure in (
        ("How many weeks is a permit of the harbour office valid?", True),
        ("How many days is a permit of the harbour office valid?", False),
        ("How long is a permit of the harbour office valid?", False),
    ):
        finding = find(question, reader.opened(chunks_of(passage, passage)))
        assert finding is not None
        assert finding.short == "90 days"
        assert (finding.confidence <= CHANGED) == unsure


def test_a_clause_is_nobody(reader: ExtractiveReader) -> None:
    text = "For 80 hours of unpaid rest, you must get written approval from your watch leader."
    view = reader.opened(chunks_of({"Rest": text}, ("Rest",))).view
    form = understand(reader.models.annotator.annotate(["Who approves unpaid rest?"])[0][0])
    tokens = [token.text for token in view.sentences[0].parse.tokens]
    leader, rest, your = tokens.index("leader"), tokens.index("unpaid"), tokens.index("your")
    for first, allowed in ((rest, False), (your, True)):
        words = view.sentences[0].parse.slice(first, leader + 1)
        marked = Candidate(words, normalise_name(words), MARKED, 0, first, leader + 1)
        assert Eligibility(form, view).allows(marked) == allowed


STORIES = {
    "Badges": "If you lose your badge, go to the gate office in Tar Lane. The gate office is run "
    "by Ada Thorne. A new badge costs 12 euros. Badges are renewed every four years.",
    "Bikes": "If your bike is stolen, call the yard police. Bikes are kept in the shed in Rope "
    "Street. A stand costs 30 euros a year. Parents of twins get 20 weeks of leave. Parents of "
    "one child get 14 weeks.",
}


@pytest.mark.parametrize(
    ("question", "right", "least"),
    [
        ("My bike was stolen. Who should I call?", "yard police", 0.35),
        ("I lost my badge. Where do I have to go?", "Tar Lane", 0.5),
        ("I lost my badge. How much does it cost?", "12 euros", 0.5),
        ("We are having twins. How long is the leave?", "20 weeks", 0.6),
    ],
)
def test_what_is_told_before_a_short_question_is_read_with_it(
    reader: ExtractiveReader, question: str, right: str, least: float
) -> None:
    finding = find(question, reader.opened(chunks_of(STORIES, STORIES)))
    assert finding is not None
    assert finding.short.endswith(right)
    assert finding.confidence > least


def test_a_question_that_says_enough_is_read_alone(reader: ExtractiveReader) -> None:
    read = reader.opened(chunks_of(STORIES, STORIES))
    for question in (
        "I am new here. Who runs the gate office?",
        "Who should I call?",
        "Where is the gate office? Who should I call?",
    ):
        form = understood(question, read)
        assert form.read == form.text
    form = understood("My bike was stolen. Who should I call?", read)
    assert form.read == "My bike was stolen. Who should I call?"
    assert form.text == "Who should I call?"


def test_how_far_ahead_is_a_span_of_time(reader: ExtractiveReader) -> None:
    passage = {"Berths": "Berths should be booked at least three working days in advance."}
    question = "How far in advance should I book a berth?"
    finding = find(question, reader.opened(chunks_of(passage, passage)))
    assert finding is not None
    assert finding.short.endswith("three working days")
    assert finding.confidence > CHANGED


def test_a_number_of_something_else_is_no_number_of_what_is_asked_for(
    reader: ExtractiveReader,
) -> None:
    view = reader.opened(chunks_of(NEAR_VALUES, ("Holidays",))).view
    (sentence,) = view.sentences
    form = understand(reader.models.annotator.annotate(["How many leave days do I get?"])[0][0])
    at = [token.text for token in sentence.parse.tokens].index
    eligible = Eligibility(form, view)
    for first, last, allowed in ((at("9"), at("9") + 1, False), (at("20"), at("9") + 1, False)):
        text = sentence.parse.slice(first, last)
        marked = Candidate(text, normalise_name(text), MARKED, 0, first, last)
        assert eligible.allows(marked) == allowed, text
    days = next(c for c in view.candidates if c.text == "20 days")
    assert eligible.allows(days)


def test_brackets_around_other_letters_spell_nothing_out(annotator: Annotator) -> None:
    told = candidates(annotator, "The meeting in Ansel (USA) was long.")
    assert not [c for c in told if c.label == "DEFINITION" and c.of == "usa"]


@pytest.mark.parametrize(
    ("question", "defined"),
    [
        ("What is Larder?", "larder"),
        ("Who was Ada Thorne?", "ada thorne"),
        ("What is a cycle?", "cycle"),
        ("What are guilds?", "guilds"),
        ("What is the Bug Bounty Program?", "bug bounty program"),
        ("What is the dress code?", ""),
        ("Who is the director of Ed Wood?", ""),
        ("What is Larder used for?", ""),
    ],
)
def test_which_questions_want_a_definition(
    annotator: Annotator, question: str, defined: str
) -> None:
    parse: AnnotatedSentence = annotator.annotate([question])[0][0]
    assert understand(parse).defined == defined


@pytest.mark.parametrize(
    ("question", "counted"),
    [
        ("How many hours does every full-time employee work in a pay period?", "hour"),
        ("How many vacation days do new employees get?", "day"),
        ("How many people work in the office?", "people"),
    ],
)
def test_how_many_of_what(annotator: Annotator, question: str, counted: str) -> None:
    parse: AnnotatedSentence = annotator.annotate([question])[0][0]
    assert understand(parse).focus == counted


def test_what_a_short_form_stands_for_is_told_where_it_is_said(
    reader: ExtractiveReader,
) -> None:
    text = "The new ERP (Enterprise Resource Planning) system starts in May (see page 5)."
    chunk = ScoredChunk(id="a", document_id="a", title="Plans", text=text, score=1)
    finding = find("What does ERP stand for?", reader.opened([chunk]))
    assert finding is not None
    assert finding.short == "Enterprise Resource Planning"
    assert finding.confidence >= 0.5
    assert spells_out("lwop", "leave without pay")
    assert not spells_out("erp", "early ripe apple")
    assert not spells_out("erp", "planning of resources")


@pytest.mark.parametrize(
    ("question", "focus", "verb"),
    [
        ("What are invigilators paid per session?", "", "pay"),
        ("What are members charged for a guest?", "", "charge"),
        ("On what is the scheme based?", "", "base"),
        ("What is the hall used for?", "", "use"),
        ("Who were the brothers raised by?", "", "raise"),
        ("What is the new harbour master called?", "master", "be"),
        ("What are the visitors asked to bring?", "", "bring"),
        ("What is the repair expected to cost?", "", "cost"),
        ("What is the scale used to measure the wind?", "scale", "be"),
        ("What is the fee charged for late payment?", "fee", "be"),
        ("What are the rules made by the council?", "rule", "be"),
        ("What was the name given to the boat?", "name", "be"),
    ],
)
def test_what_something_undergoes_is_not_asked_of_what_it_is(
    annotator: Annotator, question: str, focus: str, verb: str
) -> None:
    form = understand(annotator.annotate([question])[0][0])
    assert (form.focus, form.verb) == (focus, verb)
    assert form.classes == ({"NUMBER"} if verb in {"pay", "charge", "cost"} else form.classes)


def test_what_somebody_is_paid_is_an_amount(reader: ExtractiveReader) -> None:
    text = "Invigilators work in pairs. Each invigilator is paid £14.50 for a session of two hours."
    chunk = ScoredChunk(id="a", document_id="a", title="Exams", text=text, score=1)
    finding = find("What are invigilators paid per session?", reader.opened([chunk]))
    assert finding is not None
    assert finding.short == "£14.50"


def test_a_name_is_not_told_by_itself_with_a_form_of_address(reader: ExtractiveReader) -> None:
    text = "At the ball you met a gentleman called Mr. Hosmer Angel. He was a cashier."
    chunk = ScoredChunk(id="a", document_id="a", title="A Case", text=text, score=1)
    finding = find("Who is Hosmer Angel?", reader.opened([chunk]))
    assert finding is not None
    assert finding.short != "Mr. Hosmer Angel"
