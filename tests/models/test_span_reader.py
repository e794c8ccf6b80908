"""The span model: its graphs against transformers, its windows, and what it marks."""

from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from clew_models.devices import processor_computes_bfloat16
from clew_models.embedding.minilm import model_directory
from clew_models.errors import ModelNotInstalled
from clew_models.networks import Precision
from clew_models.runs import padded
from clew_models.span_reader import SpanReader
from clew_models.span_reader.graph import span_graph
from clew_models.span_reader.training import SpanExample, train, untrained_weights
from clew_models.span_reader.weights import (
    base_weights,
    save_trained,
    trained_weights,
)
from clew_models.span_reader.windows import (
    LEAD_TOKENS,
    QUESTION_TOKENS,
    SEP,
    TEXT_TOKENS,
    plain_tokenizer,
    question_ids,
    windows_of,
)

from .read_inputs import questions_and_windows

TEXTS = ["Ada Lovelace was born in London.", "A bridge of stone."]
ROUGH: Precision = "bfloat16" if processor_computes_bfloat16() else "auto"


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    found: Tokenizer = plain_tokenizer()
    return found


@pytest.fixture(scope="module")
def reader() -> SpanReader:
    return SpanReader(threads=1, weights=untrained_weights())


def run(graph: bytes, **inputs: np.ndarray) -> np.ndarray:
    import onnxruntime

    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)[0]


def test_the_graph_computes_what_transformers_does(tokenizer: Tokenizer) -> None:
    """Without segments, and nothing asked, the model is BertModel with a head."""
    import torch
    from transformers import AutoModel

    model = AutoModel.from_pretrained(model_directory(), attn_implementation="eager").eval()
    ids, mask = padded([tokenizer.encode(text).ids for text in TEXTS])
    with torch.no_grad():
        states = model(torch.from_numpy(ids), torch.from_numpy(mask)).last_hidden_state
    weights = untrained_weights()
    nothing = np.zeros((len(TEXTS), 0), np.int64)
    asked = {"question": nothing, "question_mask": nothing, "window": ids, "window_mask": mask}
    logits = run(span_graph(weights, packed=False), **asked)
    right = states.numpy() @ weights["head.weight"].T
    read = mask.astype(bool)
    np.testing.assert_allclose(logits[read], right[read], atol=5e-5)
    assert (logits[~read] < -1000).all()
    difference = np.abs(run(span_graph(weights), **asked) - logits)[read]
    assert 0 < difference.max() < 0.1 * np.abs(logits[read]).max()


def test_what_is_trained_computes_what_answers(tmp_path: Path) -> None:
    import torch

    from clew_models.span_reader.encoder import SpanModel

    torch.manual_seed(3)
    model = SpanModel(base_weights()).eval()
    torch.nn.init.normal_(model.segments)
    save_trained(model.arrays(), tmp_path / "trained")
    weights = trained_weights(tmp_path / "trained")
    model.load_arrays(weights)
    inputs = questions_and_windows()
    with torch.no_grad():
        own = model(*map(torch.from_numpy, inputs.values())).numpy()
    logits = run(span_graph({**base_weights(), **weights}, packed=False), **inputs)
    np.testing.assert_allclose(logits, own, atol=2e-4, rtol=1e-4)
    # what teaches it may have more layers, what is tried fewer
    fewer = SpanModel(base_weights(), 2).eval()
    fewer.load_arrays(weights)
    with torch.no_grad():
        less = fewer(*map(torch.from_numpy, inputs.values())).numpy()
    assert len(fewer.layers) == 2
    assert np.abs(less - own)[inputs["window_mask"] > 0].max() > 1e-3


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Señor Núñez lives in Zürich now.", "Zürich"),
        ("Das Café Größenwahn öffnete 1893.", "Café Größenwahn"),
        ("孔子生於魯國。", "魯國"),
        ("She wrote 👩‍🚀 and 🚀 about Gagarin.", "Gagarin"),
        ("The e\u0301tude by Chopin", "Chopin"),
        ("ﬁve ﬂags in İzmir", "İzmir"),
    ],
)
def test_tokens_lead_back_to_their_characters(tokenizer: Tokenizer, text: str, answer: str) -> None:
    start = text.index(answer)
    (window,) = windows_of(tokenizer, "A title", text)
    tokens = window.tokens_of(start, start + len(answer))
    assert tokens is not None
    assert text[window.offsets[tokens[0]][0] : window.offsets[tokens[1]][1]] == answer
    title = window.tokens_of(2, 7, title=True)
    assert title == (2, 2)


