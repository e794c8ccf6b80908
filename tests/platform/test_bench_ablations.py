"""Ablation studies: what is declared, what is asked, and what is said of the differences."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.clew import Clew
from clew.errors import InvalidRequest, JobStopped, UnknownStrategy
from clew.evaluation.ablations import row_name, study_of
from clew.evaluation.comparing import compare_runs
from clew.evaluation.record import markdown_table, record_of
from clew.evaluation.report import render_report
from clew.evaluation.report.headline import headline
from clew.evaluation.report.tables import ablation_table
from clew.evaluation.request import BenchRequest
from clew.evaluation.run import AblationStudy, BenchRun, Variant
from clew.evaluation.summary import summarise
from clew.settings import Settings
from clew.strategies.base import Ablation, StrategySpec
from clew.strategies.catalogue import STRATEGIES, in_steps, spec_of
from clew_cypher.corpora import delete_corpus, list_corpora

from ..running_clew import OwnSettings
from ..tiny_model import tiny_model
from .bench_data_set import TOWNS, people_and_towns
from .bench_runs import made_run

HAVING = [spec for spec in STRATEGIES if spec.ablations and not spec.models]
EVERY = [(spec, one) for spec in (*HAVING, spec_of("iterative:dense")) for one in spec.ablations]


@pytest.fixture(scope="module")
def clew(own_settings: OwnSettings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clew]:
    home = tmp_path_factory.mktemp("home")
    settings = own_settings(
        home,
        translator_model=str(tiny_model(home / "tiny")),
        translator_adapter="none",
        translator_precision="float32",
    )
    with Clew(settings) as clew:
        before = {row["name"] for row in list_corpora(clew.resources.store)}
        yield clew
        for row in list_corpora(clew.resources.store):
            if row["name"] not in before and row["name"].startswith("bench-"):
                delete_corpus(clew.resources.store, row["name"])


@pytest.fixture(scope="module")
def data_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return people_and_towns(tmp_path_factory.mktemp("people-and-towns"))


def requested(data_set: Path | str, **options: Any) -> BenchRequest:
    values = {"data_set": str(data_set), "reader": "none", "fresh": True} | options
    return BenchRequest.model_validate(values)


def rankings(run: BenchRun, row: str) -> dict[str, list[tuple[str, float]]]:
    """Question → its ranking by a row of the run."""
    return {
        outcome.question_id: [(chunk.chunk_id, chunk.score) for chunk in outcome.ranking]
        for outcome in run.outcomes
        if outcome.strategy == row
    }


@pytest.fixture(scope="module")
def study(clew: Clew, data_set: Path) -> BenchRun:
    return clew.bench(requested(data_set, ablations="hybrid"))


# what is declared


@pytest.mark.parametrize(("spec", "ablation"), EVERY, ids=lambda one: one.name)
def test_every_ablation_is_of_settings_that_are_there_and_can_be_so(
    spec: StrategySpec, ablation: Ablation, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_so = Settings.load(**ablation.settings)
    for name, value in ablation.settings.items():
        assert set_so.value(name) == value
        assert type(set_so.value(name)) is type(value)
    assert any(Settings().value(name) != value for name, value in ablation.settings.items())
    assert ablation.name
    assert not ablation.shows.endswith(".")


@pytest.mark.parametrize(
    ("ablations", "told"),
    [
        ((Ablation("without words", "", {"lengthh": 1}),), "changes lengthh; it can change"),
        ((Ablation("smaller chunks", "", {"chunk_tokens": 50}),), "changes chunk_tokens"),
        ((Ablation("without anything", "", {}),), "changes nothing"),
        ((Ablation("one", "", {"top_k": 1}), Ablation("one", "", {"top_k": 2})), "there twice"),
        ((Ablation("untaught", "", {"top_k": 1}, trained=True),), "learns nothing"),
    ],
)
def test_a_spec_with_an_ablation_that_cannot_be_is_refused(
    ablations: tuple[Ablation, ...], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        StrategySpec("made-up", "", "", "m:C", reads=("top_k",), ablations=ablations)


def test_a_method_without_ablations_names_those_that_have_some() -> None:
    with pytest.raises(InvalidRequest, match="declares no ablations") as error:
        study_of(Settings(), "dense")
    for spec in HAVING:
        assert spec.name in error.value.remedy
    with pytest.raises(UnknownStrategy):
        study_of(Settings(), "hybird")


def test_what_is_asked_in_steps_is_compared_with_a_single_step() -> None:
    study = study_of(Settings(), in_steps("hybrid"))
    assert [v.name for v in study.variants] == ["iterative:hybrid (one step)"]


def test_what_is_set_so_already_or_needs_a_training_is_left_out_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = study_of(Settings.load(hybrid_dense_weight=1.0), "hybrid")
    assert [variant.label for variant in study.variants] == ["without meaning"]
    (said,) = study.left_out
    assert "hybrid (without words)" in said
    assert "set already (hybrid_dense_weight = 1.0)" in said
    learning = StrategySpec(
        "made-up",
        "",
        "",
        "m:C",
        reads=("top_k",),
        training="m:T",
        ablations=(
            Ablation("narrow", "", {"top_k": 1}),
            Ablation("untaught", "", {"top_k": 2}, trained=True),
        ),
    )
    monkeypatch.setattr("clew.evaluation.ablations.spec_of", lambda name: learning)
    study = study_of(Settings(), "made-up")
    assert [variant.label for variant in study.variants] == ["narrow"]
    assert "needs a version that was trained so" in study.left_out[0]
    assert "`clew train made-up`" in study.left_out[0]
    with pytest.raises(InvalidRequest, match="None of the ablations of made-up"):
        study_of(Settings(top_k=1), "made-up")


def test_strategies_beside_a_study_are_refused(clew: Clew, data_set: Path) -> None:
    with pytest.raises(InvalidRequest, match="of one method"):
        clew.bench(requested(data_set, ablations="hybrid", strategies=("dense",)))


# what is asked


def test_a_study_asks_the_method_whole_and_under_other_settings(
    clew: Clew, data_set: Path, study: BenchRun
) -> None:
    """Its parts are strategies, too: without one it ranks as the other does."""
    assert study.options.strategies == (
        "hybrid",
        "hybrid (without words)",
        "hybrid (without meaning)",
    )
    plain = clew.bench(requested(data_set, strategies=("hybrid", "dense", "bm25")))
    assert plain.index.corpus == study.index.corpus
    assert study.index.revision == plain.index.revision, "nothing is indexed again"
    assert rankings(study, "hybrid") == rankings(plain, "hybrid")
    of_plain, of_study = (
        {s.strategy: s.metrics for s in summarise(run).strategies} for run in (plain, study)
    )
    assert of_study["hybrid"] == of_plain["hybrid"]
    assert of_study["hybrid (without words)"]["mrr"] == of_plain["dense"]["mrr"]
    for part, of in (("dense", "without words"), ("bm25", "without meaning")):
        alone = rankings(plain, part)
        for id_, ranking in rankings(study, f"hybrid ({of})").items():
            found = [chunk for chunk, score in ranking if score > 0]
            assert found == [chunk for chunk, _ in alone[id_]][: len(found)], (of, id_)
            assert len(found) > 5
    assert rankings(study, "hybrid (without words)") != rankings(study, "hybrid")
    assert clew.settings.value("hybrid_dense_weight") == 0.7, "the settings in force are kept"


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data set with a second document of each town's name, and a name that is no subject."""
    folder = people_and_towns(tmp_path_factory.mktemp("repeated"))
    with (folder / "corpus.jsonl").open("a") as corpus:
        for number, town in enumerate(TOWNS):
            text = f"A market is held in {town} beside the river every spring."
            corpus.write(json.dumps({"id": f"m{number}", "title": town, "text": text}) + "\n")
        text = "The old bridge was designed by Ned Ryle."
        corpus.write(json.dumps({"id": "bridge", "title": "Bridges", "text": text}) + "\n")
    asked = {"question": "What was designed by Ned Ryle?", "gold": ["bridge"]}
    with (folder / "questions.jsonl").open("a") as questions:
        questions.write(json.dumps({"id": "q6", "answers": ["the old bridge"], **asked}) + "\n")
    return folder


