"""Training partial-alignment: made questions, who words them, resume, a version that serves."""

import gc
import random
import weakref
from pathlib import Path
from typing import Any

import pytest

from clew.clew import Clew
from clew.errors import InvalidRequest, JobStopped
from clew.indexing.corpora import delete_corpus, delete_document
from clew.indexing.extractors import forgetting_replies
from clew.resources.replies import reply_cache
from clew.strategies.learning.masked_questions import (
    NamedTriple,
    chain_question,
    masked_question,
    relation_name,
)
from clew.strategies.learning.training import TrainingRun
from clew.strategies.partial_alignment.encoders import base_model, serving_encoders, serving_folder
from clew.strategies.partial_alignment.examples import made_questions, make_examples
from clew.strategies.partial_alignment.training import AlignmentTrainingOptions
from clew.training.request import TrainingRequest
from clew.training.run import run_training
from clew_ingest.reading.sources import Source
from clew_models.fitting import CHECKPOINT
from clew_models.partial_alignment.towers import CONFIGURATION, WEIGHTS

from ..held_resources import held_resources
from ..scripted_llm import ChatEndpoint, serving

CORPUS = "test-alignment-training"
METHOD = "partial-alignment"
TRAINED: dict[str, Any] = {
    "examples": 60,
    "epochs": 2,
    "batch": 8,
    "rank": 2,
    "save_steps": 2,
    "rate": 2e-3,
}


def run(clew: Clew, folder: Path, **options: object) -> TrainingRun:
    return TrainingRun(clew.resources, CORPUS, folder, AlignmentTrainingOptions(**options))


def test_a_version_is_trained_measured_and_serves_where_it_is_no_worse(clew: Clew) -> None:
    before_all = serving_folder(clew.resources, CORPUS)
    version = clew.train(METHOD, CORPUS, **TRAINED)
    folder = Path(version.folder)
    assert {path.name for path in folder.iterdir()} >= {WEIGHTS, CONFIGURATION}
    assert not (folder / CHECKPOINT).exists()
    assert version.base_model == base_model(clew.settings)
    figures = version.figures
    assert set(figures["before"]) == {"questions", "both", "anchors", "elements"}
    assert 0 < figures["before"]["both"] <= 1
    rival = figures.get("serving", figures["before"])
    assert version.serves == (figures["after"]["both"] >= rival["both"])
    curve = clew.trained_model(METHOD, version.version).curve
    apart = [point.loss for point in curve if point.held_out]
    assert min(apart) < apart[0]
    clew.promote(METHOD, version.version)
    assert serving_folder(clew.resources, CORPUS) == folder
    assert serving_folder(clew.resources, "another") == before_all
    question = "Where was the director of The Amber Door of Marlow 0 born?"
    found = clew.search(question, CORPUS, strategy=METHOD)
    assert found.chunks
    assert len(found.triples) > len(found.chunks)
    told = next(step for step in found.trace if step.name == "question")
    assert told.detail["encoders"] == str(folder.resolve())
    # once it serves no longer, nothing holds its encoders
    encoders = weakref.ref(serving_encoders(clew.resources, CORPUS))
    clew.roll_back(METHOD, CORPUS)
    clew.search(question, CORPUS, strategy=METHOD)
    gc.collect()
    assert encoders() is None


def test_a_training_that_was_stopped_goes_on_where_it_was(clew: Clew) -> None:
    request = TrainingRequest(method=METHOD, corpus=CORPUS, options={**TRAINED, "seed": 3})
    seen: list[int] = []
    with pytest.raises(JobStopped):
        run_training(
            clew.resources,
            request,
            tell=lambda told: seen.append(told.done) if told.stage == "learn" else None,
            cancelled=lambda: len(seen) >= 3,
        )
    (checkpoint,) = (clew.settings.home / "models" / METHOD).glob(f"*/*/{CHECKPOINT}")
    steps: list[int] = []
    version = run_training(
        clew.resources,
        request,
        tell=lambda told: steps.append(told.done) if told.stage == "learn" else None,
    )
    assert Path(version.folder) == checkpoint.parent
    assert 1 not in [step for step in steps if step]  # what was done before is not done again


def test_no_triple_is_on_both_sides_and_questions_have_one_to_three(
    clew: Clew, tmp_path: Path
) -> None:
    made = make_examples(run(clew, tmp_path, examples=120, seed=2))
    assert {len(one["gold"]) for one in made.learned} >= {1, 2}
    gold = [{id_ for one in part for id_ in one["gold"]} for part in (made.learned, made.held_out)]
    assert not gold[0] & gold[1]
    again = make_examples(run(clew, tmp_path, examples=120, seed=2))
    assert made == again
    for one in made.learned:
        assert one["unit"] in {*one["related"]}
        assert set(one) == {"question", "unit", "elements", "related", "gold"}


def test_a_corpus_with_too_few_triples_says_so(clew: Clew, tmp_path: Path) -> None:
    clew.ingest(
        Source(uri="memory:x", name="x.txt", data=b"Ada Marlow wrote a book."), corpus="test-few"
    )
    try:
        few = TrainingRun(clew.resources, "test-few", tmp_path, AlignmentTrainingOptions())
        with pytest.raises(InvalidRequest, match="questions; it takes"):
            make_examples(few)
    finally:
        clew.delete_corpus("test-few")


