"""What was made lately is made once, together with what is asked for beside it."""

from threading import Barrier, Thread

import pytest

from clew_models.recently_used import RecentlyUsed


class Lengths:
    """Makes the lengths of texts, and notes what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, texts: list[str]) -> list[int]:
        self.asked.append(texts)
        return [len(text) for text in texts]


def test_each_key_is_made_once_and_what_is_missing_in_one_call() -> None:
    kept, make = RecentlyUsed[str, int](10), Lengths()
    assert kept.values(["one", "three", "one"], make) == [3, 5, 3]
    assert kept.values(["three", "seven", "fifteen"], make) == [5, 5, 7]
    assert kept.values(["one"], make) == [3]
    assert make.asked == [["one", "three"], ["seven", "fifteen"]]


def test_what_was_used_longest_ago_goes_first() -> None:
    kept, make = RecentlyUsed[str, int](2), Lengths()
    kept.values(["a", "bb"], make)
    kept.values(["a"], make)
    kept.values(["ccc"], make)  # bb goes: a was used after it
    assert len(kept) == 2
    kept.values(["a", "ccc"], make)
    assert make.asked == [["a", "bb"], ["ccc"]]
    kept.values(["bb"], make)
    assert make.asked[-1] == ["bb"]


def test_more_than_is_kept_can_be_asked_for_at_once() -> None:
    kept, make = RecentlyUsed[str, int](1), Lengths()
    assert kept.values(["a", "bb", "ccc"], make) == [1, 2, 3]
    assert len(kept) == 1


def test_what_fails_is_not_kept() -> None:
    kept, make = RecentlyUsed[str, int](10), Lengths()

    def fails(texts: list[str]) -> list[int]:
        raise OSError(texts)

    with pytest.raises(OSError, match="a"):
        kept.values(["a"], fails)
    assert kept.values(["a"], make) == [1]


def test_nobody_waits_for_another_who_makes_something() -> None:
    kept = RecentlyUsed[str, int](10)
    both = Barrier(2, timeout=10)  # met only if both make at the same time
    found: list[list[int]] = []

    def slow(texts: list[str]) -> list[int]:
        both.wait()
        return [len(text) for text in texts]

    threads = [
        Thread(target=lambda text=text: found.append(kept.values([text], slow)))
        for text in ("a", "bb")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [[1], [2]]
