"""The span model in PyTorch, for training; what answers questions is its ONNX form (graph).

With the embeddings q of a question's tokens and p of a window's:

    x = [q + s_0 ; p + s_1],   h = layers(x),   logits = W h_p + b

``logits`` [B, L, 5]: of each token as the first and as the last of the answer; those of [CLS] are
"not here", as in SQuAD 2.0 (Devlin et al. 2019, section 4.3). The other three are read of [CLS]
alone: "yes", "no", and that the window tells neither.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from clew_models.span_reader.graph import DIMENSION, EPSILON, HEADS, LAYERS, MASKED, OUTPUTS


class Layer(nn.Module):
    """One layer of BERT (Devlin et al. 2019): attention and a feed-forward net, each normalised
    after it is added."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.ModuleDict(
            {
                "self": nn.ModuleDict(
                    {name: nn.Linear(DIMENSION, DIMENSION) for name in ("query", "key", "value")}
                ),
                "output": _output(DIMENSION),
            }
        )
        self.intermediate = nn.ModuleDict({"linear": nn.Linear(DIMENSION, 4 * DIMENSION)})
        self.output = _output(4 * DIMENSION)

    def forward(self, states: Tensor, bias: Tensor) -> Tensor:
        """Return states [B, L, D]; ``bias`` [B, 1, 1, L] is added to the attention's scores."""
        batch, length, _ = states.shape
        own: Any = self.attention["self"]
        query, key, value = (
            own[name](states).view(batch, length, HEADS, -1).transpose(1, 2)  # [B, H, L, D / H]
            for name in ("query", "key", "value")
        )
        mixed = _attended(query, key, value, bias)
        mixed = mixed.transpose(1, 2).reshape(batch, length, DIMENSION)
        after: Any = self.attention["output"]
        states = after["LayerNorm"](states + after["linear"](mixed))
        wide = functional.gelu(self.intermediate["linear"](states))
        return self.output["LayerNorm"](states + self.output["linear"](wide))


def _attended(query: Tensor, key: Tensor, value: Tensor, bias: Tensor) -> Tensor:
    """Return the values [B, H, L, D / H] mixed by softmax(q kᵀ / √(D / H) + bias). On a processor
    this learns in three quarters of the time that torch's own fused attention takes, whose backward
    pass is slow there, with gradients as near to float32's."""
    heads, size = query.shape[1], query.shape[-1]
    query, key, value = (states.flatten(0, 1) for states in (query, key, value))  # [B H, L, D / H]
    added = bias.expand(-1, heads, -1, -1).flatten(0, 1).to(query.dtype)
    scores = torch.baddbmm(added, query, key.transpose(1, 2), alpha=size**-0.5)
    mixed: Tensor = scores.softmax(-1, dtype=scores.dtype) @ value
    return mixed.unflatten(0, (-1, heads))


def _output(width: int) -> nn.ModuleDict:
    return nn.ModuleDict(
        {
            "linear": nn.Linear(width, DIMENSION),
            "LayerNorm": nn.LayerNorm(DIMENSION, eps=EPSILON),
        }
    )


class Embeddings(nn.Module):
    """MiniLM's embeddings of tokens and positions, normalised; they are not trained."""

    words: Tensor
    positions: Tensor
    scale: Tensor
    shift: Tensor

    def __init__(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        super().__init__()
        kind = weights["embeddings.token_type_embeddings.weight"][0]
        arrays = {
            "words": weights["embeddings.word_embeddings.weight"],
            "positions": weights["embeddings.position_embeddings.weight"] + kind,
            "scale": weights["embeddings.LayerNorm.weight"],
            "shift": weights["embeddings.LayerNorm.bias"],
        }
        for name, array in arrays.items():
            self.register_buffer(name, torch.from_numpy(np.array(array)), persistent=False)

    def forward(self, ids: Tensor) -> Tensor:
        """Return [B, L, D] of ids [B, L]."""
        summed = self.words[ids] + self.positions[: ids.shape[1]]
        return functional.layer_norm(summed, (DIMENSION,), self.scale, self.shift, EPSILON)


class SpanModel(nn.Module):
    """The embeddings, which stay as they are, the layers and the head.

    ``outputs``: numbers for each token; what follows calls those of the span model 5.
    """

    def __init__(
        self,
        base: Mapping[str, NDArray[np.float32]],
        layers: int = LAYERS,
        outputs: int = OUTPUTS,
    ) -> None:
        super().__init__()
        self.embeddings = Embeddings(base)
        self.layers = nn.ModuleDict({str(n): Layer() for n in range(layers)})
        self.segments = nn.Parameter(torch.zeros(2, DIMENSION))
        self.head = nn.Linear(DIMENSION, outputs)

    def forward(
        self, question: Tensor, question_mask: Tensor, window: Tensor, window_mask: Tensor
    ) -> Tensor:
        """Return logits [B, L, 5] from ids [B, Q] and [B, L] and masks of 0 and 1."""
        asked = self.embeddings(question) + self.segments[0]
        whole = torch.cat([asked, self.embeddings(window) + self.segments[1]], 1)
        mask = torch.cat([question_mask, window_mask], 1)
        # what is no padding, of each pair at the front: attention does not mind the order
        places = torch.argsort(mask, dim=1, descending=True, stable=True)
        places = places[:, : int(mask.sum(1).max())]
        states = whole.gather(1, places.unsqueeze(-1).expand(-1, -1, DIMENSION))
        bias = _bias(mask.gather(1, places), states.dtype)
        for layer in self.layers.values():
            states = layer(states, bias)
        own = self.head(states)
        told = own.new_zeros(*mask.shape, own.shape[-1])
        told = told.scatter(1, places.unsqueeze(-1).expand_as(own), own)
        logits: Tensor = told[:, question.shape[1] :]
        hidden: Tensor = (1 - window_mask.to(logits.dtype)).unsqueeze(-1) * MASKED
        return logits + hidden

    def load_arrays(self, weights: Mapping[str, NDArray[np.float32]]) -> None:
        """Take the layers, under BertModel's names, and what else is ours; others are ignored."""
        self.load_state_dict(
            {name: torch.from_numpy(np.array(weights[_told(name)])) for name in self.state_dict()}
        )

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return the weights as ``graph`` takes them."""
        return {_told(name): tensor.float().numpy() for name, tensor in self.state_dict().items()}


def _told(name: str) -> str:
    """Return BertModel's name of a weight of ours."""
    return name.replace("layers.", "encoder.layer.").replace(".linear.", ".dense.")


def _bias(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return (1 - mask.to(dtype))[:, None, None, :] * MASKED
