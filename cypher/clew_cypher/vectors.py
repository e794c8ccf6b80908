"""Vectors on their way to Neo4j and back, as bytes: a list costs the driver ten times as long."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from clew_cypher.driver import neo4j
from clew_cypher.errors import EmbeddingDimensionMismatch
from clew_cypher.rows import Vector


def to_driver(vector: Vector) -> neo4j.vector.Vector:
    """Return ``vector`` [D] as the driver's type for a parameter."""
    return neo4j.vector.Vector.from_numpy(np.ascontiguousarray(vector, dtype=np.float32))


def to_array(vectors: Sequence[neo4j.vector.Vector], dimension: int) -> NDArray[np.float32]:
    """Return the driver's vectors as [N, dimension] float32."""
    data = b"".join(vector.raw() for vector in vectors)
    return np.frombuffer(data, dtype=">f4").astype(np.float32).reshape(len(vectors), dimension)


def check_dimension(vectors: Iterable[Vector], dimension: int, corpus: str) -> None:
    """Raise EmbeddingDimensionMismatch unless every vector has the corpus' ``dimension``."""
    for vector in vectors:
        if vector.shape != (dimension,):
            raise EmbeddingDimensionMismatch(
                f"A vector of shape {list(vector.shape)} came for the corpus {corpus!r}, whose "
                f"vectors have {dimension} dimensions.",
                remedy="Use the embedder the corpus was made with, or another corpus.",
            )
