"""The kernel against hand-computed numbers and networkx; the arrays against brute force."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from numpy.typing import NDArray

from clew_models.guided_pagerank import (
    GraphParts,
    GuidedArrays,
    build_arrays,
    edge_weights,
    load_snapshot,
    personalised_pagerank,
    rank_chunks,
    save_snapshot,
    sentence_cosines,
)

from .made_arrays import DIMENSION, vectors


def random_parts(seed: int, shuffle: int | None = None) -> GraphParts:
    draw = random.Random(seed)
    chunks = [f"c{i}" for i in range(9)]
    sentences = [(f"s{i}", draw.choice(chunks)) for i in range(25)]
    mentions = [(f"e{draw.randrange(12)}", f"s{draw.randrange(25)}") for _ in range(60)]
    titles = [(f"e{draw.randrange(12)}", chunk) for chunk in chunks[:7]]
    lists = (chunks, sentences, mentions, titles)
    if shuffle is not None:
        for items in lists:
            random.Random(shuffle).shuffle(items)
    return GraphParts(*lists)


def random_arrays(seed: int) -> GuidedArrays:
    return build_arrays(random_parts(seed), DIMENSION, vectors)


def same(one: GuidedArrays, other: GuidedArrays) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in vars(other))


def test_edge_weights_by_hand() -> None:
    arrays = build_arrays(
        GraphParts(
            chunks=["c1", "c2"],
            sentences=[("s1", "c1"), ("s2", "c1"), ("s3", "c2")],
            mentions=[("bridge", "s2"), ("bridge", "s3")],
            titles=[("title", "c1")],
        ),
        DIMENSION,
        vectors,
    )
    cosines = np.array([0.5, 0.1, 0.3], dtype=np.float32)
    weights = edge_weights(arrays, cosines, temperature=0.2, floor=0.001)
    edges = {
        (arrays.entity_ids[e], arrays.chunk_ids[c]): weight
        for e, c, weight in zip(arrays.edge_entity, arrays.edge_chunk, weights, strict=True)
    }
    assert edges[("bridge", "c1")] == pytest.approx(np.log(1 + 2 / 2) * (np.exp(-2) + 0.001))
    assert edges[("bridge", "c2")] == pytest.approx(np.log(1 + 2 / 2) * (np.exp(-1) + 0.001))
    both = 1 + np.exp(-2) + 0.002
    assert edges[("title", "c1")] == pytest.approx(np.log(1 + 2 / 1) * both)
    assert len(edges) == 3


def test_incidence_against_brute_force() -> None:
    for seed in range(20):
        parts = random_parts(seed)
        arrays = build_arrays(parts, DIMENSION, vectors)
        chunk_of = dict(parts.sentences)
        carried: dict[tuple[str, str], set[str]] = {}
        for entity, sentence in parts.mentions:
            carried.setdefault((entity, chunk_of[sentence]), set()).add(sentence)
        for entity, chunk in parts.titles:
            held = {s for s, c in chunk_of.items() if c == chunk}
            carried.setdefault((entity, chunk), set()).update(held)
        built = {
            (str(arrays.entity_ids[e]), str(arrays.chunk_ids[c])): {
                str(arrays.sentence_ids[s])
                for s in arrays.edge_sentences[
                    arrays.edge_offsets[edge] : arrays.edge_offsets[edge + 1]
                ]
            }
            for edge, (e, c) in enumerate(zip(arrays.edge_entity, arrays.edge_chunk, strict=True))
        }
        assert built == carried


@pytest.mark.parametrize("damping", [0.5, 0.7, 0.9])
def test_pagerank_agrees_with_networkx(damping: float) -> None:
    for seed in range(15):
        arrays = random_arrays(seed)
        draw = np.random.default_rng(seed)
        weights = draw.uniform(0.01, 2, len(arrays.edge_chunk)).astype(np.float32)
        entity_seeds = draw.uniform(0, 1, len(arrays.entity_ids)).astype(np.float32)
        chunk_seeds = draw.uniform(0, 1, len(arrays.chunk_ids)).astype(np.float32)
        entities, chunks, _ = personalised_pagerank(
            arrays, weights, entity_seeds, chunk_seeds, damping=damping
        )
        graph = networkx.Graph()
        graph.add_nodes_from([*arrays.entity_ids, *arrays.chunk_ids])
        for e, c, weight in zip(arrays.edge_entity, arrays.edge_chunk, weights, strict=True):
            graph.add_edge(arrays.entity_ids[e], arrays.chunk_ids[c], weight=float(weight))
        masses = [*entity_seeds, *chunk_seeds]
        expected = networkx.pagerank(
            graph,
            alpha=damping,
            personalization=dict(zip(graph.nodes, map(float, masses), strict=True)),
            tol=1e-10,
            max_iter=500,
        )
        found = np.concatenate([entities, chunks])
        assert found == pytest.approx(np.array([expected[n] for n in graph.nodes]), abs=2e-6)
        assert found.sum() == pytest.approx(1, abs=1e-5)


def test_question_decides_which_edge_is_taken() -> None:
    """One entity, two chunks: the chunk whose sentence resembles the question comes first."""
    towards = {"s1": [1.0, 0, 0, 0], "s2": [0, 1.0, 0, 0]}
    arrays = build_arrays(
        GraphParts(["c1", "c2"], [("s1", "c1"), ("s2", "c2")], [("e", "s1"), ("e", "s2")], []),
        DIMENSION,
        lambda ids: np.array([towards[id_] for id_ in ids]),
    )
    for question, best in (([1.0, 0, 0, 0], "c1"), ([0, 1.0, 0, 0], "c2")):
        ranked = rank_chunks(
            arrays,
            np.array(question),
            {"e": 1.0},
            {},
            chunk_cosines={},
            damping=0.7,
            temperature=0.2,
            limit=2,
        )
        assert ranked.ids[0] == best
        assert ranked.scores[0] > 10 * ranked.scores[1]


def test_cosines_in_blocks_agree_with_one_product() -> None:
    rows = 9000  # more than two blocks
    arrays = build_arrays(
        GraphParts(["c"], [(f"s{i:05}", "c") for i in range(rows)], [], [("t", "c")]),
        DIMENSION,
        vectors,
    )
    question = vectors(["question"])[0]
    expected = arrays.sentence_vectors.astype(np.float32) @ question
    assert sentence_cosines(arrays, question) == pytest.approx(expected, abs=1e-6)


def test_arrays_do_not_depend_on_the_order_of_their_parts() -> None:
    for seed in range(10):
        plain = build_arrays(random_parts(seed), DIMENSION, vectors)
        shuffled = build_arrays(random_parts(seed, shuffle=seed + 1), DIMENSION, vectors)
        assert same(plain, shuffled)


def test_only_new_sentences_are_read_again() -> None:
    asked: list[str] = []

    def reader(ids: Sequence[str]) -> NDArray[np.float32]:
        asked.extend(ids)
        return vectors(ids)

    old = GraphParts(["c1", "c2"], [("s1", "c1"), ("s2", "c2")], [("e", "s1")], [])
    new = GraphParts(["c2", "c3"], [("s2", "c2"), ("s3", "c3")], [("e", "s3")], [])
    first = build_arrays(old, DIMENSION, reader)
    asked.clear()
    second = build_arrays(new, DIMENSION, reader, previous=first)
    assert asked == ["s3"]
    assert same(second, build_arrays(new, DIMENSION, vectors))


def test_a_sentence_that_was_gone_when_it_was_read_is_read_again() -> None:
    def without_s2(ids: Sequence[str]) -> NDArray[np.float32]:
        return vectors(ids) * np.array([[id_ != "s2"] for id_ in ids])

    parts = GraphParts(["c1", "c2"], [("s1", "c1"), ("s2", "c2")], [("e", "s1")], [])
    gone = build_arrays(parts, DIMENSION, without_s2)
    assert not gone.sentence_vectors[1].any()
    anew = build_arrays(parts, DIMENSION, vectors, previous=gone)
    assert same(anew, build_arrays(parts, DIMENSION, vectors))


def test_vectors_of_another_dimension_are_not_reused() -> None:
    parts = GraphParts(["c"], [("s", "c")], [("e", "s")], [])
    old = build_arrays(parts, DIMENSION, vectors)
    new = build_arrays(parts, 2, lambda ids: np.ones((len(ids), 2)), previous=old)
    assert new.sentence_vectors.tolist() == [[1, 1]]


def test_what_refers_to_nothing_is_left_out() -> None:
    arrays = build_arrays(
        GraphParts(["c"], [("s", "c"), ("x", "gone")], [("e", "x"), ("f", "s")], [("t", "gone")]),
        DIMENSION,
        vectors,
    )
    assert arrays.entity_ids.tolist() == ["f"]
    assert arrays.sentence_ids.tolist() == ["s"]


def test_chunk_without_sentences_is_reached_by_its_title() -> None:
    arrays = build_arrays(GraphParts(["c"], [], [], [("t", "c")]), DIMENSION, vectors)
    question = vectors(["q"])[0]
    ranked = rank_chunks(
        arrays, question, {"t": 1}, {}, chunk_cosines={}, damping=0.7, temperature=0.2, limit=5
    )
    assert ranked.ids == ["c"]


def test_nothing_is_found_without_seeds_or_chunks() -> None:
    question = vectors(["q"])[0]
    options: dict[str, Any] = {"chunk_cosines": {}, "damping": 0.7, "temperature": 0.2, "limit": 5}
    assert rank_chunks(random_arrays(1), question, {}, {}, **options).ids == []
    assert rank_chunks(random_arrays(1), question, {"unknown": 1.0}, {}, **options).ids == []
    empty = build_arrays(GraphParts([], [], [], []), DIMENSION, vectors)
    assert rank_chunks(empty, question, {"e": 1.0}, {"c": 1.0}, **options).ids == []
    unfilled = build_arrays(GraphParts([], [], [], []), 0, vectors)  # made, and no embedder known
    assert rank_chunks(unfilled, question, {}, {}, **options).ids == []


def test_ties_are_broken_by_id_and_the_limit_holds() -> None:
    chunks = [f"c{i}" for i in range(6)]
    arrays = build_arrays(
        GraphParts(reversed(chunks), [], [], [("t", c) for c in chunks]), DIMENSION, vectors
    )
    ranked = rank_chunks(
        arrays,
        vectors(["q"])[0],
        {"t": 1.0},
        {},
        chunk_cosines={},
        damping=0.7,
        temperature=0.2,
        limit=4,
    )
    assert ranked.ids == chunks[:4]


def test_of_chunks_that_are_reached_alike_the_nearer_comes_first() -> None:
    chunks = ["c0", "c1", "c2"]
    arrays = build_arrays(GraphParts(chunks, [], [], [("t", c) for c in chunks]), 4, vectors)
    near = {"c2": 0.6, "c1": 0.4, "gone": 0.5}
    options: dict[str, Any] = {"damping": 0.7, "temperature": 0.2, "limit": 3}
    ranked = rank_chunks(arrays, vectors(["q"])[0], {"t": 1.0}, {}, chunk_cosines=near, **options)
    assert ranked.ids == ["c2", "c0", "c1"]  # what is not near counts as the farthest; ties by id
    assert ranked.scores[0] == pytest.approx(ranked.scores[1] * np.exp(0.2 / 0.2), rel=1e-4)
    assert ranked.scores[1] == ranked.scores[2]


def test_wrong_shapes_are_refused() -> None:
    arrays = random_arrays(1)
    with pytest.raises(ValueError, match=r"question vector \[4\], got \[3\]"):
        sentence_cosines(arrays, np.ones(3))
    with pytest.raises(ValueError, match="Expected cosines"):
        edge_weights(arrays, np.ones(1, dtype=np.float32), temperature=0.2)
    none = np.zeros(0, dtype=np.float32)
    with pytest.raises(ValueError, match="Expected seeds"):
        personalised_pagerank(arrays, none, none, none, damping=0.5)
    with pytest.raises(ValueError, match="Expected sentence vectors"):
        build_arrays(random_parts(1), DIMENSION, lambda ids: np.ones((1, 2)))


def test_snapshot_comes_back_the_same(tmp_path: Path) -> None:
    arrays = random_arrays(3)
    save_snapshot(arrays, tmp_path / "revision")
    loaded = load_snapshot(tmp_path / "revision")
    assert loaded is not None
    assert same(loaded, arrays)
    # read from the file when it is used: neither a copy nor to be changed
    assert not loaded.sentence_vectors.flags.owndata
    assert not loaded.sentence_vectors.flags.writeable
    assert [path.name for path in tmp_path.iterdir()] == ["revision"]


def test_empty_snapshot_comes_back(tmp_path: Path) -> None:
    save_snapshot(build_arrays(GraphParts([], [], [], []), DIMENSION, vectors), tmp_path / "r")
    loaded = load_snapshot(tmp_path / "r")
    assert loaded is not None
    assert loaded.dimension == DIMENSION


@pytest.mark.parametrize("damage", ["remove", "truncate", "format"])
def test_damaged_snapshot_is_none(tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "revision"
    save_snapshot(random_arrays(3), folder)
    if damage == "remove":
        (folder / "edge_chunk.npy").unlink()
    elif damage == "truncate":
        data = (folder / "sentence_vectors.npy").read_bytes()
        (folder / "sentence_vectors.npy").write_bytes(data[:-20])
    else:
        (folder / "manifest.json").write_text('{"format": 0}')
    assert load_snapshot(folder) is None
    save_snapshot(random_arrays(3), folder)
    assert load_snapshot(folder) is not None
    assert load_snapshot(tmp_path / "missing") is None


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(OSError, match="No space"):
        save_snapshot(random_arrays(3), tmp_path / "revision")
    assert list(tmp_path.iterdir()) == []
