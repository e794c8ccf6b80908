"""Titles in text: each rule by an example, and the automaton against looking at every word."""

import random

import pytest

from clew_cypher.titles import matching
from clew_cypher.titles.matching import TitleMatcher, bare_key, first_word, names_of, words_of


def found(titles: list[str], text: str, **how: bool) -> list[str]:
    return [text[name.start : name.end] for name in matcher(titles).find(text, **how)]


def matcher(titles: list[str]) -> TitleMatcher:
    return TitleMatcher((f"d{number}", title) for number, title in enumerate(titles))


@pytest.mark.parametrize(
    ("title", "text", "names"),
    [
        # bare and whole titles
        ("Ed Wood (film)", "He saw Ed Wood twice.", ["Ed Wood"]),
        ("Ed Wood (film)", "He saw Ed Wood (film).", ["Ed Wood (film"]),
        ("Paris, Texas", "It was shot in Paris, Texas.", ["Paris, Texas"]),
        ("AT&amp;T", "She worked for AT&T then.", ["AT&T"]),
        # on words
        ("Ada Lovelace", "Ada Lovelace's notes", ["Ada Lovelace"]),
        ("Art", "The Artist of Arts", []),
        ("Schindler's List", "He made Schindler’s List.", ["Schindler’s List"]),
        # accents and case
        ("Beyoncé Knowles", "a song by Beyonce Knowles", ["Beyonce Knowles"]),
        ("Angstrom Unit", "the A\u030angstro\u0308m Unit", ["A\u030angstro\u0308m Unit"]),
        ("Battle of Hastings", "the battle of Hastings", ["battle of Hastings"]),
        ("Prime Minister", "the prime minister", []),
        ("Lord Of The Rings", "the Lord of the Rings", ["Lord of the Rings"]),
        # articles
        ("The Lord of the Rings", "a Lord of the Rings fan", ["Lord of the Rings"]),
        ("The Wall", "They built the Wall near a Wall.", ["the Wall"]),
        ("The Wall", "They built the wall.", []),
        ("The Wall", "The wall fell. The Wall Street Journal stands.", []),
        ("The Wall", "The Wall is a record.", ["The Wall"]),
        # common nouns, in the plural too
        ("Aircraft carrier", "two aircraft carriers", ["aircraft carriers"]),
        ("Roman numerals", "a Roman numeral", ["Roman numeral"]),
        ("Garden city", "Garden cities", ["Garden cities"]),
        ("Glass box", "glass boxes", ["glass boxes"]),
        ("report final", "see the Report Final for more", ["Report Final"]),
        # one word: as a name, where a capital means something
        ("Time", "He wrote for Time.", ["Time"]),
        ("Time", "Time flies.", []),
        ("Time", "“Time flies.”", []),
        ("Time", "It takes time.", []),
        ("Time", "TIME IS MONEY", []),
        ("stavanholm", "She left Stavanholm.", ["Stavanholm"]),
        ("iPhone", "his iPhone", ["iPhone"]),
        ("WHO", "the WHO, and Doctor Who", ["WHO"]),
        ("UNESCO", "the Unesco", ["Unesco"]),
        ("STAVANHOLM", "She left Stavanholm.", ["Stavanholm"]),
        ("ANNUAL REPORT", "the Annual Report, an annual report", ["Annual Report"]),
        ("Annual Report", "THE ANNUAL REPORT IS LATE", ["ANNUAL REPORT"]),
        ("It", "He read It again.", []),
        # part of a longer name
        ("Stephen", "by Stephen King and Michael Stephen", []),
        ("Stephen", "In Stephen’s and Stephen, King", ["Stephen", "Stephen"]),
        ("Paul", "near St. Paul and in Jean-Paul", []),
        ("Paul", "Saint Paul", ["Paul"]),  # the first word's capital says nothing
        # numbers say nothing, names with numbers do
        ("1984", "in 1984", []),
        ("1984 (novel)", "in 1984 the 1984 novel", ["1984 novel"]),
        ("1990s", "the 1990s", []),
        ("Apollo 11", "aboard Apollo 11", ["Apollo 11"]),
        ("2008 Summer Olympics", "the 2008 Summer Olympics", ["2008 Summer Olympics"]),
        ("24/7", "open 24/7", []),
        # what has a number in a series, however that is written
        ("pep-0498", "since PEP 498, :pep:`498`", ["PEP 498", "pep:`498"]),
        ("RFC 2119", "as in RFC2119 and rfc-2119", ["RFC2119"]),
        ("RFC2119", "as in RFC 2119, not RFC 21190", ["RFC 2119"]),
        ("PEP 498 – Literal String Interpolation", "see PEP 498", ["PEP 498"]),
        ("ADR-004: Use one queue", "ADR-4 and ADR-0040", ["ADR-4"]),
        ("Chapter 1: The boy", "in Chapter 1", []),
        ("COVID-19", "COVID19 and Covid 19", ["COVID19", "Covid 19"]),
        # scripts without spaces, and marks
        ("北京", "我住在北京市。", ["北京"]),
        ("京", "我住在北京市。", []),
        ("ローマ", "古代ローマ帝国", ["ローマ"]),
        ("ローマ", "ローマン", []),
        ("서울", "나는 서울은", ["서울"]),
        ("हिन्दी साहित्य", "यह हिन्दी साहित्य है", ["हिन्दी साहित्य"]),
        ("กรุงเทพ", "ฉันอยู่ในกรุงเทพมหานคร", ["กรุงเทพ"]),
        ("Москва река", "на Москва река", ["Москва река"]),
        # no name at all
        ("", "anything", []),
        ("…", "anything …", []),
        ("Untitled", "an untitled work", []),
    ],
)
def test_a_title_is_found_where_it_is_named(title: str, text: str, names: list[str]) -> None:
    assert found([title], text) == names


