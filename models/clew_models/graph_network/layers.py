"""Message passing whose weights depend on the question (QS-2, QS-3; QSGNN §3.2, Eq. 2 and 3).

Within a level, over N(i), the neighbours of node i in E_oo or E_cc:

    α_ij = cos(h_i W_q^α, h_j W_k^α)      β_ij = cos(q W_q^β, (h_i ‖ h_j) W_k^β)
    a_ij = softmax_j((α_ij + β_ij) / τ)   msg_i = Σ_j a_ij h_j W_v      h_i' = P(Norm(h_i + msg_i))

Between levels, over the neighbours of i in E_oc, E_od or E_cd, in either direction:

    γ_ij = cos(q W_q^γ, (h_i W_t ‖ h_j W_s) W_k^γ)      a_ij = softmax_j(γ_ij / τ)

Norm is layer normalisation, P an MLP of two layers with ReLU. Differs from the paper: the softmax
has a temperature τ (1 is the paper's); where several relations bring a node messages, each has a
softmax and weights of its own and their messages are added (the paper leaves it open); in the
'residual' form h_i' = h_i + g ⊙ msg_i + P(Norm(h_i + msg_i)), g and P's last layer starting small.

Shapes: N nodes (of all questions of a batch), B questions, M edges, n dimension. An edge goes from
its source j (row 0 of ``edges``) to its target i (row 1).
"""

from typing import Any, Literal, Self

import torch
from torch import Tensor, nn

from clew_models.message_passing import MessagePassing, softmax, tidied

EPSILON = 1e-6
"""Below this a length counts as this: the cosine with a zero vector is 0."""


class _Passing(MessagePassing):
    """Sums the sources' values, weighted, at each target; edges within one pair of node sets."""

    def __init__(self, dimension: int, temperature: float) -> None:
        super().__init__(aggr="add", node_dim=0)
        tidied(self)
        self.temperature = temperature
        self.value = _square(dimension, identity=True)

    def message(self, value_j: Tensor, attention: Tensor) -> Tensor:
        """Return [M, n]: what each edge brings."""
        return value_j * attention.unsqueeze(-1)

    def passed(self, sources: Tensor, count: int, edges: Tensor, score: Tensor) -> Any:
        """Return the messages [count, n] and the attention [M] of edges with these scores."""
        # the softmax is computed in float32: in bfloat16 a hundred neighbours do not sum to 1
        attention = softmax(score.float() / self.temperature, edges[1], num_nodes=count)
        attention = attention.to(sources.dtype)
        # Σ_j a_ij (h_j W_v) is (Σ_j a_ij h_j) W_v: for whichever are fewer, sources or targets
        first = len(sources) <= count
        messages = self.propagate(
            edges,
            value=(sources @ self.value if first else sources, None),
            attention=attention,
            size=(len(sources), count),
        )
        return messages if first else messages @ self.value, attention


class IntraLevel(_Passing):
    """Messages within a level (QS-2, Eq. 2)."""

    def __init__(self, dimension: int, temperature: float, question: bool = True) -> None:
        super().__init__(dimension, temperature)
        self.likeness_query = _square(dimension, identity=True)
        self.likeness_key = _square(dimension, identity=True)
        self.question = question
        if question:
            self.question_query = _square(dimension, identity=True)
            self.question_key = _pair(dimension)

    def forward(self, nodes: Tensor, question: Tensor, owner: Tensor, edges: Tensor) -> Any:
        """Return messages [N, n] and attention [M].

        ``nodes`` [N, n]; ``question`` [B, n]; ``owner`` [N]: each node's question; ``edges``
        [2, M]. A node without neighbours gets zeros.
        """
        source, target = edges
        query = unit(_projected(nodes, self.likeness_query, target))
        key = unit(_projected(nodes, self.likeness_key, source))
        score = (query * key).sum(-1)
        if self.question:
            own, other = self.question_key.chunk(2)
            pair = _projected(nodes, own, target) + _projected(nodes, other, source)
            score = score + _cosines(question @ self.question_query, owner[target], pair)
        return self.passed(nodes, len(nodes), edges, score)


