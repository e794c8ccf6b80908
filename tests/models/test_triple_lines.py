"""Lines of triples held to a text: whatever a model writes, each line is a triple of the text."""

import random
from pathlib import Path
from typing import Any

import pytest
import torch

from clew.strategies.text_to_triples.writer import _named
from clew_ingest.triples.lines import read_lines
from clew_models.constrained_decoding.triple_lines import TripleLines, Vocabulary
from clew_models.graph_llm import GraphExample
from clew_models.graph_llm.model import GraphModelOptions, untrained_model
from clew_models.graph_llm.writing import write_all

from ..tiny_model import Kind, tiny_model, tiny_tokenizer

TEXTS = [
    ("Ada Lovelace", "She was born in London, and wrote the first program (1843) for a machine."),
    ("Ed Wood", "Ed Wood is a 1994 American film directed by Tim Burton and starring J. Depp."),
    ("", "“The the” | the THE the\nthe a an"),
    ("Zoë Müller", "Zoë Müller-Lüdenscheidt lived at 12 Rue de l'Église — then in 東京."),
    ("", "..."),
    ("A", "B"),
]


@pytest.fixture(scope="module", params=["byte-level", "sentencepiece"])
def tokenizer(request: pytest.FixtureRequest) -> Any:
    kind: Kind = request.param
    return tiny_tokenizer(kind)


@pytest.fixture(scope="module")
def vocabulary(tokenizer: Any) -> Vocabulary:
    return Vocabulary(tokenizer, len(tokenizer) + 3)  # a model may have scores of more than are


@pytest.mark.parametrize("place", range(len(TEXTS)))
def test_whatever_is_chosen_is_triples_of_the_text(vocabulary: Vocabulary, place: int) -> None:
    title, text = TEXTS[place]
    chance = random.Random(place)
    written = 0
    for _ in range(60):
        lines = TripleLines(vocabulary, (title, text), _named)
        for _ in range(80):
            allowed = lines.allowed().tolist()
            # to the end of a word or name sooner than by chance alone
            ends = [id_ for id_ in allowed if vocabulary.texts[id_].strip() in ("|", "")]
            token = chance.choice(ends if ends and chance.random() < 0.4 else allowed)
            lines.take(token)
            if token == lines.end:
                break
        else:
            lines.take(lines.end)
        triples, dropped = read_lines("\n".join(lines.lines), title, text)
        assert not dropped, lines.lines
        assert len(triples) == len(lines.lines)
        written += len(triples)
    assert written or title in ("", "A")  # those name nothing


def test_what_a_person_would_write_may_be_written(tokenizer: Any, vocabulary: Vocabulary) -> None:
    title, text = TEXTS[0]
    wanted = "Ada Lovelace | be bear in | london\nAda Lovelace | write | the first program (1843)"
    lines = TripleLines(vocabulary, (title, text), _named)
    tokens = tokenizer(wanted, add_special_tokens=False)["input_ids"]
    for token in [*tokens, lines.end]:
        assert token in lines.allowed(), (lines.lines, vocabulary.texts[token])
        lines.take(token)
    assert "\n".join(lines.lines) == wanted


def test_no_line_is_written_twice(tokenizer: Any, vocabulary: Vocabulary) -> None:
    lines = TripleLines(vocabulary, TEXTS[1], _named)
    one = tokenizer("Ed Wood | star | Tim Burton", add_special_tokens=False)["input_ids"]
    for token in one:
        lines.take(token)
    assert lines.end in lines.allowed()
    newline, *_ = vocabulary.beginnings("\n")
    lines.take(newline)
    for token in one:
        lines.take(token)
    assert lines.end not in lines.allowed()
    lines.take(lines.end)
    assert lines.lines == ["Ed Wood | star | Tim Burton"]


def test_a_batch_is_held_row_by_row(tmp_path: Path) -> None:
    base = tiny_model(tmp_path)
    made = untrained_model(str(base), GraphModelOptions(rank=0, encoder=None), cache_dir=base)
    with torch.no_grad():
        for weight in made.language.parameters():
            weight.mul_(8)
    asked = [GraphExample("triples", text, history=title) for title, text in TEXTS]

    def lines(example: GraphExample) -> TripleLines:
        return TripleLines(made.vocabulary, (example.history, example.question), _named)

    together = dict(write_all(made, asked, max_tokens=90, batch=4, lines=lines))
    alone = [next(write_all(made, [one], max_tokens=90, lines=lines))[1] for one in asked]
    assert together == dict(enumerate(alone))
    for (title, text), written in zip(TEXTS, alone, strict=True):
        assert not read_lines(written, title, text)[1]
