"""The setting that chooses what computes the translator."""

import importlib.util
from pathlib import Path

import pytest

from clew.resources.resources import Resources
from clew.settings import Settings
from clew.strategies.translator.indexes import load_with
from clew_models.errors import ModelNotInstalled

from ..tiny_model import tiny_model


@pytest.mark.skipif(importlib.util.find_spec("vllm") is not None, reason="vllm is installed")
def test_vllm_where_it_is_not_is_an_error_and_never_transformers(tmp_path: Path) -> None:
    settings = Settings.load(
        home=tmp_path / "home",
        translator_backend="vllm",
        translator_model=str(tiny_model(tmp_path / "model")),
    )
    with pytest.raises(ModelNotInstalled, match="vLLM") as caught:
        load_with(Resources(settings), None)
    for setting in ("translator_backend", "translator_device", "translator_vllm_memory"):
        assert setting in caught.value.remedy
