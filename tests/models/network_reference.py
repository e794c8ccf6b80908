"""The network by loops over nodes and their neighbours, for tests: Eq. 2 to 4 and 6 as written."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from clew_models.graph_network.batches import Batch
from clew_models.graph_network.layers import InterLevel, IntraLevel, Update
from clew_models.graph_network.levels import INTER, INTRA
from clew_models.graph_network.network import GraphNetwork

Vector = NDArray[np.float64]


def numbers(tensor: torch.Tensor) -> Vector:
    return tensor.detach().double().numpy()


def cosine(one: Vector, other: Vector) -> float:
    lengths = np.maximum(np.linalg.norm(one), 1e-6) * np.maximum(np.linalg.norm(other), 1e-6)
    return float(one @ other / lengths)


def softmax(scores: list[float], temperature: float) -> Vector:
    powers = np.exp(np.array(scores) / temperature)
    return powers / powers.sum()


def neighbours(edges: torch.Tensor, node: int) -> list[int]:
    return [j for j, i in edges.t().tolist() if i == node]


def intra(layer: IntraLevel, h: Vector, q: Vector, owner: list[int], edges: torch.Tensor) -> Vector:
    """Eq. 2, the messages."""
    w_q, w_k, w_v = map(numbers, (layer.likeness_query, layer.likeness_key, layer.value))
    found = np.zeros_like(h)
    for i in range(len(h)):
        scores = []
        for j in neighbours(edges, i):
            score = cosine(h[i] @ w_q, h[j] @ w_k)
            if layer.question:
                pair = np.concatenate([h[i], h[j]]) @ numbers(layer.question_key)
                score += cosine(q[owner[i]] @ numbers(layer.question_query), pair)
            scores.append(score)
        if scores:
            shares = softmax(scores, layer.temperature)
            found[i] = sum(
                share * (h[j] @ w_v) for share, j in zip(shares, neighbours(edges, i), strict=True)
            )
    return found


def inter(
    layer: InterLevel,
    sources: Vector,
    targets: Vector,
    q: Vector,
    owner: list[int],
    edges: torch.Tensor,
) -> Vector:
    """Eq. 3, the messages."""
    found = np.zeros_like(targets)
    for i in range(len(targets)):
        scores = []
        for j in neighbours(edges, i):
            if not layer.question:
                scores.append(0.0)
                continue
            pair = np.concatenate(
                [targets[i] @ numbers(layer.target), sources[j] @ numbers(layer.source)]
            )
            asked = q[owner[i]] @ numbers(layer.question_query)
            scores.append(cosine(asked, pair @ numbers(layer.question_key)))
        if scores:
            shares = softmax(scores, layer.temperature)
            found[i] = sum(
                share * (sources[j] @ numbers(layer.value))
                for share, j in zip(shares, neighbours(edges, i), strict=True)
            )
    return found


def update(module: Update, h: Vector, messages: Vector) -> Vector:
    """P(Norm(h + msg)), and the residual form."""
    both = h + messages
    centred = both - both.mean(1, keepdims=True)
    normed = centred / np.sqrt(both.var(1, keepdims=True) + module.norm.eps)
    normed = normed * numbers(module.norm.weight) + numbers(module.norm.bias)
    hidden = normed @ numbers(module.first.weight).T + numbers(module.first.bias)
    mixed = np.maximum(hidden, 0) @ numbers(module.second.weight).T + numbers(module.second.bias)
    return mixed if module.form == "paper" else h + numbers(module.gate) * messages + mixed


def scores(network: GraphNetwork, batch: Batch) -> Vector:
    """Eq. 4 and 6: the score of each chunk."""
    options = network.options
    compress = numbers(network.compress)
    q = numbers(batch.question) @ compress
    owner = {level: found.tolist() for level, found in batch.owner.items()}
    h = {level: numbers(batch.x[level]) @ compress for level in options.levels}
    if options.marks:
        for level in options.levels:
            module: Any = network.marks[level]
            marks = numbers(batch.marks[level])
            towards = (marks @ numbers(module.towards))[:, None] * q[owner[level]]
            h[level] = h[level] + marks @ numbers(module.free) + towards
    layers: Any = network.layers  # types know modules in a list as modules only
    for layer in layers:
        h |= {
            level: update(
                layer.update_within[level],
                h[level],
                intra(passing, h[level], q, owner[level], batch.edges[INTRA[level]]),
            )
            for level, passing in layer.within.items()
        }
        brought: dict[str, Vector] = {}
        for name, passing in layer.between.items():
            relation, way = name.split(" ")
            ends, edges = INTER[relation], batch.edges[relation]
            if way == "back":
                ends, edges = ends[::-1], edges.flip(0)
            messages = inter(passing, h[ends[0]], h[ends[1]], q, owner[ends[1]], edges)
            brought[ends[1]] = brought.get(ends[1], 0) + messages
        h |= {
            level: update(layer.update_between[level], h[level], messages)
            for level, messages in brought.items()
        }
    if options.by_sentences:
        best = np.full(len(owner["chunk"]), -2.0)
        for row, chunk in enumerate(batch.sentence_chunk.tolist()):
            found = cosine(q[owner["sentence"][row]], h["sentence"][row])
            best[chunk] = max(best[chunk], found)
        result = best
    else:
        result = np.array([cosine(q[owner["chunk"][i]], v) for i, v in enumerate(h["chunk"])])
    if options.marks:
        result = result + numbers(batch.marks["chunk"]) @ numbers(network.chunk_marks)
    return result
