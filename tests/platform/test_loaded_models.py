"""Models are loaded once, and let go together with what stands on them."""

from pathlib import Path

import pytest

from clew.resources.loaded import LoadedModels
from clew.resources.resources import LOCAL_WEIGHTS, Resources
from clew.settings import Settings
from clew.strategies.translator.indexes import load_with


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
