"""Models are loaded once, and let go together with what stands on them."""

from pathlib import Path

import pytest

from clew.resources.loaded import LoadedModels
from clew.resources.resources import LOCAL_WEIGHTS, Resources
from clew.settings import Settings
from clew.strategies.translator.indexes import load_with
from clew_models.embedding.minilm import model_directory

from ..tiny_model import tiny_model


def held(models: LoadedModels) -> set[str]:
    return {one.name for one in models.report()}


def put(models: LoadedModels, name: str, size: int, beside: str | None = None) -> object:
    return models.get(name, object, name=name, size=lambda value: size, beside=beside)


def test_what_was_used_longest_ago_is_let_go() -> None:
    models = LoadedModels({"cpu": 100})
    first = put(models, "first", 40)
    put(models, "second", 40)
    assert put(models, "first", 40) is first
    put(models, "third", 40)
    assert held(models) == {"first", "third"}


def test_weights_are_in_use_with_their_adapters() -> None:
    models = LoadedModels({"cpu": 100})
    put(models, "weights", 50)
    put(models, "adapter", 10, beside="weights")
    put(models, "parser", 30)
    put(models, "adapter", 10, beside="weights")
    put(models, "embedder", 30)  # something has to go: the parser, not what the adapter stands on
    assert held(models) == {"weights", "adapter", "embedder"}


def test_an_adapter_goes_with_its_weights() -> None:
    models = LoadedModels({"cpu": 100})
    put(models, "weights", 60)
    put(models, "adapter", 10, beside="weights")
    put(models, "embedder", 90)
    assert held(models) == {"embedder"}
    put(models, "weights", 5)
    put(models, "adapter", 1, beside="weights")
    models.drop("weights")
    assert held(models) == {"embedder"}


def test_a_new_adapter_never_pushes_its_weights_out() -> None:
    models = LoadedModels({"cpu": 100})
    put(models, "weights", 60)
    put(models, "embedder", 30)
    put(models, "adapter", 20, beside="weights")
    assert held(models) == {"weights", "adapter"}


def test_what_a_gpu_holds_has_a_limit_of_its_own() -> None:
    models = LoadedModels({"cpu": 100, "cuda": 100})
    put(models, "parser", 90)
    for name in ("first", "second"):
        models.get(name, object, name=name, device=lambda _: "cuda", size=lambda _: 60)
    assert held(models) == {"parser", "second"}


def test_what_is_not_on_the_processor_says_how_big_it_is() -> None:
    models = LoadedModels({"cuda": 100})
    for unknown in (None, lambda _: None):
        with pytest.raises(ValueError, match="network is on cuda"):
            models.get("n", object, name="network", device=lambda _: "cuda", size=unknown)
    assert not held(models)


def test_models_of_torch_count_as_their_weights(tmp_path: Path) -> None:
    folder = model_directory()
    base = tiny_model(tmp_path / "tiny")
    resources = Resources(
        Settings.load(
            home=tmp_path / "home",
            embedder=str(folder),
            translator_model=str(base),
            translator_device="cpu",
            translator_precision="float32",
        )
    )
    resources.embedder.embed(["a word"])
    load_with(resources, None)
    taken = {one.name.split(" ")[0]: one.mib for one in resources.models.report()}
    assert taken["embedder"] == pytest.approx(22.7e6 * 4 / 2**20, rel=0.01)  # 22.7 M parameters
    written = sum(file.stat().st_size for file in base.glob("*.safetensors")) / 2**20
    assert taken["translator"] == pytest.approx(written, abs=0.2)


def test_reader_and_translator_hold_one_copy_of_the_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clew_models.language_model import weights

    from ..tiny_gguf import tiny_gguf

    source = tiny_gguf(tmp_path / "tiny.gguf")
    monkeypatch.setattr(weights, "gguf_file", lambda: source)
    resources = Resources(
        Settings.load(home=tmp_path / "home", reader="local", translator_device="cpu")
    )
    told: list[str] = []
    plain = load_with(resources, None, told.append)
    assert [text.split(" ")[0] for text in told] == ["Converting", "Loading"]
    reader = resources.language_model_of("local")
    shared = resources.local_weights()
    assert plain.model.weights is shared
    assert reader._model.weights is shared  # type: ignore[attr-defined]
    assert load_with(resources, None, told.append) is plain
    assert len(told) == 2
    names = held(resources.models)
    assert any("ONNX Runtime" in name for name in names)
    assert any("(onnx)" in name for name in names)
    resources.models.drop(LOCAL_WEIGHTS)
    assert not held(resources.models)
    assert load_with(resources, None).model.weights is not shared
