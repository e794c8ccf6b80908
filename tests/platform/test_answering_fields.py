"""Questions that the fields of many documents answer: which have a state, how many, the last."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew import Clew
from clew.answering.base import whole_answer
from clew.answering.extractive import ExtractiveReader
from clew.answering.found import OF_TABLE
from clew.comprehension.tables.reading import tables_of_heads
from clew.results.asked_documents import AskedDocuments
from clew.results.evidence import Answer, Evidence, ScoredChunk

from ..running_clew import OwnSettings

HEADS = {
    "RFC-3: Carts on rails": "rfc: 3; author: Ida Brand; status: Final; created: 2023-04-02; "
    "since: 1.9.",
    "RFC-7: Lamps": "rfc: 7; author: Max Vale <max@vale.org>, Ida Brand <ib@x.org>; "
    "status: Rejected; created: 2023-09-30.",
    "RFC-12: Bells; how loud": "rfc: 12; author: Tom Harrow; status: Final; created: 05-Jul-2024; "
    "since: 1.10; sponsor: Jo Lunt.",
    "RFC-15: Gates": "rfc: 15; author: Ella Moss; status: Draft; created: 2024-11-18; since: 3.0.",
    "RFC-16: Wheels": "rfc: 16; author: Jo Lunt; status: Last Call; created: 2025-01-08.",
    "RFC-17: Axles": "rfc: 17; author: Jo Lunt; status: Last call; created: 2025-02-11.",
    "Rail carts": "owner: Yard team; section: Yard; layout: page.",
    "Lamp oil": "owner: Store; section: Yard; layout: page.",
    "Bell ropes": "owner: Yard team; section: Tower; layout: page.",
}
CHUNKS = [
    ScoredChunk(
        id=title, document_id=title, title=title, text=f"{head}\nIt is a long text.", score=1.0
    )
    for title, head in HEADS.items()
]


@pytest.fixture(scope="module")
def fields(reader: ExtractiveReader) -> ExtractiveReader:
    """The reader, for which the documents' beginnings are there."""
    return ExtractiveReader(reader.models, heads=lambda corpus, documents: CHUNKS)


def answered(reader: ExtractiveReader, question: str, *found: ScoredChunk) -> Answer:
    chunks = found or (CHUNKS[0], CHUNKS[-1])
    evidence = Evidence(question=question, corpus="rfcs", strategy="bm25", chunks=chunks)
    return whole_answer(reader, evidence)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("How many RFCs are there?", "6"),
        ("Which RFCs are in last call?", "RFC-16: Wheels and RFC-17: Axles"),
        ("How many RFCs are final?", "2"),
        ("Which RFCs are final?", "RFC-3: Carts on rails and RFC-12: Bells; how loud"),
        ("Which RFCs are by Ida Brand?", "RFC-3: Carts on rails and RFC-7: Lamps"),
        ("Which RFCs did Ida Brand write?", "RFC-3: Carts on rails and RFC-7: Lamps"),
        ("Who are the authors of RFC 7?", "Max Vale, Ida Brand"),
        ("How many RFCs were created in 2024?", "2"),
        ("Which RFC was created last?", "RFC-17: Axles"),
        ("How many RFCs have a sponsor?", "1"),
        ("How many RFCs are since 1.10?", "1"),
        ("Which pages are in the section Yard?", "Rail carts and Lamp oil"),
        ("How many documents are in the section Tower?", "1"),
    ],
)
def test_the_fields_of_documents_are_a_table(
    fields: ExtractiveReader, question: str, right: str
) -> None:
    answer = answered(fields, question)
    assert (answer.short, answer.confidence) == (right, OF_TABLE)
    quoted = {citation.title for citation in answer.citations}
    assert quoted
    assert "of 6 documents" in answer.text or "of 3 documents" in answer.text
    assert all(HEADS[cited.title] == cited.quote for cited in answer.citations)


@pytest.mark.parametrize(
    "question", ["How many documents are there?", "How many pages do we have?"]
)
def test_documents_without_fields_are_documents_too(
    fields: ExtractiveReader, question: str
) -> None:
    assert "Counted" not in answered(fields, question).text


def test_who_wrote_documents_is_not_counted_as_anybody(fields: ExtractiveReader) -> None:
    assert "Counted" not in answered(fields, "How many members do the carts on rails have?").text


def test_fields_are_asked_where_the_evidence_has_some(
    reader: ExtractiveReader, fields: ExtractiveReader
) -> None:
    plain = ScoredChunk(id="t", document_id="t", title="Talk", text="Some RFCs.", score=1.0)
    assert "Counted" not in answered(fields, "How many RFCs are final?", plain).text
    assert "Counted" not in answered(reader, "How many RFCs are final?").text


def test_of_many_documents_the_first_are_named(reader: ExtractiveReader) -> None:
    many = [
        ScoredChunk(
            id=f"{number}",
            document_id=f"{number}",
            title=f"RFC-{number}: Cart {number}",
            text=f"rfc: {number}; status: {'Draft' if number % 4 else 'Final'}.",
            score=1.0,
        )
        for number in range(100, 150)
    ]
    fields = ExtractiveReader(reader.models, heads=lambda corpus, documents: many)
    answer = answered(fields, "Which RFCs are in draft?", *many[:2])
    assert len(answer.items) == 30
    assert answer.short.startswith(
        "RFC-101: Cart 101, RFC-102: Cart 102, RFC-103: Cart 103, RFC-105"
    )
    assert answer.short.endswith(" and 7 more")
    assert "37 of 50 documents, where status is “draft”" in answer.text


def test_what_begins_with_few_fields_is_no_table() -> None:
    assert [len(one.rows) for one in tables_of_heads(CHUNKS)] == [6, 3]
    assert tables_of_heads(CHUNKS[:2]) == []
    lines = [one.model_copy(update={"text": "Note: it is long.\nText."}) for one in CHUNKS]
    assert tables_of_heads(lines) == []


@pytest.fixture(scope="module")
def clew(own_settings: OwnSettings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clew]:
    with Clew(own_settings(tmp_path_factory.mktemp("home"))) as clew:
        yield clew


def test_of_what_is_indexed_the_chosen_documents_are_counted(clew: Clew, tmp_path: Path) -> None:
    name = f"test-fields-{uuid.uuid4().hex[:8]}"
    states = ("Final", "Draft", "Final", "Final", "Draft")
    for number, state in enumerate(states, 1):
        (tmp_path / f"rfc-{number:04}.md").write_text(
            f"---\nrfc: {number}\ntitle: Cart {number}\nstatus: {state}\n---\n"
            f"RFCs on carts: number {number} says how a cart is built.\n"
        )
    (tmp_path / "talk.txt").write_text("How many RFCs are final, and why, was asked in the yard.")
    try:
        assert clew.ingest(tmp_path, corpus=name).ready == 6
        answer = clew.ask("How many RFCs are final?", name)
        assert (answer.short, len(answer.citations)) == ("3", 3)
        some = AskedDocuments(names=("rfc-0001*", "rfc-0002*", "rfc-0003*"))
        assert clew.ask("How many RFCs are final?", name, documents=some).short == "2"
        *_, told = clew.ask_events("How many RFCs are final?", name, documents=some)
        assert told.data["short"] == "2"
    finally:
        clew.delete_corpus(name)
