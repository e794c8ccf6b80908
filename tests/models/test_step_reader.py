"""The step reader: its graph against PyTorch, what it reads of a step, and what it learns."""

from pathlib import Path

import numpy as np
import pytest

from clew_models.errors import ModelNotInstalled
from clew_models.networks import OnnxNetwork
from clew_models.span_reader.graph import layers_of, window_graph
from clew_models.span_reader.weights import all_weights, base_weights, save_trained
from clew_models.span_reader.windows import CLS, SEP, plain_tokenizer
from clew_models.step_reader import StepReader, StepText
from clew_models.step_reader.reader import (
    LEAD_TOKENS,
    TEXT_TOKENS,
    TITLE_TOKENS,
    step_ids,
    step_weights,
)
from clew_models.step_reader.training import StepExample, train

from .read_inputs import questions_and_windows

QUESTION = "Who founded the shipyard that built the Aurelia?"
FOUNDER = StepText(
    "Seld Shipyard",
    "The yard was founded by Victor Ferrand. It built nine ships.",
    "She was built at the Seld Shipyard in 1911.",
    "Aurelia",
)
OTHERS = [
    StepText("Parking", "Parking costs four euros a day. The garage closes at night."),
    StepText("Merrin", "Merrin is a town of 20,000 people on the coast."),
    StepText("Badges", "Badges are blue.", "Visitors register at the desk.", "Office handbook"),
]


def test_the_graph_computes_what_is_trained(tmp_path: Path) -> None:
    import torch

    from clew_models.span_reader.encoder import SpanModel

    torch.manual_seed(3)
    model = SpanModel(base_weights(), 3, outputs=1).eval()
    torch.nn.init.normal_(model.segments)
    save_trained(model.arrays(), tmp_path / "trained")
    weights = step_weights(tmp_path / "trained")
    assert layers_of(weights) == 3
    model.load_arrays(weights)
    inputs = questions_and_windows()
    with torch.no_grad():
        own = model(*map(torch.from_numpy, inputs.values()))[:, 0, 0].numpy()
    (exact,) = OnnxNetwork(window_graph(weights, packed=False), 1).outputs([inputs])
    np.testing.assert_allclose(exact, own, atol=2e-4, rtol=1e-4)
    (packed,) = OnnxNetwork(window_graph(weights), 1).outputs([inputs])
    assert 0 < np.abs(packed - own).max() < 0.3


def test_a_step_is_read_with_what_led_there_and_in_parts_of_its_own() -> None:
    tokenizer = plain_tokenizer()
    (ids,) = step_ids(tokenizer, [FOUNDER])
    assert tokenizer.decode(ids, skip_special_tokens=False) == (
        "[CLS] seld shipyard [SEP] aurelia : she was built at the seld shipyard in 1911. [SEP] "
        "the yard was founded by victor ferrand. it built nine ships. [SEP]"
    )
    (alone,) = step_ids(tokenizer, [StepText("Seld Shipyard", "The yard.")])
    assert alone.count(SEP) == 2
    assert alone[0] == CLS
    (long,) = step_ids(tokenizer, [StepText("a " * 99, "b " * 99, "c " * 99, "d")])
    assert len(long) == TITLE_TOKENS + LEAD_TOKENS + TEXT_TOKENS + 4
    assert step_ids(tokenizer, [StepText("", "")]) == [(CLS, SEP, SEP)]


def test_what_fits_scores_above_what_does_not() -> None:
    """Nothing of these is in what it learned from."""
    reader = StepReader(threads=1)
    fits = reader.fits(QUESTION, [*OTHERS, FOUNDER])
    assert fits.shape == (4,)
    assert fits.argmax() == 3
    alone = [float(reader.fits(QUESTION, [step])[0]) for step in [*OTHERS, FOUNDER]]
    np.testing.assert_allclose(alone, fits, atol=0.35)  # padding, and numbers of few bits
    assert reader.fits(QUESTION, []).shape == (0,)
    assert np.isfinite(reader.fits("", [StepText("", "")])).all()
    whole = StepReader(threads=2, precision="float32").fits(QUESTION, [*OTHERS, FOUNDER])
    np.testing.assert_allclose(whole, fits, atol=1.0)


def test_training_tells_gold_from_others() -> None:
    questions = ["What colour are badges?", "How much is parking?", QUESTION]
    steps = [OTHERS[2], OTHERS[0], FOUNDER]
    examples = [
        StepExample(question, steps, [step is gold for step in steps])
        for question, gold in zip(questions, steps, strict=True)
    ]
    told: list[float] = []
    arrays = train(
        examples,
        all_weights(),
        1e6,
        steps=200,
        layers=1,
        seed=2,
        tell=lambda step, seen, loss: told.append(loss),
    )
    assert told[-1] < 0.2
    reader = StepReader(threads=1, weights={**_embeddings(), **arrays})
    for number, example in enumerate(examples):
        assert reader.fits(example.question, steps).argmax() == number
    # it goes on from what it learned, not from a new head
    start = {**_embeddings(), **arrays}
    further = train(examples, start, 1e6, steps=1, layers=1, seed=3)
    again = StepReader(threads=1, weights={**_embeddings(), **further})
    for number, example in enumerate(examples):
        assert again.fits(example.question, steps).argmax() == number
    with pytest.raises(ValueError, match="No question has both"):
        train([StepExample("?", steps, [True] * 3)], all_weights(), 1)


def _embeddings() -> dict[str, np.ndarray]:
    return {name: a for name, a in base_weights().items() if name.startswith("embeddings.")}


def test_weights_that_are_missing_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelNotInstalled, match="step reader"):
        step_weights(tmp_path / "absent")
