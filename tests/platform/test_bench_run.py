"""A run of the bench on the real graph: what it asks, keeps, goes on with, and says of failures."""

import random
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from clew.answering import base
from clew.answering.extractive import ExtractiveReader
from clew.clew import Clew
from clew.errors import (
    InvalidDataSet,
    InvalidRequest,
    JobStopped,
    RunsElsewhere,
    UnknownBenchRun,
    UnknownStrategy,
)
from clew.evaluation import running
from clew.evaluation.data_set_corpus import corpus_of_data_set
from clew.evaluation.data_sets.loading import load_data_set
from clew.evaluation.preparing import resolve_gold
from clew.evaluation.request import BenchProgress, BenchRequest
from clew.evaluation.run import BenchRun
from clew.evaluation.running import Search, run_bench
from clew.evaluation.runs import delete_run, find_run, list_runs, load_run, read_run
from clew.evaluation.scoring import score_run
from clew.evaluation.summary import summarise
from clew.jobs.bench import run_bench as run_job
from clew.resources import versions
from clew.results.data_set import BenchQuestion
from clew.results.evidence import Answer, Evidence, EvidencePath, PathEdge, PathNode, ScoredChunk
from clew.results.training import TrainedModel
from clew.settings import Settings
from clew.strategies.catalogue import STRATEGIES
from clew.training.request import training_of
from clew_cypher.corpora import delete_corpus, list_corpora
from clew_cypher.errors import GraphUnavailable, UnknownCorpus
from clew_models.errors import LanguageModelUnavailable, PromptRefused
from clew_models.language_model import Completion
from clew_models.language_model.usage import note_call, note_completion

from ..running_clew import OwnSettings
from .bench_data_set import PEOPLE, TOWNS, people_and_towns


