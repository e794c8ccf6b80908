"""The spaCy pipeline is loaded without PyTorch, which it does not use and everybody would pay."""

import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import ThreadpoolController

from clew_ingest.errors import ParserNotInstalled
from clew_ingest.parsing.parser import DEFAULT_PIPELINE, Parser
from clew_ingest.parsing.spacy_pipeline import LONGEST_RUN, PACKAGES, load_pipeline

ARTICLES = Path(__file__).parents[2] / "platform" / "clew" / "sample_corpus" / "articles"
CHECK = """
import sys
from clew_ingest.parsing.parser import Parser
parser = Parser()
assert parser.parse(["Ada Lovelace wrote to Babbage."])[0].sentences[0].heads
assert not [name for name in sys.modules if name == "torch" or name.startswith("torch.")]
import torch
assert torch.ones(2).sum() == 2
"""


def test_parsing_does_not_import_torch_and_leaves_it_importable() -> None:
    child = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True)
    assert child.returncode == 0, child.stderr


def test_a_pipeline_that_is_not_there_is_a_clear_error() -> None:
    with pytest.raises(ParserNotInstalled, match="no_such_pipeline"):
        load_pipeline("no_such_pipeline")


@pytest.fixture(scope="module")
def parser() -> Parser:
    made = Parser()
    made.load()
    return made


def test_numpy_multiplies_and_the_parses_are_those_of_thinc_s_own_products(parser: Parser) -> None:
    import spacy

    with parser.pipeline.used() as pipeline:
        layers = list(pipeline.get_pipe("tok2vec").model.walk())
    assert not any(layer.ops.use_blis for layer in layers)
    own: Any = spacy.load(PACKAGES[DEFAULT_PIPELINE])
    assert all(layer.ops.use_blis for layer in own.get_pipe("tok2vec").model.walk())
    texts = [article.read_text(encoding="utf-8") for article in ARTICLES.iterdir()]
    loaded = load_pipeline(DEFAULT_PIPELINE)
    own.add_pipe("whole_rows", before="parser")
    own.add_pipe("whole_dates", before="parser")
    for one, other in zip(loaded.pipe(texts), own.pipe(texts), strict=True):
        assert one.to_json() == other.to_json()


def test_blas_multiplies_on_one_thread_once_a_pipeline_is_there() -> None:
    def threads() -> set[int]:
        blas = ThreadpoolController().select(user_api="blas")
        return {library.num_threads for library in blas.lib_controllers}

    with ThreadpoolController().limit(limits=2, user_api="blas"):
        assert threads() == {2}
        load_pipeline(DEFAULT_PIPELINE)
        assert threads() == {1}


RUNS = ("?!", "(", "'s", "a-", "http://a/b?", "\u3002\u6771", "<b>")


@pytest.mark.parametrize("run", RUNS)
def test_a_run_without_a_blank_takes_no_longer_than_its_length(parser: Parser, run: str) -> None:
    """`'who ' + '?!' * 3500` took 15 s with the interpreter's lock held; now 0.2 s at most."""
    text = "who " + run * (7000 // len(run))
    for work in (parser.question_mentions, lambda text: parser.parse([text])):
        started = time.process_time()
        work(text)
        assert time.process_time() - started < 3


def test_long_runs_leave_the_text_and_all_other_tokens_as_they_are(parser: Parser) -> None:
    chance = random.Random(7)
    pieces = ["Ada ", "wrote\n\n", "  ", " ", "x" * 700, "?!" * 150, "don't ", "in 1843.", "\t"]
    with parser.pipeline.used() as pipeline:
        for _ in range(200):
            text = "".join(chance.choices(pieces, k=chance.randint(1, 9)))
            assert pipeline.make_doc(text).text == text
        before = "Ada Lovelace didn't go to Dr. Babbage's house."
        plain = [token.text for token in pipeline.make_doc(before)]
        for text in (f"{before} {'z' * 999}", f"{'z' * 999} {before}", f"{'z' * 999}  {before}"):
            found = [token.text for token in pipeline.make_doc(text) if token.text.strip("z ")]
            assert found == plain
            assert max(map(len, (token.text for token in pipeline.make_doc(text)))) <= LONGEST_RUN
    (parsed,) = parser.parse([f"{'?!' * 500} Ada Lovelace wrote to Charles Babbage in London."])
    last = parsed.sentences[-1]
    assert "ada lovelace" in {mention.key for mention in last.mentions}


def test_no_sentence_begins_within_a_date(parser: Parser) -> None:
    """The English parser took the full stop of an ordinal for the end of a sentence."""
    dates = ("12. Mai 2021", "5. marts 2020", "3. května 2019", "1. toukokuuta 1998", "3. Oktober")
    for date in dates:
        (parsed,) = parser.parse([f"Die Bohrung ruht seit dem {date} in Wend. Sie ist alt."])
        assert [date in sentence.text for sentence in parsed.sentences] == [True, False], date
    (parsed,) = parser.parse(["He turned to page 12. In 2021 he died."])
    assert len(parsed.sentences) == 2


def test_each_row_of_a_table_is_one_sentence(parser: Parser) -> None:
    """They were cut amid a row: a captain stood in one sentence with the next vessel."""
    rows = [
        "Vessel: Heron; Type: tug; Built: 2009; Yard: Ferrol; Captain: Oskar Thune.",
        "Vessel: Dunlin; Type: pilot boat; Built: 2017; Yard: Vestby; Captain: Mette Juhl.",
    ]
    rows += ["Heat sold in St. Ives; 2022: 61 approx. Less; 2023: 58.", "Staff; 2022: 7; 2023: 8."]
    prose = "She sailed: slowly; it rained. Then she sank."
    (parsed,) = parser.parse(["\n".join([*rows, prose])])
    found = [sentence.text.strip() for sentence in parsed.sentences]
    assert found[:4] == rows
    assert found[-1] == "Then she sank."
