"""partial-alignment's parts: the index, the search against loops, the loss by hand, training."""

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from clew_models.errors import ModelNotInstalled
from clew_models.fitting import CHECKPOINT
from clew_models.partial_alignment import (
    IndexKind,
    KeptVectors,
    Options,
    PartialIndex,
    TripleTable,
    build_index,
    find_triples,
    load_index,
    save_index,
)
from clew_models.partial_alignment import index as index_module
from clew_models.partial_alignment import search as search_module
from clew_models.partial_alignment.examples import AlignedQuestion, partial_texts
from clew_models.partial_alignment.index import TripleRow, packed_index
from clew_models.partial_alignment.search import STAGES
from clew_models.partial_alignment.towers import (
    CONFIGURATION,
    TOWERS,
    WEIGHTS,
    Towers,
    load_towers,
    save_towers,
)
from clew_models.partial_alignment.training import (
    FitOptions,
    _step,
    alignment_loss,
    batch_of,
    fit,
    mean_loss,
)

from ..damaged_files import damaged

D = 8


def vector_of(text: str) -> NDArray[np.float32]:
    """Return a vector of unit length that is always the same for a text, in half precision."""
    rng = np.random.default_rng(list(text.encode()))
    vector = rng.normal(size=D)
    return (vector / np.linalg.norm(vector)).astype(np.float16).astype(np.float32)


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    return np.stack([vector_of(text) for text in texts])


def triples(count: int, entities: int = 30, seed: int = 1) -> list[TripleRow]:
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        head, tail = rng.integers(entities, size=2)
        relation = f"relation {rng.integers(5)}"
        rows.append(
            TripleRow(f"t{number:04}", f"e{head}", f"n{head}", relation, f"e{tail}", f"n{tail}")
        )
    return rows


def index_of(
    rows: Sequence[TripleRow], kind: IndexKind = "auto", full: bool = False
) -> PartialIndex:
    table = TripleTable()
    table.add(rows)
    return build_index(table, embed, D, kind, full=full)