@pytest.fixture(scope="module")
def settings(own_settings: OwnSettings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return own_settings(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def clew(settings: Settings) -> Iterator[Clew]:
    with Clew(settings) as clew:
        before = {row["name"] for row in list_corpora(clew.resources.store)}
        yield clew
        for row in list_corpora(clew.resources.store):
            if row["name"] not in before and row["name"].startswith("bench-"):
                delete_corpus(clew.resources.store, row["name"])


@pytest.fixture(scope="module")
def data_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return people_and_towns(tmp_path_factory.mktemp("people-and-towns"))


@pytest.fixture(scope="module")
def everything(clew: Clew, data_set: Path) -> dict[str, ScoredChunk]:
    """Every chunk of the data set's corpus, by its title."""
    request = BenchRequest(
        data_set=str(data_set), strategies=("bm25",), reader="none", limit=1, depth=50
    )
    run = clew.bench(request)
    corpus = run.index.corpus
    found = {}
    for document in clew.documents(corpus, limit=500):
        for record in clew.documents(corpus, parent_id=document.id, limit=500) or [document]:
            for chunk in clew.document(corpus, record.id).chunks:
                found[record.title] = ScoredChunk(
                    id=chunk.id,
                    document_id=record.id,
                    title=record.title,
                    text=chunk.text,
                    score=1.0,
                )
    assert len(found) == 24
    return found


def evidence(question: str, corpus: str, chunks: list[ScoredChunk], name: str = "") -> Evidence:
    ranked = [c.model_copy(update={"score": 1.0 / (n + 1)}) for n, c in enumerate(chunks)]
    return Evidence(question=question, corpus=corpus, strategy=name, chunks=tuple(ranked))


@pytest.fixture(scope="module")
def gold(everything: dict[str, ScoredChunk]) -> Search:
    """A strategy that finds the two gold documents first; for any other question, the first two."""

    def search(question: str, corpus: str, k: int) -> Evidence:
        number = next((n for n, person in enumerate(PEOPLE) if person in question), 0)
        first = [everything[PEOPLE[number]], everything[TOWNS[number]]]
        rest = [chunk for chunk in everything.values() if chunk not in first]
        return evidence(question, corpus, [*first, *rest][:k])

    return search


@pytest.fixture(scope="module")
def noise(everything: dict[str, ScoredChunk]) -> Search:
    """A strategy that ranks all chunks at random."""
    generator = random.Random(7)

    def search(question: str, corpus: str, k: int) -> Evidence:
        chunks = list(everything.values())
        generator.shuffle(chunks)
        return evidence(question, corpus, chunks[:k])

    return search


def requested(folder: Path, **options: object) -> BenchRequest:
    return BenchRequest.model_validate(
        {"data_set": str(folder), "reader": "none", "fresh": True} | options
    )


def value(run: BenchRun, strategy: str, metric: str) -> float | None:
    figures = next(s for s in summarise(run).strategies if s.strategy == strategy)
    return figures.metrics[metric].value


def test_a_strategy_that_finds_the_gold_has_1_everywhere_and_noise_what_chance_predicts(
    clew: Clew, data_set: Path, gold: Search, noise: Search
) -> None:
    strategies = {"gold": gold, **{f"noise-{n}": noise for n in range(40)}}
    scored = score_run(run_bench(clew.resources, requested(data_set), strategies=strategies))
    for metric in ("recall@2", "recall@5", "all_gold@2", "mrr", "map", "ndcg@10", "ndcg@2"):
        assert scored["gold"][metric].tolist() == [1.0] * 6, metric
    # 240 random rankings of 24 chunks: the mean recall in the first k is k / 24
    for k in (2, 5, 10, 20):
        found = [scored[f"noise-{n}"][f"recall@{k}"].mean() for n in range(40)]
        assert sum(found) / 40 == pytest.approx(k / 24, abs=0.06), k


def test_a_strategy_that_raises_costs_that_question_and_is_reported(
    clew: Clew, data_set: Path, gold: Search
) -> None:
    def breaks(question: str, corpus: str, k: int) -> Evidence:
        if PEOPLE[3] in question:
            raise ZeroDivisionError("a bug")
        return gold(question, corpus, k)

    run = run_bench(
        clew.resources, requested(data_set), strategies={"gold": gold, "breaks": breaks}
    )
    failed = [outcome for outcome in run.outcomes if outcome.error]
    assert [(o.strategy, o.question_id, o.error) for o in failed] == [
        ("breaks", "q3", "ZeroDivisionError: a bug")
    ]
    figures = {s.strategy: s for s in summarise(run).strategies}
    assert (figures["breaks"].failed, figures["gold"].failed) == (1, 0)
    assert figures["breaks"].metrics["recall@5"].value == pytest.approx(5 / 6)
    assert figures["breaks"].metrics["recall@5"].questions == 6
    assert figures["gold"].metrics["recall@5"].value == 1.0


def test_a_reader_that_raises_costs_the_answer_and_not_the_evidence(
    clew: Clew, data_set: Path, gold: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = ExtractiveReader.read

    def breaks(
        reader: ExtractiveReader, found: Evidence, search: base.Search | None = None
    ) -> Iterator[str | Answer]:
        if PEOPLE[2] in found.question:
            raise OSError("no model")
        return read(reader, found, search)

    monkeypatch.setattr(ExtractiveReader, "read", breaks)
    run = run_bench(
        clew.resources, requested(data_set, reader="extractive"), strategies={"gold": gold}
    )
    (failed,) = [outcome for outcome in run.outcomes if outcome.answer_error]
    assert (failed.question_id, failed.answer_error) == ("q2", "OSError: no model")
    scored = score_run(run)["gold"]
    assert scored["recall@5"].tolist() == [1.0] * 6
    assert (scored["f1"][2], len(scored["f1"])) == (0.0, 6)
    assert any("the reader raised" in notice for notice in run.notices)


def test_an_interrupted_run_goes_on_where_it_stopped(
    clew: Clew, data_set: Path, gold: Search, noise: Search
) -> None:
    asked: list[str] = []

    def counted(question: str, corpus: str, k: int) -> Evidence:
        asked.append(question)
        return gold(question, corpus, k)

    request = requested(data_set, fresh=False, depth=21)
    strategies = {"counted": counted, "gold": gold}
    with pytest.raises(JobStopped, match="goes on where it stopped"):
        run_bench(clew.resources, request, strategies=strategies, cancelled=lambda: len(asked) >= 4)
    before = len(asked)
    run = run_bench(clew.resources, request, strategies=strategies)
    # each session warms up with one question that is not measured
    assert (before - 1) + (len(asked) - before - 1) == 6
    assert run.sessions == 2
    assert len(run.outcomes) == 12
    undisturbed = run_bench(clew.resources, request, strategies={"counted": gold, "gold": gold})
    assert undisturbed.sessions == 1, "a run that came to its end is not gone on with"
    assert [o.ranking for o in run.outcomes] == [o.ranking for o in undisturbed.outcomes]
    assert [o.validity for o in run.outcomes] == [o.validity for o in undisturbed.outcomes]


def test_a_graph_that_is_away_is_no_answer(clew: Clew, data_set: Path, gold: Search) -> None:
    """All that was asked meanwhile counted as wrong, and stayed so when the run went on."""
    request = requested(data_set, fresh=False, depth=23)
    asked: list[str] = []

    def away(question: str, corpus: str, k: int) -> Evidence:
        asked.append(question)
        if len(asked) == 4:
            raise GraphUnavailable("Neo4j does not answer.")
        return gold(question, corpus, k)

    with pytest.raises(GraphUnavailable):
        run_bench(clew.resources, request, strategies={"gold": away})
    run = run_bench(clew.resources, request, strategies={"gold": away})
    assert run.sessions == 2
    assert [outcome.error for outcome in run.outcomes] == [None] * 6


def test_a_question_without_an_answer_of_the_language_model_is_asked_once_more(
    clew: Clew, data_set: Path, gold: Search
) -> None:
    """A short outage counted as misses, and stayed so when the run went on."""
    asked: list[str] = []

    def away(question: str, corpus: str, k: int) -> Evidence:
        asked.append(question)
        # the warm-up is the first
        if len(asked) in (3, 4) or PEOPLE[5] in question:
            raise LanguageModelUnavailable("It cannot be reached.")
        return gold(question, corpus, k)

    run = run_bench(clew.resources, requested(data_set), strategies={"away": away})
    failed = [(outcome.question_id, outcome.error) for outcome in run.outcomes if outcome.error]
    assert failed == [("q5", "It cannot be reached.")]
    assert len(run.outcomes) == 6
    assert len(asked) == 1 + 6 + 3


@pytest.mark.parametrize(
    "lasting", [PromptRefused("No."), LanguageModelUnavailable("No.", lasting=True)]
)
def test_what_no_second_try_would_change_costs_the_question(
    clew: Clew, data_set: Path, gold: Search, lasting: LanguageModelUnavailable
) -> None:
    asked: list[str] = []

    def refuses(question: str, corpus: str, k: int) -> Evidence:
        asked.append(question)
        raise lasting

    run = run_bench(clew.resources, requested(data_set), strategies={"refuses": refuses})
    assert [outcome.error for outcome in run.outcomes] == ["No."] * 6
    assert len(asked) == 1 + 6


def test_a_language_model_that_stays_away_stops_the_run_which_goes_on_later(
    clew: Clew, data_set: Path, gold: Search
) -> None:
    request = requested(data_set, fresh=False, depth=24)
    up = False

    def reached(question: str, corpus: str, k: int) -> Evidence:
        if not up and PEOPLE[0] not in question:
            raise LanguageModelUnavailable("It cannot be reached.", remedy="Start it.")
        return gold(question, corpus, k)

    with pytest.raises(LanguageModelUnavailable, match=r"5 questions in a row.*goes on where"):
        run_bench(clew.resources, request, strategies={"gold": gold, "model": reached})
    up = True
    run = run_bench(clew.resources, request, strategies={"gold": gold, "model": reached})
    assert run.sessions == 2
    assert [outcome.error for outcome in run.outcomes] == [None] * 12


def test_a_corpus_that_changes_meanwhile_is_told(
    clew: Clew, data_set: Path, gold: Search, tmp_path: Path
) -> None:
    request = requested(data_set, seed=12)
    (tmp_path / "late.txt").write_text("Bo Vang came late to Oslo.")
    corpora: list[str] = []

    def adding(question: str, corpus: str, k: int) -> Evidence:
        if not corpora:
            clew.ingest(tmp_path / "late.txt", corpus=corpus)
        corpora.append(corpus)
        return gold(question, corpus, k)

    told = "The corpus changed meanwhile"
    run = run_bench(clew.resources, request, strategies={"gold": adding})
    assert any(notice.startswith(told) for notice in run.notices)
    again = run_bench(clew.resources, request, strategies={"gold": adding})
    assert not any(notice.startswith(told) for notice in again.notices)


def test_a_seed_is_one_that_all_generators_take() -> None:
    for seed in (-1, 2**32):
        with pytest.raises(ValueError, match="seed"):
            BenchRequest(data_set="sample", seed=seed)


def test_a_try_that_begins_anew_does_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that was restarted asked everything again, each time."""
    asked: list[BenchRequest] = []
    monkeypatch.setattr(running, "run_bench", lambda resources, request, **_: asked.append(request))
    job = SimpleNamespace(params={"data_set": "sample", "fresh": True})
    for last in ({}, {"run_id": "sample-1"}):
        run = SimpleNamespace(job=job, last_progress=last, progress=None, cancelled=None)
        run_job(None, run)  # type: ignore[arg-type]
    assert [request.fresh for request in asked] == [True, False]


def test_a_journal_that_was_cut_off_in_a_line_loses_that_line_only(
    clew: Clew, data_set: Path, gold: Search
) -> None:
    request = requested(data_set, fresh=False, depth=22)
    asked: list[str] = []

    def counted(question: str, corpus: str, k: int) -> Evidence:
        asked.append(question)
        return gold(question, corpus, k)

    with pytest.raises(JobStopped):
        run_bench(
            clew.resources, request, strategies={"gold": counted}, cancelled=lambda: len(asked) >= 4
        )
    (journal,) = (clew.settings.home / "bench" / "unfinished").glob("*.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    outcomes = [n for n, line in enumerate(lines) if line.startswith(b'{"outcome"')]
    half_a_letter = "\u00fc".encode()[:1]
    kept = b"".join(lines[: outcomes[-1]])
    journal.write_bytes(kept + lines[outcomes[-1]][:50] + half_a_letter)
    asked.clear()
    run = run_bench(clew.resources, request, strategies={"gold": counted})
    assert len(run.outcomes) == 6
    assert len(asked) - 1 == 6 - (len(outcomes) - 1)
    assert not journal.exists()


def test_the_same_run_is_not_done_by_two_at_once(clew: Clew, data_set: Path, gold: Search) -> None:
    request = requested(data_set, depth=23)
    refused: list[str] = []

    def nested(question: str, corpus: str, k: int) -> Evidence:
        if not refused:
            refused.append("")
            with pytest.raises(RunsElsewhere, match="under way") as error:
                run_bench(clew.resources, request, strategies={"gold": gold})
            refused.append(str(error.value))
        return gold(question, corpus, k)

    run_bench(clew.resources, request, strategies={"gold": nested})
    assert "another process" in refused[1]


def test_the_second_run_finds_the_index_and_gives_the_same_figures(
    clew: Clew, data_set: Path
) -> None:
    request = requested(data_set, strategies=("dense", "bm25", "guided-pagerank"))
    one = clew.bench(request)
    revision = clew.stats(one.index.corpus).revision
    two = clew.bench(request)
    assert two.index.reused
    assert two.index.corpus == one.index.corpus
    assert clew.stats(one.index.corpus).revision == revision
    assert two.index.seconds.keys() >= {"parse", "embed", "write"}
    assert [o.ranking for o in one.outcomes] == [o.ranking for o in two.outcomes]
    first, second = summarise(one), summarise(two)
    assert [s.metrics for s in first.strategies] == [s.metrics for s in second.strategies]
    assert [s.by_type for s in first.strategies] == [s.by_type for s in second.strategies]
    assert first.pairs == second.pairs


def test_another_seed_ingests_in_another_order_into_another_corpus(
    clew: Clew, data_set: Path
) -> None:
    request = requested(data_set, strategies=("bm25",), limit=1)
    one, two = clew.bench(request), clew.bench(request.model_copy(update={"seed": 11}))
    assert one.index.corpus != two.index.corpus
    orders = []
    for run in (one, two):
        titles = [
            record.title
            for file in clew.documents(run.index.corpus, limit=10)
            for record in clew.documents(run.index.corpus, parent_id=file.id, limit=100)
        ]
        orders.append(titles)
    assert sorted(orders[0]) == sorted(orders[1])
    assert set(orders[0]) == {*PEOPLE, *TOWNS, *(f"Mill {n}" for n in range(10))}


def test_questions_are_drawn_by_the_seed(clew: Clew, data_set: Path, gold: Search) -> None:
    drawn = [
        [q.id for q in run_bench(clew.resources, request, strategies={"gold": gold}).questions]
        for request in (requested(data_set, limit=3), requested(data_set, limit=3))
    ]
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 3
    assert drawn[0] == sorted(drawn[0])


def test_the_bench_adds_less_than_5_percent_to_the_queries_it_measures(
    clew: Clew, data_set: Path, gold: Search
) -> None:
    def slow(question: str, corpus: str, k: int) -> Evidence:
        time.sleep(0.2)
        return gold(question, corpus, k)

    strategies = {f"slow-{n}": slow for n in range(5)}
    run = run_bench(clew.resources, requested(data_set), strategies=strategies)
    assert run.overhead is not None
    assert 0 <= run.overhead < 0.05
    assert all(outcome.seconds >= 0.2 for outcome in run.outcomes)


def test_evidence_that_does_not_exist_is_found_out(
    clew: Clew, data_set: Path, everything: dict[str, ScoredChunk], gold: Search
) -> None:
    person, mill = everything[PEOPLE[0]], everything["Mill 1"]

    def with_path(question: str, corpus: str, k: int) -> Evidence:
        found = gold(question, corpus, k)
        nodes = (
            PathNode(id="e-of-nothing", kind="entity", label="Nobody"),
            PathNode(id=person.id, kind="chunk", label=person.title),
        )
        edge = PathEdge(source="e-of-nothing", target=person.id, kind="MENTIONED_IN")
        return found.model_copy(update={"paths": (EvidencePath(nodes=nodes, edges=(edge,)),)})

    def made_up(question: str, corpus: str, k: int) -> Evidence:
        ghost = mill.model_copy(update={"id": "c-that-never-was"})
        return evidence(question, corpus, [ghost])

    strategies = {"gold": gold, "path": with_path, "made up": made_up}
    run = run_bench(clew.resources, requested(data_set), strategies=strategies)
    assert value(run, "gold", "evidence_validity") == 1.0
    assert value(run, "path", "evidence_validity") == 0.0
    assert value(run, "made up", "evidence_validity") == 0.0
    missing = {o.strategy: o.validity.missing for o in run.outcomes if o.validity}
    assert missing["made up"] == ("c-that-never-was",)
    assert missing["path"] == ("e-of-nothing", f"e-of-nothing → {person.id}")


def test_real_strategies_answer_with_evidence_that_exists(clew: Clew, data_set: Path) -> None:
    progress: list[BenchProgress] = []
    run = clew.bench(requested(data_set, reader="extractive"), progress.append)
    askable = {spec.name for spec in STRATEGIES if not spec.models}
    assert {o.strategy for o in run.outcomes} == askable
    assert len([n for n in run.notices if n.startswith("Not asked: hyde")]) == 3
    for strategy in run.options.strategies:
        assert value(run, strategy, "evidence_validity") == 1.0
        assert value(run, strategy, "exact_match") is not None
    assert all(o.steps and o.answer_steps and o.answer_seconds for o in run.outcomes)
    assert run.memory.process_mib > 100
    assert set(run.memory.strategies) == set(run.options.strategies)
    assert run.settings["guided_temperature"] == clew.settings.value("guided_temperature")
    assert run.versions["gds"]
    assert run.versions["neo4j-server"]
    stages = list(dict.fromkeys(p.stage for p in progress))
    assert stages[0] == "load"
    assert stages[-2:] == ["ask", "done"]
    last = progress[-1]
    asked = 6 * len(askable)
    assert (last.done, last.total, last.run_id) == (asked, asked, run.id)
    assert all(s.questions == 6 for s in last.strategies)


def test_calls_of_language_models_are_counted_for_the_strategy_that_makes_them(
    clew: Clew, data_set: Path, gold: Search
) -> None:
    def asks(question: str, corpus: str, k: int) -> Evidence:
        for _ in range(2):
            note_call()
            note_completion(Completion("", 100, 7))
        return gold(question, corpus, k)

    run = run_bench(clew.resources, requested(data_set), strategies={"gold": gold, "asks": asks})
    cost = {s.strategy: s.cost for s in summarise(run).strategies}
    assert (cost["asks"].calls, cost["asks"].prompt_tokens) == (2, 200)
    assert cost["asks"].completion_tokens == 14
    assert cost["gold"].calls == 0


def test_runs_are_kept_whole_and_can_be_deleted(
    clew: Clew, data_set: Path, gold: Search, tmp_path: Path
) -> None:
    run = run_bench(clew.resources, requested(data_set), strategies={"gold": gold})
    assert load_run(clew.resources.store, run.id) == run
    info = list_runs(clew.resources.store, 1)[0]
    assert (info.id, info.questions, info.main["gold"]["recall@5"]) == (run.id, 6, 1.0)
    later = run_bench(clew.resources, requested(data_set), strategies={"gold": gold})
    assert find_run(clew.resources.store, "latest", later).id != later.id
    file = tmp_path / "run.json"
    file.write_text(run.model_dump_json())
    assert find_run(clew.resources.store, str(file)) == run
    delete_run(clew.resources.store, run.id)
    for look in (load_run, delete_run):
        with pytest.raises(UnknownBenchRun, match="There is no run"):
            look(clew.resources.store, run.id)
    file.write_text('{"a": 1}')
    with pytest.raises(InvalidRequest, match="holds no run"):
        read_run(file)


def test_a_run_says_which_trained_versions_served_and_never_mixes_two(
    clew: Clew, data_set: Path, gold: Search
) -> None:
    request = requested(data_set, fresh=False, depth=7)
    asked: list[str] = []

    def counted(question: str, corpus: str, k: int) -> Evidence:
        asked.append(question)
        return gold(question, corpus, k)

    strategies = {"counted": counted}
    with pytest.raises(JobStopped):
        run_bench(clew.resources, request, strategies=strategies, cancelled=lambda: len(asked) >= 4)
    corpus = corpus_of_data_set(load_data_set(str(data_set)), 0, clew.settings)
    folder = versions.new_version_folder(clew.settings, "contextual", corpus)
    model = TrainedModel(
        kind="contextual",
        version=folder.name,
        base_model=training_of("contextual").base_model(clew.settings),
        created_at="2026-01-01T00:00:00+00:00",
        data={"corpus": corpus},
        options={},
        figures={},
    )
    versions.write_manifest(folder, model)
    versions.choose(clew.settings, "contextual", corpus, folder.name)
    run = run_bench(clew.resources, request, strategies=strategies)
    assert run.trained == {"contextual": folder.name}
    assert run.sessions == 1
    assert any(f"contextual {folder.name}" in notice for notice in run.notices)
    versions.choose(clew.settings, "contextual", corpus, None)
    again = run_bench(clew.resources, request, strategies=strategies)
    assert (again.trained, again.sessions) == ({}, 2)


def test_the_latest_run_is_one_of_the_same_questions_not_only_of_that_name(
    clew: Clew, data_set: Path, gold: Search, tmp_path: Path
) -> None:
    """Published sets are called ``dev``, and a corpus may be asked other questions each time."""
    first = run_bench(clew.resources, requested(data_set), strategies={"gold": gold})
    namesake = tmp_path / data_set.name
    namesake.mkdir()
    questions = people_and_towns(namesake) / "questions.jsonl"
    questions.write_text(questions.read_text().replace('"id": "q', '"id": "other'))
    run_bench(clew.resources, requested(namesake), strategies={"gold": gold})
    later = run_bench(clew.resources, requested(data_set), strategies={"gold": gold})
    assert find_run(clew.resources.store, "latest", later).id == first.id


def test_a_corpus_is_measured_with_questions_of_ones_own(
    clew: Clew, data_set: Path, everything: dict[str, ScoredChunk]
) -> None:
    corpus = next(
        row["name"]
        for row in list_corpora(clew.resources.store)
        if "people-and-towns" in row["name"]
    )
    questions = (
        BenchQuestion(id="a", question=f"Where was {PEOPLE[0]} born?", gold={PEOPLE[0]: 1}),
        BenchQuestion(id="b", question="Who owns Mill 99?", gold={"Mill 99": 1}),
    )
    request = BenchRequest(
        data_set=f"corpus:{corpus}", questions=questions, strategies=("bm25",), reader="none"
    )
    run = clew.bench(request)
    assert [q.id for q in run.questions] == ["a"]
    assert [(r.id, "Mill 99" in r.reason) for r in run.data_set.refused] == [("b", True)]
    assert value(run, "bm25", "recall@1") == 1.0
    assert not run.data_set.synthetic


def test_gold_that_no_strategy_could_find_is_refused_with_the_reason(
    clew: Clew, tmp_path: Path, corpus: str
) -> None:
    (tmp_path / "faq.csv").write_text("title,text\nMill,Ella Brand built it.\nBarn,Bo Vang did.\n")
    (tmp_path / "facts.tsv").write_text("Ella Brand\tbuilt\tTarn Mill\n")
    (tmp_path / "late.txt").write_text("It is still to be indexed.")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 nonsense")
    clew.ingest(tmp_path / "faq.csv", tmp_path / "broken.pdf", corpus=corpus)
    clew.ingest(tmp_path / "facts.tsv", corpus=corpus, as_triples=True)
    clew.accept([tmp_path / "late.txt"], corpus=corpus)
    questions = tuple(
        BenchQuestion(id=name, question="Who built the mill?", gold={name: 1})
        for name in ("Mill", "faq.csv", "facts.tsv", "late.txt", "broken.pdf")
    )
    resolved, refused = resolve_gold(clew.resources, corpus, questions)
    assert [question.id for question in resolved] == ["Mill"]
    reasons = {one.id: one.reason for one in refused}
    assert "a file of 2 records" in reasons["faq.csv"]
    assert "has no passages" in reasons["facts.tsv"]
    assert "it is accepted" in reasons["late.txt"]
    assert "it is failed" in reasons["broken.pdf"]


def test_a_folder_of_documents_gets_synthetic_questions(
    clew: Clew, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clew.sample_corpus import ARTICLES

    for article in sorted(ARTICLES.glob("*.md"))[:25]:
        (tmp_path / article.name).write_bytes(article.read_bytes())
    request = BenchRequest(
        data_set=str(tmp_path), strategies=("bm25", "dense"), reader="none", synthetic=8
    )
    run = clew.bench(request)
    assert run.data_set.synthetic
    assert run.data_set.unit == "chunk"
    assert 1 <= len(run.questions) <= 8
    assert any("read as documents" in notice for notice in run.notices)
    (tmp_path / sorted(tmp_path.glob("*.md"))[0].name).unlink()
    again = clew.bench(request)
    assert again.index.counts["documents"] == run.index.counts["documents"] - 1
    monkeypatch.chdir(tmp_path)
    here = clew.bench(request.model_copy(update={"data_set": "."}))
    assert (here.data_set.name, here.index.corpus) == (tmp_path.name, run.index.corpus)


def test_a_folder_of_documents_is_indexed_as_the_settings_of_the_run_say(
    clew: Clew, tmp_path: Path
) -> None:
    for number in range(4):
        text = f"Ada Holm {number} was born in Oslo. Ada Holm met Bo Vang in Oslo."
        (tmp_path / f"{number}.txt").write_text(text)
    request = requested(tmp_path, strategies=("bm25",), synthetic=2)
    first = clew.bench(request).index
    another_seed = clew.bench(request.model_copy(update={"seed": 11})).index
    without_triples = run_bench(clew.resources.under(extractor="none"), request).index
    again = clew.bench(request).index
    assert len({first.corpus, another_seed.corpus, without_triples.corpus}) == 3
    assert (again.corpus, again.reused) == (first.corpus, True)
    extractors = {row["name"]: row["extractor"] for row in list_corpora(clew.resources.store)}
    assert extractors[first.corpus] == "rules"
    assert extractors[without_triples.corpus] == "none"


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"strategies": ("densee",)}, UnknownStrategy, "dense"),
        ({"strategies": ()}, InvalidRequest, "No strategy"),
        ({"reader": "nobody"}, InvalidRequest, "no reader"),
        ({"judge": True, "reader": "extractive"}, InvalidRequest, "none is configured"),
        ({"mauve": True}, InvalidRequest, "Without answers"),
        ({"data_set": "corpus:nothing-here"}, UnknownCorpus, "nothing-here"),
        ({"data_set": "/nowhere/at/all"}, InvalidDataSet, "nowhere"),
    ],
)
def test_what_cannot_be_done_is_refused_before_any_work(
    clew: Clew, data_set: Path, options: dict[str, object], error: type[Exception], words: str
) -> None:
    before = len(list_corpora(clew.resources.store))
    with pytest.raises(error, match=words):
        clew.bench(requested(data_set, **options))
    assert len(list_corpora(clew.resources.store)) == before


def test_a_worker_is_not_sent_to_a_path(clew: Clew, data_set: Path) -> None:
    with pytest.raises(InvalidDataSet, match="cannot read"):
        clew.submit_bench(requested(data_set))
