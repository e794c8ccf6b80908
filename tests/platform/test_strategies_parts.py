"""The parts of strategies that need no database."""

import pytest

from clew.strategies.hybrid import combine, min_max
from clew.strategies.seeds import Seeds, chunk_masses, told_apart


def rows(**scores: float) -> list[dict[str, object]]:
    return [{"id": id_, "score": score} for id_, score in scores.items()]


def test_min_max() -> None:
    assert min_max([3.0, 2.0, 1.0]) == [1.0, 0.5, 0.0]
    assert min_max([2.0, 2.0]) == [1.0, 1.0]
    assert min_max([]) == []


def test_hybrid_by_hand() -> None:
    combined = combine(rows(a=0.9, b=0.7, c=0.5), rows(c=12.0, b=6.0, d=0.0), 0.7)
    assert [(row["id"], row["score"]) for row in combined] == [
        ("a", pytest.approx(0.7)),
        ("b", pytest.approx(0.7 * 0.5 + 0.3 * 0.5)),
        ("c", pytest.approx(0.3)),
        ("d", 0.0),
    ]


def test_hybrid_breaks_ties_by_id() -> None:
    for sides in ((rows(b=1.0), rows(a=1.0)), (rows(a=1.0), rows(b=1.0))):
        assert [row["id"] for row in combine(*sides, 0.5)] == ["a", "b"]


def test_chunk_masses_share_in_proportion() -> None:
    assert chunk_masses(rows(a=0.9, b=0.7, c=0.5), 0.3) == {
        "a": pytest.approx(0.2),
        "b": pytest.approx(0.1),
    }
    assert chunk_masses(rows(a=0.4), 1.0) == {"a": 1.0}
    assert chunk_masses([], 1.0) == {}


def test_masses_sum_to_one() -> None:
    seeds = Seeds(entities={"e1": 0.75, "e2": 0.25}, chunks={"c": 0.5}, cosines={}, found=())
    assert sum(seeds.masses.values()) == pytest.approx(1)
    assert seeds.masses["e1"] == pytest.approx(0.5)
    assert Seeds({}, {}, {}, ()).masses == {}


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("apollo 12", "Apollo 11", True),
        ("0x5c", "0xF5", True),
        ("a320neo", "A320ceo", True),
        ("bat10", "BAT-10", False),
        ("c-1107", "C 1107", False),
        ("apollo", "Apollo 11", False),
        ("world war 2", "WW2", False),
        ("the 21st century", "21st Century", False),
        ("2nd division", "Division 2", False),
    ],
)
def test_names_are_told_apart_by_their_numbers(one: str, other: str, apart: bool) -> None:
    assert told_apart(one, other) is told_apart(other, one) is apart
