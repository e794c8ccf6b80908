"""dense (SH-1): the chunks whose embeddings are nearest to the question's."""

from clew.evidence import Evidence
from clew.strategies.context import StrategyContext
from clew.strategies.retrieval import Retrieval
from clew_cypher.vector_search import nearest_chunks


class Dense:
    """Ranks chunks by the cosine of their embedding (title and text) with the question's."""

    name = "dense"

    def __init__(self, context: StrategyContext) -> None:
        self._context = context

    def retrieve(self, question: str, corpus: str, k: int) -> Evidence:
        """Return the ``k`` nearest chunks; their scores are cosines."""
        retrieval = Retrieval(self._context, self.name, question, corpus, k)
        vector = retrieval.vector
        with retrieval.step("nearest chunks") as detail:
            rows = nearest_chunks(self._context.store, corpus, vector, k)
            detail["chunks"] = len(rows)
        return retrieval.evidence(rows)
