"""The graph language model (RA-5 to RA-7) with random weights: encoder, loss, learning, writing."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from clew_models.errors import ModelNotInstalled, PromptRefused
from clew_models.fitting import CHECKPOINT
from clew_models.graph_llm import GraphExample, Triple
from clew_models.graph_llm.encoder import Convolution, EncoderOptions
from clew_models.graph_llm.examples import texts_of
from clew_models.graph_llm.model import (
    OPTIONS,
    WEIGHTS,
    GraphLanguageModel,
    GraphModelOptions,
    Vectors,
    load_graph_model,
    save_graph_model,
    untrained_model,
)
from clew_models.graph_llm.training import FitOptions, encoded, fit, mean_loss, writes_first
from clew_models.graph_llm.writing import write, write_all
from clew_models.language_model.local import NAME

from ..damaged_files import damaged
from ..tiny_model import tiny_model

D = 12
CONVOLUTIONS: tuple[Convolution, ...] = ("graph-transformer", "gat", "gcn")
ADA: tuple[Triple, ...] = (("Ada", "born in", "London"), ("Ada", "wrote", "Program"))
WOOD: tuple[Triple, ...] = (("Ed Wood", "directed by", "Tim Burton"),)
PLAN = GraphExample("plan", "Where was she born?", "[SUBQ] Ada?", (ADA,), "[SUBQ] Ed Wood")
ANSWER = GraphExample("answer", "Where?", "[SUBQ] Ada?\n[SUBQ] Ed?", (ADA, WOOD), "London")
LABELS = ("[SUBQ]", "[SUFFICIENT]")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("base"))


def encoder(convolution: Convolution = "graph-transformer") -> EncoderOptions:
    return EncoderOptions(convolution, layers=2, heads=2, dimension=8, input=D)


def model(
    base: Path, options: GraphModelOptions | None = None, seed: int = 0
) -> GraphLanguageModel:
    chosen = options or GraphModelOptions(rank=4, encoder=encoder())
    return untrained_model(str(base), chosen, cache_dir=base, seed=seed)


def vectors(*examples: GraphExample) -> Vectors:
    random = np.random.default_rng(1)
    return {text: random.normal(size=D).astype(np.float32) for text in texts_of(examples)}


KNOWN = vectors(PLAN, ANSWER)


@pytest.mark.parametrize("convolution", CONVOLUTIONS)
def test_questions_of_a_batch_do_not_see_each_other(base: Path, convolution: Convolution) -> None:
    made = model(base, GraphModelOptions(encoder=encoder(convolution)))
    nothing = replace(PLAN, rounds=((),))
    together = made.tokens([PLAN, nothing, ANSWER], KNOWN)
    assert together is not None
    assert together.shape == (3, 32)
    for row, one in enumerate((PLAN, nothing, ANSWER)):
        alone = made.tokens([one], KNOWN)
        assert alone is not None
        torch.testing.assert_close(together[row], alone[0])
    assert not torch.allclose(together[0], together[2])


@pytest.mark.parametrize("convolution", CONVOLUTIONS)
def test_the_order_of_triples_does_not_matter(base: Path, convolution: Convolution) -> None:
    made = model(base, GraphModelOptions(encoder=encoder(convolution)))
    turned = replace(PLAN, rounds=(ADA[::-1],))
    one, other = made.tokens([PLAN], KNOWN), made.tokens([turned], KNOWN)
    assert one is not None
    assert other is not None
    torch.testing.assert_close(one, other)


@pytest.mark.parametrize("convolution", CONVOLUTIONS)
def test_predicates_count_but_for_gcn(base: Path, convolution: Convolution) -> None:
    made = model(base, GraphModelOptions(encoder=encoder(convolution)))
    said = replace(PLAN, rounds=((("Ada", "wrote", "London"), ADA[1]),))
    one, other = made.tokens([PLAN], KNOWN), made.tokens([said], KNOWN)
    assert one is not None
    assert other is not None
    assert torch.allclose(one, other) == (convolution == "gcn")


def test_rounds_count_alike_however_many_nodes_they_have(base: Path) -> None:
    """Each sub-graph is pooled by itself, then all of them: not one graph of all nodes."""
    made = model(base)
    assert made.encoder is not None
    whole, first, second = (
        made.tokens([replace(ANSWER, rounds=rounds)], KNOWN)
        for rounds in ((ADA, WOOD), (ADA,), (WOOD,))
    )
    for part in ("projector", "scale"):
        made.encoder.add_module(part, torch.nn.Identity())
    pooled = [
        made.tokens([replace(ANSWER, rounds=rounds)], KNOWN)
        for rounds in ((ADA, WOOD), (ADA,), (WOOD,))
    ]
    assert all(one is not None for one in (whole, first, second, *pooled))
    both, *alone = [one for one in pooled if one is not None]
    torch.testing.assert_close(both, (alone[0] + alone[1]) / 2)


def test_the_loss_is_that_of_the_causal_model_itself(base: Path) -> None:
    made = model(base, GraphModelOptions(rank=0, encoder=None))
    examples = encoded(made, [PLAN, ANSWER], 10**6)
    lost, tokens = 0.0, 0
    for one in examples:
        ids = torch.tensor([[*one.prompt, *one.written]])
        labels = torch.tensor([[-100] * len(one.prompt) + one.written])
        with torch.no_grad():
            lost += float(made.language(ids, labels=labels).loss) * len(one.written)
        tokens += len(one.written)
    assert mean_loss(made, examples, {}) == pytest.approx(lost / tokens, rel=1e-3)  # bfloat16


def test_padding_changes_nothing(base: Path) -> None:
    made = model(base)
    examples = encoded(made, [PLAN, ANSWER, replace(PLAN, history="")], 10**6)
    alone = mean_loss(made, examples, KNOWN, 1)
    assert mean_loss(made, examples, KNOWN, 3) == pytest.approx(alone, rel=1e-5)


def test_longer_examples_are_left_out(base: Path) -> None:
    made = model(base)
    length = encoded(made, [PLAN], 10**6)[0].length
    assert encoded(made, [PLAN], length - 1) == []
    assert len(encoded(made, [PLAN], length)) == 1


def test_what_is_written_begins_with_a_label(base: Path) -> None:
    made = model(base)
    found = write(made, PLAN, KNOWN, labels=LABELS, ending=LABELS, max_tokens=5)
    assert found.label in LABELS
    assert found.text == ""
    assert found.prompt_tokens == len(made.prompt(PLAN))  # the graph's token is none of the text
    more = write(made, PLAN, KNOWN, labels=LABELS, max_tokens=5)
    assert more.label == found.label
    assert "\n" not in more.text


def test_texts_that_are_written_together_are_those_that_are_written_alone(base: Path) -> None:
    """Prompts of unlike lengths; each text comes with the place of its example."""
    made = model(base, GraphModelOptions(rank=0, encoder=None))
    with torch.no_grad():  # random weights hardly look back: larger ones do
        for weight in made.language.parameters():
            weight.mul_(8)
    asked = [
        GraphExample("triples", "Ada Lovelace was born in London. " * more, history="Ada")
        for more in (3, 1, 2)
    ]
    together = list(write_all(made, asked, max_tokens=12))
    assert [place for place, _ in together] == [1, 2, 0]
    alone = [next(write_all(made, [one], max_tokens=12))[1] for one in asked]
    assert dict(together) == dict(enumerate(alone))
    assert len(set(alone)) > 1
    assert not list(write_all(made, asked, max_tokens=12, cancelled=lambda: True))


def test_a_model_that_reads_graphs_does_not_write_together(base: Path) -> None:
    with pytest.raises(ValueError, match="one by one"):
        next(write_all(model(base), [PLAN], max_tokens=2))


def test_a_prompt_that_is_too_long_is_refused(base: Path) -> None:
    with pytest.raises(PromptRefused, match="takes"):
        write(model(base), replace(PLAN, history="Ada " * 900), KNOWN)


def test_the_graph_alone_can_decide_what_is_written(base: Path) -> None:
    """Two examples with the same text and other graphs: what is learned comes by the token."""
    same = GraphExample("answer", "Who?", "", (ADA,), "Ada")
    other = replace(same, rounds=(WOOD,), target="Tim")
    made = model(base, GraphModelOptions(rank=8, encoder=encoder()))
    examples = encoded(made, [same, other], 10**6)
    options = FitOptions(epochs=150, batch=2, slice=2, rate=5e-3, save_steps=150)
    assert fit(made, examples, [], KNOWN, None, options)
    assert write(made, same, KNOWN).text == "Ada"
    assert write(made, other, KNOWN).text == "Tim"
    assert writes_first(made, examples, KNOWN) == [True, True]
    assert write(made, same, KNOWN, token=False).text == write(made, other, {}, token=False).text


def test_a_training_that_was_stopped_goes_on_to_the_same_weights(
    base: Path, tmp_path: Path
) -> None:
    many = [replace(PLAN, question=f"Where {n}?", target=f"[SUBQ] {n}") for n in range(6)]
    options = FitOptions(epochs=2, batch=2, slice=1, save_steps=2, rate=1e-2)

    def start() -> GraphLanguageModel:
        return model(base, seed=3)

    def trained(made: GraphLanguageModel, folder: Path, stop: int = 99) -> bool:
        steps: list[int] = []
        folder.mkdir(exist_ok=True)
        examples = encoded(made, many, 10**6)
        return fit(
            made,
            examples[2:],
            examples[:2],
            KNOWN,
            folder,
            options,
            progress=lambda step, total: steps.append(step),
            cancelled=lambda: len(steps) + 1 >= stop,
        )

    whole, halves, begun = start(), start(), start()
    assert trained(whole, tmp_path / "whole")
    assert not trained(begun, tmp_path / "halves", stop=2)
    assert (tmp_path / "halves" / CHECKPOINT).exists()
    assert trained(halves, tmp_path / "halves")
    for name, weight in whole.learned().items():
        torch.testing.assert_close(weight, halves.learned()[name], msg=name)
    assert any(
        not torch.equal(weight, start().learned()[name]) for name, weight in whole.learned().items()
    )


def test_a_version_writes_what_was_saved(base: Path, tmp_path: Path) -> None:
    made = model(base)
    examples = encoded(made, [PLAN], 10**6)
    fit(made, examples, [], KNOWN, None, FitOptions(epochs=20, rate=1e-2, save_steps=50))
    save_graph_model(made, str(base), tmp_path)
    loaded = load_graph_model(tmp_path, cache_dir=base)
    assert loaded.options == made.options
    assert mean_loss(loaded, examples, KNOWN) == pytest.approx(
        mean_loss(made, examples, KNOWN), abs=0.02
    )
    assert not loaded.learned()


def test_a_version_that_is_damaged_is_told_with_what_to_do(base: Path, tmp_path: Path) -> None:
    save_graph_model(model(base), str(base), tmp_path / "whole")
    for folder in damaged(tmp_path / "whole", tmp_path, OPTIONS, WEIGHTS):
        with pytest.raises(ModelNotInstalled, match="train it") as raised:
            load_graph_model(folder, cache_dir=base, remedy="train it")
        assert str(folder) in raised.value.message
    other = model(base, GraphModelOptions(rank=2))
    save_graph_model(other, str(base), tmp_path / "other")
    (tmp_path / "whole" / OPTIONS).write_bytes((tmp_path / "other" / OPTIONS).read_bytes())
    with pytest.raises(ModelNotInstalled, match="damaged"):
        load_graph_model(tmp_path / "whole", cache_dir=base)


def test_a_folder_without_a_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelNotInstalled, match="train it") as raised:
        load_graph_model(tmp_path, cache_dir=tmp_path, remedy="train it")
    assert "no version" in raised.value.message


def test_what_cannot_be_trained_is_refused(base: Path) -> None:
    made = model(base, GraphModelOptions(rank=0, encoder=None))
    with pytest.raises(ValueError, match="Nothing can be trained"):
        fit(made, encoded(made, [PLAN], 10**6), [], KNOWN)
    with pytest.raises(ValueError, match="no example"):
        fit(model(base), [], [], KNOWN)
    with pytest.raises(ValueError, match="multiple of the 3 heads"):
        EncoderOptions(heads=3, dimension=8)


def test_the_real_model_reads_a_graph_and_learns_a_plan(cache_dir: Path) -> None:
    made = untrained_model(NAME, GraphModelOptions(rank=4, encoder=encoder()), cache_dir=cache_dir)
    assert write(made, PLAN, KNOWN, labels=LABELS, max_tokens=3).label in LABELS
    examples = encoded(made, [PLAN], 10**6)
    before = mean_loss(made, examples, KNOWN)
    fit(made, examples, [], KNOWN, None, FitOptions(epochs=3, rate=2e-3, save_steps=9))
    assert mean_loss(made, examples, KNOWN) < before