class Writer(ChatEndpoint):
    """Words a question for each fact; every third reply cannot be used."""

    def reply(self, body: dict[str, Any]) -> str:
        told = body["messages"][-1]["content"]
        if len(self.asked) % 3 == 0:
            return told.rpartition(": ")[2] + " it is."
        return f"Which part is not said of {told.split(': ')[1].split(' | ')[0]}?"


def test_a_language_model_words_the_questions_and_is_not_asked_twice(
    clew: Clew, tmp_path: Path
) -> None:
    with serving(Writer()) as writer:
        changed = clew.settings.changed(
            llm_model="scripted", llm_base_url=writer.url, llm_retries=0, cache_dir=tmp_path
        )
        resources = held_resources(changed, clew.resources.store)
        options = AlignmentTrainingOptions(examples=60, chains=0, seed=5)
        own = TrainingRun(resources, CORPUS, tmp_path, options)
        stopped = TrainingRun(
            resources, CORPUS, tmp_path, options, cancelled=lambda: len(writer.asked) >= 5
        )
        with pytest.raises(JobStopped):
            make_examples(stopped)
        assert len(writer.asked) == 5
        made = make_examples(own)
        asked = [one.body["messages"][-1]["content"] for one in writer.asked]
        another = make_examples(TrainingRun(resources, CORPUS, tmp_path / "another", options))
        assert len(writer.asked) == len(asked)
    assert len(asked) == len(set(asked))
    questions = [one["question"] for one in (*made.learned, *made.held_out)]
    worded = [question for question in questions if question.startswith("Which part is not")]
    assert worded
    assert made.source["written"] >= len(worded)
    assert made.source["could_not_be_used"] > 0
    assert made.source["tokens"] > 0
    assert all(not question.endswith("it is.") for question in questions)
    assert made.source["calls"] == len(asked) - 5
    assert another.learned == made.learned
    assert (another.source["calls"], another.source["tokens"]) == (0, 0)
    assert another.source["written"] == made.source["written"]


def test_questions_about_lines_go_with_them(clew: Clew, tmp_path: Path) -> None:
    name = "test-alignment-replies"
    facts = tmp_path / "facts.tsv"
    lines = [f"Person {number}\tspouse\tPartner {number}" for number in range(60)]
    facts.write_text("\n".join(lines))
    clew.ingest(facts, corpus=name, as_triples=True)
    (document,) = clew.documents(name)
    with serving(Writer()) as writer:
        changed = clew.settings.changed(
            llm_model="scripted", llm_base_url=writer.url, llm_retries=0, cache_dir=tmp_path
        )
        resources = held_resources(changed, clew.resources.store)
        options = AlignmentTrainingOptions(examples=60, chains=0, seed=5)
        run_of_base = TrainingRun(resources, name, tmp_path, options)
        make_examples(run_of_base)
        with reply_cache(changed) as kept:
            whole = len(kept)
            facts.write_text("\n".join(lines[:30]))
            with forgetting_replies(changed, clew.resources.store, name, [document.id]):
                clew.ingest(facts, corpus=name, as_triples=True)
            assert 0 < len(kept) < whole  # those about lines that stayed are kept
            delete_document(resources, name, document.id)
            assert len(kept) == 0
            clew.ingest(facts, corpus=name, as_triples=True)
            make_examples(run_of_base)
            assert len(kept) > 0
            delete_corpus(resources, name)
            assert len(kept) == 0


SPOUSE = NamedTriple("Mira", "spouse", "Tomas", of_base=True)
BORN = NamedTriple("Tomas", "place_of_birth", "Velmora", of_base=True)
UNHEARD = NamedTriple("Mira", "kelvination", "Drusk", of_base=True)


def worded(triple: NamedTriple, masked: Any) -> set[str]:
    return {masked_question(triple, masked, random.Random(seed)) for seed in range(60)}


@pytest.mark.parametrize("triple", [SPOUSE, BORN, UNHEARD])
def test_a_question_names_two_elements_and_not_the_third(triple: NamedTriple) -> None:
    tails, heads = worded(triple, "tail"), worded(triple, "head")
    assert len(tails) >= 8
    assert len(heads) >= 4
    assert all(triple.head in words and triple.tail not in words for words in tails)
    assert all(triple.tail in words and triple.head not in words for words in heads)
    for words in worded(triple, "relation"):
        assert triple.head in words
        assert triple.tail in words


def test_a_relation_nobody_knows_is_asked_by_its_name() -> None:
    assert all("kelvination" in words for words in worded(UNHEARD, "tail"))
    assert relation_name("http://example.org/p/placeOfBirth") == "place of birth"
    assert relation_name("cause_of_death") == "cause of death"


def test_a_chain_is_asked_in_one_question() -> None:
    asked = {chain_question([SPOUSE, BORN], random.Random(seed)) for seed in range(60)}
    assert len(asked) >= 20
    assert all("Mira" in words and "Tomas" not in words for words in asked)
    assert any("wife" in words or "husband" in words for words in asked)


def test_the_triples_of_a_text_are_asked_too(clew: Clew) -> None:
    found, kinds = made_questions(clew.resources.store, CORPUS, 80, 0.5, 1)
    assert sum(kinds.values()) == len(found)
    assert kinds["of 2 triples"] > 5
    for record in found:
        if record["triple"] is not None:
            assert record["answer"] not in record["elements"]
