"""hyde (KC-10): what a language model imagines joins the question, over each backbone."""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from clew.evaluation.asking import cited
from clew.indexing.corpora import ensure_corpus
from clew.resources.resources import Resources
from clew.results.evidence import Evidence
from clew.results.explanation import QuotesCard
from clew.settings import Settings
from clew.strategies.catalogue import STRATEGIES
from clew.strategies.hyde.spec import SPEC
from clew.strategies.searching import check_strategy, search, unaskable
from clew_cypher.corpora import delete_corpus
from clew_models.errors import LanguageModelUnavailable

from ..held_resources import like
from ..scripted_llm import ChatEndpoint, serving
from .ingested_texts import ingested
from .test_contextual import TEXTS

QUESTION = "Who founded the shipyard that built the Aurelia?"
IMAGINED = "Edmund Halloway discovered a comet\n and lived in Merrin."
NAMES = [spec.name for spec in STRATEGIES if spec.prefix == "hyde"]
Ask = Callable[..., Evidence]


class Dreamer(ChatEndpoint):
    """Imagines one passage, whatever it is asked."""

    passage = IMAGINED

    def reply(self, body: dict[str, Any]) -> str:
        return self.passage


@pytest.fixture
def dreamer() -> Iterator[Dreamer]:
    with serving(Dreamer()) as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def filled(resources: Resources, corpus_names: deque[str]) -> Iterator[str]:
    with ingested(resources, corpus_names, TEXTS) as name:
        yield name


@pytest.fixture
def ask(resources: Resources, filled: str, dreamer: Dreamer) -> Ask:
    """Ask with other settings than the defaults."""

    def asked(strategy: str = "hyde", corpus: str = filled, **changes: Any) -> Evidence:
        model = {"llm_model": "scripted", "llm_base_url": dreamer.url, "llm_retries": 0}
        return search(like(resources, **model, **changes), QUESTION, corpus, strategy, 3)

    return asked


def ids(evidence: Evidence) -> list[str]:
    return [chunk.id for chunk in evidence.chunks]


@pytest.mark.parametrize("name", NAMES)
def test_what_reads_like_the_imagined_passage_is_found(
    ask: Ask, dreamer: Dreamer, name: str
) -> None:
    evidence = ask(name)
    assert evidence.strategy == name
    assert "Comets" in {chunk.title for chunk in evidence.chunks}
    (asked,) = dreamer.asked
    assert QUESTION in asked.body["messages"][-1]["content"]


def test_the_vector_is_the_mean_of_both(ask: Ask, resources: Resources) -> None:
    embedder = resources.embedder
    question, imagined = embedder.embed([QUESTION, " ".join(IMAGINED.split())])
    mean = (question + imagined) / np.linalg.norm(question + imagined)
    chunks = ask().chunks
    assert len(chunks) == 3
    for chunk in chunks:
        (vector,) = embedder.embed([f"{chunk.title}\n{chunk.text}"])
        assert chunk.score == pytest.approx(float(mean @ vector), abs=0.02)


@pytest.mark.parametrize(("name", "plain"), list(zip(NAMES, SPEC.backbones, strict=True)))
def test_without_a_passage_it_is_the_backbone_and_says_so(
    ask: Ask, dreamer: Dreamer, name: str, plain: str
) -> None:
    dreamer.passage = " \n"
    evidence = ask(name)
    assert ids(evidence) == ids(ask(plain)) != []
    (notice,) = evidence.notices
    assert "imagined no passage" in notice
    assert evidence.explanation == ()


def test_what_a_model_thinks_before_is_not_imagined(ask: Ask, dreamer: Dreamer) -> None:
    plain = ask()
    dreamer.passage = f"<think>Where do I begin?</think>{IMAGINED}"
    assert ask().explanation == plain.explanation


def test_what_was_imagined_is_shown_and_is_no_evidence(ask: Ask) -> None:
    evidence = ask()
    (card,) = evidence.explanation
    assert isinstance(card, QuotesCard)
    assert "no evidence" in card.summary
    (quote,) = card.quotes
    assert quote.text == " ".join(IMAGINED.split())
    assert (quote.spans, quote.chunk_ids) == ((), ())
    assert quote.text not in {chunk.text for chunk in evidence.chunks}
    assert cited(evidence)


def test_its_tokens_are_in_the_trace(ask: Ask) -> None:
    (step,) = [step for step in ask().trace if step.name == "imagined passage"]
    assert step.detail == {"model": "scripted", "prompt_tokens": 14, "completion_tokens": 2}


@pytest.mark.parametrize("name", [*NAMES, "planner:hyde", "iterative:hyde"])
def test_it_needs_a_language_model(name: str) -> None:
    with pytest.raises(LanguageModelUnavailable):
        check_strategy(Settings(), name)
    check_strategy(Settings.load(hyde_model="local", iterative_model="local"), name)


def test_what_cannot_be_asked_is_named_with_the_reason() -> None:
    assert list(unaskable(Settings())) == NAMES
    assert "CLEW_HYDE_MODEL=local" in unaskable(Settings())["hyde"].remedy
    assert unaskable(Settings(llm_model="m", llm_base_url="http://127.0.0.1:1/v1")) == {}


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_corpus_has_no_evidence(
    resources: Resources, ask: Ask, corpus_names: deque[str], name: str
) -> None:
    empty = corpus_names[0]
    ensure_corpus(resources, empty, None)
    try:
        assert ask(name, empty).chunks == ()
    finally:
        delete_corpus(resources.store, empty)
