"""Constrained beam search (KT-6) against a naive reference and against enumeration."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from clew_models.constrained_decoding import (
    EntityState,
    RelationState,
    Search,
    SpanIndex,
    TokenTrie,
    run_searches,
)

from .scripted_scorer import ScriptedScorer, following
from .test_token_trie import flat

END = 11
SEPARATOR = (9, 10)


def naive_relation(sequences: list[list[int]], seed: int, limit: int) -> tuple[int, ...]:
    """One beam, written as one would by hand: a list, and looking at every span."""
    spans = {
        tuple(s[a:b]) for s in sequences for a in range(len(s)) for b in range(a + 1, len(s) + 1)
    }
    text: tuple[int, ...] = ()
    while len(text) < limit:
        options = [t for t in range(9) if (*text, t) in spans] + ([END] if text else [])
        scores = following(text, seed)
        best = max(options, key=lambda token: scores[token])
        if best == END:
            break
        text = (*text, best)
    return text


def naive_entity(names: list[list[int]], seed: int) -> tuple[int, ...]:
    whole = [(*name, *SEPARATOR) for name in names]
    text: tuple[int, ...] = ()
    while text not in whole:
        options = {name[len(text)] for name in whole if name[: len(text)] == text}
        scores = following(text, seed)
        text = (*text, max(sorted(options), key=lambda token: scores[token]))
    return text


def corpus(seed: int) -> list[list[int]]:
    random = np.random.default_rng(seed)
    return [random.integers(0, 9, size=random.integers(1, 9)).tolist() for _ in range(12)]


def relation_search(
    sequences: list[list[int]],
    beams: int,
    limit: int = 6,
    speaks: Callable[[int], bool] = lambda token: True,
    **options: Any,
) -> Search:
    index = SpanIndex.build(*flat(sequences))
    view = index.view(np.arange(len(sequences)))
    return Search(RelationState.start(view, speaks), 0, beams, limit, end=END, **options)


@pytest.mark.parametrize("foresight", [0, 4])
@pytest.mark.parametrize("seed", range(30))
def test_one_beam_is_the_naive_reference(seed: int, foresight: int) -> None:
    sequences = corpus(seed)
    search = relation_search(sequences, beams=1)
    run_searches(ScriptedScorer(seed), [search], foresight)
    assert [found.tokens for found in search.results] == [naive_relation(sequences, seed, 6)]

    trie = TokenTrie.build(*flat(sequences))
    entity = Search(EntityState(trie, SEPARATOR), 0, 1, 20)
    run_searches(ScriptedScorer(seed), [entity], foresight)
    assert [found.tokens for found in entity.results] == [naive_entity(sequences, seed)]


def probability(tokens: Sequence[int], seed: int) -> float:
    return float(sum(following(tokens[:place], seed)[token] for place, token in enumerate(tokens)))


@pytest.mark.parametrize("seed", range(10))
def test_enough_beams_find_the_best_names_of_all(seed: int) -> None:
    names = [list(name) for name in dict.fromkeys(map(tuple, corpus(seed)))]
    trie = TokenTrie.build(*flat(names))
    search = Search(EntityState(trie, SEPARATOR), 0, len(names), 20)
    run_searches(ScriptedScorer(seed), [search])
    ranked = sorted(names, key=lambda name: -probability([*name, *SEPARATOR], seed))
    assert [list(found.tokens[:-2]) for found in search.results] == ranked
    for found in search.results:
        assert found.log_probability == pytest.approx(probability(found.tokens, seed), abs=1e-4)


@pytest.mark.parametrize("seed", range(10))
def test_every_result_is_a_span_with_its_own_probability(seed: int) -> None:
    sequences = corpus(seed)
    search = relation_search(sequences, beams=4)
    run_searches(ScriptedScorer(seed), [search], foresight=3)
    spans = {
        tuple(s[a:b]) for s in sequences for a in range(len(s)) for b in range(a + 1, len(s) + 1)
    }
    assert len({found.tokens for found in search.results}) == len(search.results) > 0
    for found in search.results:
        assert found.tokens in spans
        ended = probability((*found.tokens, END), seed)
        cut = probability(found.tokens, seed)
        expected = (ended, cut) if len(found.tokens) == 6 else (ended,)
        assert any(found.log_probability == pytest.approx(value, abs=1e-4) for value in expected)
        # however beams were reordered, the state is that of the text that was written
        state = search.start
        for token in found.tokens:
            state = state.advance(token)
        assert isinstance(state, RelationState)
        assert isinstance(found.state, RelationState)
        assert state.span == found.state.span


@pytest.mark.parametrize("beams", [1, 3])
def test_foresight_changes_the_passes_and_nothing_else(beams: int) -> None:
    sequences = [[1, 2, 3, 4, 5, 6, 7, 8], [2, 2, 8, 8, 1, 0, 4]]
    results, passes = [], []
    for foresight in (0, 4):
        passes.append(0)
        for seed in range(10):
            trie = TokenTrie.build(*flat(sequences))
            names = Search(EntityState(trie, SEPARATOR), 0, beams, 20)
            searches = [relation_search(sequences, beams, limit=8), names]
            scorer = ScriptedScorer(seed)
            run_searches(scorer, searches, foresight)
            results.append([[(f.tokens, f.log_probability) for f in s.results] for s in searches])
            passes[-1] += scorer.passes
    assert results[:10] == results[10:]
    assert passes[1] < passes[0]


def test_searches_do_not_see_each_other() -> None:
    together = [relation_search(corpus(seed), 3) for seed in range(5)]
    run_searches(ScriptedScorer(1), together)
    for seed, search in enumerate(together):
        alone = relation_search(corpus(seed), 3)
        run_searches(ScriptedScorer(1), [alone])
        assert [f.tokens for f in alone.results] == [f.tokens for f in search.results]


def test_length_penalty_prefers_longer_texts() -> None:
    sequences = corpus(3)
    lengths = []
    for penalty in (0.0, 1.0):
        search = relation_search(sequences, beams=4, length_penalty=penalty)
        run_searches(ScriptedScorer(3), [search])
        values = [f.log_probability / len(f.tokens) ** penalty for f in search.results]
        assert values == sorted(values, reverse=True)
        lengths.append(sum(len(found.tokens) for found in search.results))
    assert lengths[1] > lengths[0]


@pytest.mark.parametrize("seed", range(10))
def test_a_relation_goes_on_until_it_says_something(seed: int) -> None:
    sequences = corpus(seed)
    search = relation_search(sequences, beams=4, speaks=lambda token: token == 3)
    run_searches(ScriptedScorer(seed), [search])
    assert all(3 in found.tokens for found in search.results)
    free = relation_search(sequences, beams=200)
    bound = relation_search(sequences, beams=200, speaks=lambda token: token == 3)
    run_searches(ScriptedScorer(seed), [free, bound])
    kept = [found.tokens for found in free.results if 3 in found.tokens]
    assert [found.tokens for found in bound.results] == kept
    assert 0 < len(kept) < len(free.results)


def test_what_never_says_anything_is_no_relation() -> None:
    search = relation_search([[1, 2, 3, 4, 5, 6, 7]], 2, limit=3, speaks=lambda token: False)
    run_searches(ScriptedScorer(), [search])
    assert search.results == []


def test_without_anything_to_write_there_are_no_results() -> None:
    search = relation_search([], beams=2)
    run_searches(ScriptedScorer(), [search])
    assert search.results == []


@pytest.mark.parametrize(("beams", "limit"), [(0, 4), (1, 0)])
def test_a_search_without_beams_or_tokens_is_refused(beams: int, limit: int) -> None:
    with pytest.raises(ValueError, match="from 1"):
        relation_search([[1]], beams, limit)


@pytest.mark.parametrize("state", ["entity", "relation"])
def test_a_token_that_is_not_allowed_is_refused(state: str) -> None:
    trie = TokenTrie.build(*flat([[1, 2], [3]]))
    start = (
        EntityState(trie, SEPARATOR) if state == "entity" else relation_search([[1, 2]], 1).start
    )
    with pytest.raises(ValueError, match="cannot follow"):
        start.advance(5)


def test_separator_that_begins_like_a_longer_name() -> None:
    # "1" is a name, and so is "1 9 4": after "1" the separator's 9 may end the one or go on
    trie = TokenTrie.build(*flat([[1], [1, 9, 4]]))
    state = EntityState(trie, SEPARATOR).advance(1)
    assert state.allowed.tolist() == [9]
    assert state.advance(9).allowed.tolist() == [4, 10]
    assert state.advance(9).advance(10).complete
    assert not state.advance(9).advance(4).complete


def test_allowed_tokens_are_ascending() -> None:
    trie = TokenTrie.build(*flat([[1], [1, 3], [1, 12]]))
    state = EntityState(trie, SEPARATOR).advance(1)
    assert state.allowed.tolist() == [3, 9, 12]
    assert all(a < b for a, b in itertools.pairwise(state.allowed))
