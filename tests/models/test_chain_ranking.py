"""Chain ranking: the kernel against loops, the arrays against a build from nothing, odd corpora."""

import random
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from clew_models.chain_ranking import (
    ChainArrays,
    ChainParts,
    ChainQuestion,
    ChainWeights,
    TitleParts,
    build_chain_arrays,
    chain_features,
    load_chains,
    opening,
    openings_in,
    rank_chains,
    save_chains,
)
from clew_models.chain_ranking.fit import ChainExample, fit, loss_of
from clew_models.chain_ranking.kernel import score, with_read
from clew_models.chain_ranking.question import name_masses
from clew_models.guided_pagerank import GraphParts
from clew_models.words import MOST_LETTERS, content_words, words_of

from .chain_reference import Reference
from .made_arrays import DIMENSION, check_same, vectors

WEIGHTS = ChainWeights(
    node={"walk": 0.3, "reached": 0.3, "spread": 0.3, "titled": 0.5, "bm25": 0.3, "words": 0.1},
    step={"before": 0.5, "link": 0.3, "shared": 0.5, "part": 0.1, "new": 1.0, "back": 0.2},
    repeat=0.5,
)
ranked = partial(rank_chains, damping=0.7, temperature=0.2, pool=80, predecessors=12, limit=5)
WORDS = ["harbour", "yard", "ship", "mayor", "clock", "bell", "river", "copper"]


def text_of(id_: str) -> str:
    return " ".join(random.Random(id_).choices(WORDS, k=random.Random(id_).randrange(3, 9)))


def texts(ids: Sequence[str]) -> dict[str, str]:
    return {id_: text_of(id_) for id_ in ids}


def random_parts(seed: int, chunks: int = 11, first: int = 0) -> ChainParts:
    draw = random.Random(seed)
    ids = [f"c{i:02}" for i in range(first, first + chunks)]
    held = ids[: max(1, len(ids) - 2)]  # the last ones have no sentences
    sentences = [(f"s{i:02}", draw.choice(held)) for i in range(3 * chunks)]
    mentions = [(f"e{draw.randrange(9)}", draw.choice(sentences)[0]) for _ in range(4 * chunks)]
    titles = [(f"e{draw.randrange(12)}", id_) for id_ in ids[: max(1, len(ids) - 3)]]
    documents = {id_: f"d{random.Random(id_).randrange(7)}" for id_ in ids}
    named = {d: random.Random(d).choice(["harbour", "yard", ""]) for d in documents.values()}
    return ChainParts(
        graph=GraphParts(ids, sentences, mentions, titles),
        titles={
            id_: TitleParts(d, f"The {named[d]} {d}", named[d], (named[d] or d,))
            for id_, d in documents.items()
        },
        links=[
            (draw.choice(sentences)[0], draw.choice([*documents.values()]))
            for _ in range(2 * chunks)
        ],
        inside=[(f"e{draw.randrange(9)}", draw.choice(ids)) for _ in range(chunks)],
    )


