"""Blocks of names: which names meet in one, whatever embeddings say."""

from clew_ingest.resolution.name_blocks import name_blocks
from clew_ingest.resolution.views import EntityView


def meet(a: EntityView, b: EntityView) -> bool:
    """Whether one of the two finds the other."""
    one, other = name_blocks(a), name_blocks(b)
    return bool(one.looks_in & other.found_in or other.looks_in & one.found_in)


def names_meet(a: tuple[str, str], b: tuple[str, str]) -> bool:
    return meet(EntityView("1", *a), EntityView("2", *b))


def test_names_that_embeddings_keep_apart_meet() -> None:
    assert names_meet(("MoMA", "LOC"), ("Museum of Modern Art", "ORG"))
    assert names_meet(("NATO", "ORG"), ("North Atlantic Treaty Organization", "ORG"))
    assert names_meet(("J. Tolkien", "PERSON"), ("John Tolkien", "PERSON"))
    assert names_meet(("Spider-Man", "WORK_OF_ART"), ("Spiderman", ""))
    assert not names_meet(("Berlin", "GPE"), ("Paris", "GPE"))
    assert not names_meet(("Ada Lovelace", "PERSON"), ("Ralph Lovelace", "PERSON"))


def test_an_alias_brings_entities_together() -> None:
    assert meet(
        EntityView("1", "Mark Twain", "PERSON", ("Samuel Clemens",)),
        EntityView("2", "Samuel Clemens", "PERSON"),
    )


def test_an_acronym_looks_for_long_forms_alone() -> None:
    moma = name_blocks(EntityView("1", "MoMA", "ORG"))
    assert "letters moma" in moma.looks_in
    assert "letters moma" not in moma.found_in


def test_what_has_no_letters_has_no_block() -> None:
    for name in ("", "..."):
        assert name_blocks(EntityView("1", name)).found_in == frozenset()
