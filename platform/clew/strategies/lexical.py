"""bm25 (SH-1): the chunks that share the question's words, by Lucene's BM25."""

from clew.evidence import Evidence
from clew.strategies.context import StrategyContext
from clew.strategies.retrieval import Retrieval
from clew_cypher.full_text import search_chunks


class Lexical:
    """Ranks chunks by BM25 over their title and text."""

    name = "bm25"

    def __init__(self, context: StrategyContext) -> None:
        self._context = context

    def retrieve(self, question: str, corpus: str, k: int) -> Evidence:
        """Return the best ``k`` chunks; none where no word of the question is in the corpus."""
        retrieval = Retrieval(self._context, self.name, question, corpus, k)
        with retrieval.step("search words") as detail:
            rows = search_chunks(self._context.store, corpus, question, k)
            detail["chunks"] = len(rows)
        return retrieval.evidence(rows)
