"""The `rules` extractor: one small text a construction, with all the triples expected of it."""

from collections.abc import Callable
from typing import Any

import pytest

from clew_ingest.parsing.parser import DEFAULT_PIPELINE, UNUSED_PIPES
from clew_ingest.parsing.spacy_pipeline import load_pipeline
from clew_ingest.triples.base import ExtractedTriple
from clew_ingest.triples.rules import extract_triples

Extract = Callable[..., list[ExtractedTriple]]


@pytest.fixture(scope="module")
def extract() -> Extract:
    """Parse as the product does, then extract."""
    pipeline: Any = load_pipeline(DEFAULT_PIPELINE, exclude=UNUSED_PIPES)
    return lambda text, title="", **more: extract_triples(pipeline(text), title, **more)


def said(triples: list[ExtractedTriple]) -> set[tuple[str, str, str]]:
    """The statements, without types and places."""
    return {(triple.head, triple.predicate, triple.tail) for triple in triples}


CONSTRUCTIONS = {
    "subject, verb, object": (
        "Germany borders France.",
        {("Germany", "border", "France")},
    ),
    "joined objects": (
        "Germany borders France, Poland and Austria.",
        {
            ("Germany", "border", "France"),
            ("Germany", "border", "Poland"),
            ("Germany", "border", "Austria"),
        },
    ),
    "joined verbs": (
        "Marie Curie discovered polonium and radium and won the Nobel Prize.",
        {
            ("Marie Curie", "discover", "polonium"),
            ("Marie Curie", "discover", "radium"),
            ("Marie Curie", "win", "Nobel Prize"),
        },
    ),
    "passive with agent": (
        "Jaws was directed by Steven Spielberg.",
        {("Jaws", "direct by", "Steven Spielberg")},
    ),
    "passive with a place and its region": (
        "Steven Spielberg was born in Cincinnati, Ohio.",
        {
            ("Steven Spielberg", "bear in", "Cincinnati"),
            ("Steven Spielberg", "bear in", "Ohio"),
            ("Cincinnati", "in", "Ohio"),
        },
    ),
    "passive with joined agents": (
        "The company was founded by Bill Gates and Paul Allen in Albuquerque.",
        {
            ("company", "found by", "Bill Gates"),
            ("company", "found by", "Paul Allen"),
            ("company", "found in", "Albuquerque"),
        },
    ),
    "copula with a prepositional attribute": (
        "Paris is the capital of France.",
        {("Paris", "be", "capital of France"), ("Paris", "be capital of", "France")},
    ),
    "copula, owner first": (
        "France's president is Emmanuel Macron.",
        {
            ("France's president", "be", "Emmanuel Macron"),
            ("France", "president", "Emmanuel Macron"),
        },
    ),
    "apposition": (
        "Paris, the capital of France, lies on the Seine.",
        {
            ("Paris", "be", "capital of France"),
            ("Paris", "be capital of", "France"),
            ("Paris", "lie on", "Seine"),
        },
    ),
    "possessive with a name": (
        "Leonard Nimoy's son Adam directed the film.",
        {("Leonard Nimoy", "son", "Adam"), ("Adam", "direct", "film")},
    ),
    "nested relative clauses": (
        "Google bought YouTube, which was founded by Chad Hurley, who had worked for PayPal.",
        {
            ("Google", "buy", "YouTube"),
            ("YouTube", "found by", "Chad Hurley"),
            ("Chad Hurley", "work for", "PayPal"),
        },
    ),
    "relative clause within": (
        "Amazon, which is based in Seattle, sells books.",
        {("Amazon", "base in", "Seattle"), ("Amazon", "sell", "books")},
    ),
    "relative clause about an object": (
        "The book that Jane Austen wrote was published in London.",
        {("Jane Austen", "write", "book"), ("book", "publish in", "London")},
    ),
    "relative clause with its preposition": (
        "Vienna, in which Mozart lived, is a city.",
        {("Mozart", "live in", "Vienna"), ("Vienna", "be", "city")},
    ),
    "relative clause of an owner": (
        "Leopold Mozart, whose son Wolfgang lived in Vienna, died in Salzburg.",
        {
            ("Leopold Mozart", "son", "Wolfgang"),
            ("Wolfgang", "live in", "Vienna"),
            ("Leopold Mozart", "die in", "Salzburg"),
        },
    ),
    "participle in front": (
        "Founded by Steve Jobs in 1976, Apple moved to Cupertino.",
        {
            ("Apple", "found by", "Steve Jobs"),
            ("Apple", "found in", "1976"),
            ("Apple", "move to", "Cupertino"),
        },
    ),
    "role before a name": (
        "The film was shot by director John Ford in Utah.",
        {
            ("film", "shoot by", "John Ford"),
            ("film", "shoot in", "Utah"),
            ("John Ford", "be", "director"),
        },
    ),
    "negation": (
        "Jane Austen did not marry Tom Lefroy.",
        {("Jane Austen", "not marry", "Tom Lefroy")},
    ),
    "object of a complement": (
        "Barack Obama was elected president of the United States.",
        {
            ("Barack Obama", "elect", "president of the United States"),
            ("Barack Obama", "elect president of", "United States"),
        },
    ),
    "joined prepositional objects": (
        "Lake Geneva lies between France and Switzerland.",
        {
            ("Lake Geneva", "lie between", "France"),
            ("Lake Geneva", "lie between", "Switzerland"),
        },
    ),
    "there is": ("There is a museum in Berlin.", {("museum", "be in", "Berlin")}),
    "dates of a life": (
        "Albert Einstein (14 March 1879 – 18 April 1955) was a German physicist.",
        {
            ("Albert Einstein", "bear", "14 March 1879"),
            ("Albert Einstein", "die", "18 April 1955"),
            ("Albert Einstein", "be", "German physicist"),
        },
    ),
    "years of a life": (
        "Albert Einstein (1879–1955) was a physicist.",
        {
            ("Albert Einstein", "bear", "1879"),
            ("Albert Einstein", "die", "1955"),
            ("Albert Einstein", "be", "physicist"),
        },
    ),
    "born, in brackets": (
        "Bob Dylan (born May 24, 1941) is an American singer.",
        {("Bob Dylan", "bear", "May 24, 1941"), ("Bob Dylan", "be", "American singer")},
    ),
    "a pronoun that means nobody known": ("He was born in Paris.", set()),
    "fragment": ("List of rivers", set()),
    "numbers": ("1. 2. 3.", set()),
    "empty": ("", set()),
    "blank": (" \n\n ", set()),
}


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_what_a_construction_states(name: str, extract: Extract) -> None:
    text, expected = CONSTRUCTIONS[name]
    triples = extract(text)
    assert said(triples) == expected
    assert len(triples) == len(expected), "nothing is extracted twice"


