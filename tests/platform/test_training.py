"""Training the translator (KT-10): examples from a graph, a run that goes on, its figures."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clew.clew import Clew
from clew.cli.app import app
from clew.errors import InvalidRequest
from clew.settings import Settings
from clew.strategies.clue_indexes import clue_indexes
from clew.strategies.translating import chosen_adapter
from clew.training.evaluating import evaluate
from clew.training.example_files import fingerprint, read_examples, write_examples
from clew.training.graph_examples import graph_examples, relation_questions
from clew.training.store import newest_version
from clew.training.translator import TranslatorTraining, train_translator
from clew_cypher.corpora import get_corpus
from clew_cypher.store import GraphStore
from clew_ingest.sources import Source
from clew_models.translator import TranslationOptions, load_backbone
from clew_models.translator.training import TrainingOptions

from .training_corpus import trainable

CORPUS = "test-training"
REQUEST = TranslatorTraining(
    CORPUS,
    examples=40,
    held_out=5,
    # so fast that a few steps show that it learns
    options=TrainingOptions(batch=8, slice=4, save_steps=2, learning_rate=0.01),
)


@pytest.fixture(scope="module")
def clew(
    store: GraphStore, cache_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Clew]:
    with trainable(store, cache_dir, tmp_path_factory.mktemp("home"), CORPUS) as made:
        yield made


def test_examples_are_questions_with_clues_of_the_graph(clew: Clew, store: GraphStore) -> None:
    examples = graph_examples(store, CORPUS, 40, 0, clew.embedder.embed)
    assert len(examples) >= 20
    assert examples == graph_examples(store, CORPUS, 40, 0, clew.embedder.embed)
    assert examples != graph_examples(store, CORPUS, 40, 1, clew.embedder.embed)
    hops = {len(example.clues) for example in examples}
    assert hops == {1, 2}
    compared = (" or ", " and ")
    assert any(word in example.question for example in examples for word in compared)
    for example in examples:
        assert example.question.endswith("?")
        assert len(example.chunk_ids) == len(example.clues)
        assert example.clues[0].entity in example.question
        for clue in example.clues:
            assert clue.relation in clue.hyperrelation
            assert any(letter.isalpha() for letter in clue.relation)
        for clue in example.clues[1:]:
            # the second name is what is asked for on the way: the question must not give it
            assert clue.entity not in example.question


def test_each_relation_can_be_asked_and_two_never_share_a_predicate_and_tail() -> None:
    seen: set[tuple[str, str, str]] = set()
    for relation in relation_questions():
        assert relation.questions
        assert all("{h}" in text for text in (*relation.questions, *relation.phrases))
        assert all(text.endswith("?") for text in relation.questions)
        keys = {
            (predicate, head, tail)
            for predicate in relation.predicates
            for head in relation.heads
            for tail in relation.tails
        }
        assert keys
        seen |= keys


def test_examples_come_back_from_a_file(clew: Clew, store: GraphStore, tmp_path: Path) -> None:
    examples = graph_examples(store, CORPUS, 20, 0, clew.embedder.embed)
    write_examples(examples, tmp_path / "e.jsonl")
    again = read_examples(tmp_path / "e.jsonl")
    assert again == examples
    assert fingerprint(again) == fingerprint(examples) != fingerprint(examples[1:])


def test_a_run_that_is_interrupted_goes_on(clew: Clew, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(Exception):
        pass

    def stop(stage: str, done: int, total: int) -> None:
        if stage == "train" and done >= 3:
            raise Interrupted

    with pytest.raises(Interrupted):
        train_translator(clew, REQUEST, stop)
    home = clew.settings.home / "models" / "translator"
    (begun,) = home.iterdir()
    assert newest_version(clew.settings, "translator", clew.settings.translator_model) is None
    assert chosen_adapter(clew.settings) is None

    told: list[tuple[str, int]] = []
    version = train_translator(clew, REQUEST, lambda stage, done, total: told.append((stage, done)))
    assert version.folder == begun
    # it did not begin anew: no examples, no questions before, and not from step 1
    assert {stage for stage, _ in told} == {"train", "evaluate after"}
    assert min(done for stage, done in told if stage == "train") >= 3
    model = version.model
    assert model.data["examples"] >= 20
    assert set(model.figures["before"]) == set(model.figures["after"])
    assert model.figures["after"]["questions"] == model.data["held_out"] == 5
    curve = json.loads((begun / "training.json").read_text())["points"]
    losses = [point["loss"] for point in curve if not point["held_out"]]
    assert losses[-1] < losses[0]
    assert "<svg" in (begun / "curve.svg").read_text()
    assert not (begun / "checkpoints").exists()

    # it serves now, and a question is translated with it
    assert chosen_adapter(clew.settings) == begun
    evidence = clew.search("Who directed The Amber Door of Marlow 0?", CORPUS, "translator")
    assert evidence.clues
    (loaded,) = [step for step in evidence.trace if step.name == "language model"]
    assert begun.name in loaded.detail["model"]
    # the newest first, and last the one that comes with Clew
    assert clew.trained_models()[0] == model
    assert [one.base_model for one in clew.trained_models()[1:]] == [Settings().translator_model]


def test_the_same_request_again_is_a_new_version(clew: Clew) -> None:
    before = {path.name for path in (clew.settings.home / "models" / "translator").iterdir()}
    request = TranslatorTraining(CORPUS, examples=36, held_out=2, options=REQUEST.options)
    version = train_translator(clew, request)
    assert version.folder.name not in before


def test_a_graph_without_enough_triples_is_refused_and_leaves_nothing(clew: Clew) -> None:
    corpus = f"{CORPUS}-small"
    data = json.dumps({"title": "Oslo", "text": "Oslo is a city."}).encode()
    clew.ingest(Source(uri="memory:Oslo", name="record.json", data=data), corpus=corpus)
    home = clew.settings.home / "models" / "translator"
    before = sorted(home.iterdir()) if home.exists() else []
    with pytest.raises(InvalidRequest, match="it takes 20"):
        train_translator(clew, TranslatorTraining(corpus))
    assert (sorted(home.iterdir()) if home.exists() else []) == before
    clew.delete_corpus(corpus)


def test_an_adapter_comes_with_clew_and_translates_better(clew: Clew, store: GraphStore) -> None:
    settings = clew.settings.model_copy(
        update={
            "home": clew.settings.home / "fresh",
            "translator_model": Settings().translator_model,
            "translator_precision": "auto",
        }
    )
    adapter = chosen_adapter(settings)
    assert adapter is not None
    assert (adapter / "README.md").is_file()
    examples = graph_examples(store, CORPUS, 40, 3, clew.embedder.embed)[:12]
    options = TranslationOptions()
    scores = []
    for chosen in (None, adapter):
        backbone = load_backbone(
            settings.translator_model, cache_dir=settings.cache, adapter=chosen
        )
        index = clue_indexes(store, settings, backbone).snapshot(get_corpus(store, CORPUS)).value
        best = []
        for example in examples:
            translation = backbone.translation(index, example.question, options)
            best.append(translation.clues(translation.entities([]), "forward")[0].score)
        scores.append(sum(best) / len(best))
    # the clues that it finds are what it expects, and no surprise as to the model without it
    assert scores[1] > scores[0] + 10
    assert evaluate(backbone, index, examples, options).traced >= 0.8


def test_deleting_a_corpus_removes_its_indexes(clew: Clew) -> None:
    corpus = f"{CORPUS}-gone"
    data = json.dumps({"title": "Oslo", "text": "Oslo is a city."}).encode()
    clew.ingest(Source(uri="memory:Oslo", name="record.json", data=data), corpus=corpus)

    def kept() -> set[Path]:
        return set((clew.settings.home / "clues").glob("*/*/*/manifest.json"))

    before = kept()
    clew.search("Where is Oslo?", corpus=corpus, strategy="translator")
    assert len(kept() - before) == 1
    clew.delete_corpus(corpus)
    assert kept() == before


def test_the_list_says_when_there_is_no_version(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["train", "list"], env={"CLEW_HOME": str(tmp_path)})
    assert result.exit_code == 0, result.output
    assert "No version" in result.output or "SmolLM2" in result.output
