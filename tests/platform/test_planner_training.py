"""Training planner: examples of graph and data set, resume, a version that plans and answers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.answering.asking import ask as answer_from
from clew.answering.trained_graph_reader import TrainedAnswers
from clew.clew import Clew
from clew.errors import InvalidRequest, JobStopped
from clew.evaluation.data_sets.loading import load_data_set
from clew.resources.resources import Resources
from clew.results.evidence import Evidence
from clew.results.explanation import RoundsCard
from clew.results.history import GRAPH, PLAN, SUBQ
from clew.settings import Settings
from clew.strategies.learning.training import Record, TrainingRun
from clew.strategies.planner.examples import from_record, make_examples
from clew.strategies.planner.planning import Action
from clew.strategies.planner.trained import base_model
from clew.strategies.planner.training import PlannerTrainingOptions, figures_of, text_model
from clew.strategies.searching import retrieve
from clew.training.request import TrainingRequest, checked_options
from clew.training.run import run_training
from clew_cypher.store import GraphStore
from clew_models.errors import LanguageModelUnavailable, ModelNotInstalled
from clew_models.fitting import CHECKPOINT
from clew_models.graph_llm.model import OPTIONS, WEIGHTS

from ..tiny_model import tiny_model
from .training_corpus import PEOPLE, city_of, documents, film_of, films_settings, musique_questions

CORPUS = "test-planner-training"
METHOD = "planner"
TRAINED: dict[str, Any] = {
    "examples": 60,
    "held_out": 12,
    "triples": 4,
    "layers": 1,
    "heads": 2,
    "dimension": 16,
    "rank": 2,
    "batch": 8,
    "save_steps": 3,
    "unaided": 10,
}
QUESTION = f"Where was the director of {film_of(3)} born?"


@pytest.fixture(scope="module")
def clew(
    store: GraphStore, cache_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Clew]:
    home = tmp_path_factory.mktemp("home")
    settings = films_settings(store, cache_dir, home)
    base = tiny_model(home / "tiny-planner")
    config = json.loads((base / "config.json").read_text())
    (base / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 4096}))
    with Clew(settings.changed(planner_base=str(base))) as made:
        made.ingest(*documents(), corpus=CORPUS)
        yield made
        made.delete_corpus(CORPUS)


def run(clew: Clew, folder: Path, **options: object) -> TrainingRun:
    return TrainingRun(
        clew.resources, CORPUS, folder, PlannerTrainingOptions(**{**TRAINED, **options})
    )


def of_question(records: list[Record], question: str) -> list[Record]:
    return [one for one in records if one["question"] == question]


def test_a_version_is_trained_measured_plans_and_answers(clew: Clew) -> None:
    with pytest.raises(ModelNotInstalled, match="clew train planner"):
        retrieve(clew.resources.under(planner_model="trained"), QUESTION, CORPUS, METHOD, 5)
    version = clew.train(METHOD, CORPUS, **TRAINED)
    folder = Path(version.folder)
    assert (folder / WEIGHTS).exists()
    assert not (folder / CHECKPOINT).exists()
    assert version.base_model == base_model(clew.settings)
    assert set(version.figures["after"]) == {"questions", "right", "actions", "names", "answers"}
    assert version.serves == (
        version.figures["after"]["right"] >= version.figures["before"]["right"]
    )
    curve = clew.trained_model(METHOD, version.version).curve
    apart = [point.loss for point in curve if point.held_out]
    assert min(apart) < apart[0]
    assert sum(version.data["kinds"].values()) >= version.data["examples"]
    clew.promote(METHOD, version.version)
    led = clew.resources.under(planner_model="trained")
    evidence = retrieve(led, QUESTION, CORPUS, METHOD, 5)
    (plan,) = (
        card for card in evidence.explanation if isinstance(card, RoundsCard) and card.title == PLAN
    )
    assert plan.rounds[0].asked == QUESTION
    said = [step.detail for step in evidence.trace if step.name == "plan"]
    assert said
    assert all(one["by"].endswith(version.version) for one in said)
    assert all(one["plan"].startswith((Action.SUBQ, Action.SUFFICIENT)) for one in said)
    answer = answer_from(led, QUESTION, CORPUS, METHOD, reader="graph")
    assert answer.reader == "graph"
    assert answer.completion_tokens > 0
    assert answer.supported == bool(answer.citations)


def test_a_training_that_was_stopped_goes_on_where_it_was(clew: Clew) -> None:
    request = TrainingRequest(method=METHOD, corpus=CORPUS, options={**TRAINED, "seed": 3})
    seen: list[tuple[str, int]] = []
    with pytest.raises(JobStopped):
        run_training(
            clew.resources,
            request,
            tell=lambda told: seen.append((told.stage, told.done)),
            cancelled=lambda: ("learn", 3) in seen,
        )
    (checkpoint,) = (clew.settings.home / "models" / METHOD).glob(f"*/*/{CHECKPOINT}")
    steps: list[int] = []
    version = run_training(
        clew.resources,
        request,
        tell=lambda told: steps.append(told.done) if told.stage == "learn" else None,
    )
    assert Path(version.folder) == checkpoint.parent
    assert (Path(version.folder) / OPTIONS).exists()
    assert 1 not in steps  # the steps before the stop are not done again


def test_plans_follow_from_what_the_triples_tell(clew: Clew, tmp_path: Path) -> None:
    made = make_examples(run(clew, tmp_path, examples=200, unaided=0))
    records = [*made.learned, *made.held_out]
    assert {one["kind"] for one in records} == {"[SUBQ]", "[SUFFICIENT]", "answer"}
    sides = [{id_ for one in part for id_ in one["gold"]} for part in (made.learned, made.held_out)]
    assert sides[0].isdisjoint(sides[1])
    named = [one for one in records if one["name"]]
    assert named
    for one in named:
        assert one["name"] in one["target"]
        assert one["name"] not in one["question"]
        # the name that is put in stands in what was found
        assert one["name"] in one["history"]
        assert one["history"].startswith(f"{SUBQ} ")
        assert GRAPH in one["history"]
        assert len(from_record(one).rounds) == one["history"].count(SUBQ)
    for one in records:
        if one["kind"] == "answer":
            assert one["target"] in one["history"]
        assert all(len(triples) <= TRAINED["triples"] for triples in one["rounds"])
    # of one question the same history is not answered by two plans
    kinds: dict[tuple[str, str], set[str]] = {}
    for one in records:
        if one["task"] == "plan":
            kinds.setdefault((one["question"], one["history"]), set()).add(one["target"])
    assert all(len(targets) == 1 for targets in kinds.values())


def test_what_the_model_knows_by_itself_needs_no_search(
    clew: Clew, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clew_models.graph_llm import training

    def all_right(model: object, examples: list[object], *_: object) -> list[bool]:
        return [True] * len(examples)

    monkeypatch.setattr(training, "writes_first", all_right)
    made = make_examples(run(clew, tmp_path, unaided=500))
    records = [*made.learned, *made.held_out]
    assert {one["kind"] for one in records} == {"[NO_RETRIEVAL]", "answer"}
    assert all(one["history"] == "" and not one["rounds"] for one in records)


def test_a_data_set_with_steps_gives_its_sub_queries(clew: Clew, tmp_path: Path) -> None:
    path = tmp_path / "musique.jsonl"
    path.write_text("\n".join(map(json.dumps, musique_questions())), encoding="utf-8")
    whole = run(clew, tmp_path, examples=100, unaided=0)
    labelled = TrainingRun(
        whole.resources, CORPUS, tmp_path, whole.options, data_set=load_data_set(str(path))
    )
    made = make_examples(labelled)
    records = [*made.learned, *made.held_out]
    for number in range(len(PEOPLE)):
        asked = f"In which city was the director of {film_of(number)} born?"
        found = of_question(records, asked)
        for one in found:
            if one["kind"] == "answer":
                assert one["target"] == city_of(number)
            if one["name"]:
                assert one["target"] == f"{SUBQ} Where was {PEOPLE[number]} born?"
    assert any(one["name"] for one in records)


def test_a_model_that_writes_anything_is_measured(clew: Clew, tmp_path: Path) -> None:
    asked = run(clew, tmp_path)
    held_out = make_examples(asked).held_out
    found = figures_of(asked, text_model(clew.settings), held_out)
    assert 0 <= found["right"] <= 1
    kinds = {one["kind"] for one in held_out}
    assert kinds & {"[SUBQ]", "[SUFFICIENT]"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rank": 0, "encoder": "none"}, "nothing is trained"),
        ({"heads": 3, "dimension": 16}, "multiple of the heads"),
        ({"encoder": "gin"}, "encoder"),
        ({"rate": float("inf")}, "rate: it is no finite number"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidRequest, match=said):
        checked_options(TrainingRequest(method=METHOD, corpus=CORPUS, options=options))


def test_the_reader_without_any_model_says_what_to_do(clew: Clew) -> None:
    resources: Resources = clew.resources.under(planner_model="rules", planner_base="/nowhere")
    assert isinstance(resources.settings, Settings)
    with pytest.raises(LanguageModelUnavailable, match="clew train planner"):
        answer_from(resources, QUESTION, CORPUS, METHOD, reader="graph")
    in_steps = Evidence(question=QUESTION, corpus=CORPUS, strategy=f"iterative:{METHOD}:bm25")
    with pytest.raises(LanguageModelUnavailable, match="clew train planner"):
        list(TrainedAnswers(resources, "graph").read(in_steps, [], in_steps))
