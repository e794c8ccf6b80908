"""Facts as files have them: what is read of a file's lines, and how it is named. No database."""

import pytest

from clew_ingest.errors import UnreadableSource
from clew_ingest.reading import media_types
from clew_ingest.reading.triple_files import BadLine, read_statements
from clew_ingest.reading.triple_spool import Fact, TripleSpool, in_words, key_of

PREFIXES = (
    "@prefix e: <http://e.org/> .\n@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> ."
)


def facts(content: str, media_type: str) -> list[Fact]:
    spool = TripleSpool(content.encode(), media_type, "facts")
    try:
        found, _ = spool.facts(0, 1000)
        assert len(found) == spool.total
        return found
    finally:
        spool.close()


def said(found: list[Fact]) -> list[tuple[str, str, str]]:
    return [(one.head.name, one.relation, one.tail.name) for one in found]


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ('\ufeff"Brand, Ella",spouse,Tom\r\n', [("Brand, Ella", "spouse", "Tom")]),
        ("\ufeffHead;Relation;Tail\r\nElla;spouse;Tom\r\n", [("Ella", "spouse", "Tom")]),
        ('Ella,note,"first\nsecond"\n', [("Ella", "note", "first second")]),
        ('Ella,called,"""the Owl"""\n', [("Ella", "called", '"the Owl"')]),
        (
            "Brand, Ella, Dr;spouse;Tom\nTom;age;40\n",
            [("Brand, Ella, Dr", "spouse", "Tom"), ("Tom", "age", "40")],
        ),
        ("Ella\tspouse\tTom\n", [("Ella", "spouse", "Tom")]),
        (
            "李白,出生地,碎叶城\nمحمد,أخ,علي\n",
            [("李白", "出生地", "碎叶城"), ("محمد", "أخ", "علي")],
        ),
    ],
)
def test_tables(content: str, wanted: list[tuple[str, str, str]]) -> None:
    assert said(facts(content, media_types.CSV)) == wanted


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("Ella,spouse,\n", "Line 1: Its object is empty."),
        ("Ella,spouse,Tom,1890\n", "Line 1: It has 4 columns"),
        (f"Ella,note,{'x' * 100_000}\n", "Line 1: Its object has more than 20,000 characters."),
    ],
)
def test_rows_that_are_no_triple_say_why(content: str, reason: str) -> None:
    with pytest.raises(UnreadableSource, match=reason):
        facts(content, media_types.CSV)


def test_addresses_in_a_table_are_those_of_things_where_the_relation_is_one() -> None:
    content = (
        "http://e.org/Ella_Brand\thttp://e.org/birthPlace\thttp://e.org/K%C3%B6ln\n"
        "<urn:x:ella>\t<http://e.org/spouse>\tTom\n"
        "Ella\thomepage\thttp://ella.org/about_me\n"
    )
    found = facts(content, media_types.TSV)
    assert said(found) == [
        ("Ella Brand", "birth place", "Köln"),
        ("ella", "spouse", "Tom"),
        ("Ella", "homepage", "http://ella.org/about_me"),
    ]
    assert [one.head.iri for one in found] == ["http://e.org/Ella_Brand", "urn:x:ella", None]
    assert found[0].relation_iri == "http://e.org/birthPlace"


def test_nodes_without_a_name_are_those_of_their_file() -> None:
    """Two files that call a node alike, or are called alike, had it in common."""
    line = "_:b0 <http://e.org/knows> <http://e.org/Ada> .\n"
    for content, media_type in (
        (line, media_types.N_TRIPLES),
        ("@prefix e: <http://e.org/> .\n[] e:knows e:Ada .\n", media_types.TURTLE),
        (line.replace(" .", "").replace(" ", "\t"), media_types.TSV),
    ):
        heads = []
        for owner in ("people (1)", "people (2)"):
            spool = TripleSpool(content.encode(), media_type, owner)
            heads += [one.head for one in spool.facts(0, 10)[0]]
            spool.close()
        assert [one.name for one in heads] == ["people (1) node 1", "people (2) node 1"]
        assert len({one.key for one in heads}) == 2


def test_each_sign_of_an_id_counts() -> None:
    content = "/m/02hrh0_\tname\tA\n/m/02hrh0\tname\tB\n"
    found = facts(content, media_types.TSV)
    assert [one.head.name for one in found] == ["/m/02hrh0_", "/m/02hrh0"]
    assert len({one.head.key for one in found}) == 2


@pytest.mark.parametrize(
    "names",
    [
        ("C", "C++", "C#"),
        ("5", "-5", "+5", "<5", "~5"),
        ("0044-03-15", "-0044-03-15"),
    ],
)
def test_signs_tell_names_apart(names: tuple[str, ...]) -> None:
    assert len({key_of(name) for name in names}) == len(names)


def test_spellings_of_one_name_have_one_key() -> None:
    assert key_of("−5") == key_of("-5")
    assert key_of("“The  Tarn Mill”") == key_of("tarn mill.")
    assert key_of("- Ella") == key_of("Ella")


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        ("birthPlace", "birth place"),
        ("place_of_birth", "place of birth"),
        ("/people/person/place_of_birth", "place of birth"),
        ("people.person.place_of_birth", "place of birth"),
        ("dbo:birthPlace", "birth place"),
        ("is a.k.a.", "is a.k.a."),
        ("born in: city", "born in: city"),
        ("and/or", "and/or"),
    ],
)
def test_relations_in_words(relation: str, words: str) -> None:
    assert in_words(relation) == words


def test_what_is_stated_of_a_list_is_stated_of_its_members() -> None:
    content = f"{PREFIXES}\ne:Ella e:children ( e:Ida ( e:Max 7 ) ) ; e:age 40 ."
    found = facts(content, media_types.TURTLE)
    assert sorted(said(found)) == [
        ("Ella", "age", "40"),
        ("Ella", "children", "7"),
        ("Ella", "children", "Ida"),
        ("Ella", "children", "Max"),
    ]
    assert {one.tail.type for one in found if one.tail.name == "7"} == {"CARDINAL"}


def test_lists_that_are_the_subject_or_bite_their_tail_lose_nothing_else() -> None:
    content = f"{PREFIXES}\ne:a e:l _:l . _:l rdf:first e:m ; rdf:rest _:l .\n( e:x ) e:of e:q ."
    found = said(facts(content, media_types.TURTLE))
    assert ("a", "l", "m") in found
    assert {relation for _, relation, _ in found} == {"l", "first", "rest", "of"}


@pytest.mark.parametrize(
    "content",
    [
        "@base <http://x.org/> .\n@prefix : <http://x.org/> .\n<ada> :knows <bob> .\n",
        "<ada> <http://x.org/knows> <bob> .\n",
        "@prefix : <#> .\n:ada :knows :bob .\n",
    ],
)
def test_addresses_of_turtle_may_be_relative(content: str) -> None:
    assert said(facts(content, media_types.TURTLE)) == [("ada", "knows", "bob")]


@pytest.mark.parametrize(
    "end", [':ada :knows "Bo', ":ada", ":ada :knows <bo", ":a :b " + "[ :b " * 2_000 + "7"]
)
def test_turtle_that_is_cut_off_or_nested_too_deeply_is_a_bad_line(end: str) -> None:
    *_, last = read_statements(f"@prefix : <http://a/> .\n{end}".encode(), media_types.TURTLE)
    assert isinstance(last, BadLine)
    assert last.reason.startswith("It is no Turtle: ")
