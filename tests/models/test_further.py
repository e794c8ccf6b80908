"""What the best sentences lead to past the best passages: rows of registers; and by loops."""

import math
import random
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from clew_models import leads
from clew_models.chain_ranking import (
    ChainArrays,
    ChainParts,
    ChainQuestion,
    ChainRanking,
    ChainWeights,
    build_chain_arrays,
    rank_chains,
)
from clew_models.chain_ranking.further import (
    COMMON,
    COMMON_SHARE,
    LEADING_SENTENCES,
    further_chunks,
)
from clew_models.chain_ranking.kernel import OUTSIDE, with_further, with_read
from clew_models.chain_ranking.question import Asked
from clew_models.chain_ranking.steps import ChainStep, best_steps
from clew_models.guided_pagerank import GraphParts
from clew_models.leads import Passage
from clew_models.words import FUNCTION_WORDS, content_words, words_of

from .made_arrays import DIMENSION, vectors

WEIGHTS = ChainWeights(node={"walk": 1.0}, step={"new": 1.0})
LIFT = "What extension has the person who reported the stuck lift?"
TICKETS = Passage("tickets", [("By: Mara Pell; Trouble: lift stuck.", 0.6)])


def made(texts: Mapping[str, str]) -> ChainArrays:
    """Arrays of chunks that have these texts and a sentence each."""
    ids = sorted(texts)
    graph = GraphParts(ids, [(f"s{id_}", id_) for id_ in ids], [], [])
    return build_chain_arrays(
        ChainParts(graph, {}, [], []),
        DIMENSION,
        vectors,
        lambda wanted: {id_: texts[id_] for id_ in wanted},
    )


def ranked(arrays: ChainArrays, question: str, near: Sequence[str], pool: int = 3) -> ChainRanking:
    seeds = {id_: 1.0 - place / 100 for place, id_ in enumerate(near)}
    return rank_chains(
        arrays,
        ChainQuestion(vectors(["q"])[0], content_words(question), [], seeds, 1.0, seeds),
        WEIGHTS,
        damping=0.7,
        temperature=0.2,
        pool=pool,
        predecessors=2,
        limit=10,
    )


def found(arrays: ChainArrays, asked: Asked, question: str, best: Sequence[Passage]) -> list[str]:
    others = np.ones(len(arrays.chunk_group), dtype=bool)
    rows = further_chunks(arrays, asked, question, best, others, 5)
    return [str(id_) for id_ in arrays.graph.chunk_ids[rows]]


PAPERS = {
    **{f"a{n:02}": f"Memo {n}: the lift was reported stuck again." for n in range(60)},
    "phones": "Name: Pell, Mara; Ext: 205.",
    "rota": "Nora Quill has the key on Friday.",
}


def test_a_register_that_is_neither_near_nor_named_is_found() -> None:
    arrays = made(PAPERS)
    asked = ranked(arrays, LIFT, ["a01", "a02"]).asked
    assert found(arrays, asked, LIFT, [TICKETS])[:1] == ["phones"]
    # but not where it is no other passage, and of none no more
    others = arrays.graph.chunk_ids == "rota"
    assert not len(further_chunks(arrays, asked, LIFT, [TICKETS], others, 5))
    assert not len(further_chunks(arrays, asked, LIFT, [TICKETS], others & False, 5))


def test_what_many_have_leads_nowhere() -> None:
    many = PAPERS | {f"b{n:02}": f"Pell, Mara, was ill on day {n}." for n in range(COMMON)}
    arrays = made(many)
    assert found(arrays, ranked(arrays, LIFT, ["a01"]).asked, LIFT, [TICKETS]) == []


@pytest.mark.parametrize("passages", [[], [Passage("", [])], [Passage("", [("", 0.1)])]])
def test_little_is_enough(passages: list[Passage]) -> None:
    arrays = made(PAPERS)
    for question in (LIFT, "", "Who?"):
        assert found(arrays, ranked(arrays, question, ["a01"]).asked, question, passages) == []


