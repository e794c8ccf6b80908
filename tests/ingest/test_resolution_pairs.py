import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest

from clew_ingest.resolution.pairs import decide
from clew_ingest.resolution.views import EntityView

PAIRS = Path(__file__).parents[1] / "benchmarks" / "data" / "entity_pairs.jsonl"


def view(name: str, type_: str = "", *documents: str, aliases: tuple[str, ...] = ()) -> EntityView:
    return EntityView(f"{name} {type_}", name, type_, aliases, documents=frozenset(documents))


@pytest.mark.parametrize(
    ("one", "other", "type_"),
    [
        ("J. R. R. Tolkien", "JRR Tolkien", "PERSON"),
        ("J. R. R. Tolkien", "John Ronald Reuel Tolkien", "PERSON"),
        ("Sir Arthur Conan Doyle", "Arthur Conan Doyle", "PERSON"),
        ("Queen Elizabeth II", "Elizabeth II", "PERSON"),
        ("Microsoft Research Inc.", "Microsoft Research", "ORG"),
        ("Simon & Garfunkel", "Simon and Garfunkel", "ORG"),
        ("World War II", "the Second World War", "EVENT"),
        ("Spider-Man Returns", "Spiderman Returns", "WORK_OF_ART"),
        ("Namibian", "Namibians", "NORP"),
        ("Portland, OR", "Portland, Oregon", "GPE"),
        ("U.S.", "United States", "GPE"),
        ("Saint-Denis", "Saint Denis", "GPE"),
        ("1990", "1990", "DATE"),
        ("BAT-10", "BAT10", "CODE"),
    ],
)
def test_sure_pairs(one: str, other: str, type_: str) -> None:
    decision = decide(view(one, type_), view(other, type_))
    assert decision.verdict == "same"
    assert decision.score >= 0.9


@pytest.mark.parametrize(
    ("one", "other", "type_", "reason"),
    [
        ("Henry V", "Henry VI", "PERSON", "numbers"),
        ("World War I", "World War II", "EVENT", "numbers"),
        ("Apollo 11", "Apollo 13", "PRODUCT", "numbers"),
        ("Rocky", "Rocky II", "WORK_OF_ART", "only one has the number 2"),
        ("Martin Luther King Jr.", "Martin Luther King Sr.", "PERSON", "generations"),
        ("Mercury (planet)", "Mercury (element)", "", "brackets"),
        ("Springfield, Illinois", "Springfield, Ohio", "GPE", "regions"),
        ("Mr. Smith", "Mrs. Smith", "PERSON", "titles"),
        ("Ada Lovelace", "Ralph Lovelace", "PERSON", "given names"),
        ("George H. W. Bush", "George W. Bush", "PERSON", "middle names"),
        ("North Carolina", "South Carolina", "GPE", "is not"),
        ("Los Angeles", "Los Angeles County", "GPE", "county"),
        ("Basketball League", "Women's Basketball League", "ORG", "women"),
        ("1990", "1991", "DATE", "values"),
        ("Berlin", "Paris", "GPE", "differ"),
        ("Smith", "Smiths", "PERSON", ""),
        ("max_fee", "max_fee_per_gas", "CODE", "another"),
        ("MAX_BLOB_GAS", "TARGET_BLOB_GAS", "CODE", "another"),
    ],
)
def test_pairs_that_are_kept_apart_even_by_near_embeddings(
    one: str, other: str, type_: str, reason: str
) -> None:
    near = decide(view(one, type_), view(other, type_), 0.95)
    assert near.verdict != "same"
    decision = decide(view(one, type_), view(other, type_))
    if reason:
        assert decision.verdict == "different"
        assert reason in " ".join(decision.reasons)


@pytest.mark.parametrize(
    ("one", "other", "type_", "cosine"),
    [
        ("J. Smith", "John Smith", "PERSON", None),
        ("George Bush", "George W. Bush", "PERSON", None),
        ("John Adams", "John Quincy Adams", "PERSON", 0.95),
        ("Bill Clinton", "William Clinton", "PERSON", None),
        ("Joseph Smith", "Joseph Smith Jr.", "PERSON", None),
        ("Elizabeth", "Elizabeth II", "PERSON", None),
        ("Portland", "Portland, Oregon", "GPE", None),
        ("Apple", "Apple Inc.", "ORG", None),
        ("NATO", "North Atlantic Treaty Organization", "ORG", None),
        ("Rolling Stone", "Rolling Stones", "ORG", 0.9),
        ("Muhammad Ali", "Muhammed Ali", "PERSON", None),
        ("Lovelace", "Ada Lovelace", "PERSON", 0.8),
        ("Baron Byron", "Byron", "PERSON", None),
        ("Halloween", "Halloween", "WORK_OF_ART", None),
        ("Holland", "Netherlands", "GPE", 0.93),
    ],
)
def test_unsure_pairs(one: str, other: str, type_: str, cosine: float | None) -> None:
    decision = decide(view(one, type_), EntityView("other", other, type_), cosine)
    assert decision.verdict == "unsure"
    assert 0.3 <= decision.score < 0.9
    assert decision.reasons


