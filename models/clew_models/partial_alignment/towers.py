"""The two encoders (KA-3; KAMR section 2.3.2, Eq. 3): ENC_q for questions, ENC_u for what they ask.

Both start as the embedder of the corpus, with its pooling, and differ from it, and from each other,
by a low-rank adapter each (Hu et al. 2021, arXiv:2106.09685). The embedder's weights stay as they
are and are held once. Differs from the paper: there all weights of both encoders are trained; here
a version is a few megabytes, and what was not asked of it in training, it does as the embedder did.
"""

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from clew_models.embedding.minilm import model_directory
from clew_models.errors import ModelNotInstalled
from clew_models.language_model.weights import without_progress_bars
from clew_models.loading_lock import loading_alone
from clew_models.version_files import version_files

Tower = Literal["question", "unit"]
TOWERS: tuple[Tower, ...] = ("question", "unit")
CONFIGURATION = "towers.json"
WEIGHTS = "towers.safetensors"
MAX_TOKENS = 128
"""A question or a partial triple; the rest of a longer one is cut."""


class Towers(nn.Module):
    """ENC_q and ENC_u over one frozen encoder; ``rank`` of the adapters, scaled by 2."""

    @loading_alone
    def __init__(self, embedder: str, rank: int = 32, device: str = "cpu", seed: int = 0) -> None:
        """``embedder``: as in the settings. Raises ModelNotInstalled."""
        super().__init__()
        from peft import LoraConfig
        from sentence_transformers import SentenceTransformer

        self.embedder = embedder
        self.rank = rank
        torch.manual_seed(seed)
        try:
            with without_progress_bars():
                first = SentenceTransformer(
                    str(model_directory()) if embedder == "minilm" else embedder, device=device
                )
        except (OSError, ValueError) as error:
            raise ModelNotInstalled(
                f"The embedder {embedder!r} cannot be loaded: {str(error).splitlines()[0]}",
                remedy="Name a folder with a sentence-transformers model, or 'minilm'.",
            ) from error
        first.requires_grad_(False)
        # copied without its weights: they are the same, and stay so
        second = copy.deepcopy(first, {id(weight): weight for weight in first.parameters()})
        for model in (first, second):
            model.add_adapter(
                LoraConfig(
                    r=rank,
                    lora_alpha=2 * rank,
                    target_modules="all-linear",
                    exclude_modules=r".*pooler.*",
                )
            )
        self.question = first
        self.unit = second
        self.eval()

    def forward(self, texts: Sequence[str], tower: Tower) -> Tensor:
        """Return [N, D] vectors of unit length."""
        model: Any = getattr(self, tower)
        features = model.tokenizer(
            list(texts),
            padding=True,
            truncation=True,
            max_length=MAX_TOKENS,
            return_tensors="pt",
        ).to(model.device)
        vectors: Tensor = model(dict(features))["sentence_embedding"]
        return nn.functional.normalize(vectors.float(), dim=1)

    def embed(self, texts: Sequence[str], tower: Tower, batch: int = 64) -> NDArray[np.float32]:
        """Return [N, D] vectors of unit length, in the order of ``texts``; nothing is learned."""
        found: NDArray[np.float32] | None = None
        with torch.no_grad():
            order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
            for start in range(0, len(order), batch):
                rows = order[start : start + batch]
                vectors = self([texts[row] for row in rows], tower).cpu().numpy()
                if found is None:
                    found = np.empty((len(texts), vectors.shape[1]), np.float32)
                found[rows] = vectors
        if found is None:
            found = np.empty((0, self.question.get_embedding_dimension() or 0), np.float32)
        return found

    def adapters(self) -> dict[str, Tensor]:
        """Return what is trained: the weights of both adapters, by name."""
        return {name: weight for name, weight in self.named_parameters() if weight.requires_grad}

    def take(self, adapters: dict[str, Tensor]) -> None:
        """Take the weights of both adapters; raises ValueError where they are of others."""
        own = self.adapters()
        if {k: v.shape for k, v in own.items()} != {k: v.shape for k, v in adapters.items()}:
            raise ValueError(
                f"Expected {len(own)} weights of rank {self.rank} for {self.embedder}, got "
                f"{len(adapters)} others."
            )
        with torch.no_grad():
            for name, weight in own.items():
                weight.copy_(adapters[name])


def save_towers(towers: Towers, folder: Path) -> None:
    """Write a version: the adapters in half precision, and what they belong to."""
    from safetensors.torch import save_file

    halves = {name: weight.detach().half().cpu() for name, weight in towers.adapters().items()}
    folder.mkdir(parents=True, exist_ok=True)
    save_file(halves, folder / WEIGHTS)
    told = {"embedder": towers.embedder, "rank": towers.rank}
    (folder / CONFIGURATION).write_text(json.dumps(told, indent=1) + "\n")


def load_towers(folder: Path, device: str = "cpu") -> Towers:
    """Return the encoders of a version. Raises ModelNotInstalled where there is none."""
    from safetensors.torch import load_file

    remedy = (
        "Make one with `clew train partial-alignment`, or set partial_alignment_version to "
        "'default'."
    )
    with version_files("version of partial-alignment", folder, remedy):
        told = json.loads((folder / CONFIGURATION).read_text())
        weights = load_file(folder / WEIGHTS)
        towers = Towers(told["embedder"], told["rank"], device)
        towers.take(weights)
    return towers
