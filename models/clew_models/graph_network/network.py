"""QSGNN: a graph network that reads the question (QS-4; QSGNN §3.2, Eq. 4 and 6).

    h⁰ = x W_c + marks W_m      H' = intra(q, H)      H'' = inter(q, H')      (l layers)
    score(d) = cos(q W_c, h_d)

Embeddings are compressed linearly from D to n. Differs from the paper: the compression begins as
projection on the main directions of the embeddings, so that an untrained network ranks nearly as
they do; with ``marks``, a node also carries what the question says of it (`neighbourhood.py`), and
the score of a chunk is added to by a linear function of its marks, its dense cosine among them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from clew_models.graph_network.arrays import NetworkArrays
from clew_models.graph_network.batches import Batch, batch_of
from clew_models.graph_network.layers import InterLevel, IntraLevel, Update, unit
from clew_models.graph_network.levels import INTER, INTRA, MARKS, NetworkOptions
from clew_models.graph_network.neighbourhood import Neighbourhood
from clew_models.version_files import version_files

CHUNK_MARKS = (1.0, 0.0, 0.2, 2.0)
"""What a chunk's marks count at first: its cosine, what is named in it, what leads there, and its
place in an order."""
TOWARDS = {"entity": (0.0, 0.3, 0.0), "sentence": (0.0, 0.1), "chunk": (0.0, 0.1, 0.1, 0.0)}
"""How far marks move nodes towards the question at first."""
OPTIONS, WEIGHTS = "network.json", "network.safetensors"
SAMPLE = 5000
"""Vectors of each level that an untrained network's main directions are computed from."""


@dataclass
class Ranked:
    """What a network says of a batch.

    ``scores`` [N of chunks], higher is better; ``attention``: by (layer, relation, direction), [M]
    each, where it was asked for; 'forward' is from the first level to the second.
    """

    scores: Tensor
    attention: dict[tuple[int, str, str], Tensor]


class GraphNetwork(nn.Module):
    """The network; shared by threads once it is trained."""

    def __init__(
        self, options: NetworkOptions, directions: NDArray[np.floating] | None = None
    ) -> None:
        """``directions`` [D, n]: what the compression begins as; None: random."""
        super().__init__()
        self.options = options
        if directions is None:
            compress = torch.randn(options.input, options.dimension) / options.input**0.5
        else:
            expected = (options.input, options.dimension)
            if directions.shape != expected:
                raise ValueError(f"Expected directions {expected}, got {directions.shape}.")
            compress = torch.from_numpy(np.ascontiguousarray(directions)).float()
        self.compress = nn.Parameter(compress)
        self.layers = nn.ModuleList(_Layer(options) for _ in range(options.layers))
        if options.marks:
            self.marks = nn.ModuleDict(
                {level: _Marks(level, options.dimension) for level in options.levels}
            )
            self.chunk_marks = nn.Parameter(torch.tensor(CHUNK_MARKS))

    def forward(self, batch: Batch, attention: bool = False) -> Ranked:
        """Return the score of each chunk of ``batch`` for its question (Eq. 6)."""
        options = self.options
        question = batch.question @ self.compress
        states = {}
        for level in options.levels:
            state = batch.x[level] @ self.compress
            if options.marks:
                state = self.marks[level](state, batch.marks[level], question, batch.owner[level])
            states[level] = state
        kept: dict[tuple[int, str, str], Tensor] = {}
        for number, layer in enumerate(self.layers):
            states, found = layer(states, question, batch)
            if attention:
                kept |= {(number, *key): weights for key, weights in found.items()}
        level = "sentence" if options.by_sentences else "chunk"
        asked = unit(question)[batch.owner[level]]
        scores = (unit(states[level]) * asked).sum(-1)
        if level == "sentence":
            chunks = len(batch.owner["chunk"])
            best = scores.new_full((chunks,), -2.0)
            scores = best.scatter_reduce(0, batch.sentence_chunk, scores, "amax")
        if options.marks:
            scores = scores + batch.marks["chunk"] @ self.chunk_marks
        return Ranked(scores, kept)


class _Layer(nn.Module):
    """Intra, then inter (Eq. 4)."""

    def __init__(self, options: NetworkOptions) -> None:
        super().__init__()
        n, tau, asks = options.dimension, options.temperature, options.question_attention
        self.options = options
        self.within = nn.ModuleDict({level: IntraLevel(n, tau, asks) for level in options.within})
        self.between = nn.ModuleDict(
            {
                f"{relation} {way}": InterLevel(n, tau, asks)
                for relation in options.between
                for way in ("forward", "back")
            }
        )
        reached = {level for relation in options.between for level in INTER[relation]}
        self.update_within = nn.ModuleDict(
            {level: Update(n, options.form) for level in options.within}
        )
        self.update_between = nn.ModuleDict(
            {level: Update(n, options.form) for level in sorted(reached)}
        )

    def forward(
        self, states: dict[str, Tensor], question: Tensor, batch: Batch
    ) -> tuple[dict[str, Tensor], dict[tuple[str, str], Tensor]]:
        found: dict[tuple[str, str], Tensor] = {}
        after = dict(states)
        for level, passing in self.within.items():
            edges = batch.edges[INTRA[level]]
            messages, weights = passing(states[level], question, batch.owner[level], edges)
            found[INTRA[level], "forward"] = weights
            after[level] = self.update_within[level](states[level], messages)
        states, after = after, dict(after)
        brought: dict[str, Tensor] = {}
        for name, passing in self.between.items():
            relation, way = name.split(" ")
            source, target = INTER[relation] if way == "forward" else INTER[relation][::-1]
            edges = batch.edges[relation]
            edges = edges if way == "forward" else edges.flip(0)
            messages, weights = passing(
                states[source], states[target], question, batch.owner[target], edges
            )
            found[relation, way] = weights
            brought[target] = brought[target] + messages if target in brought else messages
        for level, messages in brought.items():
            after[level] = self.update_between[level](states[level], messages)
        return after, found


