"""Embedders: texts to vectors of unit length."""

from clew_models.embedding.base import Embedder
from clew_models.embedding.load import load_embedder

__all__ = ["Embedder", "load_embedder"]
