"""Training the translator (KT-10): examples from a graph, a run that goes on, its figures."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from clew.clew import Clew
from clew.cli.app import app
from clew.errors import InvalidRequest
from clew.resources import versions
from clew.resources.resources import Resources
from clew.results.training import TrainingProgress
from clew.settings import Settings
from clew.strategies.learning.wordings import relation_questions
from clew.strategies.translator.examples import from_records, records
from clew.strategies.translator.graph_examples import graph_examples
from clew.strategies.translator.indexes import chosen_adapter, clue_indexes
from clew.strategies.translator.training import evaluate
from clew_cypher.corpora import get_corpus
from clew_cypher.store import GraphStore
from clew_ingest.reading.sources import Source
from clew_models.translator import TranslationOptions, load_backbone

from ..command_line import as_wide_as
from .training_corpus import FILMS as CORPUS

OPTIONS: dict[str, Any] = {
    "examples": 40,
    "held_out": 5,
    # so fast that a few steps show that it learns
    "batch": 4,
    "save_steps": 2,
    "learning_rate": 0.01,
}
METHOD = "translator"
SMALL_CORPUS = f"{CORPUS}-small"
GONE_CORPUS = f"{CORPUS}-gone"


def test_examples_are_questions_with_clues_of_the_graph(clew: Clew, store: GraphStore) -> None:
    examples = graph_examples(store, CORPUS, 40, 0, clew.resources.embedder.embed)
    assert len(examples) >= 20
    assert examples == graph_examples(store, CORPUS, 40, 0, clew.resources.embedder.embed)
    assert examples != graph_examples(store, CORPUS, 40, 1, clew.resources.embedder.embed)
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


def test_each_relation_can_be_asked_and_two_never_share_a_predicate_head_and_tail() -> None:
    seen: set[tuple[str, str, str]] = set()
    for relation in relation_questions():
        assert relation.questions
        assert all("{h}" in text for text in (*relation.questions, *relation.phrases))
        assert all(text.endswith("?") for text in relation.questions)
        keys = {
            (predicate, head, tail)
            for predicate in relation.predicates
            for head in relation.heads or ()
            for tail in relation.tails
        }
        assert keys or relation.names  # those that only knowledge bases have
        assert not keys & seen, relation.questions[0]
        seen |= keys
    assert len(seen) > 100


def test_examples_come_back_from_what_is_kept(clew: Clew, store: GraphStore) -> None:
    examples = graph_examples(store, CORPUS, 20, 0, clew.resources.embedder.embed)
    assert examples
    assert from_records(json.loads(json.dumps(records(examples)))) == examples


def test_a_run_that_is_interrupted_goes_on_and_then_serves(clew: Clew) -> None:
    class Interrupted(Exception):
        pass

    def stop(progress: TrainingProgress) -> None:
        if progress.stage == "learn" and progress.done >= 3:
            raise Interrupted

    resources, home = clew.resources, versions.corpus_folder(clew.settings.home, METHOD, CORPUS)
    with pytest.raises(Interrupted):
        clew.train(METHOD, CORPUS, tell=stop, **OPTIONS)
    (begun,) = (path.parent for path in home.glob("*/request.json"))
    assert chosen_adapter(resources, CORPUS) is None

    # as a kill leaves it that strikes while a checkpoint is written
    (begun / "checkpoints" / "checkpoint-99").mkdir()
    told: list[TrainingProgress] = []
    version = clew.train(METHOD, CORPUS, tell=told.append, **OPTIONS)
    assert version.folder == str(begun)
    # it did not begin anew: no examples, no questions before, and not from step 1
    assert {one.stage for one in told} == {"learn", "measure after", "done"}
    assert min(one.done for one in told if one.stage == "learn" and one.done) >= 3
    assert version.data["examples"] >= 20
    assert set(version.figures["before"]) == set(version.figures["after"])
    assert version.figures["after"]["questions"] == version.data["held_out"] == 5
    assert version.options["batch"] == version.options["slice"] == 4
    curve = clew.trained_model(METHOD, version.version).curve
    losses = [point.loss for point in curve if not point.held_out]
    steps = [point.step for point in curve if not point.held_out]
    assert steps == list(range(1, len(steps) + 1))
    assert losses[-1] < losses[0]
    assert any(point.held_out for point in curve)
    assert "<svg" in (begun / "curve.svg").read_text()
    assert not (begun / "checkpoints").exists()

    # once it serves, a question is translated with it
    clew.promote(METHOD, version.version)
    assert chosen_adapter(resources, CORPUS) == begun
    evidence = clew.search("Who directed The Amber Door of Marlow 0?", CORPUS, METHOD)
    assert evidence.explanation
    (loaded,) = [step for step in evidence.trace if step.name == "language model"]
    assert begun.name in loaded.detail["model"]
    # the newest first, and last the one that comes with Clew
    listed = clew.trained_models(METHOD)
    assert listed[0].version == version.version
    assert [one.base_model for one in listed[1:]] == [Settings().value("translator_model")]

    # and from the next question on another one, which no process waits for a restart to see
    assert clew.roll_back(METHOD, CORPUS) is None
    evidence = clew.search("Who directed The Amber Door of Marlow 0?", CORPUS, METHOD)
    (loaded,) = [step for step in evidence.trace if step.name == "language model"]
    assert begun.name not in loaded.detail["model"]
    names = [one.name for one in resources.models.report()]
    assert not any(begun.name in name for name in names)


def test_a_graph_without_enough_triples_is_refused_and_leaves_nothing(clew: Clew) -> None:
    data = json.dumps({"title": "Oslo", "text": "Oslo is a city."}).encode()
    clew.ingest(Source(uri="memory:Oslo", name="record.json", data=data), corpus=SMALL_CORPUS)
    with pytest.raises(InvalidRequest, match="it takes 20"):
        clew.train(METHOD, SMALL_CORPUS)
    home = versions.corpus_folder(clew.settings.home, METHOD, SMALL_CORPUS)
    assert list(home.iterdir()) == []
    clew.delete_corpus(SMALL_CORPUS)


def test_an_adapter_comes_with_clew_and_translates_better(clew: Clew, store: GraphStore) -> None:
    model = Settings().value("translator_model")
    settings = clew.settings.changed(
        home=clew.settings.home / "fresh", translator_model=model, translator_precision="auto"
    )
    with Resources(settings) as resources:
        adapter = chosen_adapter(resources, CORPUS)
        assert adapter is not None
        assert (adapter / "README.md").is_file()
        examples = graph_examples(store, CORPUS, 40, 3, clew.resources.embedder.embed)[:6]
        options = TranslationOptions()
        scores = []
        for chosen in (None, adapter):
            backbone = load_backbone(model, cache_dir=settings.cache, adapter=chosen)
            index = clue_indexes(resources, backbone).snapshot(get_corpus(store, CORPUS)).value
            best = []
            for example in examples:
                translation = backbone.translation(index, example.question, options)
                best.append(translation.clues(translation.entities([]), "forward")[0].score)
            scores.append(sum(best) / len(best))
    # the clues that it finds are what it expects, and no surprise as to the model without it
    assert scores[1] > scores[0] + 10
    assert evaluate(backbone, index, examples, options).traced >= 0.8


def test_deleting_a_corpus_removes_its_indexes(clew: Clew) -> None:
    data = json.dumps({"title": "Oslo", "text": "Oslo is a city."}).encode()
    clew.ingest(Source(uri="memory:Oslo", name="record.json", data=data), corpus=GONE_CORPUS)

    def kept() -> set[Path]:
        return set((clew.settings.home / "derived").glob("clues-*/*/*/manifest.json"))

    before = kept()
    clew.search("Where is Oslo?", corpus=GONE_CORPUS, strategy="translator")
    assert len(kept() - before) == 1
    clew.delete_corpus(GONE_CORPUS)
    assert kept() == before


def test_the_list_shows_what_comes_with_clew_where_nothing_was_trained(tmp_path: Path) -> None:
    with as_wide_as(200):
        result = CliRunner().invoke(app, ["train", "list"], env={"CLEW_HOME": str(tmp_path)})
    assert result.exit_code == 0, result.output
    (shown,) = [line for line in result.output.splitlines() if "SmolLM2" in line]
    assert "serves" in shown
    assert "48% → 90%" in shown
