"""The packed model on ONNX Runtime gives what transformers gives for the same GGUF file."""

import json
import shutil
import subprocess
import sys
import textwrap
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType
from peft import LoraConfig, get_peft_model
from transformers import LlamaForCausalLM

from clew_models.errors import ModelError, ModelNotInstalled, PromptRefused
from clew_models.language_model import Message, packed_model
from clew_models.language_model.local import LocalModel
from clew_models.language_model.packed_model import (
    Adapter,
    PackedModel,
    PackedWeights,
    load_adapter,
)
from clew_models.language_model.packing import pack
from clew_models.translator import TranslationOptions, Vocabulary, build_index, chosen_backend
from clew_models.translator.backbone import Backbone, PackedBackbone, loaded_model
from clew_models.translator.loading import DEFAULT, load_backbone

from ..damaged_files import damaged
from ..tiny_gguf import CONTEXT, LAYERS, tiny_gguf
from ..tiny_model import tiny_model
from .packed_parts import of_transformers
from .translator_parts import NAMES, SENTENCES

TEXT = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3]
HOSTILE = [
    "Ada Lovelace (née Byron) — “日本” 1815, naïve @@ ##s \n",
    "a <|end|> b<|end|>",
    "<|end|>",
    "",
    "  two  spaces\t\n",
    "\N{FAMILY}\N{ZERO WIDTH JOINER}\N{VARIATION SELECTOR-16}é",
]


@dataclass(frozen=True)
class Tiny:
    """A packed model and the same in transformers, with its tokenizer."""

    folder: Path
    weights: PackedWeights
    reference: LlamaForCausalLM
    tokenizer: Any


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    folder = tmp_path_factory.mktemp("packed")
    source = tiny_gguf(folder / "tiny.gguf")
    pack(source, folder)
    return Tiny(folder, PackedWeights(folder, threads=1), *of_transformers(source))


def expected(reference: Any, tokens: Sequence[int]) -> np.ndarray:
    """[T, V] what follows each token, by transformers."""
    with torch.inference_mode():
        logits = reference(torch.tensor([list(tokens)])).logits[0]
    return torch.log_softmax(logits, dim=-1).numpy()


def found(model: PackedModel, tokens: Sequence[int]) -> np.ndarray:
    return np.stack(model.append(None, tokens, every=True)[1])


def test_follows_each_token_as_in_transformers(tiny: Tiny) -> None:
    rows = found(PackedModel(tiny.weights), TEXT)
    np.testing.assert_allclose(rows, expected(tiny.reference, TEXT), atol=1e-5)
    assert np.ptp(rows[-1]) > 0.5  # random weights, but not flat


@pytest.mark.parametrize("pieces", [[1] * 16, [5, 11], [15, 1], [16]])
def test_a_cache_grows_by_pieces(
    tiny: Tiny, pieces: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_model, "SLICE", 4)
    monkeypatch.setattr(packed_model, "ROOM", 2)
    model, cache, at = PackedModel(tiny.weights), None, 0
    wanted = expected(tiny.reference, TEXT)
    for piece in pieces:
        cache, (row,) = model.append(cache, TEXT[at : at + piece])
        at += piece
        np.testing.assert_allclose(row, wanted[at - 1], atol=1e-5)
    assert cache is not None
    copy = model.copied(cache)
    for other in (copy, cache):
        _, (row,) = model.append(other, [7, 7, 7])
        np.testing.assert_allclose(row, expected(tiny.reference, [*TEXT, 7, 7, 7])[-1], atol=1e-5)


def test_threads_do_not_meet(tiny: Tiny) -> None:
    model = PackedModel(tiny.weights)
    texts = [[(7 * seed + 3 * place) % 90 for place in range(40)] for seed in range(6)]
    wanted = [found(model, text) for text in texts]
    results: dict[int, list[np.ndarray]] = {}

    def work(number: int) -> None:
        cache, rows = None, []
        for token in texts[number]:
            cache, (row,) = model.append(cache, [token])
            rows.append(row)
        results[number] = rows

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, rows in enumerate(wanted):
        np.testing.assert_allclose(np.stack(results[number]), rows, atol=1e-5)


def test_a_text_longer_than_the_context_is_refused(tiny: Tiny) -> None:
    model = PackedModel(tiny.weights)
    cache, _ = model.append(None, [1] * CONTEXT)
    with pytest.raises(PromptRefused, match=str(CONTEXT)):
        model.append(cache, [1])
    with pytest.raises(PromptRefused):
        LocalModel(tiny.weights).complete([Message("user", "word " * CONTEXT)])


