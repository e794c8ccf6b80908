"""How the span model is trained: questions with the place of their answer, and without one.

The loss of a question and a window is the cross-entropy of the answer's first and last token, of
[CLS] where the window does not hold it (Devlin et al. 2019, section 4.3); where yes or no is asked
for, that of yes, no and neither is added.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew_models.devices import mixed_precision
from clew_models.runs import padded
from clew_models.span_reader.graph import OUTPUTS, Weights
from clew_models.span_reader.reader import VERDICTS
from clew_models.span_reader.weights import base_weights, whole_head
from clew_models.span_reader.windows import Window, plain_tokenizer, question_ids, windows_of

BATCH = 32
LAYER_RATE, HEAD_RATE = 1e-4, 1e-3
ELSEWHERE = 0.25
"""How often a passage of several windows is read in one that does not hold the answer, if it has
such: a table's rows stand in all of them."""
TOGETHER = 50
"""Batches that are put together by length at once."""
UNASKED = -100
WARM_UP = 40
"""Steps until the rates are whole; they then fall to nothing over the time that is given."""


@dataclass(frozen=True)
class SpanExample:
    """A question asked of a passage, by its number, and the characters that answer it.

    ``end`` 0: the answer is not there. ``kept``: whatever the model that a training goes on from
    held for likely. ``leads``: sentences of other passages that are read beside this one.
    ``verdict``: what is told by a passage that the answer stands in, where yes or no is asked for;
    "neither" by one that tells neither, "" where something else is asked for.
    """

    question: str
    passage: int
    start: int = 0
    end: int = 0
    in_title: bool = False
    kept: bool = False
    leads: tuple[str, ...] = ()
    verdict: Literal["", "yes", "no", "neither"] = ""


def untrained_weights(seed: int = 1) -> dict[str, NDArray[np.float32]]:
    """Return MiniLM with a head of random numbers."""
    return {**base_weights(), **untrained_ends(seed)}


def untrained_ends(seed: int = 1) -> dict[str, NDArray[np.float32]]:
    """Return what an encoder lacks: the segments, and a head of random numbers."""
    rng = np.random.default_rng(seed)
    return {
        "segments": np.zeros((2, 384), np.float32),
        "head.weight": rng.normal(0, 0.02, (OUTPUTS, 384)).astype(np.float32),
        "head.bias": np.zeros(OUTPUTS, np.float32),
    }


