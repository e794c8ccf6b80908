"""The graph network against loops over nodes, permuted nodes, nodes alone, and in bfloat16."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from clew_models.errors import ModelNotInstalled
from clew_models.fitting import CHECKPOINT
from clew_models.graph_network import (
    Budget,
    NetworkArrays,
    NetworkOptions,
    load_network_arrays,
    neighbourhood,
    save_network_arrays,
)
from clew_models.graph_network.batches import Batch, batch_of
from clew_models.graph_network.examples import NetworkExample
from clew_models.graph_network.levels import INTER, INTRA, LEVELS, MARKS
from clew_models.graph_network.network import OPTIONS as OPTIONS_FILE
from clew_models.graph_network.network import (
    WEIGHTS,
    GraphNetwork,
    load_network,
    main_directions,
    save_network,
    untrained_network,
)
from clew_models.graph_network.training import (
    FitOptions,
    fit,
    mean_loss,
    nt_xent,
    scores_of,
)

from ..damaged_files import damaged
from .network_reference import scores as reference

D = 12
SMALL = NetworkOptions(input=D, dimension=8)
WHOLE = Budget(whole=True)
ABLATIONS = {
    "as it is": {},
    "the paper's form": {"form": "paper", "temperature": 1.0, "marks": False, "titles": False},
    "without entities": {"entity_level": False},
    "without sentences": {"sentence_level": False},
    "without chunks": {"chunk_level": False},
    "without question attention": {"question_attention": False},
    "without intra": {"intra": False},
    "without inter": {"inter": False},
    "without titles": {"titles": False},
    "without marks": {"marks": False},
    "four layers": {"layers": 4},
    "dimension 5": {"dimension": 5},
}


def random_arrays(seed: int, chunks: int = 9, entities: int = 14) -> NetworkArrays:
    """A small graph; the last entity and the last chunk have no edges but the chunk's sentence."""
    draw = np.random.default_rng(seed)
    per_chunk = draw.integers(1, 4, chunks)
    sentences = int(per_chunk.sum())
    chunk_of = np.repeat(np.arange(chunks), per_chunk)

    def vectors(count: int) -> np.ndarray:
        made = draw.normal(size=(count, D))
        return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float16)

    held = draw.random((entities - 1, sentences)) < 0.2
    held[:, chunk_of == chunks - 1] = False
    e_oc = np.argwhere(held)
    e_od = np.unique(np.stack([e_oc[:, 0], chunk_of[e_oc[:, 1]]], 1), axis=0)
    titles = np.array([[c, c] for c in range(chunks - 1) if c < entities - 1])
    e_od = np.unique(np.concatenate([e_od, titles]), axis=0)
    following = [[s, s + 1] for s in range(sentences - 1) if chunk_of[s] == chunk_of[s + 1]]
    names = np.array([[0, 1], [1, 2]])
    triples = np.unique(draw.integers(0, entities - 1, (10, 2)), axis=0)

    def edges(pairs: np.ndarray | list[list[int]]) -> np.ndarray:
        return np.array(pairs, dtype=np.int32).reshape(-1, 2).T.copy()

    return NetworkArrays(
        entity_ids=np.array([f"e{i:03}" for i in range(entities)]),
        sentence_ids=np.array([f"s{i:03}" for i in range(sentences)]),
        chunk_ids=np.array([f"c{i:03}" for i in range(chunks)]),
        entity_vectors=vectors(entities),
        sentence_vectors=vectors(sentences),
        chunk_vectors=vectors(chunks),
        E_oo=edges(triples),
        E_cc=edges(following),
        E_oc=edges(e_oc),
        E_od=edges(e_od),
        E_cd=np.stack([np.arange(sentences), chunk_of]).astype(np.int32),
        titles=edges(titles),
        names=edges(names),
    )


def question(seed: int) -> np.ndarray:
    made = np.random.default_rng(seed).normal(size=D)
    return (made / np.linalg.norm(made)).astype(np.float32)


def random_batch(seed: int, questions: int = 3) -> Batch:
    parts = []
    for number in range(questions):
        arrays = random_arrays(10 * seed + number)
        near = np.argsort(-(arrays.chunk_vectors.astype(np.float32) @ question(number)))
        parts.append(neighbourhood(arrays, question(number), {number: 1.0}, near[:4], WHOLE))
    return batch_of(parts)


