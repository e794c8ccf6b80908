"""A model learns to write the triples of a corpus, and extracts those of another one."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clew.clew import Clew
from clew.errors import InvalidRequest
from clew.settings import Settings
from clew.strategies.learning.training import Examples
from clew.strategies.text_to_triples import training
from clew.strategies.text_to_triples.training import agreement
from clew.strategies.text_to_triples.writer import NAME
from clew_cypher.export.training import ToldSentence, told_sentences
from clew_cypher.store import GraphStore
from clew_ingest.reading.sources import Source
from clew_ingest.triples.extractor_choice import UnknownExtractor

from ..tiny_model import tiny_model
from .training_corpus import documents, films_settings

CORPUS, OTHER = "test-text-to-triples", "test-extracted-by-model"
TEXT = {"title": "Ada Lovelace", "text": "Ada Lovelace was born in London. She wrote programs."}


@pytest.fixture(scope="module")
def settings(
    store: GraphStore, cache_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Settings]:
    home = tmp_path_factory.mktemp("home")
    base = tiny_model(home / "tiny-extractor", width=64)
    found = films_settings(store, cache_dir, home).changed(extractor_base=str(base))
    with Clew(found) as made:
        made.ingest(*documents(), corpus=CORPUS)
        yield found
        for name in (CORPUS, OTHER):
            if name in {one.name for one in made.corpora()}:
                made.delete_corpus(name)


def test_sentences_come_with_what_they_state(settings: Settings, store: GraphStore) -> None:
    """Each sentence once, with its title."""
    found = list(told_sentences(store, CORPUS))
    assert len({(one.chunk_id, one.text) for one in found}) == len(found) == 90
    born = next(one for one in found if one.text == "Alba Marlow was born in Vienna in 1900.")
    assert born.title == "Alba Marlow"
    assert ("Alba Marlow", "bear in", "Vienna") in born.triples


def test_without_a_version_the_extractor_says_what_to_do(settings: Settings) -> None:
    """Nothing is made of the corpus that was asked for."""
    with Clew(settings) as made:
        with pytest.raises(UnknownExtractor, match="trained") as told:
            made.ingest(record(), corpus=OTHER, extractor="model")
        assert f"clew train {NAME}" in str(told.value.remedy)
        assert OTHER not in {one.name for one in made.corpora()}


def test_a_model_that_was_trained_extracts_another_corpus(
    settings: Settings, store: GraphStore
) -> None:
    """The version serves every corpus; what it writes stands in the graph as the model's."""
    with Clew(settings) as made:
        version = made.train(
            NAME, CORPUS, examples=60, held_out=20, rank=8, epochs=4, batch=10, rate=1e-2
        )
        after, before = version.figures["after"], version.figures["before"]
        assert version.general
        assert version.data["held_out"] == 20
        losses = [
            one.loss for one in made.trained_model(NAME, version.version).curve if one.held_out
        ]
        assert losses[-1] < losses[0]
        assert after["well_formed"] >= before["well_formed"]
        plan = made.dry_run(record(), corpus=OTHER, extractor="model")
        assert (plan.extractor, plan.new, plan.llm_calls) == ("model", 1, 0)
        made.ingest(record(), corpus=OTHER, extractor="model")
        assert made.stats(OTHER).extractor == "model"
        again = made.ingest(record(), corpus=OTHER)
        assert again.unchanged == 1


def test_a_corpus_without_triples_cannot_be_learned(settings: Settings) -> None:
    """It says what is missing."""
    with Clew(settings) as made:
        made.create_corpus("test-no-triples", extractor="none")
        made.ingest(*documents(), corpus="test-no-triples")
        try:
            with pytest.raises(InvalidRequest, match="no triples"):
                made.train(NAME, "test-no-triples")
        finally:
            made.delete_corpus("test-no-triples")


def made_of(told: list[ToldSentence], monkeypatch: pytest.MonkeyPatch, **options: int) -> Examples:
    """Return the examples that a corpus of these sentences makes."""
    monkeypatch.setattr(training, "told_sentences", lambda store, corpus: iter(told))
    run: Any = SimpleNamespace(
        options=training.TextToTriplesOptions.model_validate(options),
        corpus="x",
        tell=lambda *_: None,
        resources=SimpleNamespace(store=None),
    )
    return training.make_examples(run)


def test_triples_of_which_no_sentence_is_known_are_of_the_first_that_tells_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The title may name one end, not both; what no sentence tells is counted."""
    loose = (
        ("Master P", "attend", "Yale"),
        ("Master P", "have brother", "Kevin"),
        ("Master P", "also be", "Master P"),
        ("Master P", "win", "Oscar"),
    )
    texts = ["He attended Yale.", "Kevin was killed in 1990.", "Kevin went to Yale."]
    told = [
        ToldSentence("c", "Master P", texts[0], (), loose),
        ToldSentence("c", "Master P", texts[1], (("Kevin", "be kill in", "1990"),), loose),
        ToldSentence("c", "Master P", texts[2], (), loose),
        *(
            ToldSentence(f"c{n}", "", f"Ada met Ben {n}.", (("Ada", "meet", "Ben"),))
            for n in range(99)
        ),
    ]
    examples = made_of(told, monkeypatch, examples=80, held_out=10)
    lines = {one["text"]: one["lines"] for one in (*examples.learned, *examples.held_out)}
    assert [lines[text] for text in texts] == [
        "Master P | attend | Yale",
        "Kevin | be kill in | 1990\nMaster P | have brother | Kevin",
        "",
    ]
    assert examples.source["left_out"]["triples"] == 2


def test_a_chunk_of_more_sentences_than_are_wanted_is_held_out_and_others_are_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = [
        ToldSentence(chunk, "", f"Ada met {chunk}{n}.", (("Ada", "meet", f"{chunk}{n}"),))
        for chunk in ("Ben", "Cy", "Dee")
        for n in range(30)
    ]
    examples = made_of(told, monkeypatch, examples=20, held_out=5)
    assert {one["chunk"] for one in examples.held_out} == {"Ben"}
    assert {one["chunk"] for one in examples.learned} == {"Cy"}
    assert (len(examples.learned), len(examples.held_out)) == (20, 5)
    assert examples.source["left_out"] == {"triples": 0}


def test_agreement_is_counted_by_pairs() -> None:
    """One pair of two is right, and one of three lines is none."""
    told = {
        "title": "Ada",
        "text": "Ada met Ben and Cleo.",
        "lines": "Ada | meet | Ben\nAda | meet | Cleo",
    }
    found = agreement([told], ["ADA | know | Ben\nBen | meet | Cleo\nnothing"])
    assert found == {"f1": 0.5, "precision": 0.5, "recall": 0.5, "well_formed": 2 / 3}
    nothing = agreement([told], [""])
    assert (nothing["f1"], nothing["well_formed"]) == (0.0, 1.0)


def record() -> Source:
    """A document that the trained model has not seen."""
    return Source(uri="memory:ada", name="record.json", data=json.dumps(TEXT).encode())
