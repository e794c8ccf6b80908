"""The tree of prefixes gives what the model gives for each prefix by itself."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM

from clew_models.constrained_decoding.prefix_tree import PrefixModel
from clew_models.language_model.causal_model import CausalModel, TransformersModel
from clew_models.language_model.packed_model import PackedModel, PackedWeights
from clew_models.language_model.packing import pack

from ..tiny_gguf import tiny_gguf
from ..tiny_model import small_llama
from .packed_parts import of_transformers

VOCABULARY = 50
ALL = np.arange(VOCABULARY, dtype=np.int32)
PROMPT = [3, 1, 4, 1, 5, 9, 2, 6]


@dataclass(frozen=True)
class Both:
    """A model as decoding sees it, and the same in transformers."""

    model: CausalModel
    reference: LlamaForCausalLM


@pytest.fixture(scope="module", params=["transformers", "packed"])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Both:
    if request.param == "transformers":
        reference = small_llama(VOCABULARY, layers=3)
        return Both(TransformersModel(reference), reference)
    folder = tmp_path_factory.mktemp("packed")
    source = tiny_gguf(folder / "tiny.gguf")
    pack(source, folder)
    return Both(PackedModel(PackedWeights(folder, threads=1)), of_transformers(source)[0])


def alone(both: Both, prefix: list[int]) -> np.ndarray:
    """What follows the prompt and ``prefix``, by transformers without any cache."""
    with torch.inference_mode():
        logits = both.reference(torch.tensor([PROMPT + prefix])).logits[0, -1]
    return torch.log_softmax(logits, dim=-1).numpy()[:VOCABULARY]


@pytest.mark.parametrize("opening", [0, 5, 8])
@pytest.mark.parametrize("seed", range(3))
def test_every_prefix_has_its_own_probabilities(both: Both, seed: int, opening: int) -> None:
    random = np.random.default_rng(seed)
    prefixes = PrefixModel(both.model, PROMPT[:opening])
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
                np.testing.assert_allclose(row, alone(both, text), atol=1e-4)


def test_a_prefix_is_computed_once(both: Both) -> None:
    tree = PrefixModel(both.model).tree(PROMPT)
    node = tree.walk(0, [7, 8, 9])[-1]
    tree.score([(node, ALL)])
    assert (tree.passes, tree.computed) == (2, 3)
    assert tree.walk(0, [7, 8, 9])[-1] == node
    tree.score([(node, ALL), (tree.walk(0, [7])[-1], ALL)])
    assert (tree.passes, tree.computed) == (2, 3)
    tree.score([(tree.extend(node, 1), ALL)])
    assert (tree.passes, tree.computed) == (3, 4)


def test_what_is_foreseen_comes_with_the_next_pass(both: Both) -> None:
    tree = PrefixModel(both.model).tree(PROMPT)
    first, *ahead = tree.walk(0, [7, 8, 9])
    tree.foresee([(node, ALL) for node in ahead])
    tree.score([(first, ALL)])
    found = tree.score([(ahead[-1], ALL)])[0]
    assert tree.passes == 2
    np.testing.assert_allclose(found, alone(both, [7, 8, 9]), atol=1e-4)


def test_trees_of_one_model_do_not_see_each_other(both: Both) -> None:
    prefixes = PrefixModel(both.model, PROMPT[:4])
    one, other = prefixes.tree(PROMPT), prefixes.tree(PROMPT)
    one.score([(one.walk(0, [1, 2])[-1], ALL)])
    found = other.score([(other.walk(0, [5])[-1], ALL)])[0]
    np.testing.assert_allclose(found, alone(both, [5]), atol=1e-4)
