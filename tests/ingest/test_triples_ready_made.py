"""Triples from files, of both shapes, whole and broken."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from clew_ingest.errors import UnreadableSource
from clew_ingest.triples import ready_made_json
from clew_ingest.triples.base import ExtractedTriple
from clew_ingest.triples.ready_made import read_ready_made
from clew_ingest.triples.ready_made_json import RecordError, array_items

ADA: dict[str, Any] = {
    "title": "Ada Lind",
    "text": "Ada Lind painted in Oslo.",
    "passage": "Ada Lind\nAda Lind painted in Oslo.",
    "extracted_entities": ["Ada Lind", "Oslo"],
    "extracted_triples": [
        ["Ada Lind", "painted in", "Oslo"],
        ["Ada Lind", "painted"],
        ["Ada Lind", "sold", "two works", "1950"],
        ["Ada Lind", "painted in", 1931],
        ["Ada Lind", "painted in", " "],
        "Ada Lind painted",
    ],
}
FOUR: dict[str, Any] = {
    "title": "Mercury",
    "text": "Mercury is a planet.",
    "extracted_triples": [["Mercury", "is", "planet"]],
}
METAL: dict[str, Any] = {
    "title": "Mercury",
    "text": "Mercury is a metal.",
    "extracted_triples": [["Mercury", "is", "metal"]],
}
EMPTY: dict[str, Any] = {"title": "Void", "text": "Nothing here.", "extracted_triples": []}


def plain(head: str, predicate: str, tail: str) -> ExtractedTriple:
    return ExtractedTriple(head, "", predicate, tail, "")


def written(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def lines(path: Path, *records: Any) -> Path:
    path.write_text("\n".join(map(json.dumps, records)) + "\n\n", encoding="utf-8")
    return path


def test_documents_with_their_triples(tmp_path: Path) -> None:
    whole = {"ents_by_doc": [[]], "avg": float("nan"), "docs": [ADA, FOUR, METAL, EMPTY], "n": 1}
    found = read_ready_made(written(tmp_path / "openie.json", whole))
    assert found.triples_of("Ada Lind", ADA["text"]) == [plain("Ada Lind", "painted in", "Oslo")]
    assert (found.records, found.triples) == (4, 3)
    assert found.dropped == {
        "2 parts instead of 3": 1,
        "4 parts instead of 3": 1,
        "tail is not a text": 1,
        "tail is empty": 1,
        "not a list": 1,
    }


def test_the_text_counts_first_and_a_title_only_where_one_document_has_it(tmp_path: Path) -> None:
    found = read_ready_made(written(tmp_path / "f.json", [ADA, FOUR, METAL, EMPTY]))
    planet, metal = plain("Mercury", "is", "planet"), plain("Mercury", "is", "metal")
    assert found.triples_of("Mercury", FOUR["text"]) == [planet]
    assert found.triples_of("Mercury", METAL["text"]) == [metal]
    assert found.triples_of("Another title", METAL["text"]) == [metal]
    assert found.triples_of("Mercury", "Mercury is a god.") == []
    assert found.triples_of("ada lind", "Another text.")[0].tail == "Oslo"
    assert found.triples_of("Void", EMPTY["text"]) == []
    assert found.triples_of("Unknown", "Unknown.") == []


def test_one_text_under_two_titles_keeps_them_apart(tmp_path: Path) -> None:
    other = {**ADA, "title": "A. Lind", "extracted_triples": [["A. Lind", "is", "painter"]]}
    found = read_ready_made(written(tmp_path / "f.json", [ADA, other]))
    assert [triple.head for triple in found.triples_of("A. Lind", ADA["text"])] == ["A. Lind"]
    assert [triple.head for triple in found.triples_of("Ada Lind", ADA["text"])] == ["Ada Lind"]


def test_a_text_is_found_as_the_graph_has_it(tmp_path: Path) -> None:
    raw = {**ADA, "title": " Ada\tLind ", "text": "Ada Lind\u200b  painted\r\nin Oslo. "}
    found = read_ready_made(written(tmp_path / "f.json", [raw]))
    assert len(found.triples_of("x", "Ada Lind painted\nin Oslo.")) == 1


def test_a_triple_a_line(tmp_path: Path) -> None:
    full: dict[str, Any] = {
        "document": "Ada Lind",
        "text": "Ada Lind painted in Oslo.",
        "head": "Ada Lind",
        "head_type": "PERSON",
        "predicate": "paint in",
        "tail": "Oslo",
        "tail_type": "GPE",
        "sentence": 0,
    }
    found = read_ready_made(
        lines(
            tmp_path / "triples.jsonl",
            full,
            {"title": "Bo Ek", "head": "Bo Ek", "relation": "be", "tail": "a\x00 smith"},
            {"text": "Seld is old.", "head": "Seld", "predicate": "be", "tail": "old"},
            {"title": "Bo Ek", "head": "Bo Ek", "predicate": None, "tail": "smith"},
            FOUR,
        )
    )
    assert found.triples_of("Ada Lind", full["text"]) == [
        ExtractedTriple("Ada Lind", "PERSON", "paint in", "Oslo", "GPE", 0)
    ]
    assert found.triples_of("Bo Ek", "Any text.") == [plain("Bo Ek", "be", "a smith")]
    assert found.triples_of("Any title", "Seld is old.") == [plain("Seld", "be", "old")]
    assert len(found.triples_of("Mercury", "")) == 1
    assert (found.records, found.triples) == (5, 4)
    assert found.dropped == {"predicate is not a text": 1}


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ([1, 2], "list, not an object"),
        ({"head": "a", "predicate": "b", "tail": "c"}, '"title"'),
        ({"title": 4, "head": "a", "predicate": "b", "tail": "c"}, '"title" is a int'),
        ({"title": "t", "text": [], "head": "a", "predicate": "b", "tail": "c"}, '"text"'),
        ({"title": "t", "head": "a", "tail": "c"}, '"predicate" is missing'),
        ({"title": "t", "predicate": "a", "tail": "c"}, '"head" is missing'),
        ({"title": "t", "extracted_triples": "none"}, '"extracted_triples" is not a list'),
    ],
)
def test_a_wrong_record_names_file_record_and_field(
    tmp_path: Path, record: Any, words: str
) -> None:
    good = {"title": "Bo Ek", "head": "Bo Ek", "predicate": "be", "tail": "smith"}
    for path in (
        lines(tmp_path / "some.jsonl", good, record),
        written(tmp_path / "some.json", {"docs": [good, record]}),
    ):
        with pytest.raises(UnreadableSource) as failed:
            read_ready_made(path)
        place = "line 2" if path.suffix == ".jsonl" else "record 2"
        assert f"{path.name}, {place}: " in str(failed.value)
        assert words in str(failed.value)
        assert failed.value.remedy


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.jsonl", b'{"title": "t"\n', "line 1: this is not valid JSON"),
        ("a.jsonl", b"[" * 100_000, "line 1: this is not valid JSON"),
        ("a.jsonl", b"", "holds no triple"),
        ("a.jsonl", b'{"title": "t\xff"}', "not UTF-8"),
        ("a.json", b"", "neither a JSON object nor an array"),
        ("a.json", b"[]", "holds no triple"),
        ("a.json", b'"text"', "neither a JSON object nor an array"),
        ("a.json", b'{"documents": []}', 'no array "docs"'),
        ("a.json", b'{"docs": {}}', 'no array "docs"'),
        ("a.json", b'{"docs": [{"title": "t",', "record 1: this is not valid JSON"),
        ("a.json", b'[{"title": "t", "triples": []}', "record 1: after it there is no comma"),
        ("a.json", b'[{"title": "t", "triples": []} {', "record 1: after it there is no comma"),
        ("a.json", b"[" + b"[" * 100_000, "record 1: it is nested too deeply"),
        ("a.json", b'{"docs"}', "no colon"),
        ("a.json", b'{"x": 1 "docs": []}', "no comma"),
    ],
)
def test_a_broken_file_says_where(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UnreadableSource) as failed:
        read_ready_made(tmp_path / name)
    assert words in str(failed.value)
    assert name in str(failed.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="nowhere"):
        read_ready_made(tmp_path / "nowhere.json")


@pytest.mark.parametrize("block", [1, 2, 7, 64, 4096])
def test_an_array_is_read_the_same_in_blocks_of_any_size(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ready_made_json, "BLOCK", block)
    items = [
        1,
        -23.5,
        1e-30,
        5.25e17,
        0,
        'a ] } , " \\ \u00e9',
        [],
        {},
        [[1], {"docs": [2]}],
        None,
        True,
    ]
    for text in (
        json.dumps(items),
        json.dumps({"a": 12, "docs": items, "z": {"docs": 3}}, indent=1),
    ):
        assert list(array_items(io.StringIO(f" \n{text}\n"), "docs")) == items


def test_items_come_before_the_file_has_been_read_to_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ready_made_json, "BLOCK", 64)
    file = io.StringIO(json.dumps([{"n": number} for number in range(10_000)]))
    items = array_items(file, "docs")
    assert [next(items) for _ in range(3)] == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert file.tell() < 1000
    assert sum(1 for _ in items) == 9_997


def test_an_item_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready_made_json, "BLOCK", 100)
    monkeypatch.setattr(ready_made_json, "LONGEST_ITEM", 1000)
    file = io.StringIO('["' + "x" * 100_000)
    with pytest.raises(RecordError, match="record 1: this is not valid JSON"):
        list(array_items(file, "docs"))
    assert file.tell() < 5000
