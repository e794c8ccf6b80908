"""Semantic coverage of clues (KT-12) with a scripted model."""

import json

import pytest

from clew.evaluation.metrics.coverage import MOST_CLUES, leading_clues, semantic_coverage
from clew.evaluation.run import Coverage
from clew.results.evidence import Evidence, ScoredChunk
from clew.results.explanation import Quote, QuotesCard, SubgraphCard
from clew_models.errors import PromptRefused

from .test_metrics_judge import ScriptedModel


def chunk(id_: str) -> ScoredChunk:
    return ScoredChunk(
        id=id_, document_id=f"d-{id_}", title=id_.upper(), text="It is {so}.", score=1.0
    )


def clue(text: str, *chunk_ids: str) -> Quote:
    return Quote(text=text, chunk_ids=chunk_ids)


def test_only_clues_that_led_to_gold_are_asked_about() -> None:
    evidence = Evidence(
        question="?",
        corpus="c",
        strategy="translator",
        chunks=(chunk("a"), chunk("b")),
        explanation=(
            SubgraphCard(title="Where they lead"),
            QuotesCard(
                title="Clues", quotes=(clue("Ada@@was born in", "a", "b"), clue("Bob", "b"))
            ),
            QuotesCard(title="More", quotes=(clue("Cy@@was born in@@Oslo", "a"),)),
        ),
    )
    assert leading_clues(evidence, ["a"]) == (
        ("Ada@@was born in", "A\nIt is {so}."),
        ("Cy@@was born in@@Oslo", "A\nIt is {so}."),
    )
    assert leading_clues(evidence, ["gone"]) == leading_clues(evidence, []) == ()
    quotes = (clue("Ada", "a"),) * (MOST_CLUES + 1)
    card = QuotesCard(title="Clues", quotes=quotes)
    many = evidence.model_copy(update={"explanation": (card,)})
    assert len(leading_clues(many, ["a"])) == MOST_CLUES


@pytest.mark.parametrize(("score", "covering"), [(0, 0), (1, 2)])
def test_each_clue_is_scored_with_its_passage(score: int, covering: int) -> None:
    model = ScriptedModel(f"My score: {json.dumps({'score': score})}")
    found = semantic_coverage(model, "Where {was} Ada born?", [("Ada@@x", "P1"), ("Bo@@y", "P2")])
    assert found == Coverage(clues=2, covering=covering)
    said = [messages[-1].content for messages in model.asked]
    assert all("Where {was} Ada born?" in text for text in said)
    assert "Ada@@x" in said[0]
    assert "P2" in said[1]


@pytest.mark.parametrize(
    "reply",
    ["", "yes", '{"score": 2}', '{"score": "1"}', '{"mark": 1}', PromptRefused("It was filtered.")],
)
def test_a_reply_that_is_no_score_is_left_out_and_told(reply: str | Exception) -> None:
    found = semantic_coverage(ScriptedModel(reply), "?", [("Ada@@x", "P")])
    assert (found.clues, found.covering) == (0, 0)
    assert found.error is not None
    assert "did not reply with a score" in found.error
