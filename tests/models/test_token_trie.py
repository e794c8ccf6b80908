"""The trie of names (KT-4) against brute force."""

import numpy as np
import pytest

from clew_models.constrained_decoding import TokenTrie


def flat(sequences: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.concatenate([[0], np.cumsum([len(s) for s in sequences])]).astype(np.int64)
    return np.array([t for s in sequences for t in s], dtype=np.int32), starts


def build(sequences: list[list[int]]) -> TokenTrie:
    return TokenTrie.build(*flat(sequences))


@pytest.mark.parametrize("seed", range(8))
def test_agrees_with_brute_force(seed: int) -> None:
    random = np.random.default_rng(seed)
    # few tokens: many shared prefixes, names within names, and equal names
    sequences = [
        random.integers(0, 4, size=random.integers(0, 7)).tolist()
        for _ in range(int(random.integers(1, 80)))
    ]
    trie = build(sequences)
    prefixes = {tuple(s[:n]) for s in sequences for n in range(len(s) + 1)}
    for prefix in prefixes | {(9,), (0, 9), (3, 3, 3, 3, 3, 3, 3)}:
        node = trie.find(prefix)
        following = sorted(
            {
                s[len(prefix)]
                for s in sequences
                if tuple(s[: len(prefix)]) == prefix and len(s) > len(prefix)
            }
        )
        if prefix not in prefixes:
            assert node == -1
            continue
        assert trie.allowed(node).tolist() == following
        ending = [i for i, s in enumerate(sequences) if s and tuple(s) == prefix]
        assert sorted(trie.entries(node).tolist()) == ending
        for token in range(5):
            child = trie.child(node, token)
            assert (child >= 0) == (token in following)
            if child >= 0:
                assert child == trie.find((*prefix, token))


def test_every_prefix_is_one_node() -> None:
    trie = build([[1, 2], [1, 2, 3], [1, 4], [2]])
    assert len(trie.token) == 5
    assert len({trie.find(p) for p in ([], [1], [1, 2], [1, 2, 3], [1, 4], [2])}) == 6


def test_empty_trie_allows_nothing() -> None:
    trie = build([])
    assert trie.allowed(0).tolist() == []
    assert trie.child(0, 1) == -1
    assert trie.entries(0).tolist() == []


def test_large_token_ids_keep_their_order() -> None:
    trie = build([[300], [2], [70_000], [255], [256]])
    assert trie.allowed(0).tolist() == [2, 255, 256, 300, 70_000]