class _Marks(nn.Module):
    """What the question says of a node: it moves the node, also towards the question (ours)."""

    def __init__(self, level: str, dimension: int) -> None:
        super().__init__()
        self.free = nn.Parameter(torch.zeros(MARKS[level], dimension))
        self.towards = nn.Parameter(torch.tensor(TOWARDS[level]))

    def forward(self, nodes: Tensor, marks: Tensor, question: Tensor, owner: Tensor) -> Tensor:
        towards = (marks @ self.towards).unsqueeze(-1) * question[owner]
        return nodes + marks @ self.free + towards


def main_directions(vectors: NDArray[np.floating], dimension: int) -> NDArray[np.float32]:
    """Return [D, n] the directions in which ``vectors`` [N, D] lie most, largest first.

    Not centred: cosines between the projections are near those between the vectors.
    """
    whole = np.asarray(vectors, dtype=np.float64)
    _, turned = np.linalg.eigh(whole.T @ whole)
    return np.ascontiguousarray(turned[:, ::-1][:, :dimension]).astype(np.float32)


def save_network(network: GraphNetwork, folder: Path) -> None:
    """Write options and weights to ``folder``, in half precision: ranks do not change by it."""
    from safetensors.torch import save_file

    weights = {name: tensor.half().contiguous() for name, tensor in network.state_dict().items()}
    save_file(weights, folder / WEIGHTS)
    save_options(network.options, folder)


def save_options(options: NetworkOptions, folder: Path) -> None:
    """Write what a network is made of to ``folder``."""
    (folder / OPTIONS).write_text(json.dumps(options.as_json(), indent=1) + "\n")


def load_options(folder: Path) -> NetworkOptions:
    """Return what the network of ``folder`` is made of."""
    return NetworkOptions(**json.loads((folder / OPTIONS).read_text(encoding="utf-8")))


def load_network(
    folder: Path, device: str = "cpu", without: Mapping[str, bool] | None = None
) -> GraphNetwork:
    """Return the network of a version, ready to be asked.

    ``without``: switches of ``NetworkOptions`` that are off (False) though the version was trained
    with them; what belongs to them is left out. Raises ModelNotInstalled where there is none.
    """
    from safetensors.torch import load_file

    off = [name for name, on in (without or {}).items() if not on]
    remedy = "Make one with `clew train graph-network`, or set graph_network_version to 'default'."
    with version_files("version of graph-network", folder, remedy):
        network = GraphNetwork(load_options(folder).without(off))
        weights: dict[str, Any] = load_file(folder / WEIGHTS)
        taken = {name: weights[name].float() for name in network.state_dict()}
        misfits = [n for n, own in network.state_dict().items() if own.shape != taken[n].shape]
        if misfits:
            raise ValueError(f"Its options and weights differ in the shape of {misfits[0]}.")
        network.load_state_dict(taken)
    return network.to(device).eval().requires_grad_(False)


def rank(
    network: GraphNetwork, part: Neighbourhood, device: str = "cpu"
) -> tuple[NDArray[np.float32], dict[tuple[int, str, str], NDArray[np.float32]]]:
    """Return the score of each chunk of a neighbourhood, and the attention of every edge."""
    with torch.inference_mode():
        ranked = network(batch_of([part], device), attention=True)
    attention = {key: found.float().cpu().numpy() for key, found in ranked.attention.items()}
    return ranked.scores.float().cpu().numpy(), attention


def untrained_network(arrays: NetworkArrays, options: NetworkOptions, seed: int) -> GraphNetwork:
    """Return a network that ranks nearly as the embeddings of ``arrays`` do; they are compressed to
    ``options.dimension``, where they have so many dimensions.
    """
    torch.manual_seed(seed)
    sample = [arrays.vectors(level)[:SAMPLE] for level in ("chunk", "sentence", "entity")]
    width = arrays.chunk_vectors.shape[1]
    options = replace(options, input=width, dimension=min(options.dimension, width))
    network = GraphNetwork(options, main_directions(np.concatenate(sample), options.dimension))
    return network.eval().requires_grad_(False)
