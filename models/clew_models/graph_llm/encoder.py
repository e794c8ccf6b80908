"""The graph encoder and its projector (RA-5; RAS section 3.2, Eq. 2 and 8, appendix C.2).

    h_v = emb(v) W        h ← h + ReLU(Norm(Conv(h, E, emb(e))))      once a layer
    g_i = mean over the nodes of sub-graph i      g = mean over the sub-graphs      token = P(g)

Conv is the Graph Transformer's attention (Shi et al. 2021, arXiv:2009.03509), that of GAT
(Veličković et al. 2018) or the mean of GCN (Kipf and Welling 2017), which does not read predicates.
P is an MLP of two layers; its output is normalised and begins as long as a token's embedding, so
that the language model meets nothing that is far from what it knows.

Shapes: N nodes and M edges of all sub-graphs of a batch, B questions, D dimensions of the sentence
encoder, n of the layers, H of the language model.
"""

from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from clew_models.message_passing import (
    GATConv,
    GCNConv,
    TransformerConv,
    global_mean_pool,
    tidied,
)

Convolution = Literal["graph-transformer", "gat", "gcn"]


@dataclass(frozen=True)
class EncoderOptions:
    """``layers`` and ``heads`` (paper: 2 to 5, 4 to 12), ``dimension`` n, a multiple of the heads;
    ``input`` D.
    """

    convolution: Convolution = "graph-transformer"
    layers: int = 2
    heads: int = 4
    dimension: int = 256
    input: int = 384

    def __post_init__(self) -> None:
        if self.dimension % self.heads:
            raise ValueError(
                f"The dimension must be a multiple of the {self.heads} heads, got {self.dimension}."
            )


@dataclass(frozen=True)
class GraphBatch:
    """The sub-graphs of B questions. ``nodes`` [N, D], ``edges`` [2, M] from head to tail,
    ``relations`` [M, D]; ``part`` [N]: the sub-graph of a node; ``owner`` [G]: the question of a
    sub-graph.
    """

    nodes: Tensor
    edges: Tensor
    relations: Tensor
    part: Tensor
    owner: Tensor
    questions: int


class GraphEncoder(nn.Module):
    """Makes one token of the graph of each question."""

    def __init__(self, options: EncoderOptions, width: int, length: float) -> None:
        """``width``: H; ``length``: of a usual embedding there, per dimension."""
        super().__init__()
        n = options.dimension
        self.inner = nn.Linear(options.input, n)
        self.relation = nn.Linear(options.input, n)
        self.layers = nn.ModuleList(_convolution(options) for _ in range(options.layers))
        self.norms = nn.ModuleList(nn.LayerNorm(n) for _ in range(options.layers))
        self.reads_relations = options.convolution != "gcn"
        self.projector = nn.Sequential(nn.Linear(n, 2 * n), nn.GELU(), nn.Linear(2 * n, width))
        self.scale = nn.LayerNorm(width)
        nn.init.constant_(self.scale.weight, length)

    def forward(self, batch: GraphBatch) -> Tensor:
        """Return the tokens [B, H]; of a question without triples, that of nothing."""
        nodes = self.inner(batch.nodes)  # [N, n]
        relations = self.relation(batch.relations)  # [M, n]
        for layer, norm in zip(self.layers, self.norms, strict=True):
            passed = (
                layer(nodes, batch.edges, relations)
                if self.reads_relations
                else layer(nodes, batch.edges)
            )
            nodes = nodes + torch.relu(norm(passed))
        parts = global_mean_pool(nodes, batch.part, len(batch.owner))  # [G, n]
        pooled = global_mean_pool(parts, batch.owner, batch.questions)  # [B, n]
        token: Tensor = self.scale(self.projector(pooled))
        return token


def _convolution(options: EncoderOptions) -> Any:
    n, heads = options.dimension, options.heads
    if options.convolution == "gcn":
        return tidied(GCNConv(n, n))
    if options.convolution == "gat":
        return tidied(GATConv(n, n // heads, heads, edge_dim=n))
    return tidied(TransformerConv(n, n // heads, heads, edge_dim=n))
