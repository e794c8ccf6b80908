"""A passage is read beside the sentences of others that lead to it."""

from dataclasses import replace

import pytest

from clew.answering.extractive import ExtractiveReader
from clew.answering.finding import checked, led_finding, surer, taken_apart
from clew.comprehension.chains import parsed_question
from clew.comprehension.leads import LEADS, Leads, told
from clew.comprehension.question_form import understand
from clew.comprehension.read_evidence import ReadEvidence
from clew.results.evidence import ScoredChunk

PAGES = {
    "Cellar log": "On Monday we opened TK-04 and its gasket came out in two pieces. TK-02 was "
    "cleaned on Tuesday. Nobody was hurt.",
    "Tank register": "Tank: TK-01; Keeper: Ada Thorne; Volume: 30 hl.\n"
    "Tank: TK-02; Keeper: Ines Halloran; Volume: 40 hl.\n"
    "Tank: TK-04; Keeper: Yrsa Nordahl; Volume: 75 hl.\n"
    "Tank: TK-05; Keeper: Milo Stern; Volume: 90 hl.",
    "Canteen": "Soup is served from noon. The canteen is closed on Sundays.",
}
KEEPERS = {
    "Seld news": "Seld Mill burnt down in May. Karrow Gate was painted in June.",
    "Ines Halloran": "Ines Halloran (born 4 May 1911) was the keeper of Seld Mill.",
    "Milo Stern": "Milo Stern (born 2 June 1920) was the keeper of Karrow Gate.",
    "Ada Thorne": "Ada Thorne (born 7 July 1930) was the keeper of Anselburg Tower.",
}
QUESTION = "Who is the keeper of the tank whose gasket fell apart?"


def opened(reader: ExtractiveReader, pages: dict[str, str] = PAGES) -> ReadEvidence:
    return reader.opened(
        [
            ScoredChunk(id=title, document_id=title, title=title, text=text, score=1)
            for title, text in pages.items()
        ]
    )


def leads_of(read: ReadEvidence, question: str) -> Leads:
    form = understand(parsed_question(question, read))
    return Leads(form, read.embedded([question])[0], read.view)


def test_what_a_passage_lacks_and_shares_a_name_with_leads_to_it(reader: ExtractiveReader) -> None:
    read = opened(reader)
    leads = leads_of(read, QUESTION)
    first, *others = leads.to(1)
    assert "gasket" in read.view.sentences[first].parse.text
    assert len(others) == LEADS - 1
    chunks = [read.view.sentences[i].chunk for i in (first, *others)]
    assert len(set(chunks)) == len(chunks)
    assert 1 not in chunks
    (text,) = told(read.view, [first])
    assert text.startswith("Cellar log: On Monday")


def test_what_a_row_takes_up_leads_to_it_without_a_name(reader: ExtractiveReader) -> None:
    pages = {
        "Minutes": "Honours: franz odermatt has sailed with us for fifty years. Soup was served.",
        "Berths": "Berth: A1; Holder: wicki sepp; Boat: Nixe.\n"
        "Berth: A2; Holder: odermatt franz; Boat: Brise.",
        "Chat": "the member who was honoured laughed about his boat.",
    }
    read = opened(reader, pages)
    first, second = leads_of(read, "Which boat has the member who was honoured?").to(1)
    assert "odermatt" in read.view.sentences[first].parse.text
    assert "laughed" in read.view.sentences[second].parse.text


def test_a_passage_alone_has_no_leads(reader: ExtractiveReader) -> None:
    read = opened(reader, {"Canteen": PAGES["Canteen"]})
    assert leads_of(read, QUESTION).to(0) == []
    form = understand(parsed_question(QUESTION, read))
    assert led_finding(QUESTION, form, read) is None


@pytest.mark.parametrize(
    ("question", "pages", "right", "lead"),
    [
        ("How big is the tank whose gasket fell apart?", PAGES, "75 hl", "gasket"),
        ("When was the keeper of what burnt down in May born?", KEEPERS, "4 May 1911", "burnt"),
    ],
)
def test_what_another_passage_describes_is_answered(
    reader: ExtractiveReader, question: str, pages: dict[str, str], right: str, lead: str
) -> None:
    read = opened(reader, pages)
    found = led_finding(question, understand(parsed_question(question, read)), read)
    assert found is not None
    assert (found.short, found.kind) == (right, "led")
    quoted = [read.view.sentences[i].parse.text for i in found.carriers]
    assert right in quoted[0]
    assert any(lead in one for one in quoted[1:])
    assert lead in str(found.steps[0]["beside"])


def test_the_surer_way_is_told_and_both_are_where_they_agree(reader: ExtractiveReader) -> None:
    read = opened(reader, KEEPERS)
    question = "When was the keeper of what burnt down in May born?"
    form = understand(parsed_question(question, read))
    apart, led = taken_apart(question, form, read), led_finding(question, form, read)
    assert apart is not None
    assert led is not None
    assert apart.kind == "open"
    agreeing = checked(replace(apart, short=led.short), led)
    differing = checked(replace(apart, short="another"), led)
    for one, other in zip(agreeing, differing, strict=True):
        assert one.confidence > other.confidence
    assert surer(apart, led).confidence == max(one.confidence for one in checked(apart, led))


def test_a_row_that_leads_name_is_the_one_they_mean(reader: ExtractiveReader) -> None:
    read = opened(reader)
    leads = leads_of(read, QUESTION)
    held = {
        sentence.parse.text[6:11]: leads.held_by(i, leads.to(1))
        for i, sentence in enumerate(read.view.sentences)
        if sentence.chunk == 1
    }
    assert held == {"TK-01": 0.0, "TK-02": 0.0, "TK-04": 1.0, "TK-05": 0.0}
    assert not any(leads.held_by(i, leads.to(0)) for i in (0, 1, 2))
