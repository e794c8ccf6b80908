from clew_ingest.resolution.candidates import (
    LARGEST_BLOCK,
    Candidate,
    name_pairs,
    neighbour_pairs,
)
from clew_ingest.resolution.views import EntityView


def names(*entities: tuple[str, str]) -> list[tuple[str, str]]:
    views = [EntityView(name, name, type_) for name, type_ in entities]
    return [(pair.a, pair.b) for pair in name_pairs(views)]


def test_neighbours_are_paired_once_with_the_greater_cosine() -> None:
    neighbours = {"a": [("a", 1.0), ("b", 0.8), ("c", 0.5)], "b": [("a", 0.81), ("d", 0.9)]}
    types = {"a": "GPE", "b": "LOC", "c": "GPE", "d": "PERSON"}
    assert neighbour_pairs(neighbours, types) == [Candidate("a", "b", 0.81)]
    assert neighbour_pairs(neighbours, types, least=0.5) == [
        Candidate("a", "b", 0.81),
        Candidate("a", "c", 0.5),
    ]
    assert neighbour_pairs({}, {}) == []


def test_names_that_embeddings_keep_apart_meet_in_blocks() -> None:
    assert names(("MoMA", "LOC"), ("Museum of Modern Art", "ORG")) == [
        ("MoMA", "Museum of Modern Art")
    ]
    assert names(("NATO", "ORG"), ("North Atlantic Treaty Organization", "ORG")) != []
    assert names(("J. Tolkien", "PERSON"), ("John Tolkien", "PERSON")) != []
    assert names(("Spider-Man", "WORK_OF_ART"), ("Spiderman", "")) != []
    assert names(("Berlin", "GPE"), ("Paris", "GPE")) == []
    assert names(("Ada Lovelace", "PERSON"), ("Ralph Lovelace", "PERSON")) == []


def test_types_that_never_agree_do_not_meet() -> None:
    assert names(("Jordan", "PERSON"), ("JORDAN", "GPE")) == []


def test_an_alias_brings_entities_together() -> None:
    views = [
        EntityView("1", "Mark Twain", "PERSON", ("Samuel Clemens",)),
        EntityView("2", "Samuel Clemens", "PERSON"),
    ]
    assert name_pairs(views) == [Candidate("1", "2", None)]


def test_a_block_that_is_too_large_is_passed_over() -> None:
    people = [EntityView(str(n), f"J{'a' * n} Smith", "PERSON") for n in range(1, LARGEST_BLOCK)]
    assert len(name_pairs(people)) == len(people) * (len(people) - 1) // 2
    people += [EntityView(f"x{n}", f"Jo{'x' * n} Smith", "PERSON") for n in range(5)]
    assert name_pairs(people) == []


def test_nothing_pairs_with_nothing() -> None:
    assert name_pairs([]) == []
    assert name_pairs([EntityView("1", ""), EntityView("2", "...")]) == []
