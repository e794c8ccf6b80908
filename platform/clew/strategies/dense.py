"""dense (SH-1): the chunks whose embeddings are nearest to the question's."""

from typing import TYPE_CHECKING

from clew.strategies.base import StrategySpec, Tell, untold
from clew.strategies.hybrid import nearest

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.results.evidence import Evidence

SPEC = StrategySpec(
    name="dense",
    summary="Chunks whose embedding is nearest to the question's; triples where there is no text.",
    paper="Karpukhin et al., Dense Passage Retrieval, 2020",
    needs=("embedder",),
    loader=f"{__name__}:Dense",
)


TRIPLES = 50
"""Triples that are found in a corpus without passages: the budget of KAMR's figures (KA-9)."""


class Dense:
    """Ranks chunks by the cosine of their embedding (title and text) with the question's."""

    name = SPEC.name

    def __init__(self, resources: "Resources") -> None:
        self._resources = resources

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> "Evidence":
        """Return the ``k`` nearest chunks; their scores are cosines. Where the corpus has none, or
        the documents that are asked, the nearest triples of its knowledge bases, or of theirs.
        """
        from clew.strategies.retrieval import Retrieval
        from clew_cypher.searching.triples import nearest_lines, nearest_triples

        retrieval = Retrieval(self._resources, self.name, question, corpus, k, tell)
        store, chosen, vector = self._resources.store, self._resources.selection, retrieval.vector
        if chosen is None or chosen.chunks:
            rows = nearest(retrieval, vector, retrieval.depth)
            if rows:
                return retrieval.evidence(rows)
        with retrieval.step("nearest triples") as detail:
            if chosen is None:
                near = nearest_triples(store, corpus, vector, TRIPLES)
            else:
                near = nearest_lines(store, corpus, chosen.document_ids, vector, TRIPLES)
            detail["triples"] = len(near)
        found = retrieval.triples(near, [row["score"] for row in near])
        return retrieval.evidence([], triples=found)
