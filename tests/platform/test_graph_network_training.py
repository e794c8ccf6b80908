"""Training graph-network: questions of a graph and of a data set, resume, a version that serves."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.clew import Clew
from clew.errors import InvalidRequest, JobStopped
from clew.indexing.corpora import delete_corpus, delete_document
from clew.resources.replies import reply_cache
from clew.resources.resources import Resources
from clew.strategies.graph_network import examples as module
from clew.strategies.graph_network.examples import graph_questions, make_examples
from clew.strategies.graph_network.networks import base_model, serving_folder
from clew.strategies.graph_network.training import NetworkTrainingOptions
from clew.strategies.learning.graph_questions import AskedTriple
from clew.strategies.learning.training import TrainingRun
from clew.strategies.learning.wordings import relation_questions
from clew.strategies.searching import build_strategy
from clew.training.request import TrainingRequest
from clew.training.run import run_training
from clew_cypher.export.training import stated_triples
from clew_cypher.searching.chunks import chunks_by_id
from clew_ingest.reading.sources import Source
from clew_models.fitting import CHECKPOINT
from clew_models.graph_network.network import WEIGHTS, load_network, load_options

from ..held_resources import held_resources
from ..scripted_llm import ChatEndpoint, serving
from .training_corpus import PEOPLE, documents, musique_questions

CORPUS = "test-network-training"
SMALL_CORPUS = f"{CORPUS}-small"
METHOD = "graph-network"
TRAINED: dict[str, Any] = {
    "examples": 60,
    "epochs": 2,
    "batch": 8,
    "rate": 3e-3,
    "count_rate": 10,
    "layers": 2,
    "save_steps": 4,
    "start": "untrained",
    "dimension": 32,
}


def test_a_version_is_trained_measured_and_serves_where_it_is_no_worse(clew: Clew) -> None:
    before_all = serving_folder(clew.resources, CORPUS)
    version = clew.train(METHOD, CORPUS, **TRAINED)
    folder = Path(version.folder)
    assert (folder / WEIGHTS).exists()
    assert not (folder / CHECKPOINT).exists()
    assert load_network(folder).options.dimension == 32
    assert version.base_model == base_model(clew.settings)
    figures = version.figures
    assert set(figures["before"]) == {"questions", "ndcg", "recall", "whole"}
    assert figures["before"]["questions"] == version.data["held_out"]
    assert 0 < figures["before"]["ndcg"] <= 1
    rival = figures.get("serving", figures["before"])
    assert version.serves == (figures["after"]["ndcg"] >= rival["ndcg"])
    curve = clew.trained_model(METHOD, version.version).curve
    apart = [point.loss for point in curve if point.held_out]
    assert min(apart) < apart[0]
    clew.promote(METHOD, version.version)
    assert serving_folder(clew.resources, CORPUS) == folder
    assert serving_folder(clew.resources, "another") == before_all
    asked = clew.search("Where was the director of The Amber Door of Marlow 0 born?", CORPUS)
    assert asked.chunks
    found = clew.search(
        "Where was the director of The Amber Door of Marlow 0 born?", CORPUS, strategy=METHOD
    )
    assert {chunk.title for chunk in found.chunks[:2]} == {
        "The Amber Door of Marlow 0",
        "Alba Marlow",
    }
    # once it serves no longer, it is let go, with what was made of it for ablations
    without = clew.resources.under(graph_network_intra=False)
    build_strategy(METHOD, without).retrieve("Who directed The Amber Door of Marlow 0?", CORPUS, 2)

    def loaded() -> list[str]:
        return [one.name for one in clew.resources.models.report() if folder.name in one.name]

    assert len(loaded()) == 2
    clew.roll_back(METHOD, CORPUS)
    clew.search("Who directed The Amber Door of Marlow 0?", CORPUS, strategy=METHOD)
    assert loaded() == []


def test_a_training_that_was_stopped_goes_on_where_it_was(clew: Clew) -> None:
    """Though another version, of another form, serves meanwhile."""
    request = TrainingRequest(
        method=METHOD, corpus=CORPUS, options={**TRAINED, "seed": 3, "start": "serving"}
    )
    begun = serving_folder(clew.resources, CORPUS)
    assert begun is not None
    seen: list[tuple[str, int]] = []

    def stop() -> bool:
        return any(stage == "learn" and done >= 3 for stage, done in seen)

    with pytest.raises(JobStopped):
        run_training(
            clew.resources,
            request,
            tell=lambda told: seen.append((told.stage, told.done if told.total < 50 else 0)),
            cancelled=stop,
        )
    home = clew.settings.home / "models" / METHOD
    (checkpoint,) = home.glob(f"*/*/{CHECKPOINT}")
    another = clew.train(METHOD, CORPUS, **{**TRAINED, "epochs": 1, "seed": 4})
    clew.promote(METHOD, another.version)
    steps: list[int] = []
    version = run_training(
        clew.resources,
        request,
        tell=lambda told: steps.append(told.done) if told.stage == "learn" else None,
    )
    assert Path(version.folder) == checkpoint.parent
    learned = [step for step in steps if step]
    assert load_options(Path(version.folder)) == load_options(begun)
    assert load_options(begun) != load_options(Path(another.folder))
    assert 1 not in learned  # the steps before the stop are not done again


def run(clew: Clew, corpus: str, tmp_path: Path, **options: object) -> TrainingRun:
    return TrainingRun(clew.resources, corpus, tmp_path, NetworkTrainingOptions(**options))


def test_questions_have_one_hop_and_two_and_are_split_95_to_5(clew: Clew, tmp_path: Path) -> None:
    made = make_examples(run(clew, CORPUS, tmp_path, examples=60, seed=2))
    assert {one["hops"] for one in made.learned} == {1, 2}
    gold = [{id_ for one in part for id_ in one["gold"]} for part in (made.learned, made.held_out)]
    assert gold[0].isdisjoint(gold[1])
    assert len(made.held_out) < len(made.learned) / 3
    two = sum(one["hops"] == 2 for one in [*made.learned, *made.held_out])
    assert two >= 20
    assert all(len(one["gold"]) == one["hops"] for one in made.learned)


def test_questions_of_three_hops_are_made_where_they_are_asked_for(
    clew: Clew, tmp_path: Path
) -> None:
    name = f"{CORPUS}-married"
    couples = zip(PEOPLE, (*PEOPLE[7:], *PEOPLE[:7]), strict=True)
    told = [
        json.dumps({"title": f"Wedding {number}", "text": f"{one} married {other}."}).encode()
        for number, (one, other) in enumerate(couples)
    ]
    weddings = [
        Source(uri=f"memory:Wedding {number}", name="record.json", data=data)
        for number, data in enumerate(told)
    ]
    clew.ingest(*documents(), *weddings, corpus=name)
    shares = {"examples": 60, "seed": 2, "two_hops": 0.3, "three_hops": 0.3}
    made = make_examples(run(clew, name, tmp_path, **shares))
    three = [one for one in [*made.learned, *made.held_out] if one["hops"] == 3]
    assert three
    assert all(len(one["gold"]) == 3 for one in three)
    plain = make_examples(run(clew, name, tmp_path, **{**shares, "three_hops": 0.0}))
    assert {one["hops"] for one in plain.learned} == {1, 2}
    clew.delete_corpus(name)


class Writer(ChatEndpoint):
    """Words a question from the first name; some replies tell the answer or name nothing."""

    def reply(self, body: dict[str, Any]) -> str:
        told = body["messages"][-1]["content"]
        _, _, after = told.partition("First name: ")
        first, _, unnamed = after.partition("\n\nNot to be named: ")
        if len(self.asked) % 3 == 0:
            return f"Is {unnamed.split('; ')[0]} what one asks of {first}?"
        if len(self.asked) % 7 == 0:
            return "Who is meant?"
        return f"What follows from {first}?"


def worded_by(writer: Writer, clew: Clew, cache: Path) -> Resources:
    changed = clew.settings.changed(
        llm_model="scripted", llm_base_url=writer.url, llm_retries=0, cache_dir=cache
    )
    return held_resources(changed, clew.resources.store)


def test_shares_of_more_than_all_questions_are_refused(clew: Clew) -> None:
    with pytest.raises(InvalidRequest, match="at most 1"):
        clew.train(METHOD, CORPUS, two_hops=0.8, three_hops=0.5)


def test_a_language_model_words_the_questions_where_one_is_set(clew: Clew, tmp_path: Path) -> None:
    options = NetworkTrainingOptions(examples=60, seed=2)
    with serving(Writer()) as writer:
        resources = worded_by(writer, clew, tmp_path)
        made = make_examples(TrainingRun(resources, CORPUS, tmp_path, options))
        asked = [one.body["messages"][-1]["content"] for one in writer.asked]
        assert len(asked) == len(set(asked)) == made.source["calls"]
        again = make_examples(TrainingRun(resources, CORPUS, tmp_path, options))
        assert len(writer.asked) == len(asked)  # what it wrote is kept
        off = held_resources(
            resources.settings.changed(graph_network_model="none"), clew.resources.store
        )
        plain = make_examples(TrainingRun(off, CORPUS, tmp_path, options))
        assert len(writer.asked) == len(asked)
    questions = [one["question"] for one in [*made.learned, *made.held_out]]
    worded = [question for question in questions if question.startswith("What follows from")]
    assert 0 < len(worded) < len(questions)
    assert made.source["written_by"] == "scripted"
    assert made.source["written"] >= len(worded)
    assert made.source["could_not_be_used"] > 0
    assert not any(question.startswith(("Is ", "Who is meant")) for question in questions)
    assert again.learned == made.learned
    assert "written" not in plain.source
    assert [one["gold"] for one in plain.learned] == [one["gold"] for one in made.learned]
    facts = [told.partition("\n\nFirst name: ")[0].splitlines()[1:] for told in asked]
    assert {len(lines) for lines in facts} == {1, 2}
    for lines in facts:
        told = [line.partition(". ")[2].partition(": ")[0].split(" | ") for line in lines]
        assert all(len(one) == 3 for one in told)
    for record in made.learned:
        assert set(record) == {"question", "gold", "hops"}


def test_a_question_goes_when_one_of_its_passages_is_deleted(clew: Clew, tmp_path: Path) -> None:
    name = f"{CORPUS}-replies"
    clew.ingest(*documents(), corpus=name)
    options = NetworkTrainingOptions(examples=60, seed=2)
    with serving(Writer()) as writer:
        resources = worded_by(writer, clew, tmp_path)
        made = make_examples(TrainingRun(resources, name, tmp_path, options))
    both = [*made.learned, *made.held_out]
    two = sorted({tuple(one["gold"]) for one in both if one["hops"] == 2})
    with reply_cache(resources.settings) as kept:
        apart = next(gold for gold in two if {*gold}.isdisjoint(two[0]))
        for chunk_id in (two[0][0], apart[-1]):  # by whichever of its texts
            (row,) = chunks_by_id(clew.resources.store, name, [chunk_id])
            before = len(kept)
            delete_document(resources, name, row["document_id"])
            assert before - len(kept) >= sum(chunk_id in gold for gold in two) > 0
        assert len(kept) > 0
        delete_corpus(resources, name)
        assert len(kept) == 0


def test_a_question_with_two_answers_is_left_out_and_counted(
    clew: Clew, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alba Marlow, born in Vienna, is then said to be born in Oslo too."""
    store = clew.resources.store
    (born,) = (
        triple
        for triple in stated_triples(store, CORPUS)
        if (triple.head, triple.tail) == ("Alba Marlow", "Vienna")
    )
    relation = next(
        one
        for one in relation_questions()
        if born.predicate in one.predicates and born.tail_type in one.tails
    )
    chain = (AskedTriple(born, relation),)
    monkeypatch.setattr(module, "graph_chains", lambda *_: [chain])
    found, left_out = graph_questions(store, CORPUS, 10, 1, 0.5)
    assert [one["gold"] for one in found] == [[born.chunk_id]]
    assert left_out == 0
    added = json.dumps({"title": "Notes", "text": "Alba Marlow was born in Oslo."}).encode()
    clew.ingest(Source(uri="memory:Notes", name="record.json", data=added), corpus=CORPUS)
    assert graph_questions(store, CORPUS, 10, 1, 0.5) == ([], 1)


def test_labelled_questions_fine_tune_the_version_that_serves(clew: Clew, tmp_path: Path) -> None:
    path = tmp_path / "asked.json"
    path.write_text(json.dumps(musique_questions()), encoding="utf-8")
    version = clew.train(
        METHOD, CORPUS, data_set=str(path), **{**TRAINED, "start": "serving", "epochs": 1}
    )
    assert version.data["data_set"] == "asked"
    kept = (Path(version.folder) / "held_out.jsonl").read_text().splitlines()
    assert all(len(json.loads(line)["gold"]) == 2 for line in kept)
    assert version.figures["after"]["whole"] >= version.figures["before"]["whole"]


def test_a_graph_with_too_few_questions_is_refused(clew: Clew) -> None:
    data = json.dumps({"title": "Oslo", "text": "Oslo is a city."}).encode()
    clew.ingest(Source(uri="memory:Oslo", name="record.json", data=data), corpus=SMALL_CORPUS)
    with pytest.raises(InvalidRequest, match="it takes 20"):
        clew.train(METHOD, SMALL_CORPUS, examples=30)
    clew.delete_corpus(SMALL_CORPUS)
