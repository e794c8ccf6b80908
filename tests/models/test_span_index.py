"""The index of spans (KT-5) against brute force on repeated and overlapping sequences."""

import time

import numpy as np
import pytest

from clew_models.constrained_decoding import SpanIndex

from .test_token_trie import flat


def build(sequences: list[list[int]]) -> SpanIndex:
    return SpanIndex.build(*flat(sequences))


def occurrences(sequences: list[list[int]], chosen: list[int], span: tuple[int, ...]) -> list[int]:
    """The sequence of every place where ``span`` stands."""
    return [
        row
        for row in chosen
        for place in range(len(sequences[row]) - len(span) + 1)
        if tuple(sequences[row][place : place + len(span)]) == span
    ]


def random_corpus(seed: int) -> list[list[int]]:
    """Sequences of few tokens, some repeated whole, some overlapping, some empty."""
    random = np.random.default_rng(seed)
    sequences = [
        random.integers(0, 3, size=random.integers(0, 12)).tolist()
        for _ in range(int(random.integers(1, 25)))
    ]
    sequences += [list(sequences[0]), sequences[-1][2:] + sequences[0][:3], []]
    return sequences


@pytest.mark.parametrize("seed", range(10))
def test_agrees_with_brute_force(seed: int) -> None:
    sequences = random_corpus(seed)
    random = np.random.default_rng(seed + 100)
    index = build(sequences)
    for row, sequence in enumerate(sequences):
        assert index.sequence(row).tolist() == sequence
    for _ in range(4):
        size = int(random.integers(0, len(sequences) + 1))
        chosen = sorted(random.choice(len(sequences), size=size, replace=False).tolist())
        view = index.view(np.array(chosen, dtype=np.int64))
        spans = {
            tuple(sequences[row][a:b])
            for row in chosen
            for a in range(len(sequences[row]))
            for b in range(a + 1, len(sequences[row]) + 1)
        }
        for tokens in spans | {(), (0, 1, 2, 2, 1, 0), (7,)}:
            found = view.find(tokens)
            places = occurrences(sequences, chosen, tokens) if tokens else None
            if tokens and not places:
                assert found is None
                continue
            assert found is not None
            following = sorted(t for t in range(3) if (*tokens, t) in spans)
            assert view.allowed(found).tolist() == following
            if places is not None:
                assert found.high - found.low == len(places)
                assert view.locate(found).tolist() == sorted(set(places))


def test_a_span_never_crosses_from_one_sequence_to_the_next() -> None:
    index = build([[1, 2], [3, 4]])
    view = index.view(np.array([0, 1]))
    assert view.find((2, 3)) is None
    assert view.allowed(view.find((2,))).tolist() == []  # type: ignore[arg-type]


def test_the_separator_cannot_be_written() -> None:
    view = build([[1], [1]]).view(np.array([0, 1]))
    assert view.extend(view.root, -1) is None


def test_empty_index() -> None:
    index = build([])
    assert (
        index.view(np.zeros(0, dtype=np.int64))
        .allowed(index.view(np.zeros(0, dtype=np.int64)).root)
        .tolist()
        == []
    )


def test_a_hub_with_50_000_hyperrelations_does_not_stall() -> None:
    random = np.random.default_rng(0)
    sequences = [random.zipf(1.4, 25).clip(max=40_000).tolist() for _ in range(50_000)]
    index = build(sequences)
    begun = time.perf_counter()
    view = index.view(np.arange(50_000))
    span = view.root
    for _ in range(16):
        allowed = view.allowed(span)
        if not len(allowed):
            break
        span = view.extend(span, int(allowed[0]))  # type: ignore[assignment]
    assert time.perf_counter() - begun < 2.0
    assert view.root.high - view.root.low == 50_000 * 25
