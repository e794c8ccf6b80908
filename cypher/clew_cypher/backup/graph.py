"""Clew's whole graph as plain values, out of a database and into one."""

import base64
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from clew_cypher.backup.digest import GraphDigest
from clew_cypher.driver import neo4j
from clew_cypher.errors import GraphError
from clew_cypher.schema import LABELS
from clew_cypher.store import GraphStore
from clew_cypher.vectors import to_driver

HEAVY = ("Blob", "BenchRunPart")
"""Nodes that hold up to 4 MiB each: a few are read and written together."""
HEAVY_ROWS = 8
ROWS = 1000
ANY_TIME = 0.0
"""A large graph takes longer to read than the server lets a transaction take."""
CLEARED = 5000
NAMES = [label.name for label in LABELS]
Progress = Callable[[int], None]
"""Called with how many nodes and relationships are done."""


@dataclass(frozen=True)
class Element:
    """A node (``labels``), or a relationship (``type``) between two nodes, by their numbers.

    Nodes are numbered from 0 in the order in which they come. ``properties`` and ``vector`` are
    values of JSON: bytes, times and vectors as text.
    """

    properties: dict[str, Any]
    vector: str | None = None
    labels: tuple[str, ...] = ()
    type: str = ""
    start: int = 0
    end: int = 0


class GraphChanged(GraphError):
    """The graph was written to while it was read."""

    exit_code = 3
    http_status = 409


def element_counts(store: GraphStore) -> tuple[int, int]:
    """Return how many nodes and relationships of Clew's there are."""
    row = store.read("backup_counts", labels=NAMES)[0]
    return row["nodes"], row["relationships"]


def read_graph(
    store: GraphStore, digest: GraphDigest, progress: Progress = lambda done: None
) -> Iterator[Element]:
    """Yield every node, then every relationship, counted into ``digest``.

    Raises GraphChanged, at the latest at the end, where anything was written meanwhile: Neo4j's
    Community edition has no snapshot of a graph.
    """
    began = store.bookmark()
    numbers: dict[str, int] = {}
    digests: list[bytes] = []
    kinds: tuple[tuple[list[str], list[str], int], ...] = (
        ([name for name in NAMES if name not in HEAVY], list(HEAVY), ROWS),
        (list(HEAVY), [], HEAVY_ROWS),
    )
    for labels, without, rows in kinds:
        for row in store.stream("backup_nodes", rows, ANY_TIME, labels=labels, without=without):
            properties, vector = plain(row["properties"]), _vector_text(row["vector"])
            numbers[row["id"]] = len(digests)
            digests.append(digest.node(row["labels"], properties, vector))
            yield Element(properties, vector, labels=tuple(sorted(row["labels"])))
            progress(len(digests))
    for row in store.stream("backup_relationships", ROWS, ANY_TIME, labels=NAMES):
        start, end = numbers.get(row["start"]), numbers.get(row["end"])
        if start is None or end is None:
            raise _changed()
        properties, vector = plain(row["properties"]), _vector_text(row["vector"])
        digest.relationship(row["type"], digests[start], digests[end], properties, vector)
        yield Element(properties, vector, type=row["type"], start=start, end=end)
        progress(digest.nodes + digest.relationships)
    if store.bookmark() != began:
        raise _changed()


def load_graph(
    store: GraphStore, elements: Iterable[Element], progress: Progress = lambda done: None
) -> None:
    """Write what ``read_graph`` yielded into a graph that has none of Clew's nodes."""
    ids: list[str] = []
    done = 0

    def row(element: Element) -> dict[str, Any]:
        return {
            "properties": driver_values(element.properties),
            "vector": _driver_vector(element.vector),
        }

    for batch in _batches(elements):
        if batch[0].labels:
            rows = [
                {**row(element), "labels": list(element.labels), "number": number}
                for number, element in enumerate(batch)
            ]
            ids += [made["id"] for made in store.write("restore_nodes", rows=rows)]
        else:
            rows = [
                {
                    **row(element),
                    "type": element.type,
                    "start": ids[element.start],
                    "end": ids[element.end],
                }
                for element in batch
            ]
            store.write("restore_relationships", rows=rows)
        done += len(batch)
        progress(done)


def clear_graph(store: GraphStore) -> None:
    """Delete every node of Clew's."""
    while store.write("clear_backup_nodes", labels=NAMES, limit=CLEARED)[0]["deleted"]:
        pass


def plain(properties: dict[str, Any]) -> dict[str, Any]:
    """Return properties as values of JSON; what has no such value is ``{"kind": text}``."""
    return {key: _plain(value) for key, value in properties.items() if value is not None}


def driver_values(properties: dict[str, Any]) -> dict[str, Any]:
    """Return what ``plain`` was given."""
    return {key: _driver_value(value) for key, value in properties.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, bytes | bytearray):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, neo4j.time.DateTime | datetime):
        return {"time": value.iso_format() if hasattr(value, "iso_format") else value.isoformat()}
    if isinstance(value, str | bool | int | float):
        return value
    raise TypeError(f"A property of type {type(value).__name__} cannot be kept in an archive.")


def _driver_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_driver_value(item) for item in value]
    if isinstance(value, dict):
        ((kind, text),) = value.items()
        if kind == "bytes":
            return base64.b64decode(text)
        return neo4j.time.DateTime.from_iso_format(text)
    return value


def _vector_text(vector: neo4j.vector.Vector | None) -> str | None:
    """Return a vector's float32 numbers, the highest byte first, as text."""
    return None if vector is None else base64.b64encode(vector.raw()).decode()


def _driver_vector(text: str | None) -> neo4j.vector.Vector | None:
    if text is None:
        return None
    return to_driver(np.frombuffer(base64.b64decode(text), dtype=">f4").astype(np.float32))


def _batches(elements: Iterable[Element]) -> Iterator[list[Element]]:
    """Yield runs of one kind: light nodes, heavy nodes or relationships, so many at once."""
    batch: list[Element] = []
    kind = (False, False)
    for element in elements:
        this = (bool(element.labels), any(name in HEAVY for name in element.labels))
        if batch and (this != kind or len(batch) >= (HEAVY_ROWS if kind[1] else ROWS)):
            yield batch
            batch = []
        kind = this
        batch.append(element)
    if batch:
        yield batch


def _changed() -> GraphChanged:
    return GraphChanged(
        "The graph was written to while it was read.",
        remedy="Let its jobs end (`clew jobs`) and pause schedules, or run `clew down` first; "
        "then try again.",
    )
