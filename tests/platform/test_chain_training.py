"""Training chain-ranking: questions of a graph and of a data set, a version that serves, or not."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from clew.clew import Clew
from clew.errors import InvalidRequest, JobStopped
from clew.results.training import TrainingProgress
from clew.strategies.chain_ranking import training as module
from clew.strategies.chain_ranking.options import ChainOptions
from clew.strategies.chain_ranking.training import figures
from clew.strategies.chain_ranking.weights import read_weights, round_weights, weights_for
from clew.strategies.learning.gold_chunks import kept_apart
from clew.strategies.learning.training import TrainingRun
from clew_ingest.reading.sources import Source
from clew_models.chain_ranking import ChainFeatures, ChainWeights
from clew_models.chain_ranking.fit import ROUNDS, TURNS, ChainExample
from clew_models.chain_ranking.weights import NODE, STEP

from .training_corpus import musique_questions

CORPUS = "test-chain-training"
SMALL_CORPUS = f"{CORPUS}-small"
METHOD = "chain-ranking"
OPTIONS: dict[str, Any] = {"examples": 40, "held_out": 12, "seed": 1}


def test_a_version_is_trained_measured_and_serves_where_it_is_better(
    clew: Clew, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = round_weights(clew.settings.options(ChainOptions))
    assert weights_for(clew.resources, CORPUS) == start
    told: list[TrainingProgress] = []
    version = clew.train(METHOD, CORPUS, tell=told.append, **OPTIONS)
    assert {one.stage for one in told} >= {"learn", "measure before", "measure after", "done"}
    before, after = version.figures["before"], version.figures["after"]
    assert set(before) == set(after) == {"questions", "ndcg", "recall", "whole"}
    assert before["questions"] == version.data["held_out"]
    assert 0 < before["ndcg"] <= 1
    fitted = read_weights(Path(version.folder))
    assert fitted != start
    assert all(value >= 0 for value in fitted.step.values())
    assert version.serves == (after["ndcg"] >= before["ndcg"])
    clew.promote(METHOD, version.version)
    assert weights_for(clew.resources, CORPUS) == fitted
    assert weights_for(clew.resources, "another") == start
    # a sign that is left out counts in trained weights no more than in the round ones
    less = weights_for(clew.resources.under(chain_without="walk, new,repeat"), CORPUS)
    assert set(fitted.node) - set(less.node) == {"walk", "reached", "spread"}
    assert set(fitted.step) - set(less.step) == {"new"}
    assert {sign: fitted.step[sign] for sign in less.step} == less.step
    assert (less.repeat, weights_for(clew.resources, CORPUS)) == (0.0, fitted)
    assert clew.search("Where was the director of The Amber Door of Marlow 0 born?", CORPUS).chunks
    curve = clew.trained_model(METHOD, version.version).curve
    assert len([point for point in curve if not point.held_out]) == ROUNDS * TURNS
    untrained, trained = (point.loss for point in curve if point.held_out)
    assert trained < untrained

    # one that ranks worse does not take its place
    def worsened(*_: object, **__: object) -> ChainWeights:
        return ChainWeights(node={"walk": -1.0, "words": -5.0}, step={})

    monkeypatch.setattr(module, "fit", worsened)
    worse = clew.train(METHOD, CORPUS, **{**OPTIONS, "strength": 1.0})
    assert not worse.serves
    assert worse.figures["after"]["ndcg"] < worse.figures["before"]["ndcg"]
    assert weights_for(clew.resources, CORPUS) == fitted


def test_examples_have_their_passages_apart_from_those_held_out(clew: Clew) -> None:
    version = clew.train(METHOD, CORPUS, **{**OPTIONS, "seed": 2})
    folder = Path(version.folder)
    learned, held_out = (
        [json.loads(line) for line in (folder / name).read_text().splitlines()]
        for name in ("examples.jsonl", "held_out.jsonl")
    )
    gold = [{id_ for one in part for id_ in one["gold"]} for part in (learned, held_out)]
    assert gold[0].isdisjoint(gold[1])
    assert {len(one["gold"]) for one in learned} == {1, 2}
    assert all(one["question"].endswith("?") for one in learned)


def test_labelled_questions_are_learned_from(clew: Clew, tmp_path: Path) -> None:
    path = tmp_path / "asked.json"
    path.write_text(json.dumps(musique_questions()), encoding="utf-8")
    version = clew.train(METHOD, CORPUS, data_set=str(path), examples=20, held_out=5)
    assert version.data["data_set"] == "asked"
    kept = (Path(version.folder) / "held_out.jsonl").read_text().splitlines()
    assert all(len(json.loads(line)["gold"]) == 2 for line in kept)


def test_a_run_stops_while_it_reads_signs_and_while_it_fits(clew: Clew) -> None:
    told: list[TrainingProgress] = []

    def learned() -> list[TrainingProgress]:
        return [one for one in told if one.stage == "learn"]

    options = {**OPTIONS, "seed": 3}
    with pytest.raises(JobStopped):
        clew.train(
            METHOD,
            CORPUS,
            tell=told.append,
            cancelled=lambda: any(one.done >= 3 for one in learned()),
            **options,
        )
    assert max(one.done for one in learned()) == 3
    with pytest.raises(JobStopped):
        clew.train(
            METHOD,
            CORPUS,
            tell=told.append,
            cancelled=lambda: any(one.loss is not None for one in learned()),
            **options,
        )
    assert sum(one.loss is not None for one in learned()) == 1
    version = clew.train(METHOD, CORPUS, **options)
    curve = clew.trained_model(METHOD, version.version).curve
    assert [one.step for one in curve if not one.held_out] == list(range(1, ROUNDS * TURNS + 1))
    assert [one.step for one in curve if one.held_out] == [0, ROUNDS * TURNS]


def test_a_graph_with_too_few_questions_is_refused(clew: Clew) -> None:
    data = json.dumps({"title": "Oslo", "text": "Oslo is a city."}).encode()
    clew.ingest(Source(uri="memory:Oslo", name="record.json", data=data), corpus=SMALL_CORPUS)
    with pytest.raises(InvalidRequest, match="it takes 20"):
        clew.train(METHOD, SMALL_CORPUS)
    clew.delete_corpus(SMALL_CORPUS)


@pytest.mark.parametrize(
    ("asked_for", "remedy"), [(25, "Ask for more"), (26, "Ingest more documents, with triples")]
)
def test_what_is_short_is_said_the_corpus_or_what_was_asked_for(
    asked_for: int, remedy: str
) -> None:
    options = SimpleNamespace(seed=0, examples=asked_for)
    run = cast(TrainingRun, SimpleNamespace(corpus="films", options=options, data_set=None))
    found = [{"question": f"{n}?", "gold": [f"c{n % 5}"]} for n in range(25)]
    with pytest.raises(InvalidRequest) as refused:
        kept_apart(run, found, 6)
    assert refused.value.message == (
        "The corpus 'films' makes 25 questions; without 6 held out and those of their passages, "
        "15; it takes 20."
    )
    assert refused.value.remedy.startswith(remedy)


def test_figures_by_hand() -> None:
    """Five passages of which the second and fifth are gold; a third one is not in the pool."""
    node = np.zeros((5, len(NODE)))
    node[:, NODE.index("walk")] = [5.0, 4.0, 3.0, 2.0, 1.0]
    features = ChainFeatures(
        pool=np.arange(5),
        before=np.zeros(0, dtype=np.int64),
        before_place=np.zeros(0, dtype=np.int64),
        node=node,
        step=np.zeros((1, 5, len(STEP))),
        itself=np.zeros((1, 5), dtype=bool),
        group=np.arange(5),
        rest=np.zeros(0, dtype=np.int64),
        sweeps=1,
    )
    gold = np.array([False, True, False, False, True])
    weights = ChainWeights(node={"walk": 1.0}, step={})
    found = figures([ChainExample(features, gold, wanted=3)], weights)
    best = 1 + 1 / np.log2(3) + 1 / np.log2(4)
    assert found["ndcg"] == pytest.approx((1 / np.log2(3) + 1 / np.log2(6)) / best)
    assert found["recall"] == pytest.approx(2 / 3)
    assert found["whole"] == 0