def random_network(seed: int, options: NetworkOptions) -> GraphNetwork:
    """A network whose every weight is random, so that each matters."""
    torch.manual_seed(seed)
    network = GraphNetwork(options)
    with torch.no_grad():
        for weight in network.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
    return network.eval()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("changed", ABLATIONS.values(), ids=ABLATIONS)
def test_scores_are_those_of_loops_over_nodes(changed: Mapping[str, Any], seed: int) -> None:
    network = random_network(seed, replace(SMALL, **changed))
    batch = random_batch(seed)
    with torch.no_grad():
        found = network(batch).scores.numpy()
    np.testing.assert_allclose(found, reference(network, batch), atol=1e-5)


@pytest.mark.parametrize("changed", [{}, ABLATIONS["the paper's form"]], ids=["ours", "paper"])
def test_each_ablation_changes_what_is_ranked(changed: Mapping[str, Any]) -> None:
    """No option is without effect: with the same seed the scores differ."""
    batch = random_batch(1)
    base = random_network(1, replace(SMALL, **changed))(batch).scores
    for switch in (
        "entity_level",
        "sentence_level",
        "chunk_level",
        "question_attention",
        "intra",
        "inter",
    ):
        other = random_network(1, replace(SMALL, **{**changed, switch: False}))(batch).scores
        assert not torch.allclose(base, other, atol=1e-3), switch


def permuted(batch: Batch, seed: int) -> tuple[Batch, dict[str, torch.Tensor]]:
    """The same graph with its nodes and edges in another order."""
    torch.manual_seed(seed)
    order = {level: torch.randperm(len(batch.owner[level])) for level in LEVELS}
    place = {level: torch.argsort(order[level]) for level in LEVELS}
    ends = {name: (level, level) for level, name in INTRA.items()} | INTER
    edges = {}
    for name, (source, target) in ends.items():
        pair = batch.edges[name]
        moved = torch.stack([place[source][pair[0]], place[target][pair[1]]])
        edges[name] = moved[:, torch.randperm(moved.shape[1])]
    return (
        Batch(
            question=batch.question,
            x={level: batch.x[level][order[level]] for level in LEVELS},
            marks={level: batch.marks[level][order[level]] for level in LEVELS},
            owner={level: batch.owner[level][order[level]] for level in LEVELS},
            edges=edges,
            sentence_chunk=place["chunk"][batch.sentence_chunk[order["sentence"]]],
        ),
        order,
    )


def test_the_order_of_nodes_and_edges_does_not_matter() -> None:
    network, batch = random_network(4, SMALL), random_batch(4)
    moved, order = permuted(batch, 4)
    with torch.no_grad():
        here, there = network(batch).scores, network(moved).scores
    torch.testing.assert_close(here[order["chunk"]], there, atol=1e-5, rtol=0)


def test_questions_of_a_batch_do_not_see_each_other() -> None:
    network, arrays = random_network(5, SMALL), random_arrays(5)
    parts = [neighbourhood(arrays, question(i), {i: 1.0}, np.arange(4), WHOLE) for i in range(4)]
    together = scores_of(network, parts, batch=4)
    alone = scores_of(network, parts, batch=1)
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_a_node_without_neighbours_keeps_to_itself() -> None:
    """Its messages are zeros; its score is that of a graph in which there is nothing else."""
    options = replace(SMALL, marks=False)
    network, arrays = random_network(6, options), random_arrays(6)
    last = len(arrays.chunk_ids) - 1
    arrays = replace(arrays, E_cc=arrays.E_cc[:, :0])
    sentences = arrays.E_cd[0][arrays.E_cd[1] == last]
    whole = neighbourhood(arrays, question(6), {}, np.array([0]), WHOLE)
    none = np.zeros((2, 0), np.int32)
    alone = NetworkArrays(
        entity_ids=arrays.entity_ids[:0],
        sentence_ids=arrays.sentence_ids[sentences],
        chunk_ids=arrays.chunk_ids[[last]],
        entity_vectors=arrays.entity_vectors[:0],
        sentence_vectors=arrays.sentence_vectors[sentences],
        chunk_vectors=arrays.chunk_vectors[[last]],
        E_oo=none,
        E_cc=none,
        E_oc=none,
        E_od=none,
        titles=none,
        names=none,
        E_cd=np.stack([np.arange(len(sentences)), np.zeros(len(sentences))]).astype(np.int32),
    )
    single = neighbourhood(alone, question(6), {}, np.array([0]), WHOLE)
    (here,), (there,) = scores_of(network, [whole]), scores_of(network, [single])
    assert np.isfinite(here).all()
    assert here[last] == pytest.approx(there[0], abs=1e-5)