@pytest.mark.parametrize("spec", HAVING, ids=lambda spec: spec.name)
def test_every_ablation_changes_what_is_found(
    clew: Clew, repeated: Path, spec: StrategySpec
) -> None:
    """Else a setting is not read anew at each question, or does nothing."""
    run = clew.bench(requested(repeated, ablations=spec.name))
    assert {o.error for o in run.outcomes} == {None}
    whole = rankings(run, spec.name)
    assert run.options.ablations is not None
    asked = [variant.name for variant in run.options.ablations.variants]
    left_out = " ".join(run.options.ablations.left_out)
    for ablation in spec.ablations:
        row = row_name(spec.name, ablation)
        assert row in asked or row in left_out
    assert [row for row in asked if rankings(run, row) == whole] == []


def test_an_interrupted_study_goes_on_where_it_stopped(clew: Clew, data_set: Path) -> None:
    request = requested(data_set, ablations="hybrid", fresh=False, depth=21)
    looked: list[bool] = []

    def cancelled() -> bool:
        looked.append(True)
        return len(looked) > 7

    with pytest.raises(JobStopped):
        clew.bench(request, cancelled=cancelled)
    (journal,) = (clew.settings.home / "bench" / "unfinished").glob("*.jsonl")
    before = journal.read_bytes().count(b'{"outcome"')
    assert 0 < before < 18
    run = clew.bench(request)
    assert (run.sessions, len(run.outcomes)) == (2, 18)
    undisturbed = clew.bench(request.model_copy(update={"fresh": True}))
    assert undisturbed.sessions == 1
    for row in run.options.strategies:
        assert rankings(run, row) == rankings(undisturbed, row)