def random_question(seed: int, arrays: ChainArrays) -> ChainQuestion:
    draw = random.Random(seed)
    chunks = [str(id_) for id_ in arrays.graph.chunk_ids]
    near = draw.sample(chunks, max(1, len(chunks) // 2))
    return ChainQuestion(
        vector=vectors([f"q{seed}"])[0],
        words=[*draw.sample(WORDS, 4), "unheard"],
        entities=[
            [f"e{draw.randrange(14)}" for _ in range(draw.randrange(1, 4))]
            for _ in range(draw.randrange(4))
        ],
        chunks={id_: draw.random() for id_ in near},
        chunk_mass=0.1,
        cosines={id_: draw.random() for id_ in near},
        titled=[
            [str(draw.choice(arrays.document_ids)) for _ in range(draw.randrange(1, 3))]
            for _ in range(draw.randrange(3))
        ],
        word_share=draw.choice([0.0, 0.5, 1.0]),
    )


@pytest.mark.parametrize("seed", range(40))
def test_signs_and_scores_agree_with_loops(seed: int) -> None:
    arrays = build_chain_arrays(random_parts(seed), DIMENSION, vectors, texts)
    question = random_question(seed, arrays)
    pool, predecessors = (7, 3) if seed % 2 else (80, 12)
    reference = Reference(arrays, question)
    _, found = chain_features(
        arrays, question, damping=0.7, temperature=0.2, pool=pool, predecessors=predecessors
    )
    expected_pool, expected_before = reference.pool(pool, predecessors)
    assert found.pool.tolist() == expected_pool
    assert found.before.tolist() == expected_before
    for place, chunk in enumerate(expected_pool):
        assert found.node[place] == pytest.approx(reference.node(chunk, expected_pool), abs=1e-4)
        for number, before in enumerate([*expected_before, None]):
            if before != chunk:
                step = reference.step(before, chunk, expected_before)
                assert found.step[number, place] == pytest.approx(step, abs=1e-4)
    ranking = rank_chains(
        arrays,
        question,
        WEIGHTS,
        damping=0.7,
        temperature=0.2,
        pool=pool,
        predecessors=predecessors,
        limit=100,
    )
    rows, scores = reference.scores(WEIGHTS, pool, predecessors)
    best = sorted(range(len(rows)), key=lambda place: -scores[place])
    assert ranking.rows[: len(rows)].tolist() == [rows[place] for place in best]
    expected = [scores[place] for place in best]
    assert ranking.scores[: len(rows)] == pytest.approx(expected, abs=1e-3)
    assert sorted(ranking.rows.tolist()) == list(range(len(arrays.graph.chunk_ids)))
    assert (np.diff(ranking.scores) <= 0).all()


@pytest.mark.parametrize("seed", range(10))
def test_arrays_made_from_earlier_ones_are_those_made_from_nothing(seed: int) -> None:
    earlier = build_chain_arrays(random_parts(seed), DIMENSION, vectors, texts)
    later = random_parts(seed + 1, chunks=9, first=4)
    asked_texts: list[str] = []
    asked_vectors: list[str] = []

    def new_texts(ids: Sequence[str]) -> dict[str, str]:
        asked_texts.extend(ids)
        return texts(ids)

    def new_vectors(ids: Sequence[str]) -> NDArray[np.float32]:
        asked_vectors.extend(ids)
        return vectors(ids)

    grown = build_chain_arrays(later, DIMENSION, new_vectors, new_texts, earlier)
    check_same(grown, build_chain_arrays(later, DIMENSION, vectors, texts))
    assert {str(id_) for id_ in earlier.graph.sentence_ids}.isdisjoint(asked_vectors)
    assert {str(id_) for id_ in earlier.graph.chunk_ids}.isdisjoint(asked_texts)
    renamed = {
        chunk: title._replace(title=f"{title.title} anew") if chunk == "c04" else title
        for chunk, title in later.titles.items()
    }
    asked_texts.clear()
    build_chain_arrays(replace(later, titles=renamed), DIMENSION, vectors, new_texts, grown)
    assert asked_texts == ["c04"]


def test_a_chunk_that_was_gone_when_it_was_read_is_read_again() -> None:
    parts = random_parts(0)
    gone = build_chain_arrays(
        parts,
        DIMENSION,
        lambda ids: vectors(ids) * 0,
        lambda ids: texts([id_ for id_ in ids if id_ != "c04"]),
    )
    assert "c04" in gone.graph.chunk_ids
    anew = build_chain_arrays(parts, DIMENSION, vectors, texts, gone)
    check_same(anew, build_chain_arrays(parts, DIMENSION, vectors, texts))


def test_arrays_on_disk_are_the_same_and_damaged_ones_are_none(tmp_path: Path) -> None:
    arrays = build_chain_arrays(random_parts(3), DIMENSION, vectors, texts)
    save_chains(arrays, tmp_path / "kept")
    loaded = load_chains(tmp_path / "kept")
    assert loaded is not None
    check_same(arrays, loaded)
    question = random_question(3, arrays)
    kept, fresh = (ranked(one, question, WEIGHTS) for one in (loaded, arrays))
    assert kept.rows.tolist() == fresh.rows.tolist()
    (tmp_path / "kept" / "link_offsets.npy").unlink()
    assert load_chains(tmp_path / "kept") is None


@pytest.mark.parametrize("chunks", [0, 1])
def test_nothing_and_one_chunk(chunks: int) -> None:
    ids = [f"c{n}" for n in range(chunks)]
    parts = ChainParts(GraphParts(ids, [], [], []), {}, [], [])
    arrays = build_chain_arrays(parts, DIMENSION, vectors, lambda ids: dict.fromkeys(ids, "yard"))
    question = ChainQuestion(vectors(["q"])[0], ["yard"], [], dict.fromkeys(ids, 1.0), 0.1, {})
    ranking = ranked(arrays, question, WEIGHTS)
    assert ranking.rows.tolist() == list(range(chunks))
    assert np.isfinite(ranking.scores).all()


def test_what_was_read_stands_in_front_by_what_was_said_of_it() -> None:
    arrays = build_chain_arrays(random_parts(3), DIMENSION, vectors, texts)
    ranking = rank_chains(
        arrays,
        random_question(3, arrays),
        WEIGHTS,
        damping=0.7,
        temperature=0.2,
        pool=5,
        predecessors=3,
        limit=100,
    )
    assert len(ranking.rows) > len(ranking.places) == 5
    rows = ranking.rows.tolist()
    read = np.array([0, 2, 3])
    fits = np.array([0.0, 100.0, 50.0])
    found = with_read(ranking, read, fits)
    assert found.rows.tolist() == [rows[2], rows[3], rows[0], rows[1], *rows[4:]]
    assert (np.diff(found.scores) <= 0).all()
    assert found.scores[0] == pytest.approx(ranking.scores[2] + 100)
    # what was not read is as far behind as it was, and each passage keeps its place in the pool
    behind = found.scores[2] - found.scores[4]
    assert behind == pytest.approx(ranking.scores[3] - ranking.scores[4])
    assert ranking.features.pool[found.places].tolist() == found.rows[:5].tolist()
    assert with_read(ranking, np.zeros(0, np.int64), np.zeros(0)) is ranking


def test_who_of_one_name_is_the_rarer_is_not_the_likelier_meant() -> None:
    ids = ["c1", "c2", "c3", "c4", "c5"]
    held = [("known", "c1"), ("known", "c2"), ("known", "c3"), ("rare", "c4"), ("other", "c5")]
    mentions = [(entity, f"s{chunk}") for entity, chunk in held]
    graph = GraphParts(ids, [(f"s{id_}", id_) for id_ in ids], mentions, [])
    arrays = build_chain_arrays(
        ChainParts(graph, {}, [], []), DIMENSION, vectors, lambda ids: dict.fromkeys(ids, "yard")
    )
    known, rare, other = (
        arrays.graph.entity_rows([name])[name] for name in ("known", "rare", "other")
    )
    entities, masses = name_masses(arrays, [np.array([known, rare]), np.array([other, -1])])
    mass = dict(zip(entities.tolist(), masses.tolist(), strict=True))
    # one name is held by four chunks, so that it weighs a quarter of the one that a single one has
    assert mass == pytest.approx({known: 3 / 16 / 1.25, rare: 1 / 16 / 1.25, other: 1 / 1.25})


def test_without_seeds_nothing_is_found() -> None:
    arrays = build_chain_arrays(random_parts(1), DIMENSION, vectors, texts)
    question = ChainQuestion(vectors(["q"])[0], ["yard"], [["unknown"]], {}, 0.1, {})
    ranking = ranked(arrays, question, WEIGHTS)
    assert ranking.rows.tolist() == []


def test_what_alone_has_a_rare_word_is_found_though_it_is_neither_named_nor_near() -> None:
    ids = [f"c{n:03}" for n in range(300)]
    mentions = [("known", f"s{id_}") for id_ in ids[:100]]
    parts = ChainParts(GraphParts(ids, [(f"s{id_}", id_) for id_ in ids], mentions, []), {}, [], [])

    def text(id_: str) -> str:
        return "the order 4711 came late" if id_ == "c299" else "another order came late"

    arrays = build_chain_arrays(
        parts, DIMENSION, vectors, lambda ids: {id_: text(id_) for id_ in ids}
    )
    near = dict.fromkeys(ids[:100], 0.01)
    words = ["order", "4711"]
    question = ChainQuestion(vectors(["q"])[0], words, [], near, 0.1, {}, word_share=0.5)
    best = str(arrays.graph.chunk_ids[ranked(arrays, question, WEIGHTS).rows[0]])
    assert best == "c299"
    without = ranked(arrays, replace(question, word_share=0.0), WEIGHTS)
    assert "c299" not in arrays.graph.chunk_ids[without.rows].tolist()


def test_weights_of_unknown_signs_are_refused() -> None:
    with pytest.raises(ValueError, match="Unknown signs wlak"):
        ChainWeights(node={"wlak": 1.0}, step={})


def test_words() -> None:
    assert words_of("The Ships' Élan, 東京!") == ["the", "ship", "elan", "東", "京"]
    assert words_of("Half-time on 2024-10-02.") == [
        *("half", "time", "on", "2024", "10", "2", "2024-10-02"),
    ]
    assert content_words("Which ships did the ship's owners build?") == [
        "ship",
        "s",
        "owner",
        "build",
    ]
    started = time.monotonic()
    assert words_of("set max_fees of a.b") == [*("set", "max", "fee", "of", "a", "b"), "max_fees"]
    assert words_of("x" * 200_000) == ["x" * MOST_LETTERS]
    assert time.monotonic() - started < 5  # minutes, if each of its letters began one


def test_one_endless_word_makes_no_other_cost_more() -> None:
    ids = ["c1", "c2"]
    endless = "x" * 50_000
    titles = {id_: TitleParts(f"d{id_}", endless, endless, (opening([endless]),)) for id_ in ids}
    arrays = build_chain_arrays(
        ChainParts(GraphParts(ids, [], [], []), titles, [], []),
        DIMENSION,
        vectors,
        lambda ids: dict.fromkeys(ids, f"{endless} v2.{endless} harbour"),
    )
    assert arrays.words.nbytes + arrays.first_words.nbytes < 2_000
    (row,) = arrays.word_rows(content_words(f"What is {endless}?"))
    assert len(arrays.by_word[1][slice(*arrays.by_word[0][row : row + 2])]) == 2
    assert arrays.titles_known_by(openings_in([endless])) == [("dc1", endless), ("dc2", endless)]


def planted(seed: int, weights: ChainWeights) -> ChainExample:
    """A random question whose gold are the two passages that ``weights`` rank first."""
    arrays = build_chain_arrays(random_parts(seed, chunks=20), DIMENSION, vectors, texts)
    _, features = chain_features(
        arrays,
        random_question(seed, arrays),
        damping=0.7,
        temperature=0.2,
        pool=80,
        predecessors=12,
    )
    best = np.argsort(-score(features, weights).scores, kind="stable")[:2]
    return ChainExample(features, np.isin(np.arange(len(features.pool)), best), wanted=2)


def test_weights_that_made_the_gold_are_found_again() -> None:
    hidden = ChainWeights(
        node={"walk": 0.2, "reached": 0.1, "words": 0.8, "dense": 0.5},
        step={"before": 0.6, "link": 0.9, "shared": 0.1, "new": 0.1},
    )
    start = ChainWeights(
        node={"walk": 0.3, "reached": 0.3, "spread": 0.3, "titled": 0.5},
        step={"before": 0.5, "link": 0.3, "shared": 0.5, "part": 0.1, "new": 1.0},
    )
    learned = [planted(seed, hidden) for seed in range(120)]
    apart = [planted(seed, hidden) for seed in range(200, 240)]
    turns: list[float] = []
    fitted = fit(learned, start, strength=0.1, tell=lambda turn, loss: turns.append(loss))

    def hits(weights: ChainWeights) -> float:
        found = [
            one.gold[np.argsort(-score(one.features, weights).scores, kind="stable")[:2]].mean()
            for one in apart
        ]
        return float(np.mean(found))

    assert turns[-1] < turns[0]
    assert hits(fitted) > hits(start) + 0.1
    assert loss_of(apart, fitted) < loss_of(apart, start)
    held = fit(learned, start, strength=1e9)
    assert held.of_node() == pytest.approx(start.of_node(), abs=1e-3)
    assert held.of_step() == pytest.approx(start.of_step(), abs=1e-3)
    with pytest.raises(ValueError, match="gold"):
        fit([replace(learned[0], gold=np.zeros_like(learned[0].gold))], start, strength=1.0)
