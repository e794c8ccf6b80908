"""Any sentence-transformers model as an embedder, on a GPU where there is one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew_models.devices import module_bytes, module_device
from clew_models.errors import ModelNotInstalled
from clew_models.language_model.weights import without_progress_bars
from clew_models.loading_lock import loading_alone


class SentenceTransformerEmbedder:
    """A sentence-transformers model by its local folder or cached name."""

    @loading_alone
    def __init__(self, name: str, *, batch_size: int = 32, threads: int = 0) -> None:
        """Raises ModelNotInstalled where the model is neither a folder nor in the local cache."""
        import torch
        from sentence_transformers import SentenceTransformer

        if threads:
            torch.set_num_threads(threads)
        self.name = name
        self._batch_size = batch_size
        try:
            with without_progress_bars():
                self._model = SentenceTransformer(name)
        except (OSError, ValueError) as error:
            raise ModelNotInstalled(
                f"The embedder {name!r} cannot be loaded: {str(error).splitlines()[0]}",
                remedy="Name a folder with a sentence-transformers model, or 'minilm'.",
            ) from error
        dimension = self._model.get_embedding_dimension()
        assert dimension is not None
        self.dimension: int = dimension
        self.device = module_device(self._model)
        self.bytes: int | None = module_bytes(self._model)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return [N, D] float32 vectors of unit length, in the order of ``texts``."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        vectors = self._model.encode(
            list(texts),
            batch_size=self._batch_size,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, np.float32)

    def count_tokens(self, text: str) -> int:
        """Return the text's tokens, without those that frame it, none cut off."""
        return len(self._model.tokenizer.encode(text, add_special_tokens=False))
