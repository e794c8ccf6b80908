import random
from typing import Any

import pytest

from clew_ingest.resolution import within_document
from clew_ingest.resolution.within_document import (
    DocumentMention,
    NameGroup,
    defined_acronyms,
    join_short_forms,
)


def groups(*names: str, text: str = "", title: str = "") -> list[list[str]]:
    """Return the surfaces of each group; names are "surface|TYPE", in the order of the text."""
    return [
        [mention.surface for mention in group.mentions]
        for group in joined(*names, text=text, title=title)
    ]


def joined(*names: str, text: str = "", title: str = "") -> tuple[NameGroup, ...]:
    mentions = []
    for position, name in enumerate(names):
        surface, _, type_ = name.partition("|")
        mentions.append(DocumentMention(surface, type_ or "PERSON", position))
    return join_short_forms(mentions, text, title)


def test_a_surname_and_a_given_name_are_joined_to_the_one_full_name() -> None:
    (group,) = joined("Ada Lovelace", "Lovelace", "Ada", "Ms. Lovelace")
    assert group.name == "Ada Lovelace"
    assert group.aliases == ("Ada", "Lovelace", "Ms. Lovelace")
    assert [mention.position for mention in group.mentions] == [0, 1, 2, 3]
    assert "Ada is short for Ada Lovelace" in group.reasons


def test_a_short_form_may_come_first() -> None:
    assert groups("Lovelace", "Ada Lovelace") == [["Lovelace", "Ada Lovelace"]]


def test_a_name_of_two_stays_apart() -> None:
    assert groups("John Smith", "Jane Smith", "Smith", "Jane") == [
        ["John Smith"],
        ["Jane Smith", "Jane"],
        ["Smith"],
    ]


def test_a_name_is_joined_to_no_other_type() -> None:
    assert groups("Ada Lovelace", "Lovelace|ORG") == [["Ada Lovelace"], ["Lovelace"]]
    assert groups("Ada Lovelace", "Lovelace|GPE") == [["Ada Lovelace"], ["Lovelace"]]


def test_a_father_and_his_son_stay_apart() -> None:
    assert groups("John Smith Sr.", "John Smith Jr.", "John Smith") == [
        ["John Smith Sr."],
        ["John Smith Jr."],
        ["John Smith"],
    ]
    assert groups("John Smith Jr.", "John Smith") == [["John Smith Jr."], ["John Smith"]]
    assert groups("Henry V", "Henry VI", "Henry") == [["Henry V"], ["Henry VI"], ["Henry"]]
    assert groups("Henry V", "Henry") == [["Henry V", "Henry"]]


def test_a_title_of_the_other_sex_keeps_apart() -> None:
    assert groups("Sir John Smith", "Mrs. Smith") == [["Sir John Smith"], ["Mrs. Smith"]]


def test_names_that_extend_one_another_are_one_candidate() -> None:
    assert groups("Ada King Lovelace", "King Lovelace", "Lovelace") == [
        ["Ada King Lovelace", "King Lovelace", "Lovelace"]
    ]


def test_spellings_of_a_full_name_are_one_group() -> None:
    assert groups("J. R. R. Tolkien", "John Ronald Reuel Tolkien", "JRR Tolkien", "Tolkien") == [
        ["J. R. R. Tolkien", "John Ronald Reuel Tolkien", "JRR Tolkien", "Tolkien"]
    ]


def test_an_organisation_goes_by_its_name_without_its_kind_but_not_as_its_daughter() -> None:
    assert groups("Harvard University|ORG", "Harvard|ORG") == [["Harvard University", "Harvard"]]
    assert groups("Microsoft Corporation|ORG", "Microsoft|ORG") == [
        ["Microsoft Corporation", "Microsoft"]
    ]
    assert groups("Sony Music Entertainment|ORG", "Sony|ORG") == [
        ["Sony Music Entertainment"],
        ["Sony"],
    ]
    assert groups("Bank of Montreal|ORG", "Montreal|ORG") == [["Bank of Montreal"], ["Montreal"]]
    assert groups("National Bank|ORG", "National|ORG") == [["National Bank"], ["National"]]