def test_homonyms_of_different_types_stay_apart() -> None:
    assert decide(view("Washington", "PERSON"), view("Washington", "GPE"), 1.0).verdict == (
        "different"
    )
    assert decide(view("Ed Wood (film)"), view("Ed Wood", "PERSON")).verdict == "different"
    assert decide(view("Manchester", "ORG"), view("Manchester", "GPE"), 1.0).verdict == "unsure"


def test_types_are_named_in_words() -> None:
    (*_, doubt) = decide(view("Avalon", "ORG"), view("Avalon", "GPE")).reasons
    assert doubt == "taken for a place, and for an organisation"
    apart = decide(view("Avalon", "PERSON"), view("Avalon", "WORK_OF_ART"))
    assert apart.reasons == ("one is taken for a person, the other for a work",)


def test_the_region_may_be_missing_where_the_bare_name_is_never_without_it() -> None:
    full = view("Vicco, Kentucky", "", "d1", "d2")
    assert decide(view("Vicco", "GPE", "d1"), full).verdict == "same"
    assert decide(view("Vicco", "GPE", "d1", "d3"), full).verdict == "unsure"
    assert decide(view("Vicco", "GPE"), view("Vicco, Kentucky")).verdict == "unsure"


def test_brackets_may_be_missing_where_they_tell_the_type() -> None:
    politician = view("William Copley (politician)", "", "d1")
    assert decide(view("William Copley", "PERSON", "d1"), politician).verdict == "same"
    film = view("The Last Tycoon (1976 film)", "", "d1")
    assert decide(view("The Last Tycoon", "WORK_OF_ART", "d1"), film).verdict == "unsure"


def test_an_acronym_is_sure_where_most_of_its_documents_have_the_long_form() -> None:
    long = view("Economic Partnership Agreement", "ORG", "d1")
    assert decide(view("EPA", "ORG", "d1"), long).verdict == "same"
    assert decide(view("EPA", "ORG", "d1", "d2"), long).verdict == "unsure"
    assert decide(view("EPB", "ORG", "d1"), long).verdict == "different"


def test_a_name_of_several_words_that_both_go_by_makes_a_pair_sure() -> None:
    twain = view("Mark Twain", "PERSON", aliases=("Samuel Langhorne Clemens",))
    clemens = view("Samuel Langhorne Clemens", "PERSON")
    assert decide(twain, clemens).verdict == "same"
    byron = view("Ada Lovelace", "PERSON", aliases=("Ada",))
    assert decide(byron, view("Ada", "PERSON")).verdict == "different"


def test_a_cosine_alone_makes_nothing_the_same() -> None:
    assert decide(view("Holland", "GPE"), view("Netherlands", "GPE"), 1.0).verdict == "unsure"
    assert decide(view("Holland", "GPE"), view("Netherlands", "PERSON"), 1.0).verdict == (
        "different"
    )


def test_a_name_without_a_word_is_nothing() -> None:
    for name in ("", "...", "()"):
        assert decide(view(name), view(name)).verdict == "different"


def labelled() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]


def test_the_order_of_a_pair_does_not_matter() -> None:
    rows = labelled()
    views = [view(row["a"], row["type_a"], "d") for row in rows]
    views += [view(row["b"], row["type_b"]) for row in rows]
    generator = random.Random(3)
    for row in rows:
        a = view(row["a"], row["type_a"], "d1", "d2")
        b = view(row["b"], row["type_b"], "d2")
        assert decide(a, b, 0.9) == decide(b, a, 0.9)
    for a, b in zip(generator.sample(views, 300), generator.sample(views, 300), strict=True):
        assert decide(a, b, 0.5) == decide(b, a, 0.5)
        assert 0.0 <= decide(a, b, 0.5).score <= 1.0


def test_the_labelled_pairs_are_enough_and_each_stands_once() -> None:
    rows = labelled()
    assert len(rows) >= 240
    assert 0.4 <= sum(bool(row["same"]) for row in rows) / len(rows) <= 0.6
    names = {frozenset({(row["a"], row["type_a"]), (row["b"], row["type_b"])}) for row in rows}
    assert len(names) == len(rows)
    assert all(
        row["note"] and row["shared"] <= min(row["documents_a"], row["documents_b"]) for row in rows
    )


def test_one_name_is_itself_whatever_its_case() -> None:
    for name, type_ in itertools.product(("ada lovelace", "new york city"), ("PERSON", "GPE")):
        assert decide(view(name, type_), view(name.title(), type_)).verdict == "same"