@pytest.mark.parametrize("seed", range(10))
def test_the_best_are_those_of_the_formula(seed: int) -> None:
    chance = random.Random(seed)
    vocabulary = [f"w{n}" for n in range(60)] + ["the", "of", "a"]

    def said(least: int, most: int) -> str:
        return " ".join(chance.choices(vocabulary, k=chance.randint(least, most)))

    texts = {f"c{n:02}": said(3, 12) for n in range(30)}
    texts |= {f"d{n:02}": said(1, 3) + " w1 w2" for n in range(25)}  # too many have these
    arrays = made(texts)
    question = said(5, 5)
    asked = ranked(arrays, question, ["c00", "c01"]).asked
    best = [
        Passage(said(0, 2), [(said(3, 9), chance.random()) for _ in range(chance.randint(0, 4))])
        for _ in range(8)
    ]
    others = np.array([chance.random() < 0.9 for _ in texts])
    rows = further_chunks(arrays, asked, question, best, others, 12)
    expected = by_loops(arrays, asked, question, best)
    order = sorted(expected, key=lambda row: -expected[row])
    wanted = [row for row in order if others[row]][:12]
    assert wanted
    assert [expected[row] for row in rows] == pytest.approx([expected[row] for row in wanted])
    assert all(others[rows])


def by_loops(
    arrays: ChainArrays, asked: Asked, question: str, best: Sequence[Passage]
) -> dict[int, float]:
    """The score of each chunk (row) that anything leads to."""
    count = len(arrays.chunk_group)
    own = [
        {
            str(word)
            for word in arrays.words[arrays.word_ids[slice(*arrays.word_offsets[c : c + 2])]]
        }
        for c in range(count)
    ]

    def held_by(word: str) -> int:
        return sum(word in each for each in own)

    def idf(word: str, by: int) -> float:
        return math.log(1 + (count - by + 0.5) / (by + 0.5))

    words = [word for word in content_words(question) if held_by(word)]
    whole = max(sum(idf(word, held_by(word)) for word in words), 1e-9)

    def share(held: set[str]) -> float:
        return sum(idf(word, held_by(word)) for word in words if word in held) / whole

    sentences = [
        (cosine + share({*words_of(text), *words_of(passage.title)}), passage, text, cosine)
        for passage in best[: leads.SOURCES]
        for text, cosine in passage.sentences
    ]
    sentences.sort(key=lambda one: -one[0])
    scores: dict[int, float] = {}
    for _, passage, text, cosine in sentences[:LEADING_SENTENCES]:
        leading = {
            word
            for word in words_of(text)
            if word not in content_words(question)
            and word not in FUNCTION_WORDS
            and len(word) >= leads.SHORTEST
            and 0 < held_by(word) <= max(COMMON, COMMON_SHARE * count)
        }
        for chunk in range(count):
            held = sum(idf(word, held_by(word)) for word in leading & own[chunk]) / idf("", 2)
            if held >= leads.HELD_LEAST:
                has = {*words_of(text), *words_of(passage.title), *own[chunk]}
                score = share(has) + cosine + float(asked.best[chunk])
                score += leads.BRIDGE * min(held / leads.HELD_WHOLE, 1)
                scores[chunk] = max(scores.get(chunk, -math.inf), score)
    return scores


def test_what_came_in_stands_among_the_first_by_its_score() -> None:
    arrays = made(PAPERS)
    before = ranked(arrays, LIFT, [f"a{n:02}" for n in range(9)], pool=6)
    assert len(before.rows) == 10
    outside, pooled = (arrays.graph.chunk_rows([id_])[id_] for id_ in ("phones", "rota"))
    pooled = int(before.rows[4])
    scores = np.array([float(before.scores[:2].mean()), -1e9])
    after = with_further(before, 3, np.array([outside, pooled]), scores)
    rows = before.rows.tolist()
    assert after.rows.tolist()[:5] == [rows[0], outside, *rows[1:3], pooled]
    assert after.rows.tolist()[5:] == [row for row in rows[3:] if row not in (outside, pooled)]
    assert (np.diff(after.scores) <= 0).all()
    assert after.places.tolist()[1] == OUTSIDE
    kept = [place for place in after.places if place != OUTSIDE]
    known = [row for row in after.rows[: len(after.places)] if row != outside]
    assert before.features.pool[kept].tolist() == known
    # reading goes on from there, and each that has steps is told
    read = with_read(after, np.arange(5), np.array([0.0, 0, 0, 0, 1e9]))
    assert read.rows.tolist()[:2] == [pooled, rows[0]]
    first = str(arrays.graph.chunk_ids[rows[0]])
    step = ChainStep("phones", first, "led", leaving=f"s{first}", arriving="sphones")
    ways = best_steps(arrays, read, WEIGHTS, {"phones", first}, {"phones": step})
    assert [way[-1].chunk for way in ways] == [first, "phones"]
    assert ways[1][-1] == step
    assert [one.chunk for one in ways[1][:-1]] == [one.chunk for one in ways[0]]
