"""How the step reader is trained: gold passages of questions against others that ranked high.

Of each question the loss is that of telling each gold passage g, as it is read, from N others:

    −ln exp f(g) / (exp f(g) + Σ over n exp f(n)),   N of the best ranked and some further down
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew_models.devices import mixed_precision
from clew_models.runs import padded, runs_of
from clew_models.span_reader.graph import Weights
from clew_models.span_reader.weights import base_weights
from clew_models.span_reader.windows import plain_tokenizer, question_ids
from clew_models.step_reader.reader import StepText, step_ids

LAYERS = 3
"""Of the span model's six, the first."""
TOGETHER = 8
"""Questions of a step of the training."""
HARD, FROM_HARD, FROM_REST = 10, 4, 2
"""Others are drawn of the so many that are ranked best, and of the rest."""
RUN_TOKENS = 2048
LAYER_RATE, HEAD_RATE = 1e-4, 5e-4
WARM_UP = 40
"""Steps until the rates are whole; they then fall to nothing over what is given."""


@dataclass(frozen=True)
class StepExample:
    """A question, what was ranked for it, best first, and which of that is gold."""

    question: str
    steps: Sequence[StepText]
    gold: Sequence[bool]

    @property
    def tells(self) -> bool:
        """Whether there is something to be told apart."""
        return any(self.gold) and not all(self.gold)


def train(
    examples: Sequence[StepExample],
    start: Weights,
    seconds: float,
    *,
    steps: int = 10**9,
    layers: int = LAYERS,
    seed: int = 1,
    tell: Callable[[int, int, float], None] = lambda step, seen, loss: None,
) -> dict[str, NDArray[np.float32]]:
    """Return what was trained on ``examples``, beginning with the first ``layers`` of the span
    model ``start`` and a new head, or with a step reader ``start`` and its own.

    Ends after ``steps`` or ``seconds``, whatever comes first. ``tell``: steps, questions seen and
    the mean loss (nats a gold passage), each 50 steps. Raises ValueError where no example tells
    anything apart.
    """
    import torch
    from torch.nn.functional import softplus

    from clew_models.span_reader.encoder import SpanModel

    examples = [one for one in examples if one.tells]
    if not examples:
        raise ValueError("No question has both gold passages and others.")
    torch.manual_seed(seed)
    chance = random.Random(seed)
    model = SpanModel(base_weights(), layers, outputs=1)
    goes_on = start["head.bias"].shape == model.head.bias.shape
    head = {"head.weight": np.zeros((1, 384), np.float32), "head.bias": np.zeros(1, np.float32)}
    model.load_arrays(start if goes_on else {**start, **head})
    if not goes_on:
        torch.nn.init.normal_(model.head.weight, std=0.02)
    optimizer = torch.optim.AdamW(
        [
            {"params": list(model.layers.parameters()), "rate": LAYER_RATE},
            {"params": [model.segments, *model.head.parameters()], "rate": HEAD_RATE},
        ],
        lr=LAYER_RATE,
        weight_decay=0.01,
    )
    tokenizer = plain_tokenizer()
    started = time.perf_counter()
    queue: list[StepExample] = []
    losses: list[float] = []
    seen = 0
    while (spent := max((time.perf_counter() - started) / seconds, len(losses) / steps)) < 1:
        if len(queue) < TOGETHER:
            queue = chance.sample(examples, len(examples)) + queue
        batch = [queue.pop() for _ in range(min(TOGETHER, len(queue)))]
        for group in optimizer.param_groups:
            group["lr"] = group["rate"] * min(1.0, (len(losses) + 1) / WARM_UP) * (1 - spent)
        drawn = [_drawn(one, chance) for one in batch]
        pairs = [
            (question_ids(tokenizer, one.question), window)
            for one, (gold, others) in zip(batch, drawn, strict=True)
            for window in step_ids(tokenizer, [one.steps[place] for place in [*gold, *others]])
        ]
        fits = torch.empty(len(pairs))
        for rows in runs_of([len(q) + len(w) for q, w in pairs], RUN_TOKENS):
            question, question_mask = padded([pairs[row][0] for row in rows])
            window, window_mask = padded([pairs[row][1] for row in rows])
            arrays = (question, question_mask, window, window_mask)
            with mixed_precision("cpu"):
                found = model(*map(torch.from_numpy, arrays))[:, 0, 0]
            fits = fits.index_copy(0, torch.tensor(rows), found.float())
        parts = fits.split([len(gold) + len(others) for gold, others in drawn])
        each = [
            softplus(torch.logsumexp(part[len(gold) :], 0) - part[: len(gold)]).mean()
            for part, (gold, _) in zip(parts, drawn, strict=True)
        ]
        loss = torch.stack(each).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(float(loss.detach()))
        seen += len(batch)
        if len(losses) % 50 == 0:
            tell(len(losses), seen, float(np.mean(losses[-50:])))
    return model.arrays()


def _drawn(example: StepExample, chance: random.Random) -> tuple[list[int], list[int]]:
    """Return the places of the gold passages, and of others to tell them from."""
    gold = [place for place, right in enumerate(example.gold) if right]
    others = [place for place, right in enumerate(example.gold) if not right]
    hard, rest = others[:HARD], others[HARD:]
    drawn = chance.sample(hard, min(FROM_HARD, len(hard)))
    return gold, drawn + chance.sample(rest, min(FROM_REST, len(rest)))
