"""What every strategy is: a name, and a way from a question to evidence."""

from typing import Protocol

from clew.evidence import Evidence

ITERATIVE_PREFIX = "iterative:"
"""What stands before the name of a strategy that is to search in steps."""


class Strategy(Protocol):
    """One way of finding evidence for a question."""

    name: str

    def retrieve(self, question: str, corpus: str, k: int) -> Evidence:
        """Return at most ``k`` chunks, best first, with the trace of how they were found.

        An empty corpus gives empty evidence; an unknown one raises UnknownCorpus.
        """
        ...
