"""Which sentence leads to a passage: rows to rows, titles, nothing; and the formula by loops."""

import math
import random
from collections.abc import Sequence

import pytest

from clew_models import leads
from clew_models.leads import Lead, Passage
from clew_models.leads import leads_among as led_among
from clew_models.words import FUNCTION_WORDS, content_words, words_of

TICKETS = Passage(
    "tickets 2025",
    (
        ("Ticket: T-101; By: Nora Quill; Trouble: lamp flickers.", 0.2),
        ("Ticket: T-102; By: Mara Pell; Trouble: lift stuck at noon.", 0.6),
        ("Ticket: T-103; By: Hugo Brandt; Trouble: boiler goes out.", 0.1),
    ),
)
PHONES = Passage(
    "phone list",
    (
        ("Name: Quill, Nora; Room: Office 4; Ext: 212.", 0.3),
        ("Name: Brandt, Hugo; Room: Boiler room; Ext: 214.", 0.35),
        ("Name: Pell, Mara; Room: Box office; Ext: 205.", 0.3),
        ("Name: Sayer, Ines; Room: Green room; Ext: 224.", 0.3),
    ),
)
LIFT = "What extension has the person who reported the stuck lift?"


def leads_among(question: str, passages: Sequence[Passage]) -> list[Lead | None]:
    return [led.lead for led in led_among(question, passages)]


def test_a_row_leads_to_the_row_that_takes_it_up() -> None:
    found = leads_among(LIFT, [TICKETS, PHONES])
    assert found[1] == Lead(passage=0, sentence=1, arriving=2)
    lower = [
        Passage(one.title, [(t.lower(), c) for t, c in one.sentences]) for one in (TICKETS, PHONES)
    ]
    assert leads_among(LIFT, lower) == found


def test_what_every_row_says_leads_nowhere() -> None:
    rows = [(f"Room: {n}; Seats: {n + 40}; Floor: ground.", 0.5) for n in range(10, 20)]
    others = [(f"Room: {n}; Seats: {n + 400}; Floor: ground.", 0.2) for n in range(110, 120)]
    assert leads_among(
        "Which room is the largest?", [Passage("a", rows), Passage("b", others)]
    ) == [
        None,
        None,
    ]


def test_what_names_a_title_leads_to_the_nearest_sentence() -> None:
    yard = Passage(
        "Seld Shipyard", (("It was founded by Victor Ferrand.", 0.6), ("It closed.", 0.1))
    )
    founder = Passage(
        "Victor Ferrand", (("He loved the violin.", 0.1), ("He was an engineer from Corvay.", 0.4))
    )
    other = Passage("Herring", (("Herring are forage fish.", 0.0), ("They move in schools.", 0.1)))
    found = leads_among("Where is the founder of the yard from?", [yard, founder, other])
    assert found[1:] == [Lead(passage=0, sentence=0, arriving=1), None]


def test_words_of_the_question_lead_nowhere() -> None:
    one = Passage("a", (("The lighthouse of Corvay is old.", 0.9), ("Fish swim.", 0.1)))
    two = Passage("b", (("Corvay has a lighthouse.", 0.9), ("Nobody reads.", 0.1)))
    assert leads_among("How old is the lighthouse of Corvay?", [one, two]) == [None, None]


def test_little_is_enough() -> None:
    nothing = Passage("", ())
    assert leads_among("Who?", []) == []
    assert leads_among("Who?", [nothing, TICKETS]) == [None, None]
    assert leads_among("", [TICKETS, nothing, PHONES])[1] is None
    assert led_among("Who?", [nothing])[0].score == 0
    one_each = [Passage("a", (("Ada Thorne.", 0.5),)), Passage("b", (("Ada Thorne.", 0.5),))]
    assert leads_among("Who?", one_each) == [None, None]  # both of two: it may stand everywhere


