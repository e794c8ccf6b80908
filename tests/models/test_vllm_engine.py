"""The engine of vLLM: what can be known without it; and itself, where a GPU is at hand."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

from clew_models.constrained_decoding.vllm_engine import PROCESSOR, scores_of, vllm_device
from clew_models.errors import ModelError, ModelNotInstalled, PromptRefused
from clew_models.language_model.lora import without_deprecations
from clew_models.translator import Backbone, TranslationOptions, build_index, load_backbone
from clew_models.translator.loading import BackendName
from clew_models.translator.vllm_backbone import merged_weights

from ..tiny_model import tiny_model
from .translator_parts import NAMES, SENTENCES


def vllm_runs() -> bool:
    """Say whether vLLM is installed with a device that it computes on."""
    try:
        return bool(vllm_device())
    except ModelNotInstalled:
        return False


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # kernels of attention want heads of 32 numbers at least
    return tiny_model(tmp_path_factory.mktemp("model"), width=256)


@pytest.fixture(scope="module")
def adapter(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An adapter with random weights, both of its factors."""
    target = tmp_path_factory.mktemp("adapters") / "2026-01-01"
    model = AutoModelForCausalLM.from_pretrained(folder)
    configuration = LoraConfig(r=4, lora_alpha=64, target_modules="all-linear")
    torch.manual_seed(1)
    with without_deprecations():
        adapted = get_peft_model(model, configuration)
    for name, weight in adapted.named_parameters():
        if "lora_" in name:
            torch.nn.init.normal_(weight, std=0.1)
    adapted.save_pretrained(str(target))
    return target


def test_scores_are_those_of_the_tokens_in_their_order() -> None:
    tokens = np.array([2, 5, 9, 30], dtype=np.int32)
    # the sampled token first, then the likeliest; a padded batch has forbidden ones at the end
    found, scores = [9, 9, 2, 30, 7], [-0.5, -0.5, -1.0, -2.5, -np.inf]
    assert scores_of(tokens, found, scores).tolist() == [-1.0, -np.inf, -0.5, -2.5]


@pytest.mark.parametrize("other", [0, 6, 40])
def test_a_token_that_is_not_allowed_is_never_taken_for_an_answer(other: int) -> None:
    tokens = np.array([2, 5, 9], dtype=np.int32)
    with pytest.raises(ModelError, match="logits processor"):
        scores_of(tokens, [5, 5, other], [-0.5, -0.5, -3.0])


def test_vllm_is_told_the_name_of_a_processor_that_is_there() -> None:
    module, _, name = PROCESSOR.partition(":")
    specification = importlib.util.find_spec(module)
    assert specification is not None
    assert specification.origin is not None
    assert f"class {name}(LogitsProcessor)" in Path(specification.origin).read_text()


def test_without_vllm_the_error_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    if vllm_runs():
        pytest.skip("vllm and what it computes on are here")
    with pytest.raises(ModelNotInstalled, match="vLLM") as caught:
        load_backbone(str(folder), cache_dir=tmp_path, backend="vllm")
    assert "translator_backend" in caught.value.remedy
    assert list(tmp_path.iterdir()) == []


def test_an_adapter_is_merged_once(folder: Path, adapter: Path, tmp_path: Path) -> None:
    merged = merged_weights(folder, adapter, "float32", tmp_path)
    assert merged_weights(folder, adapter, "float32", tmp_path) == merged
    assert merged_weights(folder, adapter, "bfloat16", tmp_path) != merged
    backbone = load_backbone(str(folder), cache_dir=tmp_path, adapter=adapter, precision="float32")
    plain = load_backbone(str(folder), cache_dir=tmp_path, precision="float32")
    text = torch.tensor([[5, 6, 7, 8]])
    with torch.inference_mode():
        expected = backbone.model(text).logits
        found = AutoModelForCausalLM.from_pretrained(merged)(text).logits
        assert not torch.allclose(expected, plain.model(text).logits, atol=1e-2)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


def test_another_adapter_of_that_name_is_merged_anew(
    folder: Path, adapter: Path, tmp_path: Path
) -> None:
    before = merged_weights(folder, adapter, "float32", tmp_path)
    weights = adapter / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes())
    assert merged_weights(folder, adapter, "float32", tmp_path) != before


@pytest.mark.filterwarnings("default")
@pytest.mark.timeout(900)
def test_vllm_in_process_scores_as_transformers_does(
    folder: Path, adapter: Path, tmp_path: Path
) -> None:
    if not vllm_runs():
        pytest.skip("needs a GPU and vllm")

    def load(backend: BackendName) -> Backbone:
        return load_backbone(
            str(folder),
            cache_dir=tmp_path,
            adapter=adapter,
            precision="float32",
            backend=backend,
            vllm_memory=0.2,
        )

    there, here = load("transformers"), load("vllm")
    index = build_index(SENTENCES, NAMES, there.vocabulary.tokenize)
    found = []
    for backbone in (here, there):
        options = TranslationOptions(entities=4, relations=2)
        one = backbone.translation(index, "Who directed Ed Wood?", options)
        entities = one.entities([("johnny", "Johnny Depp")])
        scores = {(e.id, e.surface): e.log_probability for e in entities}
        scores |= {(c.entity.id, c.relation): c.score for c in one.clues(entities, "forward")}
        found.append(scores)
    with pytest.raises(PromptRefused, match="longer than vLLM has room for"):
        here.translation(index, "Who " * 600, TranslationOptions()).entities([])
    # a GPU may multiply the float32 of attention with fewer digits
    assert found[0] == pytest.approx(found[1], abs=1e-3 if vllm_device() == "cpu" else 2e-2)
