"""Which clues say something."""

from clew_models.translator.clues import Clue, TranslatedEntity, with_content

STAVANHOLM = TranslatedEntity("e1", "Stavanholm", -1.0, True)
SELD = TranslatedEntity("e2", "Seld", -1.0, False)


def clue(entity: TranslatedEntity, relation: str, direction: str = "forward") -> Clue:
    return Clue(entity, relation, -2.0, direction, ("s1",), ("c1",))  # type: ignore[arg-type]


def test_a_relation_without_a_word_says_nothing() -> None:
    kept = clue(STAVANHOLM, " is a harbour town in")
    assert with_content([clue(STAVANHOLM, ","), kept, clue(SELD, " ## , ##.")]) == [kept]


def test_numbers_and_other_scripts_are_words() -> None:
    clues = [clue(SELD, " 1874"), clue(STAVANHOLM, "出生")]
    assert with_content(clues) == clues