def test_bfloat16_ranks_as_float32_does() -> None:
    network, batch = random_network(7, replace(SMALL, form="residual")), random_batch(7)
    with torch.no_grad():
        exact = network(batch).scores
        half = Batch(
            question=batch.question.bfloat16(),
            x={level: found.bfloat16() for level, found in batch.x.items()},
            marks={level: found.bfloat16() for level, found in batch.marks.items()},
            owner=batch.owner,
            edges=batch.edges,
            sentence_chunk=batch.sentence_chunk,
        )
        rough = network.bfloat16()(half)
    assert rough.scores.dtype == torch.bfloat16
    torch.testing.assert_close(rough.scores.float(), exact, atol=0.08, rtol=0)


def test_a_step_of_training_in_mixed_precision_is_near_one_in_float32() -> None:
    """As on a GPU: products in bfloat16, weights and softmax in float32."""
    network, batch = random_network(9, SMALL), random_batch(9)
    network.requires_grad_(True)
    exact = network(batch).scores
    with torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = network(batch).scores
    torch.testing.assert_close(mixed.float(), exact, atol=0.08, rtol=0)
    mixed.float().sum().backward()
    used = [weight.grad for weight in network.parameters() if weight.grad is not None]
    assert len(used) > 20
    assert all(bool(torch.isfinite(grad).all()) for grad in used)
    assert all(grad.dtype == torch.float32 for grad in used)


def test_attention_over_the_neighbours_of_a_node_sums_to_one() -> None:
    network, batch = random_network(8, SMALL), random_batch(8)
    with torch.no_grad():
        found = network(batch, attention=True).attention
    assert {layer for layer, _, _ in found} == {0, 1}
    for (_, relation, way), weights in found.items():
        edges = batch.edges[relation]
        target = edges[1] if way == "forward" else edges[0]
        sums = torch.zeros(int(target.max()) + 1).index_add(0, target, weights)
        assert torch.allclose(sums[torch.unique(target)], torch.ones(1), atol=1e-5)


def test_an_untrained_network_ranks_as_the_embeddings_do() -> None:
    arrays = random_arrays(9)
    directions = main_directions(arrays.chunk_vectors, D)
    options = replace(SMALL, dimension=D, inter=True, marks=False)
    network = GraphNetwork(options, directions).eval()
    layers: Any = network.layers
    with torch.no_grad():
        for layer in layers:
            for module in [*layer.update_within.values(), *layer.update_between.values()]:
                module.gate.zero_()
    part = neighbourhood(arrays, question(9), {}, np.array([0]), WHOLE)
    (found,) = scores_of(network, [part])
    expected = arrays.chunk_vectors.astype(np.float32) @ question(9)
    np.testing.assert_allclose(found, expected, atol=2e-3)


def test_an_untrained_network_of_few_dimensions_keeps_them_all() -> None:
    arrays = random_arrays(9)
    network = untrained_network(arrays, NetworkOptions(layers=1), 0)
    assert (network.options.input, network.options.dimension) == (D, D)
    assert scores_of(network, [neighbourhood(arrays, question(9), {}, np.array([0]), WHOLE)])


def test_main_directions_are_those_of_a_singular_value_decomposition() -> None:
    vectors = np.random.default_rng(1).normal(size=(40, D)) * np.linspace(3, 0.1, D)
    found = main_directions(vectors, 4)
    _, _, right = np.linalg.svd(vectors, full_matrices=False)
    np.testing.assert_allclose(np.abs(np.sum(found * right[:4].T, axis=0)), 1, atol=1e-4)


def test_a_network_is_what_was_saved(tmp_path: Path) -> None:
    network, batch = random_network(10, SMALL), random_batch(10)
    save_network(network, tmp_path)
    loaded = load_network(tmp_path)
    assert loaded.options == SMALL
    with torch.no_grad():
        torch.testing.assert_close(loaded(batch).scores, network(batch).scores, atol=5e-3, rtol=0)