def found_by_loops(
    rows: Sequence[TripleRow], vector: NDArray[np.float32], options: Options
) -> list[tuple[str, str]]:
    """Algorithm 1 over the distinct triples as it is written, stage and id of each."""
    first: dict[tuple[str, str, str], TripleRow] = {}
    for row in rows:
        first.setdefault((row.head_id, row.relation, row.tail_id), row)
    own = list(first.values())

    def anchor(row: TripleRow) -> list[float]:
        parts = partial_texts(row.head, row.relation, row.tail)
        return sorted((float(vector_of(part) @ vector) for part in parts), reverse=True)

    ranked = sorted(own, key=lambda row: [-score for score in anchor(row)[:2]])
    found = [("anchor", row) for row in ranked[: options.anchors]]
    sources = [row for _, row in found]
    third = min(options.third, (options.budget - options.anchors) // 2)
    rooms = (options.budget - options.anchors - third, third)
    for stage, room in zip(STAGES[1:], rooms, strict=True):
        taken: list[TripleRow] = []
        queues = []
        for source in sources:
            ends = {source.head_id, source.tail_id}
            scored = []
            for row in own:
                if row is source or not ends & {row.head_id, row.tail_id}:
                    continue
                words = [row.relation]
                words += [row.head] * (row.head_id not in ends)
                words += [row.tail] * (row.tail_id not in ends)
                scored.append((-max(float(vector_of(w) @ vector) for w in words), row.id, row))
            queues.append([row for _, _, row in sorted(scored)])
        while any(queues) and len(taken) < room:
            for queue in queues:
                given = 0
                while queue and given < options.per_source and len(taken) < room:
                    row = queue.pop(0)
                    if row not in taken and row not in [one for _, one in found]:
                        taken.append(row)
                        given += 1
        found += [(stage, row) for row in taken]
        sources = taken
    return [(stage, row.id) for stage, row in found]


@pytest.mark.parametrize("per_source", [1, 3])
@pytest.mark.parametrize("flat", [None, 0, 1000])
@pytest.mark.parametrize("seed", range(6))
def test_the_search_finds_what_loops_find(
    seed: int, flat: int | None, per_source: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``flat``: how many triples among a third of all may be compared one by one; None: all.

    For every other seed the third stage asks for more than half of what the anchors leave.
    """
    monkeypatch.setattr(search_module, "FLAT_UP_TO", flat)
    rows = triples(200, seed=seed)
    index = index_of(rows)
    chosen = rows if flat is None else rows[::3]
    kept = None if flat is None else index.statements_among([row.id for row in chosen])
    among = None if kept is None else index.triples_of(kept)
    options = Options(
        budget=24, anchors=6, third=(9, 20)[seed % 2], per_source=per_source, among=among
    )
    vector = vector_of(f"question {seed}")
    found = [
        (one.stage, index.statements(one.row, kept)[0])
        for _, stage in find_triples(index, vector, options)
        for one in stage
    ]
    assert found == found_by_loops(chosen, vector, options)
    assert len(found) == 24


def test_a_triple_that_several_passages_state_is_one() -> None:
    rows = triples(10)
    again = [row._replace(id=f"u{row.id}") for row in rows]
    index = index_of([*rows, *again])
    assert len(index) == len(index_of(rows))
    assert index.statements(0) == [rows[0].id, f"u{rows[0].id}"]


def test_two_hops_reach_what_one_does_not_and_hubs_are_no_way() -> None:
    rows = [
        TripleRow("t0", "a", "Ada", "knows", "b", "Bela"),
        TripleRow("t1", "b", "Bela", "knows", "c", "Cora"),
        TripleRow("t2", "c", "Cora", "knows", "d", "Dora"),
    ]
    index = index_of(rows)
    vector = vector_of("Ada knows")

    def found(**changes: Any) -> list[str]:
        options = Options(budget=3, anchors=1, third=0, **changes)
        stages = list(find_triples(index, vector, options))
        return [index.statements(one.row)[0] for _, stage in stages for one in stage]

    assert found() == ["t0", "t1"]
    assert sorted(found(hops=2)) == ["t0", "t1", "t2"]
    assert found(hub=1) == ["t0"]


def test_whole_triples_are_compared_where_asked() -> None:
    rows = triples(100)
    index = index_of(rows, full=True)
    vector = vector_of("question")
    texts = [" ".join((row.head, row.relation, row.tail)) for row in rows]
    best = max(texts, key=lambda text: float(vector_of(text) @ vector))
    ((_, (anchor,)), *_) = find_triples(
        index, vector, Options(budget=1, anchors=1, third=0, full_anchors=True)
    )
    own = next(row for row in rows if row.id == index.statements(anchor.row)[0])
    assert " ".join((own.head, own.relation, own.tail)) == best


@pytest.mark.parametrize("kind", ["ivf", "hnsw"])
def test_packed_indexes_find_what_a_flat_one_finds(kind: IndexKind) -> None:
    rows = triples(2000, entities=400)
    flat, packed = index_of(rows, "flat"), index_of(rows, kind)
    assert not len(flat.packed)
    assert len(packed.packed)
    shared = [
        len({*flat.nearest_parts(v, 20).tolist()} & {*packed.nearest_parts(v, 20).tolist()}) / 20
        for v in (vector_of(f"question {number}") for number in range(20))
    ]
    assert np.mean(shared) > 0.85


def test_few_partial_triples_are_never_packed() -> None:
    assert not len(packed_index(np.ones((10, D), np.float16), "ivf"))


def test_only_what_is_new_is_embedded() -> None:
    asked: list[str] = []

    def counting(texts: Sequence[str]) -> NDArray[np.float32]:
        asked.extend(texts)
        return embed(texts)

    rows = triples(50)
    table = TripleTable()
    table.add(rows[:40])
    first = build_index(table, counting, D)
    assert len(asked) == len({*asked}) == len(table.partials) + len(table.elements)
    asked.clear()
    added = TripleRow("t9", "e1", "n1", "is next to", "e77", "somewhere")
    table = TripleTable()
    table.add([*rows[20:40], added])
    second = build_index(table, counting, D, previous=first)
    assert sorted(asked) == sorted(
        [*partial_texts("n1", "is next to", "somewhere"), "is next to", "somewhere"]
    )
    assert np.array_equal(second.partial_vectors, embed(list(table.partials)).astype(np.float16))


def test_what_was_embedded_outlives_an_interruption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "EMBEDDED_AT_ONCE", 16)
    table = TripleTable()
    table.add(triples(50))
    texts = len(table.partials) + len(table.elements)
    asked: list[str] = []

    def until(count: int, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(asked) >= count:
            raise KeyboardInterrupt
        asked.extend(texts)
        return embed(texts)

    with pytest.raises(KeyboardInterrupt):
        build_index(table, partial(until, 48), D, kept=KeptVectors(tmp_path, D))
    with (tmp_path / "vectors").open("ab") as file:
        file.write(b"half a vector")
    told: list[tuple[int, int]] = []
    index = build_index(
        table,
        partial(until, texts),
        D,
        kept=KeptVectors(tmp_path, D),
        tell=lambda done, new: told.append((done, new)),
    )
    assert told[:2] == [(0, texts - 48), (16, texts - 48)]
    assert sorted(asked) == sorted([*table.partials, *table.elements])
    whole = build_index(table, embed, D)
    assert np.array_equal(index.partial_vectors, whole.partial_vectors)
    assert np.array_equal(index.element_vectors, whole.element_vectors)


def test_an_index_lies_in_a_folder_and_none_of_nothing_finds_nothing(tmp_path: Path) -> None:
    index = index_of(triples(60), "ivf")
    save_index(index, tmp_path / "one")
    loaded = load_index(tmp_path / "one")
    assert loaded is not None
    assert loaded.statements(3) == index.statements(3)
    assert np.array_equal(
        loaded.nearest_parts(vector_of("q"), 5), index.nearest_parts(vector_of("q"), 5)
    )
    assert load_index(tmp_path / "none") is None
    empty = index_of([])
    assert [stage for _, stage in find_triples(empty, vector_of("q"), Options())] == [[], [], []]


EXAMPLES = [
    AlignedQuestion(
        "Who is the child of Ada?", "Ada child", ("Ada", "child"), ("Ada Bela", "Bela")
    ),
    AlignedQuestion("Whose child is Bela?", "child Bela", ("child", "Bela"), ("Ada child", "Ada")),
    AlignedQuestion("Where was Cora born?", "Cora born in", ("Cora", "born in"), ("Cora Oslo",)),
]


@pytest.mark.parametrize(("anchors", "elements"), [(True, True), (True, False), (False, True)])
def test_the_loss_by_hand(anchors: bool, elements: bool) -> None:
    options = FitOptions(temperature=0.5, anchors=anchors, connected=elements)
    batch = batch_of(EXAMPLES)
    questions = torch.from_numpy(embed(batch.questions))
    units = torch.from_numpy(embed(batch.texts))
    loss = float(alignment_loss(questions, units, batch, options))

    def likeness(one: AlignedQuestion, text: str) -> float:
        return math.exp(float(vector_of(one.question) @ vector_of(text)) / 0.5)

    pairs, singles = [], []
    for one in EXAMPLES:
        others = {e.unit for e in EXAMPLES} - {one.unit, *one.related}
        below = likeness(one, one.unit) + sum(likeness(one, text) for text in others)
        pairs.append(-math.log(likeness(one, one.unit) / below))
        wrong = {x for e in EXAMPLES for x in e.elements} - {*one.elements, *one.related}
        for element in one.elements:
            below = likeness(one, element) + sum(likeness(one, text) for text in wrong)
            singles.append(-math.log(likeness(one, element) / below))
    expected = anchors * np.mean(pairs) + elements * np.mean(singles)
    assert loss == pytest.approx(expected, rel=1e-4)


@pytest.fixture(scope="module")
def towers() -> Towers:
    return Towers("minilm", rank=4)


def test_both_encoders_begin_as_the_embedder(towers: Towers, cache_dir: Path) -> None:
    from clew_models.embedding import load_embedder

    texts = ["Who is the child of Ada?", "Ada child"]
    expected = load_embedder("minilm", cache_dir=cache_dir, precision="float32").embed(texts)
    for tower in TOWERS:
        assert np.allclose(towers.embed(texts, tower), expected, atol=1e-4)


def test_a_batch_in_slices_has_the_gradient_of_the_whole(towers: Towers) -> None:
    gradients = []
    for size in (1, 100):
        towers.zero_grad()
        _step(towers, EXAMPLES, FitOptions(slice=size), "cpu")
        gradients.append(
            {n: w.grad.clone() for n, w in towers.adapters().items() if w.grad is not None}
        )
    assert gradients[0].keys() == gradients[1].keys() == towers.adapters().keys()
    assert any(bool(gradient.abs().max() > 1e-6) for gradient in gradients[0].values())
    for name, gradient in gradients[0].items():
        assert torch.allclose(gradient, gradients[1][name], atol=1e-5), name
    towers.zero_grad()


def test_a_training_that_was_stopped_goes_on_to_the_same_end(tmp_path: Path) -> None:
    options = FitOptions(epochs=4, batch=2, save_steps=1, rate=3e-3, temperature=1.0, patience=100)

    def trained(folder: Path, stops: Sequence[bool]) -> tuple[Towers, list[int]]:
        steps: list[int] = []
        for stop in stops:
            own = Towers("minilm", rank=2)
            fit(
                own,
                EXAMPLES,
                EXAMPLES,
                folder,
                options,
                progress=lambda step, total: steps.append(step),
                cancelled=lambda stop=stop: stop and len(steps) >= 2,  # type: ignore[misc]
            )
        return own, steps

    for name in ("whole", "halves"):
        (tmp_path / name).mkdir()
    whole, steps = trained(tmp_path / "whole", [False])
    halves, resumed = trained(tmp_path / "halves", [True, False])
    assert steps == list(range(1, 9))
    # step 3 was done before the stop, and is not done again
    assert resumed == [1, 2, 4, 5, 6, 7, 8]
    for name, weight in whole.adapters().items():
        assert torch.allclose(weight, halves.adapters()[name], atol=1e-5), name
    base = Towers("minilm", rank=2)
    assert mean_loss(whole, EXAMPLES, options) < mean_loss(base, EXAMPLES, options)
    assert (tmp_path / "halves" / CHECKPOINT).exists()


def test_a_version_is_its_adapters(towers: Towers, tmp_path: Path) -> None:
    with torch.no_grad():
        for weight in towers.adapters().values():
            weight.add_(0.01)
    save_towers(towers, tmp_path)
    loaded = load_towers(tmp_path)
    texts = ["Ada child"]
    for tower in TOWERS:
        assert np.allclose(loaded.embed(texts, tower), towers.embed(texts, tower), atol=1e-2)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 2_000_000


def test_a_version_that_is_damaged_is_told_with_what_to_do(towers: Towers, tmp_path: Path) -> None:
    save_towers(towers, tmp_path / "whole")
    for folder in damaged(tmp_path / "whole", tmp_path, CONFIGURATION, WEIGHTS):
        with pytest.raises(ModelNotInstalled, match="partial_alignment_version") as raised:
            load_towers(folder)
        assert str(folder) in raised.value.message
