"""How the network learns (QS-6; QSGNN §3.3, Eq. 5): NT-Xent with hard negatives.

    L = − mean over (q, d⁺) of log exp(s(q, d⁺)/τ) / (exp(s(q, d⁺)/τ) + Σ_{d⁻} exp(s(q, d⁻)/τ))

d⁺ is a chunk that answers q; d⁻ are the chunks of its neighbourhood that the network as it is now
ranks highest and that do not answer it, 30 in the paper. Differs from the paper: the right chunk
stands below the line too, so that the loss has a lowest value, 0 (Eq. 5 as printed has none).
Of several right chunks none is a negative of another.
"""

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from clew_models.graph_network.batches import batch_of
from clew_models.graph_network.examples import NetworkExample
from clew_models.graph_network.neighbourhood import Neighbourhood
from clew_models.graph_network.network import GraphNetwork

CHECKPOINT = "checkpoint.pt"
COUNTS = ("gate", "towards", "chunk_marks")
"""Weights that say how much something counts: a number a mark, or a dimension."""


@dataclass(frozen=True)
class FitOptions:
    """How to learn. ``temperature``: τ of the loss (paper: 1); ``negatives`` (paper: 30); ``batch``
    questions of a step; ``epochs`` (paper: 5, then 3 on labelled questions); ``rate``: largest
    learning rate (paper: 1e-4, then 5e-4), ``count_rate`` times it for `COUNTS`; ``save_steps``:
    between checkpoints.
    """

    epochs: int = 5
    batch: int = 16
    rate: float = 1e-4
    count_rate: float = 50.0
    temperature: float = 1.0
    negatives: int = 30
    save_steps: int = 50
    seed: int = 0


def nt_xent(
    scores: Tensor, owner: Tensor, gold: Tensor, *, temperature: float, negatives: int
) -> Tensor:
    """Return the mean loss, in nats, over all pairs of a question and a chunk that answers it.

    ``scores`` [N], ``owner`` [N]: the question of each chunk; ``gold`` [N] bool. 0 without pairs.
    """
    losses = []
    scaled = scores.float() / temperature
    for question in torch.unique(owner[gold]):
        mine = owner == question
        right = scaled[mine & gold]
        wrong = scaled[mine & ~gold]
        hardest = wrong.topk(min(negatives, len(wrong))).values
        against = hardest.expand(len(right), -1)
        losses.append(torch.logsumexp(torch.cat([right[:, None], against], 1), 1) - right)
    if not losses:
        return scores.sum() * 0
    return torch.cat(losses).mean()