def test_a_version_that_is_damaged_is_told_with_what_to_do(tmp_path: Path) -> None:
    whole, deeper, wider = (tmp_path / name for name in ("whole", "deeper", "wider"))
    more_layers = replace(SMALL, layers=SMALL.layers + 1)
    more_numbers = replace(SMALL, dimension=2 * SMALL.dimension)
    for folder, options in ((whole, SMALL), (deeper, more_layers), (wider, more_numbers)):
        folder.mkdir()
        save_network(random_network(10, options), folder)
    for folder in damaged(whole, tmp_path, OPTIONS_FILE, WEIGHTS):
        with pytest.raises(ModelNotInstalled, match="damaged") as raised:
            load_network(folder)
        assert str(folder) in raised.value.message
        assert "graph_network_version" in raised.value.remedy
    for other in (deeper, wider):
        (whole / OPTIONS_FILE).write_bytes((other / OPTIONS_FILE).read_bytes())
        with pytest.raises(ModelNotInstalled, match="damaged"):
            load_network(whole)


@pytest.mark.parametrize(
    "wrong",
    [{"dimension": 0}, {"temperature": 0.0}, {"sentence_level": False, "chunk_level": False}],
)
def test_options_that_make_no_network_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Expected"):
        replace(SMALL, **wrong)


# the loss and the training


def test_the_loss_by_hand() -> None:
    """Two questions; of the second, two of three negatives count."""
    scores = torch.tensor([0.9, 0.1, 0.5, 0.8, 0.2, 0.7, 0.6])
    owner = torch.tensor([0, 0, 1, 1, 1, 1, 1])
    gold = torch.tensor([True, False, True, False, False, False, True])
    found = nt_xent(scores, owner, gold, temperature=0.5, negatives=2)

    def loss(right: float, wrong: list[float]) -> float:
        powers = np.exp(np.array([right, *wrong]) / 0.5)
        return float(-np.log(powers[0] / powers.sum()))

    expected = np.mean([loss(0.9, [0.1]), loss(0.5, [0.8, 0.7]), loss(0.6, [0.8, 0.7])])
    assert float(found) == pytest.approx(expected, abs=1e-6)
    assert float(nt_xent(scores, owner, gold & False, temperature=1, negatives=3)) == 0


def examples(count: int, seed: int) -> list[NetworkExample]:
    """The right chunk holds the named entity: what the network must learn to see."""
    found = []
    for number in range(count):
        arrays = random_arrays(100 * seed + number)
        draw = np.random.default_rng(number + seed)
        entity = int(draw.integers(0, len(arrays.chunk_ids) - 1))
        part = neighbourhood(
            arrays, question(number + 1000 * seed), {entity: 1.0}, np.arange(3), WHOLE
        )
        gold = part.rows["chunk"] == entity  # the chunk whose title it is
        found.append(NetworkExample(part, gold, 1))
    return found


OPTIONS = FitOptions(epochs=6, batch=4, rate=0.02, temperature=0.2, save_steps=5)


def test_training_learns_what_is_to_be_learned() -> None:
    torch.manual_seed(1)
    network = GraphNetwork(SMALL)
    learned, held_out = examples(40, 1), examples(20, 2)
    before = mean_loss(network, held_out, OPTIONS)
    points: list[tuple[int, float, bool]] = []
    assert fit(network, learned, held_out, None, OPTIONS, point=lambda *p: points.append(p))
    assert mean_loss(network, held_out, OPTIONS) < 0.6 * before
    step, loss, of_held_out = points[0]
    assert (step, of_held_out) == (0, True)
    assert loss == pytest.approx(before)
    assert min(loss for _, loss, apart in points if apart) == pytest.approx(
        mean_loss(network, held_out, OPTIONS), abs=1e-6
    )


def test_a_training_that_was_stopped_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    learned, held_out = examples(12, 1), examples(4, 2)
    options = replace(OPTIONS, epochs=2, save_steps=2)

    def start() -> GraphNetwork:
        torch.manual_seed(3)
        return GraphNetwork(SMALL)

    whole = start()
    assert fit(whole, learned, held_out, None, options)
    broken = start()
    steps: list[int] = []
    assert not fit(
        broken,
        learned,
        held_out,
        tmp_path,
        options,
        progress=lambda step, total: steps.append(step),
        cancelled=lambda: len(steps) >= 2,
    )
    assert (tmp_path / CHECKPOINT).exists()
    assert steps == [1, 2]
    again = start()
    assert fit(again, learned, held_out, tmp_path, options)
    for name, weight in whole.state_dict().items():
        torch.testing.assert_close(again.state_dict()[name], weight, atol=1e-5, rtol=0)


