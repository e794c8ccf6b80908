"""How the encoders learn (KA-4; KAMR section 2.3.2): two InfoNCE losses over partial triples.

    L = L_a + L_c
    L_a = − mean_i log( e^{q_i·u_i / T} / Σ_{u ∈ B − F_i} e^{q_i·u / T} )               Eq. 4
    L_c = − mean_{i,k} log( e^{q_i·e_i^k / T} / Σ_{e ∈ B − F_i} e^{q_i·e / T} )         Eq. 5

u_i is the partial triple that q_i was made from, e_i^k its elements; B is the batch, each text of
it once. F_i are false negatives, which are left out below the line: partial triples of the triples
that q_i is about, other elements that it names, and its answer.

A batch may be larger than memory: its texts are embedded without gradients, the loss is
differentiated by the embeddings, and then each slice of texts is embedded again with its part of
that gradient (GradCache, Gao et al. 2021, arXiv:2101.06983).
"""

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from clew_models.partial_alignment.examples import AlignedQuestion
from clew_models.partial_alignment.towers import Tower, Towers

CHECKPOINT = "checkpoint.pt"


@dataclass(frozen=True)
class FitOptions:
    """How to learn. ``batch`` questions of a step (paper: 512), embedded ``slice`` texts at a time;
    ``rate``: largest learning rate (paper: 2e-5, for all weights); ``temperature``: T;
    ``anchors``, ``connected``: whether L_a and L_c count; ``patience``: looks at the held-out loss
    without a better one after which it ends; ``save_steps``: between checkpoints and looks.
    """

    epochs: int = 5
    batch: int = 64
    slice: int = 32
    rate: float = 5e-4
    temperature: float = 0.05
    anchors: bool = True
    connected: bool = True
    patience: int = 4
    save_steps: int = 20
    seed: int = 42


@dataclass(frozen=True)
class _Batch:
    """Questions [B] with the distinct texts of the other tower [U], and which is what to which.

    ``unit`` [B]: the place of u_i; ``masked`` [B, U]: its false negatives among partial triples,
    and all that is none. ``elements``: of the pairs (i, e_i^k) [2, P]; ``hidden`` [B, U]: what does
    not stand below the line of Eq. 5.
    """

    questions: list[str]
    texts: list[str]
    unit: Tensor
    masked: Tensor
    elements: Tensor
    hidden: Tensor


def batch_of(examples: Sequence[AlignedQuestion]) -> _Batch:
    """Return the questions with everything that is in their batch, each text once."""
    units = dict.fromkeys(one.unit for one in examples)
    singles = dict.fromkeys(e for one in examples for e in one.elements)
    place = {text: i for i, text in enumerate(units)}
    single = {text: len(units) + i for i, text in enumerate(singles)}
    width = len(units) + len(singles)
    masked = torch.zeros(len(examples), width, dtype=torch.bool)
    hidden = torch.zeros(len(examples), width, dtype=torch.bool)
    masked[:, len(units) :] = True
    hidden[:, : len(units)] = True
    pairs = []
    for i, one in enumerate(examples):
        for text in one.related:
            if text in place and text != one.unit:
                masked[i, place[text]] = True
            if text in single:
                hidden[i, single[text]] = True
        for text in one.elements:
            hidden[i, single[text]] = True
            pairs.append((i, single[text]))
    return _Batch(
        [one.question for one in examples],
        [*units, *singles],
        torch.tensor([place[one.unit] for one in examples]),
        masked,
        torch.tensor(pairs).T,
        hidden,
    )


def alignment_loss(questions: Tensor, units: Tensor, batch: _Batch, options: FitOptions) -> Tensor:
    """Return L, in nats a question, of vectors of unit length [B, D] and [U, D]."""
    scores = questions @ units.T / options.temperature  # [B, U]
    device = scores.device
    loss = scores.sum() * 0
    if options.anchors:
        pairs = scores.masked_fill(batch.masked.to(device), -torch.inf)
        loss = loss + torch.nn.functional.cross_entropy(pairs, batch.unit.to(device))
    if options.connected:
        row, column = batch.elements.to(device)
        right = scores[row, column]  # [P]
        wrong = scores.masked_fill(batch.hidden.to(device), -torch.inf)[row]  # [P, U]
        below = torch.logsumexp(torch.cat([right[:, None], wrong], 1), 1)
        loss = loss + (below - right).mean()
    return loss