def test_a_place_is_joined_to_itself_with_its_region_only() -> None:
    assert groups("Springfield, Illinois|GPE", "Springfield|GPE") == [
        ["Springfield, Illinois", "Springfield"]
    ]
    assert groups("Springfield, Illinois|GPE", "Springfield, Ohio|GPE", "Springfield|GPE") == [
        ["Springfield, Illinois"],
        ["Springfield, Ohio"],
        ["Springfield"],
    ]
    assert groups("New York|GPE", "York|GPE") == [["New York"], ["York"]]


def test_an_acronym_is_joined_where_the_text_defines_it() -> None:
    text = "The North Atlantic Treaty Organization (NATO) is an alliance."
    names = ("North Atlantic Treaty Organization|ORG", "NATO|ORG")
    assert groups(*names, text=text) == [["North Atlantic Treaty Organization", "NATO"]]
    assert groups(*names) == [["North Atlantic Treaty Organization"], ["NATO"]]


def test_a_title_is_joined_to_the_fuller_name_that_begins_the_text() -> None:
    (group,) = joined("Gerald Lee McRaney", "Gerald McRaney", title="Gerald McRaney (actor)")
    assert group.name == "Gerald Lee McRaney"
    assert group.aliases == ("Gerald McRaney", "Gerald McRaney (actor)")
    late = join_short_forms(
        [DocumentMention("Gerald Lee McRaney", "PERSON", 400)], title="Gerald McRaney"
    )
    assert late[0].aliases == ()
    (one,) = joined("Etta Tavernier", title="Celestine and Etta Tavernier")
    assert one.aliases == ()
    (other,) = joined("Ada Lovelace", title="Analytical Engine")
    assert other.aliases == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the World Health Organization (WHO)", {"WHO": "World Health Organization"}),
        ("the FBI (Federal Bureau of Investigation)", {"FBI": "Federal Bureau of Investigation"}),
        ("the Football Club of Turin (FCT; founded)", {"FCT": "Football Club of Turin"}),
        ("General Electric (1892)", {}),
        ("a company (see below)", {}),
        ("World Health Organization (ABC)", {}),
        ("Big Old Cat (BOC) and Bank of China (BOC)", {}),
        ("", {}),
    ],
)
def test_definitions_of_acronyms(text: str, expected: dict[str, str]) -> None:
    assert defined_acronyms(text) == expected


def test_no_mentions_make_no_groups() -> None:
    assert join_short_forms([]) == ()


def test_every_mention_is_in_one_group_and_their_order_does_not_matter() -> None:
    generator = random.Random(11)
    parts = ["John", "Jane", "Smith", "J.", "Jr.", "King", "II", "London", "...", "(UN)", "Sir"]
    for _ in range(150):
        mentions = [
            DocumentMention(
                " ".join(generator.choices(parts, k=generator.randrange(1, 4))),
                generator.choice(["PERSON", "ORG", "GPE", "", "DATE"]),
                position,
            )
            for position in range(generator.randrange(8))
        ]
        made = join_short_forms(mentions)
        placed = [mention for group in made for mention in group.mentions]
        assert sorted(mention.position for mention in placed) == list(range(len(mentions)))
        generator.shuffle(mentions)
        assert join_short_forms(mentions) == made


@pytest.mark.timeout(20)
def test_names_that_share_a_word_are_not_all_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[object, ...]] = []
    contradiction = within_document.contradiction

    def noting(*names: Any) -> str:
        compared.append(names)
        return contradiction(*names)

    monkeypatch.setattr(within_document, "contradiction", noting)
    given = [first + second for first in ("Ada", "Bo", "Cyr") for second in ("bert", "dan", "lin")]
    names = [f"{one} {other} Smith" for one in given for other in given]
    assert len(groups(*names, "Adabert Adadan")) == len(names)
    assert len(compared) < len(names)


def test_a_subject_that_is_short_for_the_title_does_not_lead_back_to_itself() -> None:
    mentions = [
        DocumentMention("Verdi Khan", "PERSON", 5),
        DocumentMention("Shah Verdi Khan", "PERSON", 60),
    ]
    groups = join_short_forms(mentions, title="Shah Verdi Khan")
    assert [group.name for group in groups] == ["Shah Verdi Khan"]
    assert len(groups[0].mentions) == 2