def test_a_training_without_anything_to_learn_is_refused() -> None:
    one = examples(1, 1)[0]
    empty = replace(one, gold=one.gold & False)
    with pytest.raises(ValueError, match="no example"):
        fit(GraphNetwork(SMALL), [empty], [])


# the arrays and the neighbourhood


def test_neighbours_are_those_of_the_edges() -> None:
    arrays = random_arrays(11)
    for name, (source, target) in {"E_od": INTER["E_od"], "E_oo": ("entity", "entity")}.items():
        edges = arrays.relation(name)
        for end, level in ((0, source), (1, target)):
            rows = np.array([3, 0, len(arrays.ids(level)) - 1])
            owner, found = arrays.beside(name, end, rows)
            for place, row in enumerate(rows):
                expected = sorted(edges[1 - end][edges[end] == row].tolist())
                assert sorted(found[owner == place].tolist()) == expected


def test_a_neighbourhood_holds_every_edge_between_its_nodes() -> None:
    arrays = random_arrays(12, chunks=20, entities=25)
    asked = question(12)
    part = neighbourhood(arrays, asked, {2: 0.5, 3: 0.5}, np.arange(8), Budget(2, 6, 9))
    assert len(part.rows["chunk"]) == 6
    assert len(part.rows["entity"]) <= 9
    assert {2, 3} <= set(part.rows["entity"].tolist())
    inside = {level: set(part.rows[level].tolist()) for level in LEVELS}
    assert inside["sentence"] == set(
        arrays.E_cd[0][np.isin(arrays.E_cd[1], part.rows["chunk"])].tolist()
    )
    ends = {name: (level, level) for level, name in INTRA.items()} | INTER
    for name, (source, target) in ends.items():
        expected = {
            (a, b)
            for a, b in arrays.relation(name).T.tolist()
            if a in inside[source] and b in inside[target]
        }
        if source == target:
            expected = {pair for a, b in expected if a != b for pair in ((a, b), (b, a))}
        found = part.edges[name]
        pairs = set(
            zip(
                part.rows[source][found[0]].tolist(),
                part.rows[target][found[1]].tolist(),
                strict=True,
            )
        )
        assert pairs == expected, name


def test_marks_say_what_the_question_says_of_nodes() -> None:
    arrays = random_arrays(13)
    asked = question(13)
    part = neighbourhood(arrays, asked, {1: 0.25}, np.arange(4), WHOLE)
    for level in LEVELS:
        assert part.marks[level].shape == (len(part.rows[level]), MARKS[level])
        cosines = arrays.vectors(level).astype(np.float32) @ asked
        np.testing.assert_allclose(part.marks[level][:, 0], cosines[part.rows[level]], atol=1e-6)
    assert part.marks["entity"][:, 1].tolist() == [
        0.25 if row == 1 else 0.0 for row in part.rows["entity"]
    ]
    holding = set(arrays.E_od[1][arrays.E_od[0] == 1].tolist())
    assert part.marks["chunk"][:, 1].tolist() == [
        0.25 if row in holding else 0.0 for row in part.rows["chunk"]
    ]
    assert part.marks["chunk"][:, 2].max() == 1
    held = np.array([(arrays.E_od[0] == e).sum() for e in part.rows["entity"]])
    np.testing.assert_allclose(part.marks["entity"][:, 2], 1 / np.maximum(held, 1))