def adapter_in(folder: Path, reference: Any, seed: int, **options: Any) -> tuple[Path, Any]:
    """Write a LoRA adapter of random weights; return its folder and the model with it."""
    import copy

    torch.manual_seed(seed)
    configuration = LoraConfig(task_type="CAUSAL_LM", init_lora_weights=False, **options)
    model = get_peft_model(copy.deepcopy(reference), configuration)
    model.save_pretrained(str(folder), save_embedding_layers=False)
    return folder, model.merge_and_unload()


@pytest.mark.parametrize(
    "options",
    [
        {"r": 8, "lora_alpha": 16, "target_modules": "all-linear"},
        {"r": 3, "lora_alpha": 5, "target_modules": ["q_proj", "up_proj"], "use_rslora": True},
    ],
    ids=["all", "some"],
)
@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing")
def test_adapters_share_the_weights(tiny: Tiny, tmp_path: Path, options: dict[str, Any]) -> None:
    plain = found(PackedModel(tiny.weights), TEXT)
    models = []
    for seed in (1, 2):
        folder, merged = adapter_in(tmp_path / str(seed), tiny.reference, seed, **options)
        adapter = load_adapter(folder, tiny.weights.shape)
        models.append((PackedModel(tiny.weights, adapter), expected(merged, TEXT)))
    for model, wanted in (*models, *models):
        np.testing.assert_allclose(found(model, TEXT), wanted, atol=1e-4)
    assert np.abs(models[0][1] - models[1][1]).max() > 0.1
    np.testing.assert_array_equal(found(PackedModel(tiny.weights), TEXT), plain)


@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing", "ignore:.*tie_word_embeddings")
@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"use_dora": True}, "plain LoRA"),
        ({"modules_to_save": ["norm"]}, "plain LoRA"),
        ({"target_modules": ["embed_tokens"]}, "weights"),
        ({"layers": 1}, "matrices for"),
    ],
)
def test_an_adapter_that_does_not_fit_is_an_error(
    tiny: Tiny, tmp_path: Path, options: dict[str, Any], why: str
) -> None:
    import dataclasses

    shape = dataclasses.replace(tiny.weights.shape, layers=options.pop("layers", LAYERS))
    options = {"target_modules": ["q_proj"]} | options
    folder, _ = adapter_in(tmp_path, tiny.reference, 0, **options)
    with pytest.raises(ModelNotInstalled, match=why):
        load_adapter(folder, shape)
    with pytest.raises(ModelNotInstalled, match="no adapter"):
        load_adapter(tmp_path / "elsewhere", shape)


@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing")
def test_an_adapter_that_is_damaged_is_told_with_what_to_do(tiny: Tiny, tmp_path: Path) -> None:
    whole, _ = adapter_in(tmp_path / "whole", tiny.reference, 0, target_modules=["q_proj"])
    files = ("adapter_config.json", "adapter_model.safetensors")
    for folder in damaged(whole, tmp_path, *files):
        with pytest.raises(ModelNotInstalled, match="LoRA adapter") as raised:
            load_adapter(folder, tiny.weights.shape)
        assert str(folder) in raised.value.message


@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing")
def test_transformers_tells_of_an_adapter_that_is_damaged_or_does_not_fit(
    tiny: Tiny, tmp_path: Path
) -> None:
    base = tmp_path / "base"
    tiny.reference.save_pretrained(base)
    whole, merged = adapter_in(tmp_path / "whole", tiny.reference, 0, target_modules=["q_proj"])
    one = torch.tensor([[1, 2, 3]])
    with torch.inference_mode():
        torch.testing.assert_close(loaded_model(base, whole)(one).logits, merged(one).logits)
    files = ("adapter_config.json", "adapter_model.safetensors")
    other = tmp_path / "other"
    shutil.copytree(whole, other)
    settings = json.loads((other / files[0]).read_text())
    (other / files[0]).write_text(json.dumps({**settings, "r": settings["r"] + 1}))
    for folder in (other, *damaged(whole, tmp_path, *files)):
        with pytest.raises(ModelNotInstalled, match="adapter") as raised:
            loaded_model(base, folder)
        assert str(folder) in raised.value.message
        assert "clew train translator" in raised.value.remedy


