"""What a graph language model reads and writes, before it is tokens and arrays."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Task = Literal["plan", "answer", "triples"]
Triple = tuple[str, str, str]
"""Head, predicate and tail in words."""


@dataclass(frozen=True)
class GraphExample:
    """A prompt of a task, and what is to be written.

    ``history``: the sub-queries with what they found, as text, "" before the first; ``rounds``: of
    each sub-query the triples of its part of the graph. ``target``: "" where it is asked for. Of
    the task ``triples``, ``question`` is the text whose triples are asked for, and ``history`` the
    title above it.
    """

    task: Task
    question: str
    history: str = ""
    rounds: tuple[tuple[Triple, ...], ...] = ()
    target: str = ""


def texts_of(examples: Iterable[GraphExample]) -> list[str]:
    """Return the names of all nodes and edges, each once."""
    return list(
        dict.fromkeys(
            text
            for one in examples
            for triples in one.rounds
            for triple in triples
            for text in triple
        )
    )


def numbered(triples: Sequence[Triple]) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the nodes of a graph, each once, and each triple's ends by their places."""
    places: dict[str, int] = {}
    ends = [
        (places.setdefault(head, len(places)), places.setdefault(tail, len(places)))
        for head, _, tail in triples
    ]
    return list(places), ends