def test_other_settings_of_a_variant_are_told_when_runs_are_compared(study: BenchRun) -> None:
    assert study.options.ablations is not None
    first, *others = study.options.ablations.variants
    changed = first.model_copy(update={"settings": {"hybrid_dense_weight": 0.9}})
    ablations = study.options.ablations.model_copy(update={"variants": (changed, *others)})
    options = study.options.model_copy(update={"ablations": ablations})
    other = study.model_copy(update={"id": "other", "options": options})
    notices = " ".join(compare_runs(study, other).notices)
    assert "The variant 'hybrid (without words)': {'hybrid_dense_weight': 1.0}" in notices
    assert "without meaning" not in notices


# what is said


def variant(label: str, shows: str, settings: dict[str, Any]) -> Variant:
    return Variant(name=f"m ({label})", label=label, shows=shows, settings=settings)


@pytest.fixture(scope="module")
def made() -> BenchRun:
    """A method that loses much without its first part and nothing without its second."""
    run = made_run({"m": 0.9, "m (without eyes)": 0.1, "m (without ears)": 0.9}, count=40)
    study = AblationStudy(
        strategy="m",
        variants=(
            variant("without eyes", "seeing", {"a": 1}),
            variant("without ears", "hearing", {"b": 2}),
        ),
        left_out=("Not asked: m (without nose), which needs a version that was trained so.",),
    )
    return run.model_copy(update={"options": run.options.model_copy(update={"ablations": study})})


def test_each_variant_is_tested_against_the_whole_and_nothing_else_is(made: BenchRun) -> None:
    figures = summarise(made)
    assert figures.whole == "m"
    assert {(d.strategy, d.other) for d in figures.pairs} == {
        ("m (without eyes)", "m"),
        ("m (without ears)", "m"),
    }
    compared = made.options.model_copy(update={"ablations": None})
    pairs = summarise(made.model_copy(update={"options": compared})).pairs
    of_all = {(d.strategy, d.other, d.metric): d for d in pairs}
    assert len(pairs) * 2 == len(figures.pairs) * 3, "where strategies are compared, all pairs"
    for d in figures.pairs:
        other = of_all[d.other, d.strategy, d.metric]
        assert d.delta == pytest.approx(-other.delta)
        assert d.p == pytest.approx(other.p)
        assert d.p_adjusted <= other.p_adjusted, "fewer tests, a smaller correction"


def test_the_table_has_a_row_a_variant_with_its_difference(made: BenchRun) -> None:
    figures = summarise(made)
    assert made.options.ablations is not None
    table = ablation_table(figures, made.options.ablations)
    headings = [column.heading for column in table.columns]
    assert headings[:4] == ["Variant", "Recall@2", "Recall@5", "Recall@10"]
    assert headings[-3:] == ["Δ Recall@5", "p", "Median ms"]
    rows = {row[0].text: dict(zip(headings, row, strict=True)) for row in table.rows}
    assert list(rows) == ["m", "without eyes", "without ears"]
    metrics = {s.strategy: s.metrics for s in figures.strategies}
    for row, name in (("m", "m"), ("without eyes", "m (without eyes)")):
        assert rows[row]["Recall@5"].value == metrics[name]["recall@5"].value
    lost = rows["without eyes"]["Δ Recall@5"].value
    whole, without = (metrics[name]["recall@5"].value for name in ("m", "m (without eyes)"))
    assert whole is not None
    assert without is not None
    assert lost == pytest.approx(without - whole)
    assert rows["without eyes"]["Recall@5"].sign == " ▼"
    assert rows["without ears"]["Recall@5"].sign == ""
    assert (rows["m"]["Δ Recall@5"].value, rows["m"]["p"].value) == (None, None)
    assert rows["without eyes"]["p"].text == "< 0.001"


def test_the_headline_names_the_parts_whose_worth_is_shown(made: BenchRun) -> None:
    first = headline(summarise(made))[0]
    assert first.startswith("m has Recall@5 0.")
    assert "; told apart from it: without eyes −0." in first
    assert "; not told apart from it: without ears." in first
    pairs = [d for d in summarise(made).pairs if d.verdict == "same"]
    five = [d.model_copy(update={"strategy": f"m ({n})"}) for d in pairs for n in range(5)]
    many = summarise(made).model_copy(update={"pairs": tuple(five)})
    assert "is not shown for any of 5 variants." in headline(many)[0]


def test_report_and_record_have_the_table(made: BenchRun) -> None:
    figures = summarise(made)
    page = render_report(made, figures)
    for text in (
        "m without its parts",
        "without eyes",
        "seeing",
        "<code>a = 1</code>",
        "Δ Recall@5",
    ):
        assert text in page, text
    record = record_of(made, figures)
    shown = markdown_table([record])
    assert "Ablations of `m`" in shown
    (row,) = [line for line in shown.splitlines() if line.startswith("| without eyes |")]
    assert "▼" in row
    assert "| < 0.001 |".replace("<", "\\<") in row