def test_a_title_in_quotes_is_one_argument(extract: Extract) -> None:
    found = said(extract('John Lennon wrote "In My Life" in London.'))
    assert ("John Lennon", "write", "In My Life") in found


def test_verbs_share_the_object_of_the_last(extract: Extract) -> None:
    found = said(extract("John Ford filmed and directed Stagecoach."))
    assert ("John Ford", "film", "Stagecoach") in found
    assert ("John Ford", "direct", "Stagecoach") in found


def test_pronouns_and_possessives_mean_the_subject(extract: Extract) -> None:
    text = "Marie Curie was a physicist. She was born in Warsaw. Her husband was Pierre Curie."
    found = said(extract(text, "Marie Curie"))
    assert ("Marie Curie", "bear in", "Warsaw") in found
    assert ("Marie Curie", "husband", "Pierre Curie") in found
    without = said(extract(text, "Marie Curie", coreference=False))
    assert {head for head, _, _ in without} == {"Marie Curie", "husband"}
    assert ("Marie Curie", "bear in", "Warsaw") not in without


def test_a_pronoun_is_dropped_where_somebody_stands_between(extract: Extract) -> None:
    text = "Marie Curie was a physicist. Lise Meitner worked in Berlin. She was born in Vienna."
    found = said(extract(text, "Marie Curie"))
    assert not [triple for triple in found if triple[2] == "Vienna"]


def test_a_definite_phrase_means_the_subject_without_its_qualifier(extract: Extract) -> None:
    text = "Jaws is a film. The film was directed by Steven Spielberg. It stars Roy Scheider."
    found = said(extract(text, "Jaws (film)"))
    assert {
        ("Jaws", "direct by", "Steven Spielberg"),
        ("Jaws", "star", "Roy Scheider"),
    } <= found


def test_a_pronoun_of_another_kind_is_not_the_subject(extract: Extract) -> None:
    text = "Jaws is a film by Steven Spielberg. He was born in Cincinnati."
    assert not [t for t in said(extract(text, "Jaws (film)")) if t[2] == "Cincinnati"]