def train(
    passages: Sequence[tuple[str, str]],
    examples: Sequence[SpanExample],
    seconds: float,
    *,
    rounds: int = 1000,
    seed: int = 1,
    start: Weights | None = None,
    tell: Callable[[int, int, float], None] = lambda step, seen, loss: None,
    keep: Callable[[dict[str, NDArray[np.float32]]], None] = lambda arrays: None,
    keep_every_s: float = 300.0,
) -> dict[str, NDArray[np.float32]]:
    """Return what was trained on ``examples`` of ``passages`` (title, text).

    Ends after ``rounds`` or ``seconds``, whatever comes first. ``start``: what a training left,
    to go on from; None: MiniLM with a new head. ``tell``: steps, examples seen and the mean loss
    (nats an end of a span), each 20 steps. ``keep``: gets the weights as they are, every so often.
    Raises ValueError if examples are to be kept and there is no ``start``.
    """
    import torch
    from torch.nn.functional import cross_entropy, one_hot

    from clew_models.span_reader.encoder import SpanModel

    torch.manual_seed(seed)
    chance = random.Random(seed)
    weights = untrained_weights(seed) if start is None else {**base_weights(), **whole_head(start)}
    windows = _Windows()
    model = SpanModel(weights)
    model.load_arrays(weights)
    before = None
    if any(example.kept for example in examples):
        if start is None:
            raise ValueError("Examples can be kept as they were only where a training goes on.")
        before = SpanModel(weights).eval().requires_grad_(False)
        before.load_arrays(weights)
    optimizer = torch.optim.AdamW(
        [
            {"params": list(model.layers.parameters()), "rate": LAYER_RATE},
            {"params": [model.segments, *model.head.parameters()], "rate": HEAD_RATE},
        ],
        lr=LAYER_RATE,
        weight_decay=0.01,
    )
    started = kept_at = time.perf_counter()
    step = seen = 0
    losses: list[float] = []
    warm_up = min(WARM_UP, max(1, rounds * len(examples) // BATCH // 10))
    for done in range(rounds):
        for place, batch in enumerate(_batches(passages, examples, windows, chance)):
            now = time.perf_counter()
            read_through = min(1.0, place * BATCH / len(examples))
            spent = max((now - started) / seconds, (done + read_through) / rounds)
            if spent >= 1:
                return model.arrays()
            left = min(1.0, (step + 1) / warm_up) * (1 - spent)
            for group in optimizer.param_groups:
                group["lr"] = group["rate"] * left
            question, question_mask = padded([one.question for one in batch])
            window, window_mask = padded([one.window for one in batch])
            read = [
                torch.from_numpy(array) for array in (question, question_mask, window, window_mask)
            ]
            targets = one_hot(torch.tensor([one.places for one in batch]), window.shape[1])
            targets = targets.transpose(1, 2).float()  # [B, L, 2]
            kept = torch.tensor([one.example.kept for one in batch])
            told = torch.tensor([one.told for one in batch])
            with mixed_precision("cpu"):
                logits = model(*read)
                if before is not None and kept.any():
                    held = before(*(array[kept] for array in read)).float()
                    targets[kept] = held[..., :2].softmax(1)
            loss = cross_entropy(logits[..., :2].float(), targets)
            if (told >= 0).any():
                asked = (told >= 0).float().mean()
                of_cls = logits[:, 0, 2:].float()
                loss = loss + asked * cross_entropy(of_cls, told, ignore_index=UNASKED)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            losses.append(float(loss.detach()))
            step, seen = step + 1, seen + len(batch)
            if step % 20 == 0:
                tell(step, seen, float(np.mean(losses[-20:])))
            if now - kept_at > keep_every_s:
                kept_at = now
                keep(model.arrays())
    return model.arrays()


class _Read(NamedTuple):
    """An example as ids, with the first and last token of its answer in the window, 0 where that
    does not hold it."""

    example: SpanExample
    question: tuple[int, ...]
    window: tuple[int, ...]
    places: tuple[int, int]

    @property
    def told(self) -> int:
        """Which of VERDICTS the window tells, UNASKED where neither yes nor no is asked for."""
        verdict = self.example.verdict
        return VERDICTS.index(verdict if self.places[1] else "neither") if verdict else UNASKED


def _batches(
    passages: Sequence[tuple[str, str]],
    examples: Sequence[SpanExample],
    windows: "_Windows",
    chance: random.Random,
) -> Iterator[list[_Read]]:
    """Yield all examples in batches of about one length, in any order."""
    order = list(examples)
    chance.shuffle(order)
    for start in range(0, len(order), TOGETHER * BATCH):
        some = [
            windows.read(passages[example.passage], example, chance)
            for example in order[start : start + TOGETHER * BATCH]
        ]
        some.sort(key=lambda one: len(one.question) + len(one.window))
        batches = [some[at : at + BATCH] for at in range(0, len(some), BATCH)]
        chance.shuffle(batches)
        yield from batches


class _Windows:
    """Questions and passages as ids; the windows of passages are kept."""

    def __init__(self) -> None:
        self._tokenizer = plain_tokenizer()
        self._kept: dict[tuple[str, str], list[Window]] = {}

    def read(self, passage: tuple[str, str], example: SpanExample, chance: random.Random) -> _Read:
        """Return an example as it is read, with one of the windows of its passage."""
        question = question_ids(self._tokenizer, example.question, example.leads)
        if passage not in self._kept:
            self._kept[passage] = windows_of(self._tokenizer, *passage)
        held, rest = list[_Read](), list[_Read]()
        for window in self._kept[passage]:
            found = None
            if example.end:
                found = window.tokens_of(example.start, example.end, title=example.in_title)
            own = _Read(example, question, window.ids, found or (0, 0))
            (rest if found is None else held).append(own)
        if held and not (rest and chance.random() < ELSEWHERE):
            return held[0]
        return chance.choice(rest)
