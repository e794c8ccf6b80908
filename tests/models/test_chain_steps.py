"""The steps that led to ranked passages, of a chain made by hand."""

import numpy as np
import pytest

from clew_models.chain_ranking import (
    ChainParts,
    ChainQuestion,
    TitleParts,
    build_chain_arrays,
)
from clew_models.chain_ranking.steps import ChainStep, best_steps
from clew_models.guided_pagerank import GraphParts

from .made_arrays import DIMENSION
from .test_chain_ranking import WEIGHTS, ranked


def ways_of(words: list[str]) -> dict[str, list[ChainStep]]:
    """The ways of a hand-made chain, by the passage they lead to: q names the entity of c1, a
    sentence of c1 names the title of c2, and c3 has nothing of q but perhaps a word.
    """
    held = {"c1": "a ship of copper", "c2": "the yard", "c3": "The mayor."}
    towards = {"s1": [1.0, 0, 0, 0], "s2": [0.6, 0.8, 0, 0], "s3": [0, 0, 1.0, 0]}
    parts = ChainParts(
        graph=GraphParts(
            ["c1", "c2", "c3"],
            [("s1", "c1"), ("s2", "c2"), ("s3", "c3")],
            [("ship", "s1"), ("other", "s3")],
            [("yard", "c2")],
        ),
        titles={
            f"c{n}": TitleParts(f"d{n}", f"Title {n}", f"title {n}", ("title",)) for n in (1, 2, 3)
        },
        links=[("s1", "d2")],
        inside=[],
    )
    arrays = build_chain_arrays(
        parts,
        DIMENSION,
        lambda ids: np.array([towards[id_] for id_ in ids]),
        lambda ids: {id_: held[id_] for id_ in ids},
    )
    question = ChainQuestion(
        np.array([1.0, 0, 0, 0]),
        words,
        [["ship"]],
        {"c1": 1.0},
        0.1,
        {"c1": 0.9, "c2": 0.5, "c3": 0.1},
    )
    ranking = ranked(arrays, question, WEIGHTS, limit=3)
    ways = best_steps(arrays, ranking, WEIGHTS, {"c1", "c2", "c3"})
    return {way[-1].chunk: way for way in ways}


def test_steps_lead_from_the_question_to_the_passage_over_what_both_name() -> None:
    told = ways_of([])
    assert [(step.before, step.chunk, step.kind) for step in told["c2"]] == [
        (None, "c1", "shared"),
        ("c1", "c2", "link"),
    ]
    first, second = told["c2"]
    assert (first.entity, first.arriving) == ("ship", "s1")
    assert (second.leaving, second.document) == ("s1", "d2")


@pytest.mark.parametrize(
    ("words", "kind"), [(["mayor"], "words"), (["copper"], "near"), ([], "near")]
)
def test_words_lead_on_only_where_the_passage_has_one(words: list[str], kind: str) -> None:
    step = ways_of(words)["c3"][-1]
    assert (step.kind, step.arriving, step.among) == (kind, None, ("s3",))
