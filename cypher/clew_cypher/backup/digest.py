"""What a graph is, in one number that does not depend on the order in which it is read."""

import hashlib
import json
from typing import Any

BITS = 256


class GraphDigest:
    """The sum of the SHA-256 of each node and relationship, modulo 2^256, and how many they are.

    A node is its labels, properties and vector; a relationship its type, the digests of its ends,
    its properties and vector. Two graphs with the same digest are the same but for Neo4j's own ids.
    """

    def __init__(self) -> None:
        self.nodes = 0
        self.relationships = 0
        self._sum = 0

    def node(self, labels: list[str], properties: dict[str, Any], vector: str | None) -> bytes:
        """Count a node in, and return its own digest; the values as an archive holds them."""
        self.nodes += 1
        return self._add(["node", sorted(labels), properties, vector])

    def relationship(
        self, kind: str, start: bytes, end: bytes, properties: dict[str, Any], vector: str | None
    ) -> None:
        """Count a relationship in; ``start`` and ``end`` are the digests of its nodes."""
        self.relationships += 1
        self._add([kind, start.hex(), end.hex(), properties, vector])

    @property
    def value(self) -> str:
        """The digest of all that was counted in, in hexadecimal digits."""
        return f"{self._sum:0{BITS // 4}x}"

    def _add(self, value: list[Any]) -> bytes:
        line = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        digest = hashlib.sha256(line.encode()).digest()
        self._sum = (self._sum + int.from_bytes(digest, "big")) % 2**BITS
        return digest
