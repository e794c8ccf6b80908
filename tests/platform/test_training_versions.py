"""Versions of trained models: a run that goes on, which one serves, whose corpus moved on."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clew.clew import Clew
from clew.cli.app import app
from clew.errors import InvalidRequest, JobStopped, RunsElsewhere, UnknownModelVersion
from clew.resources import versions
from clew.results.training import CurvePoint, ModelVersion, TrainedModel, TrainingProgress
from clew.strategies import catalogue
from clew.strategies.learning.training import Examples, Learned, Record, TrainingRun
from clew.training.curve import CURVE, add_point, draw_curve, read_curve
from clew_cypher.corpora import delete_corpus, ensure_corpus
from clew_cypher.errors import UnknownCorpus
from clew_cypher.store import GraphStore

from ..command_line import as_wide_as
from ..running_clew import OwnSettings
from . import toy_training
from .toy_training import BASE, UNTRAINED

CORPUS, OTHER_CORPUS = "test-versions", "test-versions-other"


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    specs = (*catalogue.STRATEGIES, toy_training.SPEC, toy_training.GENERAL_SPEC)
    monkeypatch.setattr(catalogue, "STRATEGIES", specs)
    monkeypatch.setattr(toy_training, "on_step", [])


@pytest.fixture(scope="module")
def corpora(store: GraphStore) -> Iterator[None]:
    """Two empty corpora: what is learned here is counted, not read."""
    for name in (CORPUS, OTHER_CORPUS):
        ensure_corpus(store, name, embedder="minilm", dimension=384)
    yield
    for name in (CORPUS, OTHER_CORPUS):
        delete_corpus(store, name)


@pytest.fixture
def clew(own_settings: OwnSettings, corpora: None, tmp_path: Path) -> Iterator[Clew]:
    settings = own_settings(tmp_path)
    with Clew(settings) as made:
        yield made


def serves(clew: Clew, corpus: str = CORPUS, method: str = "toy") -> str | None:
    folder = versions.serving_version(clew.settings, method, corpus, BASE)
    return folder.name if folder else None


def train(clew: Clew, score: float, corpus: str = CORPUS) -> ModelVersion:
    return clew.train("toy", corpus, score=score)


class Killed(Exception):
    pass


def killed_in_step(step: int) -> Callable[[int], None]:
    """Return what kills a training in that step."""

    def kill(done: int) -> None:
        if done == step:
            raise Killed

    return kill


def test_a_version_says_what_made_it_and_what_it_measured(clew: Clew) -> None:
    told: list[TrainingProgress] = []
    version = clew.train("toy", CORPUS, score=0.9, tell=told.append)
    assert (version.kind, version.corpus, version.base_model) == ("toy", CORPUS, BASE)
    assert version.data["examples"] == 20
    assert version.data["held_out"] == 5
    assert version.data["note"] == "counted"
    assert len(version.data["fingerprint"]) == 16
    assert version.options["score"] == 0.9
    assert version.figures["before"]["score"] == UNTRAINED
    assert version.figures["after"] == {"questions": 5, "score": 0.9, "size": 3.0}
    assert version.figures["held_out_loss"] == 2 / 3
    assert version.serves
    assert version.stale is None
    stages = list(dict.fromkeys(progress.stage for progress in told))
    assert stages == ["examples", "measure before", "learn", "measure after", "done"]
    assert told[-1].loss == pytest.approx(1 / 3)
    assert "<svg" in (Path(version.folder) / "curve.svg").read_text()
    assert clew.trained_models("toy") == [version]
    assert clew.trained_models("toy", OTHER_CORPUS) == []
    assert clew.trained_model("toy", version.version).curve[-1].step == 3


def test_a_new_version_serves_only_if_it_measured_no_worse(clew: Clew) -> None:
    assert serves(clew) is None
    worse_than_nothing = train(clew, 0.3)
    assert not worse_than_nothing.serves
    assert "worse than the base model" in worse_than_nothing.promotion
    assert serves(clew) is None
    first = train(clew, 0.6)
    assert first.serves
    assert serves(clew) == first.version
    second = train(clew, 0.5)
    assert not second.serves
    assert f"worse than version {first.version}" in second.promotion
    assert second.figures["serving"]["version"] == first.version
    assert second.figures["serving"]["score"] == 0.6
    assert serves(clew) == first.version
    third = train(clew, 0.6)
    assert third.serves  # no worse is enough
    assert serves(clew) == third.version


def test_promote_and_roll_back_choose(clew: Clew) -> None:
    good, poor = train(clew, 0.8), train(clew, 0.5)
    assert serves(clew) == good.version
    assert clew.promote("toy", poor.version).serves
    assert serves(clew) == poor.version
    listed = {one.version: one.serves for one in clew.trained_models("toy", CORPUS)}
    assert listed == {poor.version: True, good.version: False}
    back = clew.roll_back("toy", CORPUS)
    assert back is not None
    assert back.version == serves(clew) == good.version
    assert clew.roll_back("toy", CORPUS) is None
    assert serves(clew) is None
    with pytest.raises(InvalidRequest, match="before this one"):
        clew.roll_back("toy", CORPUS)
    with pytest.raises(UnknownModelVersion, match="'nothing'") as raised:
        clew.promote("toy", "nothing")
    assert good.version in raised.value.remedy


def test_a_version_of_one_corpus_never_serves_another(clew: Clew) -> None:
    version = train(clew, 0.9)
    assert serves(clew, OTHER_CORPUS) is None
    with pytest.raises(InvalidRequest, match="serves no other corpus"):
        clew.promote("toy", version.version, OTHER_CORPUS)
    # neither where somebody writes it into the file
    folder = versions.corpus_folder(clew.settings.home, "toy", OTHER_CORPUS)
    folder.mkdir(parents=True)
    (folder / "serving.json").write_text(json.dumps({"serving": version.version, "earlier": []}))
    assert serves(clew, OTHER_CORPUS) is None
    assert train(clew, 0.5, OTHER_CORPUS).serves
    assert serves(clew) == version.version


def test_a_general_version_serves_every_corpus(clew: Clew) -> None:
    version = clew.train("toy-general", CORPUS, score=0.7)
    assert version.general
    assert version.corpus is None
    assert version.stale is None
    assert serves(clew, OTHER_CORPUS, "toy-general") == version.version
    better = clew.train("toy-general", OTHER_CORPUS, score=0.8)
    assert serves(clew, CORPUS, "toy-general") == better.version
    for choose in (clew.promote, lambda method, _, corpus: clew.roll_back(method, corpus)):
        with pytest.raises(InvalidRequest, match="serves every corpus"):
            choose("toy-general", version.version, OTHER_CORPUS)
    back = clew.roll_back("toy-general")
    assert back is not None
    assert (back.version, back.serves) == (version.version, True)
    assert serves(clew, CORPUS, "toy-general") == version.version
    assert clew.promote("toy-general", better.version).serves
    assert serves(clew, OTHER_CORPUS, "toy-general") == better.version


def test_a_version_is_measured_against_the_one_that_serves_when_it_ends(clew: Clew) -> None:
    first = train(clew, 0.5)
    meanwhile: list[ModelVersion] = []

    def train_another(step: int) -> None:
        toy_training.on_step.clear()
        meanwhile.append(train(clew, 0.9))

    toy_training.on_step.append(train_another)
    last = train(clew, 0.6)
    (better,) = meanwhile
    assert first.version != serves(clew) == better.version
    assert not last.serves
    assert f"worse than version {better.version}" in last.promotion
    assert last.figures["serving"]["version"] == better.version
    assert last.figures["serving"]["score"] == 0.9


def test_a_version_never_serves_a_corpus_that_was_made_anew_while_it_was_trained(
    clew: Clew, store: GraphStore, corpus: str
) -> None:
    ensure_corpus(store, corpus, embedder="minilm", dimension=384)

    def make_anew(step: int) -> None:
        toy_training.on_step.clear()
        clew.delete_corpus(corpus)
        ensure_corpus(store, corpus, embedder="minilm", dimension=384)

    toy_training.on_step.append(make_anew)
    version = train(clew, 0.9, corpus)
    assert not version.serves
    assert serves(clew, corpus) is None
    assert "was deleted while it was trained" in version.promotion
    assert version.corpus_deleted
    assert [one.version for one in clew.trained_models("toy")] == [version.version]
    assert clew.trained_models("toy", corpus) == []


def test_a_version_whose_corpus_moved_on_is_stale(clew: Clew, store: GraphStore) -> None:
    version = train(clew, 0.9)
    store.write("bump_revision", corpus=CORPUS)
    (found,) = clew.trained_models("toy")
    assert found.stale is not None
    assert f"trained at revision {version.data['revision']}" in found.stale
    assert found.serves  # stale is said; it is for people to train again
    clew.delete_corpus(CORPUS)
    (found,) = clew.trained_models("toy")
    assert found.stale == "Its corpus is gone."
    ensure_corpus(store, CORPUS, embedder="minilm", dimension=384)
    (found,) = clew.trained_models("toy")
    assert found.stale is not None
    assert "another one of the same name" in found.stale
    assert not found.serves
    assert serves(clew) is None


def test_versions_of_a_deleted_corpus_are_none_of_a_later_one_of_its_name(
    clew: Clew, store: GraphStore, corpus: str
) -> None:
    ensure_corpus(store, corpus, embedder="minilm", dimension=384)
    general = clew.train("toy-general", corpus, score=0.9)
    old = train(clew, 0.6, corpus)
    assert train(clew, 0.9, corpus).serves
    clew.delete_corpus(corpus)
    for made_anew in (False, True):
        if made_anew:
            ensure_corpus(store, corpus, embedder="minilm", dimension=384)
        assert [one.corpus_deleted for one in clew.trained_models("toy")] == [True, True]
        assert clew.trained_models("toy", corpus) == []
        assert clew.trained_model("toy-general", general.version).corpus_deleted
        with pytest.raises(InvalidRequest, match="was deleted"):
            clew.promote("toy", old.version)
        with pytest.raises(InvalidRequest, match="before this one"):
            clew.roll_back("toy", corpus)
        assert serves(clew, corpus) is None
    # as an earlier Clew left it, which remembered them, and rolled back to them
    folder = versions.corpus_folder(clew.settings.home, "toy", corpus)
    kept = {"serving": old.version, "earlier": [old.version, None, old.version]}
    (folder / "serving.json").write_text(json.dumps(kept))
    assert clew.roll_back("toy", corpus) is None
    assert serves(clew, corpus) is None
    (folder / "serving.json").write_text(json.dumps(kept | {"earlier": []}))
    assert clew.roll_back("toy", corpus) is None
    assert serves(clew, corpus) is None
    assert train(clew, 0.7, corpus).serves
    assert clew.roll_back("toy", corpus) is None


def test_a_run_that_is_interrupted_goes_on_where_it_stopped(clew: Clew) -> None:
    toy_training.on_step.append(killed_in_step(2))
    with pytest.raises(Killed):
        clew.train("toy", CORPUS, score=0.9, steps=4)
    assert clew.trained_models("toy") == []
    (begun,) = versions.corpus_folder(clew.settings.home, "toy", CORPUS).glob("*/request.json")
    toy_training.on_step.clear()
    told: list[TrainingProgress] = []
    version = clew.train("toy", CORPUS, score=0.9, steps=4, tell=told.append)
    assert version.folder == str(begun.parent)
    assert {progress.stage for progress in told} == {"learn", "measure after", "done"}
    assert min(one.done for one in told if one.stage == "learn" and one.done) == 2
    steps = [point.step for point in read_curve(begun.parent) if not point.held_out]
    assert steps == [1, 2, 3, 4]
    # the same again is a new version
    assert clew.train("toy", CORPUS, score=0.9, steps=4).version != version.version


def test_examples_come_back_whatever_their_texts_hold(
    clew: Clew, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = "one\u2028two\u2029three\u0085four\nfive\x1csix"
    given: list[Sequence[Record]] = []

    def examples(run: TrainingRun) -> Examples:
        made = toy_training.examples(run)
        return replace(made, learned=[{"question": odd + str(n)} for n in range(20)])

    def train(run: TrainingRun, learned: Sequence[Record], held_out: Sequence[Record]) -> Learned:
        given.append(learned)
        return toy_training.train(run, learned, held_out)

    declared = replace(toy_training.TRAINING, examples=examples, train=train)
    monkeypatch.setattr(toy_training, "TRAINING", declared)
    toy_training.on_step.append(killed_in_step(2))
    with pytest.raises(Killed):
        clew.train("toy", CORPUS)
    toy_training.on_step.clear()
    clew.train("toy", CORPUS)
    assert given[0] == given[1] == [{"question": odd + str(n)} for n in range(20)]


@pytest.mark.parametrize("kept", ["source.json", "measured.json", "learned.json"])
def test_a_run_that_is_killed_while_it_writes_goes_on(
    clew: Clew, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    write_text = Path.write_text

    def half(path: Path, text: str, *args: object, **more: object) -> int:
        if kept not in path.name:
            return write_text(path, text, *args, **more)  # type: ignore[arg-type]
        write_text(path, text[: len(text) // 2])
        raise Killed

    with monkeypatch.context() as broken:
        broken.setattr(Path, "write_text", half)
        with pytest.raises(Killed):
            clew.train("toy", CORPUS, score=0.9)
    (begun,) = versions.corpus_folder(clew.settings.home, "toy", CORPUS).glob("*/request.json")
    version = clew.train("toy", CORPUS, score=0.9)
    assert version.folder == str(begun.parent)
    assert version.figures["before"] == {"questions": 5, "score": UNTRAINED, "size": 3.0}


def test_a_run_that_is_told_to_stop_keeps_what_it_has(clew: Clew) -> None:
    steps: list[int] = []
    toy_training.on_step.append(steps.append)
    with pytest.raises(JobStopped, match="was stopped"):
        clew.train("toy", CORPUS, steps=50, cancelled=lambda: len(steps) >= 3)
    assert steps == [1, 2, 3]
    clew.train("toy", CORPUS, steps=50)
    assert steps == list(range(1, 51))


def test_the_same_run_is_not_done_by_two_at_once(clew: Clew) -> None:
    refused: list[str] = []

    def again(step: int) -> None:
        toy_training.on_step.clear()
        with pytest.raises(RunsElsewhere, match="runs already") as raised:
            clew.train("toy", CORPUS, score=0.7)
        refused.append(raised.value.message)

    toy_training.on_step.append(again)
    version = clew.train("toy", CORPUS, score=0.7)
    assert len(refused) == 1
    assert version.version in refused[0]


def test_too_few_examples_are_refused_and_leave_nothing(clew: Clew) -> None:
    with pytest.raises(InvalidRequest, match="it takes 20"):
        clew.train("toy", CORPUS, examples=24)
    assert list(versions.corpus_folder(clew.settings.home, "toy", CORPUS).iterdir()) == []


@pytest.mark.parametrize(
    ("method", "options", "said"),
    [
        ("dense", {}, "dense learns nothing"),
        ("toy", {"score": 3}, r"score: it is more than 1(\.0)?\."),
        ("toy", {"steps": "many"}, r"steps: it is no whole number\."),
        ("toy", {"depth": 1}, r"depth: there is no such option\."),
        ("toy", {"score": float("inf")}, "score: it is (more than 1|no finite number)"),
        ("planner", {"heads": 3}, r"so: the dimension must be a multiple of the heads\."),
        ("planner", {"retriever": "nope"}, r"retriever: There is no strategy 'nope'\. Its"),
        ("graph-network", {"two_hops": 1, "three_hops": 1}, r"make 2 together: at most 1\. Its"),
        ("translator", {"rank": 1_000_000}, "rank: it is more than 128"),
        ("toy-general", {"data_set": "sample"}, "does not learn from data sets"),
    ],
)
def test_a_request_that_cannot_be_is_said(
    clew: Clew, method: str, options: dict[str, object], said: str
) -> None:
    for asked in (clew.train, clew.submit_training):
        with pytest.raises(InvalidRequest, match=said):
            asked(method, CORPUS, **options)  # type: ignore[arg-type]
    with pytest.raises(UnknownCorpus):
        clew.train("toy", "nowhere")


def test_versions_of_an_earlier_clew_are_found_and_serve_their_corpus(clew: Clew) -> None:
    for name, corpus, base in (
        ("20261101-000000", CORPUS, BASE),
        ("20261102-000000", CORPUS, BASE),
        ("20261103-000000", CORPUS, "another"),
        ("20261104-000000", OTHER_CORPUS, BASE),
    ):
        folder = clew.settings.home / "models" / "toy" / name
        folder.mkdir(parents=True)
        (folder / "weights.json").write_text("0.7")
        (folder / "training.json").write_text(
            json.dumps({"points": [{"step": 1, "loss": 2.0, "held_out": False}]})
        )
        manifest = TrainedModel(
            kind="toy",
            version=name,
            base_model=base,
            created_at="2026-11-01T00:00:00+00:00",
            data={"corpus": corpus, "revision": 1},
            options={},
            figures={"before": {"score": 0.1}, "after": {"score": 0.7}},
        )
        versions.write_manifest(folder, manifest)
    assert serves(clew) == "20261102-000000"
    assert serves(clew, OTHER_CORPUS) == "20261104-000000"
    shown = clew.trained_model("toy", "20261102-000000")
    assert shown.serves
    assert shown.curve == (CurvePoint(step=1, loss=2.0),)
    # a new one is measured against it, and it is what roll back leads to
    assert not train(clew, 0.6).serves
    assert serves(clew) == "20261102-000000"
    better = train(clew, 0.8)
    assert serves(clew) == better.version
    clew.roll_back("toy", CORPUS)
    assert serves(clew) == "20261102-000000"


def test_what_was_loaded_of_a_version_is_let_go_when_another_serves(clew: Clew) -> None:
    resources = clew.resources
    asked = ("toy", CORPUS, BASE)

    def loaded() -> set[str]:
        return {one.name for one in resources.models.report()}

    def question() -> None:
        folder = resources.serving_version(*asked)
        resources.models.get(("toy", str(folder)), object, name=folder.name if folder else "base")

    question()
    assert loaded() == {"base"}
    first = train(clew, 0.5)
    question()
    assert loaded() == {first.version}
    second = train(clew, 0.6)
    question()
    assert loaded() == {second.version}


def test_a_curve_that_was_cut_off_midway_is_read(tmp_path: Path) -> None:
    for step, loss in ((1, 3.0), (2, 2.0), (2, 1.5)):
        add_point(tmp_path, CurvePoint(step=step, loss=loss))
    with (tmp_path / CURVE).open("a") as file:
        file.write('{"step": 3, "lo')
    assert read_curve(tmp_path) == (CurvePoint(step=1, loss=3.0), CurvePoint(step=2, loss=1.5))
    assert "loss of nothing" in draw_curve((), "empty", "loss of nothing")
    add_point(tmp_path, CurvePoint(step=3, loss=1.0))  # the training goes on
    assert [point.loss for point in read_curve(tmp_path)] == [3.0, 1.5, 1.0]


def test_the_command_line_trains_lists_shows_and_chooses(
    clew: Clew, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = clew.settings
    assert settings.neo4j_password is not None
    environment = {
        "CLEW_HOME": str(settings.home),
        "NEO4J_URI": str(settings.neo4j_uri),
        "NEO4J_USERNAME": settings.neo4j_username,
        "NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
    }

    def run(*arguments: str) -> str:
        with as_wide_as(200):
            result = CliRunner().invoke(app, ["train", *arguments], env=environment)
        assert result.exit_code == 0, result.output
        return " ".join(result.output.split())

    assert "--score" in run("toy", "--help")
    assert "0<=x<=1" in run("toy", "--help")
    shown = run("toy", "--corpus", CORPUS, "--score", "0.9")
    assert "It serves: no worse than the base model" in shown
    good = json.loads(run("list", "toy", "--json"))[0]
    assert good["serves"]
    assert "It does not serve" in run("toy", "--corpus", CORPUS, "--score", "0.8")
    poor = json.loads(run("list", "toy", "--json"))[0]
    listed = run("list", "toy")
    assert "40% → 90%" in listed
    assert poor["version"] in listed
    assert "serves" in run("promote", "toy", poor["version"])
    assert serves(clew) == poor["version"]
    assert "what served" in run("show", "toy", poor["version"])
    assert good["version"] in run("rollback", "toy", "--corpus", CORPUS)
    assert serves(clew) == good["version"]
    job = json.loads(run("toy", "--corpus", CORPUS, "--in-background", "--json"))
    assert (job["kind"], job["state"]) == ("train", "queued")
    assert clew.cancel_job(job["id"]).state == "cancelled"
