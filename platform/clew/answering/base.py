"""What every reader does: answer from the evidence, and only from it."""

from collections.abc import Iterator
from typing import Protocol

from clew.evidence import Answer, Evidence


class Reader(Protocol):
    """Answers a question from evidence, with citations to its chunks."""

    name: str

    def read(self, evidence: Evidence) -> Iterator[str | Answer]:
        """Yield pieces of the answer's text as they come, and last, once, the whole Answer."""
        ...


def whole_answer(reader: Reader, evidence: Evidence) -> Answer:
    """Return the Answer with which the reader ends; its pieces are let go."""
    for piece in reader.read(evidence):
        if isinstance(piece, Answer):
            return piece
    raise AssertionError("a reader ends with an Answer")
