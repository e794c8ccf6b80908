"""How a graph language model learns (RA-7; RAS section 3.4): plans and answers, mixed.

    L = − mean over the tokens to be written of log P(token | graph token, prompt, tokens before)

Differs from the paper (2 epochs, batch 2 × 2, rate 1e-5, for models fifty times as large): batches
of 16 and a rate to match, so that few steps are enough; what was best by the held-out loss is kept.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from clew_models.devices import mixed_precision
from clew_models.fitting import Course, Watching, one_cycle, run_course
from clew_models.graph_llm.examples import GraphExample
from clew_models.graph_llm.model import GraphLanguageModel, Vectors

IGNORED = -100
"""The label of a place where nothing is to be written."""


@dataclass(frozen=True)
class FitOptions:
    """How to learn. ``batch`` examples of a step (paper: 4), computed ``slice`` at a time;
    ``rate``: largest learning rate (paper: 1e-5); ``warmup``: share of the steps in which it rises;
    ``decay`` of weights; ``max_tokens``: longer examples are left out (paper: 2,500);
    ``save_steps``: between checkpoints, and looks at held-out examples.
    """

    epochs: int = 1
    batch: int = 16
    slice: int = 4
    rate: float = 5e-4
    warmup: float = 0.15
    decay: float = 0.01
    max_tokens: int = 2500
    save_steps: int = 10
    seed: int = 0


@dataclass(frozen=True)
class Encoded:
    """An example as token ids: the prompt's, and what is to be written behind it."""

    example: GraphExample
    prompt: list[int]
    written: list[int]

    @property
    def length(self) -> int:
        """Tokens of both."""
        return len(self.prompt) + len(self.written)


def encoded(
    model: GraphLanguageModel, examples: Sequence[GraphExample], max_tokens: int
) -> list[Encoded]:
    """Return the examples that are no longer than ``max_tokens``."""
    found = [Encoded(one, model.prompt(one), model.target(one)) for one in examples]
    return [one for one in found if one.length <= max_tokens]


