"""The one place that builds an embedder from its name."""

from pathlib import Path

from clew_models.embedding.base import Embedder
from clew_models.networks import Precision


def load_embedder(
    name: str,
    *,
    cache_dir: Path,
    batch_size: int = 8,
    threads: int = 0,
    precision: Precision = "auto",
) -> Embedder:
    """Load the embedder ``name``: 'minilm', or a sentence-transformers model.

    ``cache_dir``: where converted models are kept; ``precision``: numbers that minilm computes
    with, auto: bfloat16 where the processor multiplies in it. Raises ModelNotInstalled, and
    ModelError where bfloat16 is asked of a processor that does not.
    """
    if name == "minilm":
        from clew_models.embedding.minilm import MiniLMEmbedder

        return MiniLMEmbedder(
            cache_dir, batch_size=batch_size, threads=threads, precision=precision
        )
    from clew_models.embedding.sentence_transformers import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(name, batch_size=batch_size, threads=threads)