def test_the_tokenizer_is_that_of_transformers(tiny: Tiny) -> None:
    plain, theirs = tiny.weights.tokenizer, tiny.tokenizer
    assert len(plain) == len(theirs)
    assert plain.eos_token_id == theirs.eos_token_id
    assert sorted(plain.all_special_ids) == sorted(set(theirs.all_special_ids))
    for split in (True, False):
        asked: dict[str, Any] = {"add_special_tokens": False, "split_special_tokens": split}
        for text in HOSTILE:
            assert plain(text, **asked)["input_ids"] == theirs(text, **asked)["input_ids"]
        assert plain(HOSTILE, **asked)["input_ids"] == theirs(HOSTILE, **asked)["input_ids"]
    ids = plain(HOSTILE[0])["input_ids"]
    for skip in (True, False):
        for part in (ids, ids[:7], [*ids, plain.eos_token_id]):
            assert plain.decode(part, skip_special_tokens=skip) == theirs.decode(
                part, skip_special_tokens=skip
            )
    assert plain.convert_ids_to_tokens(ids) == theirs.convert_ids_to_tokens(ids)
    one, other = Vocabulary(plain), Vocabulary(theirs)
    assert one.fingerprint == other.fingerprint
    assert [one.speaks(id_) for id_ in ids] == [other.speaks(id_) for id_ in ids]
    assert not any(map(one.speaks, one.tokenize([" ##, _@@ ."])[0]))
    assert all(map(one.speaks, one.tokenize(["出生7né"])[0]))
    for form in ("pair", "triple"):
        assert one.prompt("Who <|end|>?", form) == other.prompt("Who <|end|>?", form)
        assert one.opening(form) == other.opening(form)


@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing")
@pytest.mark.parametrize("form", ["pair", "triple"])
def test_clues_are_those_of_transformers(tiny: Tiny, tmp_path: Path, form: Any) -> None:
    folder, merged = adapter_in(tmp_path, tiny.reference, 3, r=4, target_modules="all-linear")
    adapter: Adapter = load_adapter(folder, tiny.weights.shape)
    packed = PackedModel(tiny.weights, adapter)
    told = []
    for backbone in (
        PackedBackbone(packed, Vocabulary(tiny.weights.tokenizer), "packed"),
        Backbone(merged, Vocabulary(tiny.tokenizer), "transformers"),
    ):
        index = build_index(SENTENCES, NAMES, backbone.vocabulary.tokenize)
        one = backbone.translation(index, "Who?", TranslationOptions(form=form, name_tokens=24))
        entities = one.entities([("johnny", "Johnny Depp")])
        clues = [*one.clues(entities, "forward"), *one.clues(entities, "reverse")]
        told.append((entities, clues))
    (entities, clues), (their_entities, their_clues) = told
    assert clues
    assert [e.id for e in entities] == [e.id for e in their_entities]
    assert [(c.entity.id, c.text) for c in clues] == [(c.entity.id, c.text) for c in their_clues]
    np.testing.assert_allclose(
        [clue.score for clue in clues], [clue.score for clue in their_clues], atol=1e-3
    )


def test_weights_of_another_kind_are_refused(tmp_path: Path) -> None:
    source = tiny_gguf(tmp_path / "other.gguf", GGMLQuantizationType.Q8_0)
    with pytest.raises(ModelError, match="Q8_0"):
        pack(source, tmp_path)


def test_neither_torch_nor_transformers_is_imported(tiny: Tiny) -> None:
    """What a query worker does with the model, in a process of its own."""
    program = f"""
        import sys
        from pathlib import Path
        from clew_models.language_model import Message, LocalModel
        from clew_models.language_model.packed_model import PackedModel, PackedWeights
        from clew_models.translator import TranslationOptions, Vocabulary, build_index
        from clew_models.translator import chosen_backend
        from clew_models.translator.backbone import PackedBackbone

        chosen_backend("{DEFAULT}", backend="auto", device="cpu", precision="auto")
        weights = PackedWeights(Path({str(tiny.folder)!r}), threads=1)
        LocalModel(weights).complete([Message("user", "Hello")], max_tokens=3)
        backbone = PackedBackbone(PackedModel(weights), Vocabulary(weights.tokenizer), "x")
        one = backbone.translation(build_index([], [], backbone.vocabulary.tokenize), "Who?",
                                   TranslationOptions())
        assert one.entities([("x", "Ed Wood")])
        heavy = {{"torch", "transformers", "peft", "onnx", "gguf"}} & set(sys.modules)
        assert not heavy, heavy
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True)


def test_one_rule_says_what_computes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def chosen(model: str = DEFAULT, **settings: Any) -> str:
        asked = {"backend": "auto", "device": "cpu", "precision": "auto"} | settings
        return chosen_backend(model, **asked)

    assert chosen() == chosen(precision="float32") == "onnx"
    assert chosen(precision="bfloat16") == chosen(device="cuda") == "transformers"
    assert chosen(str(tmp_path)) == chosen(backend="transformers") == "transformers"
    assert chosen(backend="vllm") == "vllm"
    monkeypatch.setattr("clew_models.devices.has_gpu", lambda: False)
    assert chosen(device="auto") == "onnx"
    for settings in ({"precision": "bfloat16"}, {"device": "cuda"}):
        with pytest.raises(ModelNotInstalled, match="ONNX Runtime computes"):
            chosen(backend="onnx", **settings)
    with pytest.raises(ModelNotInstalled, match="ONNX Runtime computes"):
        load_backbone(str(tiny_model(tmp_path)), cache_dir=tmp_path, backend="onnx")
