"""The loop that trainings share: steps over shuffled examples, looks at held-out ones, checkpoints.

What is learned, and by which loss, is the `Learner`'s affair. A training that was killed goes on
from its checkpoint to the same weights: the order of an epoch depends on the seed alone.
"""

import os
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

CHECKPOINT = "checkpoint.pt"


class Learner(Protocol):
    """What is trained, with its examples, which are named by their places."""

    def step(self, chosen: Sequence[int]) -> float:
        """Add the gradient of a batch to the weights'; return its loss."""
        ...

    def held_out_loss(self) -> float:
        """Return the mean loss of the examples that are kept apart; 0 without any."""
        ...

    def weights(self) -> Mapping[str, Tensor]:
        """Return all that a step can change, by name."""
        ...

    def take(self, weights: Mapping[str, Tensor]) -> None:
        """Put weights that ``weights`` returned back in place."""
        ...


@dataclass(frozen=True)
class Course:
    """How long to learn. ``batch``: examples of a step; ``patience``: looks at the held-out loss
    without a better one after which it ends (None: never); ``save_steps``: between checkpoints, and
    between looks; ``seed``: draws the order.
    """

    examples: int
    batch: int
    epochs: int = 1
    save_steps: int = 20
    patience: int | None = None
    seed: int = 0

    @property
    def epoch_steps(self) -> int:
        """Steps of one pass over the examples."""
        return -(-self.examples // self.batch)

    @property
    def steps(self) -> int:
        """Steps of the whole training, where it does not end early."""
        return self.epoch_steps * self.epochs

    def chosen(self, step: int) -> list[int]:
        """Return the places of the examples of a step, from 0."""
        epoch, place = divmod(step, self.epoch_steps)
        order = list(range(self.examples))
        random.Random(f"{self.seed} {epoch}").shuffle(order)
        return order[place * self.batch : (place + 1) * self.batch]


@dataclass(frozen=True)
class Watching:
    """Who is told: ``progress`` (step, steps in all), ``point`` (step, loss, held out), and
    ``cancelled``, which says whether to stop.
    """

    progress: Callable[[int, int], None] = lambda step, total: None
    point: Callable[[int, float, bool], None] = lambda step, loss, held_out: None
    cancelled: Callable[[], bool] = lambda: False


@dataclass
class _State:
    """Where a training stands. ``best``: the weights of the least held-out loss, ``loss``;
    ``worse``: looks since then.
    """

    step: int
    loss: float
    worse: int = 0
    best: dict[str, Tensor] = field(default_factory=dict)


def one_cycle(optimizer: torch.optim.Optimizer, course: Course, warmup: float = 0.1) -> Any:
    """Return the schedule of a course: each group's rate rises to its own in the share ``warmup``
    of the steps, and falls to nearly nothing by the last.
    """
    steps = course.steps + 1
    if warmup * steps == 1:  # PyTorch divides by the steps of the rise but the first
        steps += 1
    rates = [group["lr"] for group in optimizer.param_groups]
    return torch.optim.lr_scheduler.OneCycleLR(optimizer, rates, steps, pct_start=warmup)


def run_course(
    learner: Learner,
    course: Course,
    optimizer: Any,
    schedule: Any,
    folder: Path | None,
    watching: Watching,
    device: str = "cpu",
) -> bool:
    """Train; what ``learner`` was best at, by the held-out loss, is what it is at the end.

    Goes on from the checkpoint of ``folder``. The optimiser's weights are clipped to a gradient of
    length 1. Where ``watching.cancelled`` says so, leaves a checkpoint and returns False.
    """
    trained = [weight for group in optimizer.param_groups for weight in group["params"]]
    state = _restored(learner, optimizer, schedule, folder, device)
    if state is None:
        state = _State(0, learner.held_out_loss(), 0, _copied(learner.weights()))
        watching.point(0, state.loss, True)
    recent: list[float] = []
    optimizer.zero_grad()
    while state.step < course.steps and (course.patience is None or state.worse < course.patience):
        recent.append(learner.step(course.chosen(state.step)))
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        state.step += 1
        stopped, done = watching.cancelled(), state.step == course.steps
        if state.step % course.save_steps == 0 or done or stopped:
            watching.point(state.step, float(np.mean(recent)), False)
            recent.clear()
            loss = learner.held_out_loss()
            watching.point(state.step, loss, True)
            state.worse = 0 if loss <= state.loss else state.worse + 1
            if loss <= state.loss:
                state.loss, state.best = loss, _copied(learner.weights())
            _save(learner, optimizer, schedule, state, folder)
            if stopped and not done:
                return False
        watching.progress(state.step, course.steps)
    learner.take(state.best)
    return True


def _copied(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: weight.detach().clone() for name, weight in weights.items()}


def _save(
    learner: Learner, optimizer: Any, schedule: Any, state: _State, folder: Path | None
) -> None:
    """Write a checkpoint that is there whole or not at all."""
    if folder is None:
        return
    beside = folder / f".{CHECKPOINT}"
    torch.save(
        {
            "weights": _copied(learner.weights()),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
            **state.__dict__,
        },
        beside,
    )
    os.replace(beside, folder / CHECKPOINT)


def _restored(
    learner: Learner, optimizer: Any, schedule: Any, folder: Path | None, device: str
) -> _State | None:
    path = None if folder is None else folder / CHECKPOINT
    if path is None or not path.exists():
        return None
    kept = torch.load(path, map_location=device, weights_only=True)
    learner.take(kept["weights"])
    optimizer.load_state_dict(kept["optimizer"])
    schedule.load_state_dict(kept["schedule"])
    return _State(kept["step"], kept["loss"], kept["worse"], kept["best"])