def test_every_answer_of_a_long_passage_lies_whole_in_a_window(tokenizer: Tokenizer) -> None:
    words = [f"word{n}" for n in range(600)]
    text = " ".join(words)
    windows = windows_of(tokenizer, "Long", text)
    assert len(windows) > 3
    assert all(len(w.ids) <= TEXT_TOKENS + 4 for w in windows)
    for n in range(0, 590, 7):
        answer = " ".join(words[n : n + 8])
        start = text.index(answer)
        assert any(w.tokens_of(start, start + len(answer)) for w in windows), n
    assert windows_of(tokenizer, "", "")[0].ids == (101, 102, 102)


def test_a_long_question_keeps_its_end(tokenizer: Tokenizer) -> None:
    ids = question_ids(tokenizer, "word " * 500 + "in what year?")
    assert len(ids) == 66
    assert tokenizer.decode(list(ids[-5:-1])) == "in what year?"


def test_training_makes_what_is_right_likelier(reader: SpanReader) -> None:
    passages = [("", "Anna is the mayor of Rome."), ("", "It rains in Oslo.")]
    question = "Who is the mayor of Rome?"
    examples = [SpanExample(question, 0, 0, 4), SpanExample(question, 1)]
    arrays = train(passages, examples, 1e6, rounds=12)
    trained = SpanReader(threads=1, weights={**untrained_weights(), **arrays})

    def scores(one: SpanReader) -> tuple[float, float]:
        right, wrong = one.read([question], one.encode(passages))[0]
        score = right.score(0, 4)
        assert score is not None
        return score, wrong.best(1)[0].score

    before, after = scores(reader), scores(trained)
    assert after[0] > before[0]
    assert after[0] - after[1] > before[0] - before[1]


def test_what_is_kept_stays_while_something_else_is_learned() -> None:
    kept = ("Who is the mayor of Rome?", ("", "Anna is the mayor of Rome."))
    new = ("Which town has rain?", ("", "It rains in Oslo every day."))
    learn = SpanExample(new[0], 1, 12, 16)
    passages = [kept[1], new[1]]

    shipped = trained_weights()
    before = SpanReader(threads=1, weights={**base_weights(), **shipped})

    def moved(examples: list[SpanExample]) -> tuple[float, float]:
        weights = train(passages, examples, 1e6, rounds=12, start=shipped)
        after = SpanReader(threads=1, weights={**base_weights(), **weights})

        def score(
            one: SpanReader, pair: tuple[str, tuple[str, str]], end: tuple[int, int]
        ) -> float:
            found = one.read([pair[0]], one.encode([pair[1]]))[0][0].score(*end)
            assert found is not None
            return found

        spans = (kept, (0, 4)), (new, (12, 16))
        one, other = (score(after, *span) - score(before, *span) for span in spans)
        return abs(one), other

    forgot, _ = moved([learn, SpanExample(kept[0], 0)])
    stayed, learned = moved([learn, SpanExample(kept[0], 0, kept=True)])
    assert stayed < forgot / 2
    assert learned > 0
    with pytest.raises(ValueError, match="goes on"):
        train(passages, [SpanExample(kept[0], 0, kept=True)], 1e6, rounds=1)


def test_yes_and_no_are_told_apart_and_from_neither() -> None:
    passages = [
        ("Pets", "Dogs are let in."),
        ("Pets", "No cats are let in."),
        ("Pets", "Rabbits are sold."),
    ]
    dogs, cats = "Can I bring my dog?", "Can I bring my cat?"
    examples = [
        SpanExample(dogs, 0, 0, 15, verdict="yes"),
        SpanExample(cats, 1, 0, 18, verdict="no"),
        SpanExample(dogs, 2, verdict="neither"),
        SpanExample(dogs, 2),
    ]
    shipped = trained_weights()
    learned = train(passages, examples, 1e6, rounds=15, start=shipped)
    before, after = (
        SpanReader(threads=1, weights={**base_weights(), **weights})
        for weights in (shipped, learned)
    )

    def told(reader: SpanReader) -> list[float]:
        yes, no, neither = (
            reader.read([question], reader.encode([passages[place]]))[0][0].verdict()
            for question, place in ((dogs, 0), (cats, 1), (dogs, 2))
        )
        return [yes[0], yes[1], no[0], -no[1], -neither[0]]

    assert all(new > old for new, old in zip(told(after), told(before), strict=True))
    assert len(learned["head.bias"]) == 5


