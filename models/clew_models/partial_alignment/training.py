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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from clew_models.fitting import Course, Watching, one_cycle, run_course
from clew_models.partial_alignment.examples import AlignedQuestion
from clew_models.partial_alignment.towers import Tower, Towers


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
    course = Course(
        len(examples),
        options.batch,
        options.epochs,
        options.save_steps,
        options.patience,
        options.seed,
    )
    optimizer = torch.optim.AdamW(towers.adapters().values(), lr=options.rate, weight_decay=0.01)
    schedule = one_cycle(optimizer, course)
    learner = _Learner(towers, examples, held_out, options, device)
    watching = Watching(progress, point, cancelled)
    return run_course(learner, course, optimizer, schedule, folder, watching, device)


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


@dataclass(frozen=True)
class _Learner:
    """The encoders with what they learn from."""

    towers: Towers
    examples: Sequence[AlignedQuestion]
    held_out: Sequence[AlignedQuestion]
    options: FitOptions
    device: str

    def step(self, chosen: Sequence[int]) -> float:
        """See Learner."""
        own = [self.examples[place] for place in chosen]
        return _step(self.towers, own, self.options, self.device)

    def held_out_loss(self) -> float:
        """See Learner."""
        return mean_loss(self.towers, self.held_out, self.options, self.device)

    def weights(self) -> dict[str, Tensor]:
        """See Learner."""
        return self.towers.adapters()

    def take(self, weights: Mapping[str, Tensor]) -> None:
        """See Learner."""
        self.towers.take(dict(weights))


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
