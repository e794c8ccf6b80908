"""The tree over a batching engine: the same scores and clues as the tree over transformers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM

from clew_models.constrained_decoding.engine_tree import EngineModel, EngineTree
from clew_models.errors import PromptRefused
from clew_models.translator import (
    Backbone,
    Clue,
    ClueIndex,
    TranslatedEntity,
    Translation,
    TranslationOptions,
    build_index,
    load_backbone,
)
from clew_models.translator.vllm_backbone import VllmBackbone

from ..tiny_model import small_llama, tiny_model
from .batch_engine import BatchEngine
from .translator_parts import NAMES, SENTENCES

VOCABULARY = 50
PROMPT = [3, 1, 4, 1, 5, 9, 2, 6]


@pytest.fixture(scope="module")
def model() -> LlamaForCausalLM:
    return small_llama(VOCABULARY, layers=2)


def some(*ids: int) -> np.ndarray:
    return np.array(ids, dtype=np.int32)


def alone(model: LlamaForCausalLM, prefix: list[int]) -> np.ndarray:
    """What follows the prompt and ``prefix``, by the model itself."""
    with torch.inference_mode():
        logits = model(torch.tensor([PROMPT + prefix])).logits[0, -1]
    return torch.log_softmax(logits, dim=-1).numpy()


def grown(model: LlamaForCausalLM) -> tuple[EngineTree, BatchEngine]:
    engine = BatchEngine(model)
    return EngineModel(engine).tree(PROMPT), engine


@pytest.mark.parametrize("seed", range(3))
def test_every_prefix_has_its_own_probabilities(model: LlamaForCausalLM, seed: int) -> None:
    random = np.random.default_rng(seed)
    tree, engine = grown(model)
    texts: list[list[int]] = [[]]
    for _ in range(12):
        parent = texts[int(random.integers(len(texts)))]
        texts.append(parent + random.integers(0, VOCABULARY, size=random.integers(1, 4)).tolist())
    for batch in (texts[:4], texts[4:5], texts[5:], texts):
        wanted = [
            (
                tree.walk(0, text)[-1] if text else 0,
                random.permutation(VOCABULARY)[:9].astype(np.int32),
            )
            for text in batch
        ]
        found = tree.score(wanted)
        for text, (_, tokens), row in zip(batch, wanted, found, strict=True):
            np.testing.assert_allclose(row, alone(model, text)[tokens], atol=1e-4)
    assert tree.passes == len(engine.batches) == 4
    assert tree.requests == sum(map(len, engine.batches))


def test_all_nodes_of_a_step_are_one_batch_and_a_node_is_one_request(
    model: LlamaForCausalLM,
) -> None:
    tree, engine = grown(model)
    one, other = tree.walk(0, [7, 8])[-1], tree.extend(0, 9)
    tree.score([(one, some(1, 2)), (other, some(3)), (one, some(2, 4)), (0, some(5))])
    (batch,) = engine.batches
    asked = {tuple(text): tokens.tolist() for text, tokens in batch}
    assert asked == {(*PROMPT, 7, 8): [1, 2, 4], (*PROMPT, 9): [3], tuple(PROMPT): [5]}


def test_only_tokens_that_are_not_known_are_asked(model: LlamaForCausalLM) -> None:
    tree, engine = grown(model)
    tree.score([(0, some(1, 5, 9))])
    tree.score([(0, some(9, 1))])
    assert tree.passes == 1
    (found,) = tree.score([(0, some(2, 5, 7))])
    assert [tokens.tolist() for _, tokens in engine.batches[1]] == [[2, 7]]
    np.testing.assert_allclose(found, alone(model, [])[[2, 5, 7]], atol=1e-4)


def test_what_is_foreseen_comes_with_the_next_batch(model: LlamaForCausalLM) -> None:
    tree, engine = grown(model)
    first, second, third = tree.walk(0, [7, 8, 9])
    tree.foresee([(first, some(8)), (second, some(9, 11)), (third, some())])
    assert not engine.batches
    found = tree.score([(0, some(7))])
    found += tree.score([(first, some(8))])
    found += tree.score([(second, some(9))])
    assert [len(batch) for batch in engine.batches] == [3]
    expected = [alone(model, [])[7], alone(model, [7])[8], alone(model, [7, 8])[9]]
    np.testing.assert_allclose(np.concatenate(found), expected, atol=1e-4)


def test_where_nothing_is_asked_the_engine_is_not_run(model: LlamaForCausalLM) -> None:
    tree, engine = grown(model)
    assert [len(row) for row in tree.score([(0, some())])] == [0]
    assert not engine.batches


@pytest.fixture(scope="module", params=["byte-level", "sentencepiece"])
def transformers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Backbone:
    folder = tiny_model(tmp_path_factory.mktemp("model"), request.param)
    return load_backbone(str(folder), cache_dir=Path("/nowhere"), precision="float32")


@pytest.fixture(scope="module")
def index(transformers: Backbone) -> ClueIndex:
    return build_index(SENTENCES, NAMES, transformers.vocabulary.tokenize)


def translated(backbone: Backbone, index: ClueIndex, **options: Any) -> tuple[list, Translation]:
    """All that a question is translated into: entities, clues both ways, and their chains."""
    one = backbone.translation(index, "Who directed Ed Wood?", TranslationOptions(**options))
    entities = one.entities([("johnny", "Johnny Depp"), ("ed", "Ed Wood")])
    ways = [one.clues(entities, "forward", tails), one.clues(entities, "reverse", tails)]
    chain = one.next_clues(ways[0], [[("tim", "Tim Burton"), ("ed", "Ed Wood")]] * len(ways[0]), 2)
    return [entities, *ways, chain], one


def tails(sentence_ids: Sequence[str]) -> list[tuple[str, str]]:
    ends = {end for s in SENTENCES if s.id in sentence_ids for end in s.tails}
    return [(end, dict(NAMES).get(end, end)) for end in sorted(ends)]


def known_by(found: TranslatedEntity | Clue) -> tuple:
    if isinstance(found, TranslatedEntity):
        return (found.id, found.surface, found.named)
    tail = found.tail.id if found.tail else None
    return (found.entity.id, found.relation, found.direction, found.sentence_ids, tail)


def score(found: TranslatedEntity | Clue) -> float:
    return found.log_probability if isinstance(found, TranslatedEntity) else found.score


@pytest.mark.parametrize(
    "options",
    [{}, {"entities": 4, "relations": 4, "foresight": 0}, {"form": "triple", "relations": 2}],
    ids=["as it is", "wide, without foresight", "triples"],
)
def test_both_backends_find_the_same_clues(
    transformers: Backbone, index: ClueIndex, options: dict[str, Any]
) -> None:
    engine = BatchEngine(transformers.model)
    batching = VllmBackbone(engine, transformers.vocabulary, "tiny")
    expected, by_tree = translated(transformers, index, **options)
    found, by_engine = translated(batching, index, **options)
    for here, there in zip(found, expected, strict=True):
        assert here
        assert [known_by(one) for one in here] == [known_by(one) for one in there]
        np.testing.assert_allclose([*map(score, here)], [*map(score, there)], atol=1e-3)
    # what is foreseen saves as many passes here as there
    assert by_engine.tree.passes == len(engine.batches) <= by_tree.tree.passes


def test_what_an_engine_refuses_names_the_setting(transformers: Backbone, index: ClueIndex) -> None:
    class Refusing:
        def next_scores(self, requests: object) -> list:
            raise PromptRefused("Too long.", remedy="Set the backend to 'transformers'.")

    backbone = VllmBackbone(Refusing(), transformers.vocabulary, "tiny")
    with pytest.raises(PromptRefused, match=r"translator_backend") as caught:
        translated(backbone, index)
    assert caught.value.remedy.startswith("Set the backend to 'transformers'.")
