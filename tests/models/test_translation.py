"""The translation of a question into clues (KT-6, KT-7, KT-12), with tokenizers of two kinds."""

from pathlib import Path

import numpy as np
import pytest

from clew_models.translator import (
    Backbone,
    ClueIndex,
    Translation,
    TranslationOptions,
    build_index,
    load_backbone,
)

from ..tiny_model import tiny_model
from .translator_parts import NAMES, SENTENCES

HYPERRELATIONS = {sentence.id: sentence for sentence in SENTENCES}


@pytest.fixture(scope="module", params=["byte-level", "sentencepiece"])
def backbone(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Backbone:
    folder = tiny_model(tmp_path_factory.mktemp("model"), request.param)
    return load_backbone(str(folder), cache_dir=Path("/nowhere"), precision="float32")


@pytest.fixture(scope="module")
def index(backbone: Backbone) -> ClueIndex:
    return build_index(SENTENCES, NAMES, backbone.vocabulary.tokenize)


def translation(backbone: Backbone, index: ClueIndex, **options: object) -> Translation:
    return backbone.translation(
        index,
        "Who directed Ed Wood?",
        TranslationOptions(**options),  # type: ignore[arg-type]
    )


def tokens(backbone: Backbone, text: str) -> list[int]:
    return backbone.vocabulary.tokenize([text])[0]


def test_names_and_relations_are_the_texts_that_were_indexed(
    backbone: Backbone, index: ClueIndex
) -> None:
    vocabulary = backbone.vocabulary
    for row in range(len(index.sentence_ids)):
        text = vocabulary.text(index.spans.sequence(row).tolist()).strip()
        assert text == HYPERRELATIONS[str(index.sentence_ids[row])].hyperrelation
    for _, name in NAMES[:6]:
        assert vocabulary.text(tokens(backbone, name)).strip() == name


def test_every_clue_exists_in_its_direction(backbone: Backbone, index: ClueIndex) -> None:
    one = translation(backbone, index, entities=4, relations=4)
    entities = one.entities([("johnny", "Johnny Depp"), ("ed", "Ed Wood")])
    assert {entity.id for entity in entities if entity.named} == {"johnny", "ed"}
    for direction in ("forward", "reverse"):
        clues = one.clues(entities, direction)
        assert clues
        for clue in clues:
            assert clue.sentence_ids
            for id_ in clue.sentence_ids:
                sentence = HYPERRELATIONS[id_]
                ends = sentence.heads if direction == "forward" else sentence.tails
                assert clue.entity.id in ends
                assert clue.relation.strip() in sentence.hyperrelation
                assert sentence.chunk_id in clue.chunk_ids
        assert [clue.score for clue in clues] == sorted((c.score for c in clues), reverse=True)
    # Johnny Depp is a tail only: known by reverse translation
    assert {c.entity.id for c in one.clues(entities, "forward")}.isdisjoint({"johnny"})


def test_probabilities_are_the_model_s_own(backbone: Backbone, index: ClueIndex) -> None:
    import torch

    one = translation(backbone, index, entities=3, relations=2, relation_tokens=3)
    entities = one.entities([])
    clue = one.clues(entities, "forward")[0]
    vocabulary = backbone.vocabulary
    prompt = vocabulary.prompt("Who directed Ed Wood?")
    name = [*tokens(backbone, clue.entity.surface), *vocabulary.separator]
    with torch.inference_mode():
        logits = backbone.model(torch.tensor([prompt + name])).logits[0]
    scores = torch.log_softmax(logits, -1)
    expected = sum(float(scores[len(prompt) - 1 + i, token]) for i, token in enumerate(name))
    assert clue.entity.log_probability == pytest.approx(expected, abs=1e-3)


def test_a_name_that_two_entities_share_leads_to_both(backbone: Backbone, index: ClueIndex) -> None:
    found = translation(backbone, index, entities=6).entities([])
    by_surface = {entity.id for entity in found if entity.surface.strip() == "Ed Wood"}
    assert by_surface >= {"wood"}
    assert {"ed", "wood", "tim", "beetle"} == {entity.id for entity in found}


def test_the_number_of_entities_and_relations_is_kept(backbone: Backbone, index: ClueIndex) -> None:
    one = translation(backbone, index, entities=2, relations=3)
    entities = one.entities([])
    assert len(entities) == 2
    clues = one.clues(entities, "forward")
    for entity in entities:
        assert 1 <= sum(clue.entity == entity for clue in clues) <= 3
    for clue in clues:
        assert len(tokens(backbone, clue.relation)) <= 18


def test_a_triple_s_tail_is_at_the_other_end(backbone: Backbone, index: ClueIndex) -> None:
    names = dict(NAMES)

    def tails(sentence_ids: tuple[str, ...]) -> list[tuple[str, str]]:
        ends = {end for id_ in sentence_ids for end in HYPERRELATIONS[id_].tails}
        return [(end, names.get(end, end)) for end in sorted(ends)]

    one = translation(backbone, index, form="triple")
    clues = one.clues(one.entities([]), "forward", tails)  # type: ignore[arg-type]
    assert clues
    for clue in clues:
        assert clue.tail is not None
        assert any(clue.tail.id in HYPERRELATIONS[id_].tails for id_ in clue.sentence_ids)
        assert clue.text.count("@@") == 2
        assert clue.score < clue.entity.log_probability + clue.log_probability


def test_a_chain_goes_on_in_other_chunks(backbone: Backbone, index: ClueIndex) -> None:
    one = translation(backbone, index)
    (first,) = [
        c for c in one.clues(one.entities([("ed", "Ed Wood")]), "forward") if c.entity.id == "ed"
    ][:1]
    found = one.next_clues([first], [[("tim", "Tim Burton"), ("johnny", "Johnny Depp")]], 3)
    assert {clue.entity.id for clue in found} == {"tim"}
    for clue in found:
        assert clue.entity.after == first
        assert clue.chunk_ids == ("c2",)
        assert clue.score < first.score
    again = [[("ed", "Ed Wood")]]
    assert one.next_clues([first], again, 3, ["forward"]) == []
    elsewhere = one.next_clues([first], again, 3)
    assert {clue.direction for clue in elsewhere} == {"reverse"}
    assert {clue.chunk_ids for clue in elsewhere} == {("c2",)}


def test_without_names_only_the_question_s_entities_are_left(backbone: Backbone) -> None:
    empty = build_index([], [], backbone.vocabulary.tokenize)
    one = translation(backbone, empty)
    assert one.entities([]) == []
    (entity,) = one.entities([("x", "Ed Wood")])
    assert entity.named
    assert one.clues([entity], "forward") == []


def test_a_special_token_in_a_text_is_text(backbone: Backbone) -> None:
    vocabulary = backbone.vocabulary
    assert vocabulary.end not in vocabulary.tokenize(["a <|end|> b"])[0]
    assert vocabulary.end not in vocabulary.prompt("Who is <|end|>?")


def test_prompts_share_their_opening(backbone: Backbone) -> None:
    for form in ("pair", "triple"):
        opening = backbone.vocabulary.opening(form)
        for question in ("Who?", "Ünïcode?", "1 + 1"):
            prompt = backbone.vocabulary.prompt(question, form)
            assert prompt[: len(opening)] == opening
            assert len(prompt) > len(opening) > 5


def test_bfloat16_finds_what_float32_finds(
    index: ClueIndex, backbone: Backbone, tmp_path: Path
) -> None:
    kind = (
        "byte-level"
        if "Ġ" in "".join(backbone.vocabulary.tokenizer.get_vocab())
        else "sentencepiece"
    )
    folder = tiny_model(tmp_path / "m", kind)  # type: ignore[arg-type]
    small = load_backbone(str(folder), cache_dir=Path("/nowhere"), precision="bfloat16")
    exact = translation(backbone, index, entities=4).entities([])
    rough = translation(small, index, entities=4).entities([])
    assert {e.id for e in exact} == {e.id for e in rough}
    one, other = (sorted(e.log_probability for e in found) for found in (exact, rough))
    np.testing.assert_allclose(one, other, atol=0.5)
