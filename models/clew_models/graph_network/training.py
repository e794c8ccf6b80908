"""How the network learns (QS-6; QSGNN §3.3, Eq. 5): NT-Xent with hard negatives.

    L = − mean over (q, d⁺) of log exp(s(q, d⁺)/τ) / (exp(s(q, d⁺)/τ) + Σ_{d⁻} exp(s(q, d⁻)/τ))

d⁺ is a chunk that answers q; d⁻ are the chunks of its neighbourhood that the network as it is now
ranks highest and that do not answer it, 30 in the paper. Differs from the paper: the right chunk
stands below the line too, so that the loss has a lowest value, 0 (Eq. 5 as printed has none).
Of several right chunks none is a negative of another.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from clew_models.fitting import Course, Watching, one_cycle, run_course
from clew_models.graph_network.batches import batch_of
from clew_models.graph_network.examples import NetworkExample
from clew_models.graph_network.neighbourhood import Neighbourhood
from clew_models.graph_network.network import GraphNetwork

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
    course = Course(
        len(usable), options.batch, options.epochs, options.save_steps, seed=options.seed
    )
    groups = _groups(network, options)
    optimizer = torch.optim.AdamW(groups, lr=options.rate, weight_decay=0.0)
    schedule = one_cycle(optimizer, course)
    learner = _Learner(network, usable, held_out, options, device)
    watching = Watching(progress, point, cancelled)
    if not run_course(learner, course, optimizer, schedule, folder, watching, device):
        return False
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


@dataclass(frozen=True)
class _Learner:
    """The network with what it learns from."""

    network: GraphNetwork
    examples: Sequence[NetworkExample]
    held_out: Sequence[NetworkExample]
    options: FitOptions
    device: str

    def step(self, chosen: Sequence[int]) -> float:
        """See Learner."""
        own = [self.examples[place] for place in chosen]
        loss = _loss(self.network, own, self.options, self.device)
        loss.backward()
        return float(loss.detach())

    def held_out_loss(self) -> float:
        """See Learner."""
        return mean_loss(self.network, self.held_out, self.options, self.device)

    def weights(self) -> dict[str, Tensor]:
        """See Learner."""
        return self.network.state_dict()

    def take(self, weights: Mapping[str, Tensor]) -> None:
        """See Learner."""
        self.network.load_state_dict(dict(weights))


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
