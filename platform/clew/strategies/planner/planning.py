"""What a planner says after each round (RA-1): one of three actions.

Source: RAS, section 3.1 (Eq. 1, 2). The first sub-query is the question itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from clew.results.evidence import EvidenceTriple, ScoredChunk
from clew.results.history import Asked


class Action(StrEnum):
    """What is next."""

    NO_RETRIEVAL = "[NO_RETRIEVAL]"
    SUBQ = "[SUBQ]"
    SUFFICIENT = "[SUFFICIENT]"


@dataclass(frozen=True)
class Plan:
    """An action; ``subquery``: of [SUBQ]. ``detail``: how it came about, for the trace.

    ``tokens``: what a language model read and wrote for it.
    """

    action: Action
    subquery: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    tokens: int = 0

    def __str__(self) -> str:
        """Return it as the paper writes it."""
        return f"{self.action} {self.subquery}".strip()


class Planner(Protocol):
    """Plans the rounds of one question.

    ``triples``: those of a round that it can read, at most; None where the settings say.
    """

    name: str
    triples: int | None

    def first(self) -> Plan:
        """Return [SUBQ] with the question, or [NO_RETRIEVAL]."""
        ...

    def next(
        self,
        rounds: Sequence[Asked],
        passages: Sequence[ScoredChunk],
        lines: Sequence[EvidenceTriple] = (),
    ) -> Plan:
        """Return what is next after ``rounds``; ``passages``: of the last of them, best first;
        ``lines``: triples of knowledge bases that it found.

        Raises MalformedOutput where a language model's reply is no plan.
        """
        ...
