"""bm25 (SH-1): the chunks that share the question's words, by Lucene's BM25."""

from typing import TYPE_CHECKING

from clew.strategies.base import StrategySpec, Tell, untold
from clew.strategies.hybrid import worded

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.results.evidence import Evidence

SPEC = StrategySpec(
    name="bm25",
    summary="Chunks that share the question's words (Lucene's BM25).",
    paper="Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009",
    loader=f"{__name__}:BM25",
)


class BM25:
    """Ranks chunks by BM25 over their title and text."""

    name = SPEC.name

    def __init__(self, resources: "Resources") -> None:
        self._resources = resources

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> "Evidence":
        """Return the best ``k`` chunks; none where no word of the question is in the corpus."""
        from clew.strategies.retrieval import Retrieval

        retrieval = Retrieval(self._resources, self.name, question, corpus, k, tell)
        return retrieval.evidence(worded(retrieval, retrieval.words, retrieval.depth))