def fit(
    model: GraphLanguageModel,
    examples: Sequence[Encoded],
    held_out: Sequence[Encoded],
    vectors: Vectors,
    folder: Path | None = None,
    options: FitOptions | None = None,
    *,
    progress: Callable[[int, int], None] = lambda step, total: None,
    point: Callable[[int, float, bool], None] = lambda step, loss, held_out: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> bool:
    """Train ``model``, from the checkpoint of ``folder`` where there is one.

    ``vectors``: of all names and predicates. ``point`` is called with (step, loss, held out). Where
    ``cancelled`` says so, leaves a checkpoint and returns False. Raises ValueError without
    examples, or for a model of which nothing can be trained.
    """
    if not examples:
        raise ValueError("There is no example to learn from.")
    trained = list(model.learned().values())
    if not trained:
        raise ValueError("Nothing can be trained of a model without adapter and encoder.")
    options = options or FitOptions()
    course = Course(
        len(examples), options.batch, options.epochs, options.save_steps, seed=options.seed
    )
    optimizer = torch.optim.AdamW(trained, lr=options.rate, weight_decay=options.decay)
    schedule = one_cycle(optimizer, course, options.warmup)
    learner = _Learner(model, examples, held_out, vectors, options)
    watching = Watching(progress, point, cancelled)
    return run_course(learner, course, optimizer, schedule, folder, watching, str(model.device))


def mean_loss(
    model: GraphLanguageModel, examples: Sequence[Encoded], vectors: Vectors, size: int = 4
) -> float:
    """Return the mean loss of ``examples``, in nats a token; 0 without any."""
    tokens = sum(len(one.written) for one in examples)
    with torch.no_grad():
        lost = sum(float(_lost(model, slice_, vectors)) for slice_ in _slices(examples, size))
    return lost / max(tokens, 1)


def writes_first(
    model: GraphLanguageModel, examples: Sequence[Encoded], vectors: Vectors, size: int = 8
) -> list[bool]:
    """Say of each example whether the likeliest tokens, one after the other, begin with its target.

    What ends a text does not count: a model that was not trained goes on.
    """
    found = {}
    with torch.inference_mode():
        for slice_ in _slices(examples, size):
            logits, labels = _logits(model, slice_, vectors)
            wrong = (logits.argmax(-1) != labels) & (labels != IGNORED)
            wrong[:, -1] = False  # the token that ends it
            for one, missed in zip(slice_, wrong.any(1).tolist(), strict=True):
                found[id(one)] = not missed
    return [found[id(one)] for one in examples]


@dataclass(frozen=True)
class _Learner:
    """The model with what it learns from."""

    model: GraphLanguageModel
    examples: Sequence[Encoded]
    held_out: Sequence[Encoded]
    vectors: Vectors
    options: FitOptions

    def step(self, chosen: Sequence[int]) -> float:
        """See Learner."""
        own = [self.examples[place] for place in chosen]
        tokens = sum(len(one.written) for one in own)
        lost = 0.0
        for slice_ in _slices(own, self.options.slice):
            loss = _lost(self.model, slice_, self.vectors) / tokens
            loss.backward()
            lost += float(loss.detach())
        return lost

    def held_out_loss(self) -> float:
        """See Learner."""
        return mean_loss(self.model, self.held_out, self.vectors, self.options.slice)

    def weights(self) -> dict[str, Tensor]:
        """See Learner."""
        return self.model.learned()

    def take(self, weights: Mapping[str, Tensor]) -> None:
        """See Learner."""
        self.model.take(weights)


def _slices(examples: Sequence[Encoded], size: int) -> list[list[Encoded]]:
    """Return the examples in slices of about equal lengths: padding costs as much."""
    order = sorted(examples, key=lambda one: one.length)
    return [order[start : start + size] for start in range(0, len(order), size)]


def _lost(model: GraphLanguageModel, slice_: Sequence[Encoded], vectors: Vectors) -> Tensor:
    """Return the sum of the losses of all tokens that are to be written."""
    with mixed_precision(model.device.type):
        logits, labels = _logits(model, slice_, vectors)
    lost: Tensor = torch.nn.functional.cross_entropy(
        logits.flatten(0, 1).float(), labels.flatten(), ignore_index=IGNORED, reduction="sum"
    )
    return lost


def _logits(
    model: GraphLanguageModel, slice_: Sequence[Encoded], vectors: Vectors
) -> tuple[Tensor, Tensor]:
    """Return [B, T, V] what may be written at the last T places, and [B, T] what is to be.

    Texts are padded before their beginning, so that what is written ends them all.
    """
    device = model.device
    length = max(one.length for one in slice_)
    most = max(len(one.written) for one in slice_)
    token = model.tokens([one.example for one in slice_], vectors)
    more = 0 if token is None else 1
    rows, seen = [], torch.zeros(len(slice_), length + more, dtype=torch.long)
    labels = torch.full((len(slice_), most), IGNORED)
    embed = model.language.get_input_embeddings()
    for row, one in enumerate(slice_):
        ids = torch.tensor([[*one.prompt, *one.written]], device=device)
        text = model.embedded(ids, None if token is None else token[row : row + 1])[0]
        missing = length + more - len(text)
        padding = embed(torch.zeros(missing, dtype=torch.long, device=device))
        rows.append(torch.cat([padding, text]))
        seen[row, missing:] = 1
        labels[row, most - len(one.written) :] = torch.tensor(one.written)
    seen = seen.to(device)
    result: Any = model.language(
        inputs_embeds=torch.stack(rows),
        attention_mask=seen,
        position_ids=(seen.cumsum(1) - 1).clamp(min=0),
        logits_to_keep=most + 1,
        use_cache=False,
    )
    return result.logits[:, :-1], labels.to(device)
