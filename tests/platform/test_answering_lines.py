"""The extractive reader on what is no prose: tables, fields, numbered clauses, what is copied."""

from dataclasses import replace

import numpy as np
import pytest

from clew.answering.extractive import ExtractiveReader
from clew.answering.finding import find
from clew.comprehension.annotation import Annotator
from clew.comprehension.candidates import Candidate, EvidenceSentence, find_candidates
from clew.comprehension.eligibility import Eligibility, names_held
from clew.comprehension.lines import COPIED, Field, fields
from clew.comprehension.question_form import understand
from clew.results.evidence import ScoredChunk

ROWS = (
    "Graduated; Project: Lantern; Maintainer Name: Ada Thorne; Company: Brindle Inc.; "
    "Github Name: athorne; Started: 3 May 2019.",
    "Maintainer Name: Kohei Mori; Company: Ansel Works; Github Name: kmori.",
    "Graduated; Project: tarn2json; Maintainer Name: Lena Okoro; Company: Saltmere; "
    "Github Name: lokoro; Started: 8 June 2021.",
)


def chunk(text: str, title: str = "", headings: tuple[str, ...] = ()) -> ScoredChunk:
    return ScoredChunk(id="a", document_id="a", title=title, text=text, headings=headings, score=1)


def said(reader: ExtractiveReader, question: str, *chunks: ScoredChunk) -> str | None:
    finding = find(question, reader.opened(chunks))
    return None if finding is None or finding.confidence < 0.05 else finding.short


def candidates(annotator: Annotator, text: str) -> list[Candidate]:
    (sentences,) = annotator.annotate([text])
    read = [
        EvidenceSentence(
            *(0, n, "", "", "", parse, parse.text.casefold(), np.zeros(3, np.float32)),
            fields=tuple(fields(parse.text)),
        )
        for n, parse in enumerate(sentences)
    ]
    return find_candidates(read)


def test_a_row_and_a_short_field_are_made_of_fields_and_prose_is_not() -> None:
    row = "Graduated; Project: Lantern; Company: Brindle Inc."
    assert fields(row) == [
        Field("", 0, 9),
        Field("Project", 20, 27),
        Field("Company", 38, 49),
    ]
    assert [one.name for one in fields("Hours: 6; Line stands?: yes")] == ["Hours", "Line stands?"]
    assert fields("Key expiry: 2027-12-18") == [Field("Key expiry", 12, 22)]
    assert fields("See https://example.org/a: it is there") == []
    assert fields("We meet on Monday; on Friday we rest.") == []
    assert fields("Heat sold; 2022: 61; 2023: 58.") == [
        Field("", 0, 9),
        Field("2022", 17, 19),
        Field("2023", 27, 29),
    ]
    assert fields("1871: He went to Wend") == fields("We left at 10:30; 3: tea") == []
    long = "Note: " + " ".join(["word"] * 16)
    assert fields(long) == []
    assert fields("") == []


