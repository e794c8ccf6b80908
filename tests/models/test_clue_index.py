"""The translator's index (KT-3 to KT-5): what is in it, how it is kept, how it follows changes."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from clew_models.translator import ClueIndex, build_index, load_index, save_index

from .translator_parts import NAMES, SENTENCES, WordTokenizer


@pytest.fixture
def tokenizer() -> WordTokenizer:
    return WordTokenizer()


@pytest.fixture
def index(tokenizer: WordTokenizer) -> ClueIndex:
    return build_index(SENTENCES, NAMES, tokenizer)


def entries(index: ClueIndex, tokenizer: WordTokenizer, name: str) -> set[str]:
    node = index.names.find(tokenizer([name])[0])
    return (
        set()
        if node < 0
        else {str(index.entity_ids[index.name_entity[row]]) for row in index.names.entries(node)}
    )


def relations(index: ClueIndex, entity: str, direction: str) -> set[str]:
    row = index.entity_row(entity)
    assert row is not None
    return {str(index.sentence_ids[s]) for s in index.sentences(row, direction)}  # type: ignore[arg-type]


def same(one: ClueIndex, other: ClueIndex) -> bool:
    return all(
        np.array_equal(getattr(one, f.name), getattr(other, f.name))
        for f in fields(ClueIndex)
        if f.name not in ("names", "spans")
    ) and all(
        np.array_equal(getattr(getattr(one, part), f.name), getattr(getattr(other, part), f.name))
        for part in ("names", "spans")
        for f in fields(getattr(one, part))
    )


def test_only_heads_are_entries_by_all_their_names(
    index: ClueIndex, tokenizer: WordTokenizer
) -> None:
    assert entries(index, tokenizer, "Ed Wood") == {"ed", "wood"}
    assert entries(index, tokenizer, "Ed Wood (film)") == {"ed"}
    assert entries(index, tokenizer, "Burton") == {"tim"}
    assert entries(index, tokenizer, "Johnny Depp") == set()
    assert entries(index, tokenizer, "Ed") == set()


def test_directions(index: ClueIndex) -> None:
    assert relations(index, "tim", "forward") == {"s3", "s4"}
    assert relations(index, "tim", "reverse") == {"s1"}
    assert relations(index, "johnny", "forward") == set()
    assert relations(index, "year", "reverse") == {"s1", "s5"}
    assert index.entity_row("nobody") is None


def test_relations_hold_only_the_entity_s_sentences(
    index: ClueIndex, tokenizer: WordTokenizer
) -> None:
    def held(entity: str, direction: str, words: str) -> set[str]:
        view = index.relations(index.entity_row(entity), direction)  # type: ignore[arg-type]
        span = view.find(tokenizer([words])[0])
        return {str(index.sentence_ids[row]) for row in view.locate(span)} if span else set()

    assert held("tim", "forward", "was born in") == {"s3"}
    assert held("wood", "forward", "was born in") == {"s6"}
    assert held("ed", "forward", "was born in") == set()
    assert held("year", "reverse", "is a ## film") == {"s1", "s5"}


def test_relations_elsewhere_leave_out_chunks(index: ClueIndex) -> None:
    tim = index.entity_row("tim")
    assert tim is not None
    chunk = int(np.searchsorted(index.chunk_ids, "c2"))
    assert index.relations_elsewhere(tim, "forward", np.array([chunk])) is None
    view = index.relations_elsewhere(tim, "reverse", np.array([chunk]))
    assert view is not None
    assert {str(index.sentence_ids[row]) for row in view.locate(view.root)} == {"s1"}


def test_comes_back_from_disk_the_same(index: ClueIndex, tmp_path: Path) -> None:
    save_index(index, tmp_path / "revision")
    loaded = load_index(tmp_path / "revision")
    assert loaded is not None
    assert same(index, loaded)
    assert [path.name for path in tmp_path.iterdir()] == ["revision"]


@pytest.mark.parametrize("name", ["spans.ranks", "entity_ids", "manifest"])
def test_a_damaged_one_is_none(index: ClueIndex, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "revision"
    save_index(index, folder)
    (folder / (f"{name}.npy" if name != "manifest" else "manifest.json")).write_bytes(b"{")
    assert load_index(folder) is None
    assert load_index(tmp_path / "nowhere") is None


def test_a_later_revision_is_as_if_built_anew(tokenizer: WordTokenizer) -> None:
    earlier = build_index(SENTENCES[:4], NAMES[:5], tokenizer)
    asked: list[str] = []

    def counting(texts: Sequence[str]) -> list[list[int]]:
        asked.extend(texts)
        return tokenizer(texts)

    later = build_index(SENTENCES[2:], NAMES, counting, previous=earlier)
    assert same(later, build_index(SENTENCES[2:], NAMES, tokenizer))
    # "## is a ## film." and the names that are heads now; the others are known
    assert sorted(asked) == ["## is a ## film.", "Beetlejuice"]


def test_an_empty_corpus_has_an_empty_index(tokenizer: WordTokenizer, tmp_path: Path) -> None:
    empty = build_index([], [], tokenizer)
    save_index(empty, tmp_path / "r")
    loaded = load_index(tmp_path / "r")
    assert loaded is not None
    assert loaded.names.allowed(0).tolist() == []
