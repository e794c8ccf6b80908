"""The sample corpus proves what it claims: every answer is there, and never in one article."""

import re
from itertools import combinations
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from clew.sample_corpus import (
    ARTICLES,
    DEMO_QUESTION,
    SampleQuestion,
    UnanswerableQuestion,
    questions,
    unanswerable_questions,
)

REPOSITORY = Path(__file__).parents[2]
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(ARTICLES.glob("*.md"))}
QUESTIONS = questions()
ANSWER_IN_TEXT = [q for q in QUESTIONS if q.type in ("bridge", "number", "date")]
COMPARED = [q for q in QUESTIONS if q.type in ("comparison", "yes-no")]
NAME = re.compile(r"[A-Z][\w.’']*(?:(?: (?:of|to|for|the) (?=[A-Z])| )[A-Z][\w.’']*)*|\d{4}")
"""Runs of capitalised words, with the small words between them, and years."""


def title(slug: str) -> str:
    return TEXTS[slug].splitlines()[0].removeprefix("# ")


def body(slug: str) -> str:
    return TEXTS[slug].split("\n", 1)[1]


def clues_in(question: str) -> set[str]:
    """The question's names and years, or where it has none its long words."""
    rest = question.split(" ", 1)[1]  # without the word that opens the sentence
    return set(NAME.findall(rest)) or set(re.findall(r"\w{7,}", rest))


def ids(question: SampleQuestion | UnanswerableQuestion) -> str:
    return question.id


def test_there_are_at_least_fifty_articles_and_thirty_six_questions() -> None:
    assert len(TEXTS) >= 55
    assert len(QUESTIONS) >= 36
    assert len(unanswerable_questions()) >= 3
    assert {q.type for q in QUESTIONS} == {"bridge", "number", "date", "comparison", "yes-no"}
    assert {q.hops for q in QUESTIONS} == {2, 3, 4}


@pytest.mark.parametrize("slug", TEXTS)
def test_an_article_is_a_title_and_a_few_paragraphs(slug: str) -> None:
    assert TEXTS[slug].startswith("# ")
    words = len(body(slug).split())
    assert 90 <= words <= 180
    assert 2 <= len([p for p in body(slug).split("\n\n") if p.strip()]) <= 3


def test_titles_and_ids_are_unique() -> None:
    titles = [title(slug) for slug in TEXTS]
    assert len(set(titles)) == len(titles)
    for rows in (QUESTIONS, unanswerable_questions()):
        assert len({row.id for row in rows}) == len(rows)
        assert len({row.question for row in rows}) == len(rows)


def test_no_article_names_everything() -> None:
    """An article that named most titles would be the evidence for every question."""
    titles = {slug: re.sub(r" \(.*\)", "", title(slug)) for slug in TEXTS}
    for slug in TEXTS:
        named = [other for other in TEXTS if other != slug and titles[other] in body(slug)]
        assert len(named) <= 12, f"{slug} names {named}"


def test_every_article_is_tied_to_another() -> None:
    titles = {slug: re.sub(r" \(.*\)", "", title(slug)) for slug in TEXTS}
    for slug in TEXTS:
        ties = [
            o for o in TEXTS if o != slug and (titles[o] in body(slug) or titles[slug] in body(o))
        ]
        assert ties, slug


@pytest.mark.parametrize("question", [*QUESTIONS, *unanswerable_questions()], ids=ids)
def test_the_articles_a_question_names_exist(
    question: SampleQuestion | UnanswerableQuestion,
) -> None:
    assert set(question.articles) <= set(TEXTS)
    assert len(set(question.articles)) == len(question.articles)


@pytest.mark.parametrize("question", QUESTIONS, ids=ids)
def test_a_question_needs_as_many_articles_as_it_has_hops(question: SampleQuestion) -> None:
    assert question.hops == len(question.articles)
    assert question.question.endswith("?")
    assert question.path.endswith(".")


@pytest.mark.parametrize("question", ANSWER_IN_TEXT, ids=ids)
def test_the_answer_stands_in_a_proving_article_and_not_in_the_question(
    question: SampleQuestion,
) -> None:
    assert any(question.answer in TEXTS[slug] for slug in question.articles)
    assert question.answer not in question.question


@pytest.mark.parametrize("question", ANSWER_IN_TEXT, ids=ids)
def test_no_single_article_holds_the_answer_and_all_clues_of_the_question(
    question: SampleQuestion,
) -> None:
    clues = clues_in(question.question)
    assert clues
    for slug, text in TEXTS.items():
        complete = all(clue in text for clue in clues) and question.answer in text
        assert not complete, f"{slug} alone has {sorted(clues)} and {question.answer!r}"


@pytest.mark.parametrize("question", ANSWER_IN_TEXT, ids=ids)
def test_a_question_does_not_name_its_bridges(question: SampleQuestion) -> None:
    assert question.bridges
    for bridge in question.bridges:
        assert not re.search(rf"\b{re.escape(bridge)}\b", question.question), bridge


@pytest.mark.parametrize("question", ANSWER_IN_TEXT, ids=ids)
def test_the_proving_articles_hang_together_by_shared_names(question: SampleQuestion) -> None:
    names = {*question.bridges, *clues_in(question.question)}
    joined = {question.articles[0]}
    pairs = list(combinations(question.articles, 2))
    for _ in question.articles:
        for one, other in pairs:
            shared = any(name in TEXTS[one] and name in TEXTS[other] for name in names)
            if shared and joined & {one, other}:
                joined |= {one, other}
    assert joined == set(question.articles)


@pytest.mark.parametrize("question", COMPARED, ids=ids)
def test_a_comparison_names_what_it_compares(question: SampleQuestion) -> None:
    """Each compared thing, or what leads to it, is in an article of its own."""
    for slug in question.articles:
        assert any(name in TEXTS[slug] for name in clues_in(question.question))
    if question.type == "yes-no":
        assert question.answer in ("yes", "no")
    else:
        assert question.answer in question.question
        assert any(question.answer == title(slug) for slug in question.articles)


def test_the_demo_question_joins_two_articles_to_a_short_name() -> None:
    assert DEMO_QUESTION in QUESTIONS
    assert DEMO_QUESTION.hops == 2
    assert len(DEMO_QUESTION.answer.split()) <= 3


def test_the_data_files_travel_with_the_package() -> None:
    built = {
        file.distribution_path
        for file in WheelBuilder(str(REPOSITORY)).recurse_included_files()
        if file.distribution_path.startswith("clew/sample_corpus/")
    }
    assert {f"clew/sample_corpus/articles/{slug}.md" for slug in TEXTS} <= built
    assert "clew/sample_corpus/questions.jsonl" in built
    assert "clew/sample_corpus/unanswerable.jsonl" in built