def fit(
    network: GraphNetwork,
    examples: Sequence[NetworkExample],
    held_out: Sequence[NetworkExample],
    folder: Path | None = None,
    options: FitOptions | None = None,
    *,
    device: str = "cpu",
    progress: Callable[[int, int], None] = lambda step, total: None,
    point: Callable[[int, float, bool], None] = lambda step, loss, held_out: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> bool:
    """Train ``network``; what it was best at, by the held-out loss, is what it is at the end.

    Goes on from the checkpoint of ``folder``. ``point`` is called with (step, loss, held out).
    Where ``cancelled`` says so, leaves a checkpoint and returns False. On a GPU the network
    computes in bfloat16 and its weights stay float32. Raises ValueError without examples.
    """
    if not any(one.gold.any() for one in examples):
        raise ValueError("There is no example to learn from.")
    options = options or FitOptions()
    usable = [one for one in examples if one.gold.any()]
    network.to(device).train().requires_grad_(True)
    steps = -(-len(usable) // options.batch)
    total = steps * options.epochs
    groups = _groups(network, options)
    optimizer = torch.optim.AdamW(groups, lr=options.rate, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, [group["lr"] for group in groups], total_steps=total + 1, pct_start=0.1
    )
    state = _restored(network, optimizer, schedule, folder, device)
    if state is None:
        loss = mean_loss(network, held_out, options, device)
        state = _State(0, loss, _weights(network))
        point(0, loss, True)
    recent: list[float] = []
    while state.step < total:
        epoch, place = divmod(state.step, steps)
        order = list(range(len(usable)))
        random.Random(f"{options.seed} {epoch}").shuffle(order)
        chosen = [usable[i] for i in order[place * options.batch : (place + 1) * options.batch]]
        loss_value = _step(network, chosen, options, optimizer, device)
        schedule.step()
        state.step += 1
        recent.append(loss_value)
        done = state.step == total
        if state.step % options.save_steps == 0 or done or cancelled():
            point(state.step, float(np.mean(recent)), False)
            recent.clear()
            loss = mean_loss(network, held_out, options, device)
            point(state.step, loss, True)
            if loss <= state.loss:
                state.loss, state.best = loss, _weights(network)
            _save(network, optimizer, schedule, state, folder)
            if cancelled() and not done:
                return False
        progress(state.step, total)
    network.load_state_dict(state.best)
    network.eval().requires_grad_(False)
    return True


def mean_loss(
    network: GraphNetwork,
    examples: Sequence[NetworkExample],
    options: FitOptions,
    device: str = "cpu",
) -> float:
    """Return the mean loss of ``examples``, in nats; 0 without any that can be answered."""
    was = network.training
    network.eval()
    losses = []
    with torch.no_grad():
        for start in range(0, len(examples), options.batch):
            chosen = [one for one in examples[start : start + options.batch] if one.gold.any()]
            if chosen:
                losses += [float(_loss(network, chosen, options, device))] * len(chosen)
    network.train(was)
    return float(np.mean(losses)) if losses else 0.0


def scores_of(
    network: GraphNetwork, parts: Sequence[Neighbourhood], device: str = "cpu", batch: int = 16
) -> list[NDArray[np.float32]]:
    """Return for each neighbourhood the scores of its chunks."""
    found: list[NDArray[np.float32]] = []
    with torch.no_grad():
        for start in range(0, len(parts), batch):
            chosen = parts[start : start + batch]
            scores = network(batch_of(chosen, device)).scores.float().cpu().numpy()
            ends = np.cumsum([len(part.rows["chunk"]) for part in chosen])[:-1]
            found += np.split(scores, ends)
    return found


@dataclass
class _State:
    step: int
    loss: float
    best: dict[str, Tensor]


def _loss(
    network: GraphNetwork, chosen: Sequence[NetworkExample], options: FitOptions, device: str
) -> Tensor:
    batch = batch_of([one.part for one in chosen], device)
    gold = torch.from_numpy(np.concatenate([one.gold for one in chosen])).to(device)
    with torch.autocast(device, dtype=torch.bfloat16, enabled=device != "cpu"):
        scores = network(batch).scores
    return nt_xent(
        scores,
        batch.owner["chunk"],
        gold,
        temperature=options.temperature,
        negatives=options.negatives,
    )


def _step(
    network: GraphNetwork,
    chosen: Sequence[NetworkExample],
    options: FitOptions,
    optimizer: Any,
    device: str,
) -> float:
    loss = _loss(network, chosen, options, device)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()
    return float(loss.detach())


def _groups(network: GraphNetwork, options: FitOptions) -> list[dict[str, Any]]:
    """Return the weights by how fast they learn: how much marks and messages count has few numbers,
    each of which may have to go far; matrices that went as far would fit the wordings.
    """
    named = dict(network.named_parameters())
    few = [weight for name, weight in named.items() if name.rpartition(".")[2] in COUNTS]
    rest = [weight for name, weight in named.items() if name.rpartition(".")[2] not in COUNTS]
    groups = [{"params": rest, "lr": options.rate}]
    if few:
        groups.append({"params": few, "lr": options.rate * options.count_rate})
    return groups


def _weights(network: GraphNetwork) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}


def _save(
    network: GraphNetwork, optimizer: Any, schedule: Any, state: _State, folder: Path | None
) -> None:
    """Write a checkpoint that is there whole or not at all."""
    if folder is None:
        return
    beside = folder / f".{CHECKPOINT}"
    torch.save(
        {
            "network": network.state_dict(),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
            **asdict(state),
        },
        beside,
    )
    os.replace(beside, folder / CHECKPOINT)


def _restored(
    network: GraphNetwork, optimizer: Any, schedule: Any, folder: Path | None, device: str
) -> _State | None:
    path = None if folder is None else folder / CHECKPOINT
    if path is None or not path.exists():
        return None
    kept = torch.load(path, map_location=device, weights_only=True)
    network.load_state_dict(kept["network"])
    optimizer.load_state_dict(kept["optimizer"])
    schedule.load_state_dict(kept["schedule"])
    return _State(kept["step"], kept["loss"], kept["best"])