def test_only_the_first_passages_lead() -> None:
    filler = [
        Passage(f"f{n}", ((f"Filler {n} of kind {n + 50}.", 0.0),)) for n in range(leads.SOURCES)
    ]
    behind = [*filler, TICKETS, PHONES]
    assert leads_among(LIFT, behind)[-1] is None
    before = [TICKETS, *filler, PHONES]
    assert leads_among(LIFT, before)[-1] == Lead(0, 1, 2)


@pytest.mark.parametrize("seed", range(12))
def test_the_best_pair_is_that_of_the_formula(seed: int) -> None:
    chance = random.Random(seed)
    vocabulary = [f"w{n}" for n in range(40)] + ["the", "of", "a"]

    def sentence() -> tuple[str, float]:
        return " ".join(chance.choices(vocabulary, k=chance.randint(3, 9))), chance.random()

    passages = [
        Passage(
            " ".join(chance.choices(vocabulary, k=chance.randint(0, 3))),
            [sentence() for _ in range(chance.randint(0, 6))],
        )
        for _ in range(9)
    ]
    question = " ".join(chance.choices(vocabulary, k=5))
    found = led_among(question, passages)
    expected = by_loops(question, passages)
    assert any(scores for scores, _ in expected)
    for (lead, score), (scores, alone) in zip(found, expected, strict=True):
        best = max(scores.values(), default=-math.inf)
        assert score == pytest.approx(max(best, alone))
        assert (lead is None) == (not scores)
        if lead is not None:
            assert scores[lead.passage, lead.sentence, lead.arriving] == pytest.approx(best)


def by_loops(
    question: str, passages: Sequence[Passage]
) -> list[tuple[dict[tuple[int, int, int], float], float]]:
    """The score of each pair (passage, sentence, arriving) for each passage, and that alone."""
    asked = content_words(question)
    words = [[set(words_of(text)) for text, _ in one.sentences] for one in passages]
    titles = [set(words_of(one.title)) for one in passages]
    every = [each for own in words for each in own]
    unit = max(math.log(len(every) / 2), 1e-9)

    def idf(word: str) -> float:
        return math.log(len(every) / max(sum(word in each for each in every), 1))

    def leading(word: str) -> float:
        plain = word in asked or word in FUNCTION_WORDS or len(word) < 2
        return 0.0 if plain else idf(word) / unit

    def has(p: int, s: int) -> set[str]:
        return {word for word in asked if word in words[p][s] | titles[p]}

    def share(held: set[str]) -> float:
        return sum(map(idf, held)) / max(sum(map(idf, asked)), 1e-9)

    def near(p: int, s: int) -> float:
        return passages[p].sentences[s][1] + share(has(p, s))

    sources = [(p, s) for p in range(leads.SOURCES) for s in range(len(words[p]))]
    sources = sorted(sources, key=lambda at: -near(*at))[: leads.SOURCE_SENTENCES]
    found: list[tuple[dict[tuple[int, int, int], float], float]] = []
    for c, own in enumerate(words):
        pairs: dict[tuple[int, int, int], float] = {}
        alone = [near(c, t) + passages[c].sentences[t][1] for t in range(len(own))]
        found.append((pairs, max(alone, default=0.0)))
        for a, s in sources:
            for t in range(len(own) if a != c else 0):
                plain = share(has(a, s) | has(c, t))
                plain += passages[a].sentences[s][1] + passages[c].sentences[t][1]
                scores = []
                held = sum(map(leading, words[a][s] & own[t]))
                if held >= leads.HELD_LEAST:
                    scores.append(plain + leads.BRIDGE * min(held / leads.HELD_WHOLE, 1))
                telling = {word for word in titles[c] if leading(word) > 0}
                named = sum(map(leading, words[a][s] & titles[c]))
                whole = len(telling & words[a][s]) >= leads.TITLE_SHARE * max(len(telling), 1)
                nearest = max(range(len(own)), key=lambda place: near(c, place))
                other = titles[a] != titles[c]
                if t == nearest and whole and other and named >= leads.HELD_LEAST:
                    scores.append(plain + leads.TITLED * min(named / leads.HELD_WHOLE, 1))
                if scores:
                    pairs[a, s, t] = max(scores)
    return found
