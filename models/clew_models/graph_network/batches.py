"""From neighbourhoods to one batch: a graph a question, none joined to another."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from clew_models.graph_network.levels import INTER, INTRA, LEVELS
from clew_models.graph_network.neighbourhood import Neighbourhood


@dataclass
class Batch:
    """Questions with a neighbourhood each, as one graph without edges between them.

    Shapes (B questions; N nodes of a level; M edges of a relation):
        question [B, D]
        x: by level [N, D]; marks: by level [N, number of marks]; owner: by level [N]
        edges: by relation [2, M], rows of the levels of `INTER`, or of the one level of `INTRA`
        sentence_chunk: [N of sentences] the chunk of each sentence
    """

    question: Tensor
    x: dict[str, Tensor]
    marks: dict[str, Tensor]
    owner: dict[str, Tensor]
    edges: dict[str, Tensor]
    sentence_chunk: Tensor


def batch_of(
    parts: Sequence[Neighbourhood], device: str = "cpu", dtype: torch.dtype = torch.float32
) -> Batch:
    """Return the batch of neighbourhoods (one or more), each for its own question."""
    if not parts:
        raise ValueError("Expected one neighbourhood or more, got none.")
    counts = {level: [len(part.rows[level]) for part in parts] for level in LEVELS}
    first = {level: np.concatenate([[0], np.cumsum(counts[level])]) for level in LEVELS}
    edges = {}
    ends = {name: (level, level) for level, name in INTRA.items()} | INTER
    for name, (source, target) in ends.items():
        moved = [
            part.edges[name] + np.array([[first[source][place]], [first[target][place]]])
            for place, part in enumerate(parts)
        ]
        edges[name] = torch.from_numpy(np.concatenate(moved, axis=1).astype(np.int64)).to(device)

    def floats(arrays: Sequence[np.ndarray]) -> Tensor:
        return torch.from_numpy(np.concatenate(arrays).astype(np.float32)).to(device, dtype)

    sentence_chunk = torch.zeros(int(first["sentence"][-1]), dtype=torch.int64, device=device)
    sentence_chunk[edges["E_cd"][0]] = edges["E_cd"][1]
    return Batch(
        question=floats([part.question[None] for part in parts]),
        x={level: floats([part.x(level) for part in parts]) for level in LEVELS},
        marks={level: floats([part.marks[level] for part in parts]) for level in LEVELS},
        owner={
            level: torch.from_numpy(np.repeat(np.arange(len(parts)), counts[level])).to(device)
            for level in LEVELS
        },
        edges=edges,
        sentence_chunk=sentence_chunk,
    )