def test_a_row_is_one_sentence_whose_cells_are_the_candidates(annotator: Annotator) -> None:
    (sentences,) = annotator.annotate(["\n".join(ROWS)])
    assert [sentence.text for sentence in sentences] == list(ROWS)
    found = {c.text: c.field for c in candidates(annotator, ROWS[0])}
    assert found["Ada Thorne"] == "maintainer name"
    assert found["Brindle Inc"] == "company"
    assert found["athorne"] == "github name"
    assert found["3 May 2019"] == "started"
    assert not {"Company", "Maintainer Name", "Github Name"} & set(found)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Who maintains Lantern?", "Ada Thorne"),
        ("Who maintains tarn2json?", "Lena Okoro"),
        ("Which company does Kohei Mori work for?", "Ansel Works"),
        ("Who does Lena Okoro work for?", "Saltmere"),
        ("Where does Ada Thorne work?", "Brindle Inc"),
        ("When was Lantern started?", "3 May 2019"),
    ],
)
def test_a_table_is_asked_by_the_names_of_its_columns(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    assert said(reader, question, chunk("\n".join(ROWS), "maintainers")) == right


def test_a_field_answers_for_what_it_is_called(reader: ExtractiveReader) -> None:
    text = "Version 3 of this notice.\nKey expiry: 2027-12-18\nOwner: Ada Thorne\nSeats: 40"
    page = chunk(text, "Signing key of Saltmere")
    assert said(reader, "When does the signing key of Saltmere expire?", page) == "2027-12-18"


def test_a_column_may_be_a_year(reader: ExtractiveReader) -> None:
    text = "Heat sold (GWh); 2022: 61; 2023: 58.\nRevenue (£m); 2022: 7.3; 2023: 7.1."
    page = chunk(text, "Annual report of Saltmere")
    assert said(reader, "What was the revenue of Saltmere in 2022?", page) == "7.3"


def test_what_a_field_is_called_may_be_the_answer(
    annotator: Annotator, reader: ExtractiveReader
) -> None:
    found = {c.text: c.field for c in candidates(annotator, "Ada Thorne: director of the mill")}
    assert found["Ada Thorne"] == ""
    assert found["director"] == "ada thorne"
    text = "Kohei Mori: cook\nAda Thorne: director of the mill\nLena Okoro: driver"
    assert said(reader, "Who is the director of the mill?", chunk(text, "Staff")) == "Ada Thorne"


def test_numbers_of_clauses_and_of_what_a_text_points_to_count_nothing(
    annotator: Annotator,
) -> None:
    text = (
        "4.3 Private Data may be kept for 90 days.\n"
        "2. Members vote as Section 7 and clause 2.1 say.\n"
        "(a) Three members make a quorum."
    )
    found = {c.text for c in candidates(annotator, text)}
    assert not {"4.3", "2", "7", "2.1", "a"} & found
    assert {"90 days", "Three"} <= found
    assert "2.5 million" in {c.text for c in candidates(annotator, "2.5 million people came.")}


def test_a_heading_tells_names_and_dates_alone(reader: ExtractiveReader) -> None:
    lines = (
        "4. Purpose Limitation",
        "Data is kept for 90 days.",
        "v2.1.0 of May 3, 2019",
        "It is new.",
    )
    text, above = "\n".join(lines), (lines[0], lines[0], lines[2], lines[2])
    view = reader.opened([chunk(text, "Notes", above)]).view
    found = {candidate.text for candidate in view.candidates}
    assert {"90 days", "v2.1.0", "May 3, 2019"} <= found
    assert not {"4", "Purpose Limitation"} & found


def test_what_is_written_to_be_copied_is_found_as_it_is_written() -> None:
    text = (
        "Use --dry-run=server with v1.22.3 of tarn2json, maxSkew 5, route_localnet, class 5D992.c, "
        "https://example.org/a/b, ada.thorne@example.org and alpha.example.io/provided-node-ip. "
        "The 3rd of 1,000.50 and $1.50, e.g. on 24/7 days and/or nights; the 12-month lease, the "
        "under-13 team and the over-60s of ticket POST-17."
    )
    assert [found.group() for found in COPIED.finditer(text)] == [
        "--dry-run=server",
        "v1.22.3",
        "tarn2json",
        "maxSkew",
        "route_localnet",
        "5D992.c",
        "https://example.org/a/b",
        "ada.thorne@example.org",
        "alpha.example.io/provided-node-ip",
        "POST-17",
    ]


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Which version of Lantern is the first with lists?", "v1.22.3"),
        ("Which email do I write to about Lantern?", "help@example.org"),
        ("Which flag starts Lantern without changes?", "--dry-run"),
        ("What is the classification number of Lantern?", "5D992.c"),
    ],
)
def test_what_is_copied_answers_where_such_a_thing_is_asked_for(
    reader: ExtractiveReader, question: str, right: str
) -> None:
    text = (
        "Lantern reads lists from v1.22.3 on. The flag --dry-run starts Lantern without changes. "
        "Write to help@example.org about Lantern. Lantern has the classification number 5D992.c. "
        "Ada Thorne wrote Lantern in Ansel in 2019."
    )
    finding = find(question, reader.opened([chunk(text, "Lantern")]))
    assert finding is not None
    assert finding.short == right


