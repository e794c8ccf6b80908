"""Training partial-alignment: made questions, who words them, resume, a version that serves."""

import gc
import random
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from clew.clew import Clew
from clew.errors import InvalidRequest, JobStopped
from clew.indexing.corpora import delete_corpus, delete_document
from clew.indexing.extractors import forgetting_replies
from clew.resources.replies import reply_cache
from clew.resources.versions import corpus_folder, write_manifest
from clew.results.training import TrainedModel
from clew.strategies.learning.gold_chunks import kept_apart
from clew.strategies.learning.masked_questions import (
    NamedTriple,
    chain_question,
    masked_question,
    relation_name,
)
from clew.strategies.learning.training import Examples, TrainingRun
from clew.strategies.partial_alignment.encoders import (
    base_model,
    serving_encoders,
    serving_folder,
    version_identity,
)
from clew.strategies.partial_alignment.examples import made_questions, make_examples, questions_of
from clew.strategies.partial_alignment.partials import _kind
from clew.strategies.partial_alignment.training import AlignmentTrainingOptions
from clew.strategies.searching import build_strategy
from clew.training.request import TrainingRequest
from clew.training.run import run_training
from clew_cypher.export.triple_parts import SampledTriple
from clew_ingest.reading.sources import Source
from clew_models.fitting import CHECKPOINT
from clew_models.partial_alignment.towers import CONFIGURATION, WEIGHTS, Towers, save_towers

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
    assert told.detail["encoders"] == version_identity(folder)
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


SAMPLED = [
    SampledTriple(
        f"{passage} {number}",
        f"p{number % 300}",
        f"Person {number % 300}",
        "PERSON",
        f"relation {number % 7}",
        "born in",
        False,
        f"p{(7 * number + 1) % 300}",
        f"Person {(7 * number + 1) % 300}",
        "PERSON",
        f"{passage} {number}",
    )
    for number in range(600)
    for passage in ("a", "b")
]
"""Each triple is stated by two passages."""


def parted(clew: Clew, folder: Path, sampled: Sequence[SampledTriple]) -> Examples:
    found, _ = questions_of(sampled, 800, 0.5, 1)
    return kept_apart(run(clew, folder), found, len(found) // 10)


def test_a_triple_that_two_passages_state_is_on_one_side(clew: Clew, tmp_path: Path) -> None:
    made = parted(clew, tmp_path, SAMPLED)
    single = [
        {tuple(one["related"]) for one in part if len(one["gold"]) == 1}
        for part in (made.learned, made.held_out)
    ]
    assert all(single)
    assert not single[0] & single[1]


def test_what_was_learned_is_not_held_out_when_the_corpus_moved_on(
    clew: Clew, tmp_path: Path
) -> None:
    fewer = [one for one in SAMPLED if not one.id.endswith("7")]
    for before, after in ((SAMPLED, fewer), (fewer, SAMPLED)):
        learned = {id_ for one in parted(clew, tmp_path, before).learned for id_ in one["gold"]}
        held_out = parted(clew, tmp_path, after).held_out
        known = [one for one in held_out if learned.issuperset(one["gold"])]
        assert len(known) < 0.1 * len(held_out)


def test_indexes_of_versions_that_serve_or_did_before_stay_and_others_go(clew: Clew) -> None:
    settings = clew.settings
    home, derived = corpus_folder(settings.home, METHOD, CORPUS), settings.home / "derived"
    towers = Towers("minilm", rank=2)
    folders = []
    for number in range(3):
        folders.append(home / f"20990101-00000{number}")
        folders[-1].mkdir(parents=True)
        save_towers(towers, folders[-1])
        model = TrainedModel(
            kind=METHOD,
            version=folders[-1].name,
            base_model=base_model(settings),
            created_at="2099-01-01T00:00:00+00:00",
            data={"corpus": CORPUS},
            options={},
        )
        write_manifest(folders[-1], model)

    def ask(**changes: object) -> None:
        strategy = build_strategy(METHOD, clew.resources.under(**changes))
        strategy.retrieve("Who directed The Amber Door of Marlow 0?", CORPUS, 2)

    def there() -> list[bool]:
        kinds = [_kind(version_identity(folder), "auto", False) for folder in folders]
        return [any(derived.glob(f"{kind}/*/*/")) for kind in kinds]

    ask(partial_alignment_version=str(folders[0]))
    assert there() == [True, False, False]
    clew.promote(METHOD, folders[1].name)
    ask()
    assert there() == [False, True, False]  # the first one never served
    clew.promote(METHOD, folders[2].name)
    ask()
    assert there() == [False, True, True]
    # with other weights a folder is another version
    with torch.no_grad():
        next(iter(towers.adapters().values())).add_(0.1)
    save_towers(towers, folders[2])
    assert there() == [False, True, False]
    for _ in range(2):
        clew.roll_back(METHOD, CORPUS)


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
            assert record["answer"] in record["related"]  # so that it is no negative
