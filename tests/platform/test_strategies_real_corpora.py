"""Every strategy on corpora as life has them: never an error, and the passage that answers."""

import math
from collections import deque
from collections.abc import Iterator

import pytest

from clew.answering.asking import ask
from clew.answering.unsupported import NOT_SAID
from clew.indexing.corpora import ensure_corpus as make_corpus
from clew.resources.resources import Resources
from clew.strategies.base import StrategySpec
from clew.strategies.catalogue import STRATEGIES
from clew.strategies.searching import search
from clew_cypher.corpora import delete_corpus
from clew_ingest.limits import IngestLimits
from clew_ingest.pipeline.pipeline import IngestPipeline

from ..held_resources import like
from ..tiny_model import tiny_model
from .real_corpora import REAL_CORPORA, RealCorpus

CASES = {case.name: case for case in REAL_CORPORA}
K = 3


@pytest.fixture(scope="module")
def resources(resources: Resources) -> Resources:
    """The real embedder and parser; a tiny model of random weights where a method asks one."""
    return like(
        resources,
        translator_model=str(tiny_model(resources.settings.home / "tiny")),
        translator_adapter="none",
        translator_precision="float32",
    )


@pytest.fixture(scope="module")
def corpora(resources: Resources, corpus_names: deque[str]) -> Iterator[dict[str, str]]:
    """The name of each corpus in the database, made empty first, as a user makes one."""
    made: dict[str, str] = {}
    taken = [corpus_names.popleft() for _ in range(min(len(corpus_names), len(CASES)))]
    free = iter(taken)
    for case in CASES.values():
        name = made[case.name] = next(free, f"real-{case.name.replace(' ', '-')}")
        make_corpus(resources, name, None)
        if case.sources:
            limits = IngestLimits(chunk_tokens=case.chunk_tokens)
            pipeline = IngestPipeline(resources.store, resources.embedder, resources.parser, limits)
            pipeline.accept(name, list(case.sources))
            report = pipeline.process(name)
            assert not report.failed, report
    yield made
    for name in made.values():
        delete_corpus(resources.store, name)
    corpus_names.extend(taken)


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
@pytest.mark.parametrize(
    "spec", [spec for spec in STRATEGIES if not spec.models], ids=lambda spec: spec.name
)
def test_evidence_is_found_and_no_error(
    resources: Resources, corpora: dict[str, str], spec: StrategySpec, case: RealCorpus
) -> None:
    name = spec.name
    evidence = search(resources, case.question, corpora[case.name], name, K)
    scores = [chunk.score for chunk in evidence.chunks]
    assert len(scores) <= K
    assert len({chunk.id for chunk in evidence.chunks}) == len(scores)
    assert all(map(math.isfinite, scores))
    assert scores == sorted(scores, reverse=True)
    again = search(resources, case.question, corpora[case.name], name, K)
    assert [chunk.id for chunk in again.chunks] == [chunk.id for chunk in evidence.chunks]
    guesses = bool(spec.training) and spec is not STRATEGIES[0]  # its model's weights are random
    if case.answer and not guesses:
        assert any(case.answer in chunk.text for chunk in evidence.chunks)
    if not case.answer:
        assert evidence.chunks == ()


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_a_question_is_answered_or_refused(
    resources: Resources, corpora: dict[str, str], case: RealCorpus
) -> None:
    answer = ask(resources, case.question, corpora[case.name])
    assert answer.text
    if not case.answer:
        assert (answer.supported, answer.text) == (False, NOT_SAID)
    for citation in answer.citations:
        cited = {chunk.id: chunk.text for chunk in answer.evidence.chunks}[citation.chunk_id]
        assert citation.quote in cited