def test_what_is_copied_is_not_all_that_a_key_or_a_file_can_be(
    annotator: Annotator, reader: ExtractiveReader
) -> None:
    text = "The key to the success of Saltmere is patience. It opened 12 years ago."
    form = understand(annotator.annotate(["What is the key to the success of Saltmere?"])[0][0])
    assert form.classes == {"CODE"}
    view = reader.opened([chunk(text, "Saltmere")]).view
    let_in = {one.text for one in Eligibility(form, view).among(view.candidates)}
    assert "patience" in let_in
    assert "12 years ago" not in let_in


def test_a_name_of_marks_alone_is_none(annotator: Annotator, reader: ExtractiveReader) -> None:
    form = understand(annotator.annotate(["Who lives in Ansel?"])[0][0])
    (sentence,) = reader.opened([chunk("Ada Thorne lives in Ansel.")]).view.sentences
    assert names_held(replace(form, names=("?", "ansel")), sentence) == 1
    assert names_held(replace(form, names=("?",)), sentence) == 0.5


@pytest.mark.parametrize(
    ("text", "definition"),
    [
        (
            "A quorum is where half of the members vote.",
            ("quorum", "where half of the members vote"),
        ),
        ("“Defensive Act” means a claim in response.", ("defensive act", "claim in response")),
        ("Quorum: the least number of members", ("quorum", "least number of members")),
        ("“Child labor” refers to work of children.", ("child labor", "work of children")),
        ("The MTTD (Mean Time to Detect) is high.", ("mttd", "Mean Time to Detect")),
    ],
)
def test_terms_are_defined_by_more_than_is(
    annotator: Annotator, text: str, definition: tuple[str, str]
) -> None:
    told = {(c.of, c.text) for c in candidates(annotator, text) if c.label == "DEFINITION"}
    assert definition in told


@pytest.mark.parametrize(
    ("question", "classes", "measures"),
    [
        ("How soon is my profile deleted?", {"NUMBER"}, {"DURATION"}),
        ("What is the minimum age of a member?", {"NUMBER"}, {"DURATION", "CARDINAL"}),
        ("minimum revenue goal for training?", {"NUMBER"}, set()),
        ("What's the most Saltmere will pay for a flight?", {"NUMBER"}, set()),
        ("What is the most common answer?", set(), set()),
        ("What percentage of sales goes to Saltmere?", {"NUMBER"}, {"PERCENT"}),
        ("export classification number for Lantern?", {"NUMBER", "CODE"}, set()),
        ("What is the number of members?", {"NUMBER"}, set()),
        ("Where does Ada Thorne work?", {"PLACE", "ORG"}, set()),
        (
            "minimum age to go to an event where they serve drinks",
            {"NUMBER"},
            {"DURATION", "CARDINAL"},
        ),
        ("Can you tell me who runs Saltmere?", {"PERSON"}, set()),
    ],
)
def test_what_a_question_asks_for(
    annotator: Annotator, question: str, classes: set[str], measures: set[str]
) -> None:
    form = understand(annotator.annotate([question])[0][0])
    assert form.kind == "open"
    assert form.classes == classes
    assert form.measures == measures


@pytest.mark.parametrize(
    ("question", "defined"),
    [
        ("What does 'Defensive Act' mean in the agreement?", "defensive act"),
        ("What does LWOP stand for?", "lwop"),
        ("What does the director do?", ""),
    ],
)
def test_what_something_means_is_a_definition(
    annotator: Annotator, question: str, defined: str
) -> None:
    assert understand(annotator.annotate([question])[0][0]).defined == defined


def test_no_phrase_is_a_yes_or_a_no(reader: ExtractiveReader) -> None:
    text = "A service name of Lantern may begin with a digit since v1.34."
    finding = find(
        "Can a service name of Lantern begin with a digit?", reader.opened([chunk(text, "Lantern")])
    )
    assert finding is None or finding.confidence == 0 or finding.short in {"yes", "no"}


def test_who_is_no_title_that_no_person_has(reader: ExtractiveReader) -> None:
    text = "The committee meets each month. Its chair leads it. It was founded in Ansel."
    for title, possible in (("Ansel Steering Committee", False), ("Ingrid Brandt", True)):
        view = reader.opened([chunk(text, title)]).view
        assert {sentence.of_person for sentence in view.sentences} == {possible}
    finding = find("Who leads it?", reader.opened([chunk(text, "Steering Committee")]))
    assert finding is None or finding.short != "Steering Committee"