def test_the_walk_orders_chunks_as_its_formula_says() -> None:
    """Against a dense matrix, step by step, with and without anything named."""
    for seed, named in ((17, {1: 0.75, 4: 0.25}), (18, {})):
        arrays = random_arrays(seed, chunks=14, entities=12)
        asked = question(seed)
        part = neighbourhood(arrays, asked, named, np.arange(6), WHOLE)
        cosines = arrays.sentence_vectors.astype(np.float32) @ asked
        says = np.exp((cosines - cosines.max()) / 0.2) + 0.001
        chunk_of = dict(arrays.E_cd.T.tolist())
        entities, chunks = len(arrays.entity_ids), len(arrays.chunk_ids)
        ways = np.zeros((entities + chunks, entities + chunks))
        for entity, sentence in arrays.E_oc.T.tolist():
            ways[entity, entities + chunk_of[sentence]] += says[sentence]
            ways[entities + chunk_of[sentence], entity] += says[sentence]
        for sentence, chunk in arrays.names.T.tolist():
            ways[entities + chunk_of[sentence], entities + chunk] += 2 * says[sentence]
        sums = ways.sum(1, keepdims=True)
        share = np.divide(ways, sums, out=np.zeros_like(ways), where=sums > 0)
        near = part.marks["chunk"][:, 0].astype(float)
        begins = np.zeros(chunks)
        for chunk in np.argsort(-near, kind="stable")[:10]:
            begins[chunk] = np.exp((near[chunk] - near.max()) / 0.1)
        begins /= begins.sum()
        start = np.concatenate([np.zeros(entities), begins])
        if named:
            start = 0.2 * start
            for entity, weight in named.items():
                start[entity] = 0.8 * weight
        rank = start
        for _ in range(8):
            rank = 0.15 * start + 0.85 * share.T @ rank
        expected = sorted(range(chunks), key=lambda c: (-rank[entities + c], -near[c]))
        places = np.argsort(-part.marks["chunk"][:, 3], kind="stable")
        assert places.tolist() == expected
        assert sorted(part.marks["chunk"][:, 3], reverse=True) == pytest.approx(
            [1 - np.log(place) / 5 for place in range(1, chunks + 1)], abs=1e-6
        )


def test_candidates_keep_the_order_in_which_they_were_found() -> None:
    arrays = random_arrays(19, chunks=14)
    found = np.array([9, 2, 11, 2, 5])
    part = neighbourhood(arrays, question(19), {1: 1.0}, np.arange(6), Budget(2, 6, 9), found)
    assert part.rows["chunk"].tolist() == [2, 5, 9, 11]
    assert part.marks["chunk"][:, 3] == pytest.approx(
        [1 - np.log(place) / 5 for place in (2, 4, 1, 3)], abs=1e-6
    )


def test_a_chunk_two_hops_away_is_reached_within_the_budget() -> None:
    """Chunk 0 is near; it names an entity that chunk 7 holds, which nothing else leads to."""
    arrays = random_arrays(14, chunks=12)
    first = int(arrays.E_cd[0][arrays.E_cd[1] == 0][0])
    far = int(arrays.E_cd[0][arrays.E_cd[1] == 7][0])
    bridge = len(arrays.entity_ids) - 1
    joined = np.array([[bridge, bridge], [first, far]], dtype=np.int32)
    arrays = replace(
        arrays,
        E_oc=np.concatenate([arrays.E_oc, joined], 1),
        E_od=np.concatenate([arrays.E_od, np.array([[bridge, bridge], [0, 7]], np.int32)], 1),
    )
    asked = arrays.sentence_vectors[first].astype(np.float32)
    part = neighbourhood(arrays, asked, {}, np.array([0]), Budget(1, 3, 10))
    assert {0, 7} <= set(part.rows["chunk"].tolist())
    assert bridge in part.rows["entity"]


def test_arrays_are_what_was_saved(tmp_path: Path) -> None:
    arrays = random_arrays(15)
    save_network_arrays(arrays, tmp_path / "levels")
    loaded = load_network_arrays(tmp_path / "levels")
    assert loaded is not None
    for level in LEVELS:
        assert np.array_equal(loaded.vectors(level), arrays.vectors(level))
        assert np.array_equal(loaded.ids(level), arrays.ids(level))
    for name in (*INTRA.values(), *INTER):
        assert np.array_equal(loaded.relation(name), arrays.relation(name))
    assert load_network_arrays(tmp_path / "nothing") is None


def test_arrays_and_questions_of_other_shapes_are_refused() -> None:
    arrays = random_arrays(16)
    with pytest.raises(ValueError, match="chunk_vectors"):
        replace(arrays, chunk_vectors=arrays.chunk_vectors[1:])
    with pytest.raises(ValueError, match="one chunk a sentence"):
        replace(arrays, E_cd=arrays.E_cd[:, 1:])
    with pytest.raises(ValueError, match=r"Expected a question \[12\]"):
        neighbourhood(arrays, np.zeros(3), {}, np.array([0]), WHOLE)
    with pytest.raises(ValueError, match="none"):
        batch_of([])