class InterLevel(_Passing):
    """Messages between two levels, one way (QS-3, Eq. 3)."""

    def __init__(self, dimension: int, temperature: float, question: bool = True) -> None:
        super().__init__(dimension, temperature)
        self.question = question
        if question:
            self.target = _square(dimension, identity=True)
            self.source = _square(dimension, identity=True)
            self.question_query = _square(dimension, identity=True)
            self.question_key = _pair(dimension)
            self._kept: tuple[Tensor, Tensor] | None = None

    def forward(
        self, sources: Tensor, targets: Tensor, question: Tensor, owner: Tensor, edges: Tensor
    ) -> Any:
        """Return messages [N_t, n] and attention [M].

        ``sources`` [N_s, n]; ``targets`` [N_t, n]; ``question`` [B, n]; ``owner`` [N_t]: each
        target's question; ``edges`` [2, M]. Without question attention, all neighbours count
        alike. A target without neighbours gets zeros.
        """
        if self.question:
            source, target = edges
            # (h_i W_t ‖ h_j W_s) W_k is a sum of two products
            own, other = self._keys()
            pair = _projected(targets, own, target) + _projected(sources, other, source)
            score = _cosines(question @ self.question_query, owner[target], pair)
        else:
            score = sources.new_zeros(edges.shape[1])
        return self.passed(sources, len(targets), edges, score)

    def train(self, mode: bool = True) -> Self:
        """See Module."""
        self._kept = None
        return super().train(mode)

    def _keys(self) -> tuple[Tensor, Tensor]:
        """Return W_t and W_s, each with its half of W_k; made once where nothing is learned."""
        learning = self.training or torch.is_grad_enabled()
        kept = None if learning else self._kept
        if kept is None or (kept[0].dtype, kept[0].device) != (
            self.target.dtype,
            self.target.device,
        ):
            own, other = self.question_key.chunk(2)
            kept = self.target @ own, self.source @ other
            self._kept = None if learning else kept
        return kept


class Update(nn.Module):
    """What a node becomes of itself and its messages: P(Norm(h + msg)), or the residual form."""

    def __init__(self, dimension: int, form: Literal["paper", "residual"]) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dimension)
        self.first = nn.Linear(dimension, dimension)
        self.second = nn.Linear(dimension, dimension)
        self.form = form
        if form == "residual":
            nn.init.zeros_(self.second.weight)
            nn.init.zeros_(self.second.bias)
            self.gate = nn.Parameter(torch.full((dimension,), 0.1))

    def forward(self, nodes: Tensor, messages: Tensor) -> Tensor:
        """Return [N, n] of ``nodes`` [N, n] and the sum of their ``messages`` [N, n]."""
        mixed = self.second(torch.relu(self.first(self.norm(nodes + messages))))
        if self.form == "paper":
            return mixed
        return nodes + self.gate * messages + mixed


def _square(dimension: int, *, identity: bool) -> nn.Parameter:
    weight = torch.empty(dimension, dimension)
    nn.init.normal_(weight, std=0.02)
    if identity:
        weight += torch.eye(dimension)
    return nn.Parameter(weight)


def _pair(dimension: int) -> nn.Parameter:
    """Return [2n, n]: the target's part and the source's; at first a node counts by its source."""
    own, other = torch.empty(dimension, dimension), torch.eye(dimension)
    nn.init.normal_(own, std=0.02)
    return nn.Parameter(torch.cat([own, other + 0.02 * torch.randn(dimension, dimension)]))


def unit(vectors: Tensor) -> Tensor:
    """Return [..., n] vectors of unit length; zeros stay zeros."""
    length = vectors.float().norm(dim=-1, keepdim=True).clamp_min(EPSILON)
    return vectors / length.to(vectors.dtype)


def _projected(nodes: Tensor, weight: Tensor, places: Tensor) -> Tensor:
    """Return [M, n] the rows ``places`` [M] of nodes @ weight: of whichever are fewer, computed."""
    if len(places) < len(nodes):
        return nodes[places] @ weight
    return (nodes @ weight)[places]


def _cosines(questions: Tensor, asked: Tensor, pairs: Tensor) -> Tensor:
    """Return [M] the cosine of each pair [M, n] with its question; ``asked`` [M]: rows of them."""
    return (unit(pairs) * unit(questions)[asked]).sum(-1)
