"""Units: packed paragraphs, cut where the content says so."""

import random

import pytest

from clew_ingest.limits import IngestLimits
from clew_ingest.parsing.units import Unit, cut_units, text_budget
from clew_ingest.reading.read_document import Place, PlaceFrom


def count_words(text: str) -> int:
    return len(text.split())


def cut(paragraphs: list[str], budget: int = 40, fingerprint: str = "f") -> list[Unit]:
    return cut_units("A title", "\n\n".join(paragraphs), fingerprint, budget, count_words)


def paragraphs(count: int, seed: int = 1) -> list[str]:
    numbers = random.Random(seed)
    return [
        f"Paragraph {number} says {numbers.random()} " + "and more " * numbers.randrange(1, 6) + "."
        for number in range(count)
    ]


def test_units_hold_whole_paragraphs_up_to_the_budget_and_together_the_text() -> None:
    text = paragraphs(100)
    units = cut(text)
    assert [block for unit in units for block in unit.blocks] == [part.strip() for part in text]
    assert all(unit.tokens <= 40 for unit in units)
    assert all(unit.tokens == count_words(unit.text) for unit in units)
    assert sum(unit.tokens for unit in units) / len(units) > 0.6 * 40


def test_a_paragraph_over_the_budget_is_a_unit_of_its_own() -> None:
    long = "word " * 60 + "."
    units = cut(["First.", long, "Last."])
    assert [unit.text for unit in units] == ["First.", long, "Last."]


def test_a_heading_stays_with_what_follows_where_both_fit() -> None:
    for seed in range(5):
        text = paragraphs(60, seed)
        with_headings = [part for body in text for part in (f"Heading {body[:13]}", body)]
        ends = [unit.blocks[-1] for unit in cut(with_headings)]
        assert not any(end.startswith("Heading") for end in ends)


@pytest.mark.parametrize("change", ["insert", "remove", "edit"])
def test_a_change_changes_only_the_units_around_it(change: str) -> None:
    text = paragraphs(200)
    before = {unit.id for unit in cut(text)}
    changed = []
    for place in range(0, 200, 10):
        new = list(text)
        if change == "insert":
            new.insert(place, "Here something new was said by somebody.")
        elif change == "remove":
            del new[place]
        else:
            new[place] = new[place] + " It was edited."
        changed.append(len({unit.id for unit in cut(new)} - before))
    assert sum(changed) / len(changed) < 4
    assert max(changed) < len(before) / 4


def test_units_of_one_text_are_told_apart_by_their_number() -> None:
    long = "word " * 30 + "."
    units = cut([long, long, long])
    assert [unit.number for unit in units] == [0, 1, 2]
    assert len({unit.id for unit in units}) == 3


def test_the_settings_and_the_title_are_part_of_a_unit() -> None:
    (one,) = cut(["Text."])
    (other,) = cut(["Text."], fingerprint="g")
    (third,) = cut_units("Another title", "Text.", "f", 40, count_words)
    assert len({one.id, other.id, third.id}) == 3


def test_a_title_takes_its_share_of_the_budget() -> None:
    assert text_budget("A title", IngestLimits(chunk_tokens=44), count_words) == 40
    assert text_budget("A title " * 40, IngestLimits(chunk_tokens=44), count_words) == 22


def test_a_block_knows_where_it_stands_and_its_unit_does_not_depend_on_it() -> None:
    text = "\n\n".join(["One.", "- two\n- three", "Four.", "Five."])
    places = (PlaceFrom(1, Place(2, "Data")), PlaceFrom(3, Place(3, "Data")))
    (unit,) = cut_units("A title", text, "f", 40, count_words, places)
    assert unit.blocks == ("One.", "- two", "- three", "Four.", "Five.")
    assert [place.page for place in unit.places] == [0, 2, 2, 2, 3]
    (bare,) = cut_units("A title", text, "f", 40, count_words)
    assert (bare.id, bare.places) == (unit.id, ())


def test_the_unit_that_a_text_begins_with_tells_its_fields() -> None:
    text = "\n\n".join(
        ["status: Final.", *(f"Sentence number {n} has six words." for n in range(9))]
    )
    units = cut_units("A title", text, "f", 12, count_words, fields_first=True)
    assert len(units) > 1
    assert [unit.fields_first for unit in units] == [True, *[False] * (len(units) - 1)]