def test_spans_of_every_window_lead_to_the_text(reader: SpanReader) -> None:
    text = "The town has many old streets. " * 60 + "Clara is the mayor."
    (passage,) = reader.encode([("Seldburg", text)])
    assert len(passage.windows) > 1
    start = text.index("Clara")
    reading = reader.read(["Who is the mayor?"], [passage])[0][0]
    assert reading.score(start, start + 5) is not None
    assert reading.score(0, len(text)) is None
    marked = reading.best(5)
    assert [m.score for m in marked] == sorted((m.score for m in marked), reverse=True)
    for one in marked:
        source = passage.title if one.in_title else text
        assert source[one.start : one.end].strip() != ""
        found = reading.score(one.start, one.end, title=one.in_title)
        assert found is not None
        assert found >= one.score - 1e-4


def test_weights_that_are_missing_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelNotInstalled, match="absent"):
        trained_weights(tmp_path / "absent")


def test_readings_hardly_depend_on_what_is_read_beside_them() -> None:
    texts = [("", "Rome is the capital of Italy."), ("", "It rains. " * 30)]
    rough = SpanReader(threads=2, weights=untrained_weights(), precision=ROUGH)
    whole = SpanReader(threads=1, weights=untrained_weights(), precision="float32")
    for reader, tolerance in ((whole, 1e-4), (rough, 0.1)):
        alone = reader.read(["What is the capital of Italy?"], reader.encode(texts[:1]))[0][0]
        beside = reader.read(["Who?", "What is the capital of Italy?"], reader.encode(texts))[1][0]
        np.testing.assert_allclose(alone.logits[0], beside.logits[0], atol=tolerance)


def test_bfloat16_marks_what_integers_do() -> None:
    """Where the processor multiplies in it; the bound is that of seven bits, seen on 360 papers."""
    texts = [
        ("Staff", "Extensions: Ruth Adler 214; Sam Okoro 220; Ines Vidal 231."),
        ("Minutes", "The committee met on 3 May 2024. Sam Okoro was elected treasurer."),
        ("Harbour", "The harbour of Seld was built by the Dutch in 1871 and is closed. " * 12),
    ]
    questions = [
        "What is Sam Okoro's extension?",
        "When was the harbour built?",
        "Who is treasurer?",
    ]
    integers = SpanReader(threads=1, precision="float32")
    rough = SpanReader(threads=2, precision=ROUGH)
    expected = integers.read(questions, integers.encode(texts))
    found = rough.read(questions, rough.encode(texts))
    for own, others in zip(found, expected, strict=True):
        for one, other in zip(own, others, strict=True):
            marked, right = one.best(1)[0], other.best(1)[0]
            assert abs(marked.score - right.score) < 2.5
            if right.score > 0:
                assert (marked.start, marked.end) == (right.start, right.end)
    assert any(one.best(1)[0].score > 0 for own in expected for one in own)


def test_leads_are_read_beside_a_passage(tokenizer: Tokenizer) -> None:
    ids = question_ids(tokenizer, "Who?", ["Log: TK-04 broke.", "word " * 90])
    assert ids[: len(question_ids(tokenizer, "Who?"))] == question_ids(tokenizer, "Who?")
    assert ids.count(SEP) == 3
    assert len(ids) < 3 + 2 * (LEAD_TOKENS + 1) + QUESTION_TOKENS

    shipped = SpanReader(threads=1)
    text = "Ines Halloran (born 4 May 1911) was the keeper of Seld Mill. She died in 1980."
    (passage,) = shipped.encode([("Ines Halloran", text)])
    question = "When was the keeper of the mill that burnt down born?"
    ways = [["Seld Mill: Seld Mill is a mill. It burnt down in 1950."], []]
    led, alone = shipped.read_led(question, [(passage, way) for way in ways])
    read = shipped.read([question], [passage])[0][0]
    np.testing.assert_allclose(alone.logits[0], read.logits[0], atol=0.2)
    marked = led.best(1)[0]
    assert text[marked.start : marked.end] == "4 May 1911"
    assert marked.score > alone.best(1)[0].score + 2