def test_the_longest_name_counts_and_hides_what_is_in_it() -> None:
    titles = ["New York", "New York City", "York", "City Hall"]
    assert found(titles, "He left New York City Hall for New York.") == [
        "New York City",
        "New York",
    ]
    assert found(titles, "He left new york city.") == []
    # a longer name that is not written as a name hides nothing
    assert found(["Time", "Time Travel Agency"], "In Time travel agency clerks") == ["Time"]


def test_documents_of_one_name() -> None:
    titles = ["Ed Wood", "Ed Wood (film)", "Edwood"]
    (name,) = matcher(titles).find("He saw Ed Wood.")
    assert name.document_ids == ("d0", "d1")
    assert matcher(titles).namesakes("Ed Wood (book)") == {"d0", "d1"}
    # the same words, written so that only one of the two is meant
    titles = ["Prime minister", "Prime Minister"]
    (small,) = matcher(titles).find("the prime minister")
    (large,) = matcher(titles).find("the Prime Minister")
    assert (small.document_ids, large.document_ids) == (("d0",), ("d0", "d1"))


def test_a_name_of_too_many_documents_names_none_but_stands_there() -> None:
    titles = ["Annual Report"] * matching.MOST_HOMONYMS
    (name,) = matcher(titles).find("in the Annual Report")
    assert len(name.document_ids) == matching.MOST_HOMONYMS
    (name,) = matcher([*titles, "Annual Report (2020)", "Report"]).find("in the Annual Report")
    assert (name.key, name.document_ids) == ("annual report", ())


def test_a_question_is_typed_in_haste() -> None:
    titles = ["Ada Lovelace", "Time"]
    assert found(titles, "who was ada lovelace?") == []
    assert found(titles, "who was ada lovelace?", cased=False) == ["ada lovelace"]


def test_what_a_title_is_known_by() -> None:
    assert bare_key("The Wall (film)") == bare_key("the wall") == "wall"
    assert bare_key("“…”") == first_word("“…”") == ""
    for title in ("The Wall", "The Wall (film)", "The Lord of the Rings (film)", "1984 (novel)"):
        names = names_of(title)
        assert {name.key.split()[0] for name in names} == {first_word(title)}
    assert names_of(" ".join(["word"] * 31)) == ()


def test_words_know_where_they_stand() -> None:
    text = "Zoë’s e\u0301tude in 北京2020 — ﬁn"
    assert [(word.folded, text[word.start : word.end]) for word in words_of(text)] == [
        ("zoe", "Zoë"),
        ("s", "s"),
        ("etude", "e\u0301tude"),
        ("in", "in"),
        ("北", "北"),
        ("京", "京"),
        ("2020", "2020"),
        ("fin", "ﬁn"),
    ]


WORDS = ["Ann", "ann", "ANN", "New", "new", "york", "York", "city", "City", "cities", "the", "The"]
WORDS += ["1984", "of", "é", "É", "x", "ann-york", "box", "boxes", "Ann's"]


def naive(titles: list[str], text: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """Look at every word with every name, the longest first."""
    words = words_of(text)
    raw = [text[word.start : word.end] for word in words]
    lettered = [i for i, word in enumerate(raw) if word.lower() != word.upper()]
    shouts = all(raw[i].isupper() for i in lettered if len(raw[i]) > 1)
    shouts = shouts and any(len(raw[i]) > 1 for i in lettered)

    def large(at: int) -> bool:
        return raw[at] != raw[at].lower()

    def joined(at: int) -> bool:
        return text[words[at].end : words[at + 1].start] in (" ", "-", " -", "- ", " - ")

    def fits(name: matching.Name, at: int) -> bool:
        if " ".join(w.folded for w in words[at : at + len(name.capitals)]) != name.key:
            return False
        if name.initialism and raw[at] != raw[at].upper():
            return False
        asked = [i for i, capital in enumerate(name.capitals, at) if capital]
        if len(name.capitals) == 1 and asked:
            before = at - 1 > lettered[0] and large(at - 1) and joined(at - 1)
            if shouts or at == lettered[0] or before:
                return False
        last = at + len(name.capitals) - 1
        led = name.key.count(" ") == 1 and name.key.startswith("the ")
        follows = last + 1 < len(words) and large(last + 1) and joined(last)
        if asked and (last == at or led) and follows:
            return False
        return 2 * sum(map(large, asked)) >= len(asked)

    names = {(name, f"d{i}") for i, title in enumerate(titles) for name in names_of(title)}
    found, at = [], 0
    while at < len(words):
        here = [(len(name.capitals), id_) for name, id_ in names if fits(name, at)]
        size = max((size for size, _ in here), default=0)
        if size:
            documents = tuple(sorted({id_ for length, id_ in here if length == size}))
            found.append((words[at].start, words[at + size - 1].end, documents))
        at += size or 1
    return found


@pytest.mark.parametrize("seed", range(40))
def test_the_automaton_finds_what_looking_at_every_word_finds(seed: int) -> None:
    chance = random.Random(seed)
    titles = [" ".join(chance.choices(WORDS, k=chance.randint(1, 3))) for _ in range(12)]
    titles = [f"{title} (film)" if chance.random() < 0.2 else title for title in titles]
    both = matcher(titles)
    for _ in range(30):
        text = " ".join(chance.choices(WORDS, k=chance.randint(1, 12)))
        assert [(*tuple(name)[:2], name.document_ids) for name in both.find(text)] == naive(
            titles, text
        ), (titles, text)
