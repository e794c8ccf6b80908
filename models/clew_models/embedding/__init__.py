"""Embedders: texts to vectors of unit length."""

from clew_models.embedding.base import Embedder
from clew_models.embedding.load import load_embedder
from clew_models.embedding.remembering import RememberingEmbedder

__all__ = ["Embedder", "RememberingEmbedder", "load_embedder"]