def fit(
    towers: Towers,
    examples: Sequence[AlignedQuestion],
    held_out: Sequence[AlignedQuestion],
    folder: Path | None = None,
    options: FitOptions | None = None,
    *,
    device: str = "cpu",
    progress: Callable[[int, int], None] = lambda step, total: None,
    point: Callable[[int, float, bool], None] = lambda step, loss, held_out: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> bool:
    """Train ``towers``; what they were best at, by the held-out loss, is what they are at the end.

    Goes on from the checkpoint of ``folder``. ``point`` is called with (step, loss, held out).
    Where ``cancelled`` says so, leaves a checkpoint and returns False. On a GPU the encoders
    compute in bfloat16; what is trained stays float32. Raises ValueError without examples.
    """
    if not examples:
        raise ValueError("There is no example to learn from.")
    options = options or FitOptions()
    towers.to(device)
    weights = towers.adapters()
    steps = -(-len(examples) // options.batch)
    total = steps * options.epochs
    optimizer = torch.optim.AdamW(weights.values(), lr=options.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, options.rate, total_steps=total + 1, pct_start=0.1
    )
    state = _restored(towers, optimizer, schedule, folder, device)
    if state is None:
        loss = mean_loss(towers, held_out, options, device)
        state = _State(0, loss, 0, _copied(weights))
        point(0, loss, True)
    recent: list[float] = []
    while state.step < total and state.worse < options.patience:
        epoch, place = divmod(state.step, steps)
        order = list(range(len(examples)))
        random.Random(f"{options.seed} {epoch}").shuffle(order)
        own = order[place * options.batch : (place + 1) * options.batch]
        recent.append(_step(towers, [examples[i] for i in own], options, device))
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        state.step += 1
        stopped = cancelled()
        if state.step % options.save_steps == 0 or state.step == total or stopped:
            point(state.step, float(np.mean(recent)), False)
            recent.clear()
            loss = mean_loss(towers, held_out, options, device)
            point(state.step, loss, True)
            state.worse = 0 if loss <= state.loss else state.worse + 1
            if loss <= state.loss:
                state.loss, state.best = loss, _copied(weights)
            _save(towers, optimizer, schedule, state, folder)
            if stopped and state.step < total:
                return False
        progress(state.step, total)
    towers.take(state.best)
    return True


def mean_loss(
    towers: Towers,
    examples: Sequence[AlignedQuestion],
    options: FitOptions,
    device: str = "cpu",
) -> float:
    """Return the mean loss of ``examples``, in nats; 0 without any."""
    losses = []
    for start in range(0, len(examples), options.batch):
        batch = batch_of(examples[start : start + options.batch])
        with _precision(device):
            questions = torch.from_numpy(towers.embed(batch.questions, "question"))
            units = torch.from_numpy(towers.embed(batch.texts, "unit"))
        losses += [float(alignment_loss(questions, units, batch, options))] * len(batch.questions)
    return float(np.mean(losses)) if losses else 0.0


@dataclass
class _State:
    step: int
    loss: float
    worse: int
    best: dict[str, Tensor]


def _step(
    towers: Towers, examples: Sequence[AlignedQuestion], options: FitOptions, device: str
) -> float:
    """Add the gradient of a batch, slice by slice, and return its loss."""
    batch = batch_of(examples)
    sides: list[tuple[Sequence[str], Tower]] = [
        (batch.questions, "question"),
        (batch.texts, "unit"),
    ]
    slices = [
        (tower, [texts[row] for row in rows], rows, number)
        for number, (texts, tower) in enumerate(sides)
        for rows in _sliced(texts, options.slice)
    ]
    whole = [torch.empty(0)] * len(sides)
    with torch.no_grad(), _precision(device):
        for tower, texts, rows, number in slices:
            vectors = towers(texts, tower)
            if not len(whole[number]):
                whole[number] = vectors.new_empty(len(sides[number][0]), vectors.shape[1])
            whole[number][rows] = vectors
    leaves = [vectors.requires_grad_(True) for vectors in whole]
    loss = alignment_loss(leaves[0], leaves[1], batch, options)
    loss.backward()
    for tower, texts, rows, number in slices:
        gradient = leaves[number].grad
        assert gradient is not None
        with _precision(device):
            vectors = towers(texts, tower)
        vectors.backward(gradient[rows])
    return float(loss.detach())


def _sliced(texts: Sequence[str], size: int) -> list[list[int]]:
    """Return the places of texts in slices of about equal lengths: padding costs as much."""
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    return [order[start : start + size] for start in range(0, len(order), size)]


def _precision(device: str) -> Any:
    return torch.autocast(device, dtype=torch.bfloat16, enabled=device != "cpu")


def _copied(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: weight.detach().clone() for name, weight in weights.items()}


def _save(
    towers: Towers, optimizer: Any, schedule: Any, state: _State, folder: Path | None
) -> None:
    """Write a checkpoint that is there whole or not at all."""
    if folder is None:
        return
    beside = folder / f".{CHECKPOINT}"
    torch.save(
        {
            "towers": _copied(towers.adapters()),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
            **asdict(state),
        },
        beside,
    )
    os.replace(beside, folder / CHECKPOINT)


def _restored(
    towers: Towers, optimizer: Any, schedule: Any, folder: Path | None, device: str
) -> _State | None:
    path = None if folder is None else folder / CHECKPOINT
    if path is None or not path.exists():
        return None
    kept = torch.load(path, map_location=device, weights_only=True)
    towers.take(kept["towers"])
    optimizer.load_state_dict(kept["optimizer"])
    schedule.load_state_dict(kept["schedule"])
    return _State(kept["step"], kept["loss"], kept["worse"], kept["best"])