def test_types_and_the_place_of_the_sentence(extract: Extract) -> None:
    triples = extract("Germany borders France.\n\nMarie Curie was born in Warsaw in 1867.")
    first, *rest = triples
    assert first == ExtractedTriple("Germany", "GPE", "border", "France", "GPE", 0)
    assert {triple.sentence for triple in rest} == {1}
    assert ExtractedTriple("Marie Curie", "PERSON", "bear in", "1867", "DATE", 1) in rest


SHORT_NAMES = [
    (
        "Marie Curie was a physicist. Curie was born in Warsaw.",
        "Marie Curie",
        ("Marie Curie", "bear in", "Warsaw"),
    ),
    (
        "Errol Osbourne Nolan II is a sprinter. He competes for Jamaica.",
        "Errol Nolan",
        ("Errol Nolan", "be", "sprinter"),
    ),
]


@pytest.mark.parametrize(("text", "title", "expected"), SHORT_NAMES)
def test_a_persons_other_spellings_are_the_title(
    text: str, title: str, expected: tuple[str, str, str], extract: Extract
) -> None:
    assert expected in said(extract(text, title))


def test_parts_belong_to_the_subject(extract: Extract) -> None:
    text = "Blue Train is an album. The cover was designed by Reid Miles."
    found = said(extract(text, "Blue Train (album)"))
    assert ("Blue Train", "cover design by", "Reid Miles") in found


def test_what_stands_in_brackets_is_no_subject_of_the_sentence(extract: Extract) -> None:
    text = "Vienna (German: Wien; Hungarian: Bécs) is the capital of Austria."
    heads = {head for head, predicate, _ in said(extract(text, "Vienna")) if "capital" in predicate}
    assert heads == {"Vienna"}


def test_a_clause_of_the_object_belongs_to_the_subject_too(extract: Extract) -> None:
    found = said(extract("Peter Gabriel joined a team that won the World Cup."))
    assert ("Peter Gabriel", "join team win", "World Cup") in found
    assert ("team", "win", "World Cup") in found


def test_a_list_in_quotes_is_distributed(extract: Extract) -> None:
    found = said(extract('The singer recorded "Yesterday", "Imagine" and "Help" in London.'))
    assert {("singer", "record", title) for title in ("Yesterday", "Imagine", "Help")} <= found


def test_a_title_that_is_a_pronoun_names_nothing(extract: Extract) -> None:
    text = "It is a novel by Stephen King. It was published in 1986."
    assert not [t for t in said(extract(text, "It")) if "It" in (t[0], t[2])]


def test_a_date_is_never_a_head(extract: Extract) -> None:
    assert said(extract("1986 was the year of the comet. 42 is a number.")) == set()


def test_years_in_brackets_of_other_things(extract: Extract) -> None:
    found = said(extract("Microsoft bought LinkedIn (2016) and Google bought YouTube."))
    assert ("Google", "buy", "YouTube") in found
    assert not [t for t in found if t[1] in ("bear", "die")]


def test_a_file_named_by_a_last_name_is_about_the_person_its_text_begins_with(
    extract: Extract,
) -> None:
    text = "Charles Babbage was born in London in 1791. He invented the Difference Engine."
    found = said(extract(text, "babbage"))
    assert ("Charles Babbage", "bear in", "London") in found
    assert ("Charles Babbage", "invent", "Difference Engine") in found
    assert not any(head == "babbage" for head, _, _ in found)


def test_predicates_as_they_are_written(extract: Extract) -> None:
    text = (
        "Ada Lovelace (1815–1852) was born in London and did not live in Paris. "
        "The film was directed by Steven Spielberg, the son of Leah. "
        "The Seld Shipyard is a yard that was founded by Victor Ferrand."
    )
    found = {(triple.predicate, triple.written) for triple in extract(text, "Ada Lovelace")}
    assert {
        ("bear in", "was born in"),
        ("bear", "born"),
        ("not live in", "did not live in"),
        ("direct by", "was directed by"),
        ("be son of", "is son of"),
        ("found by", "was founded by"),
        ("be yard found by", "is yard founded by"),
    } <= found


def test_cells_of_a_row_state_nothing_of_one_another(extract: Extract) -> None:
    """The head of an e-mail said "Cc", "to from", "Pellucid accounts"."""
    row = (
        "From: Pellucid accounts; To: Marguerite Osei-Lund; Cc: Ines Valcourt; "
        "Date: 9 October 2024, 08:00; Attachments: PP-2024-771.xlsx."
    )
    assert not extract(row, "Invoice")
    row = "Event: Germany invaded Poland; Year: 1939."
    assert said(extract(row)) == {("Germany", "invade", "Poland")}
