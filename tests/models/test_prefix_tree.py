"""The tree of prefixes gives what the model gives for each prefix by itself."""

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM

from clew_models.constrained_decoding.prefix_tree import PrefixModel

from ..tiny_model import small_llama

VOCABULARY = 50
ALL = np.arange(VOCABULARY, dtype=np.int32)
PROMPT = [3, 1, 4, 1, 5, 9, 2, 6]


@pytest.fixture(scope="module")
def model() -> LlamaForCausalLM:
    return small_llama(VOCABULARY, layers=3)


def alone(model: LlamaForCausalLM, prefix: list[int]) -> np.ndarray:
    """What follows the prompt and ``prefix``, by the model without any cache."""
    with torch.inference_mode():
        logits = model(torch.tensor([PROMPT + prefix])).logits[0, -1]
    return torch.log_softmax(logits, dim=-1).numpy()


@pytest.mark.parametrize("opening", [0, 5, 8])
@pytest.mark.parametrize("seed", range(3))
def test_every_prefix_has_its_own_probabilities(
    model: LlamaForCausalLM, seed: int, opening: int
) -> None:
    random = np.random.default_rng(seed)
    prefixes = PrefixModel(model, PROMPT[:opening])
    for _ in range(2):  # the second tree uses the opening that the first one computed
        tree = prefixes.tree(PROMPT)
        texts: list[list[int]] = [[]]
        for _ in range(12):
            parent = texts[int(random.integers(len(texts)))]
            texts.append(
                parent + random.integers(0, VOCABULARY, size=random.integers(1, 4)).tolist()
            )
        random.shuffle(texts)
        for batch in (texts[:4], texts[4:5], texts[5:]):
            nodes = [tree.walk(0, text)[-1] if text else 0 for text in batch]
            found = tree.score([(node, ALL) for node in nodes])
            for text, row in zip(batch, found, strict=True):
                np.testing.assert_allclose(row, alone(model, text), atol=1e-4)


def test_a_prefix_is_computed_once(model: LlamaForCausalLM) -> None:
    tree = PrefixModel(model).tree(PROMPT)
    node = tree.walk(0, [7, 8, 9])[-1]
    tree.score([(node, ALL)])
    assert (tree.passes, tree.computed) == (2, 3)
    assert tree.walk(0, [7, 8, 9])[-1] == node
    tree.score([(node, ALL), (tree.walk(0, [7])[-1], ALL)])
    assert (tree.passes, tree.computed) == (2, 3)
    tree.score([(tree.extend(node, 1), ALL)])
    assert (tree.passes, tree.computed) == (3, 4)


def test_what_is_foreseen_comes_with_the_next_pass(model: LlamaForCausalLM) -> None:
    tree = PrefixModel(model).tree(PROMPT)
    first, *ahead = tree.walk(0, [7, 8, 9])
    tree.foresee([(node, ALL) for node in ahead])
    tree.score([(first, ALL)])
    found = tree.score([(ahead[-1], ALL)])[0]
    assert tree.passes == 2
    np.testing.assert_allclose(found, alone(model, [7, 8, 9]), atol=1e-4)


def test_trees_of_one_model_do_not_see_each_other(model: LlamaForCausalLM) -> None:
    prefixes = PrefixModel(model, PROMPT[:4])
    one, other = prefixes.tree(PROMPT), prefixes.tree(PROMPT)
    one.score([(one.walk(0, [1, 2])[-1], ALL)])
    found = other.score([(other.walk(0, [5])[-1], ALL)])[0]
    np.testing.assert_allclose(found, alone(model, [5]), atol=1e-4)
