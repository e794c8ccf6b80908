"""pagerank (SH-1): personalised PageRank over entities and chunks, in GDS inside Neo4j.

HippoRAG's idea without its triples: the graph is bipartite, an entity is joined to every chunk
that holds it with weight idf × count, and the walk begins at the question's entities (`seeds.py`).
"""

from clew.evidence import Evidence
from clew.strategies.context import StrategyContext
from clew.strategies.retrieval import Retrieval
from clew.strategies.seeds import Seeds, find_seeds
from clew_cypher.projections import pagerank_chunks


class PageRank:
    """Ranks chunks by where a walk from the question's entities arrives most often."""

    name = "pagerank"

    def __init__(self, context: StrategyContext) -> None:
        self._context = context

    def retrieve(self, question: str, corpus: str, k: int) -> Evidence:
        """Return the best ``k`` chunks by personalised PageRank."""
        retrieval = Retrieval(self._context, self.name, question, corpus, k)
        seeds = find_seeds(retrieval, self._context.settings.pagerank_dense_weight)
        return walk(retrieval, seeds)


def walk(retrieval: Retrieval, seeds: Seeds) -> Evidence:
    """Return the evidence that the walk from ``seeds`` finds, ranked inside the database."""
    context = retrieval.context
    with retrieval.step("pagerank") as detail:
        rows = pagerank_chunks(
            context.store,
            retrieval.corpus.name,
            seeds.masses,
            damping=context.settings.pagerank_damping,
            limit=retrieval.k,
        )
        detail["chunks"] = len(rows)
    return retrieval.evidence_by_id(
        [row["id"] for row in rows], [row["score"] for row in rows], seeds.found
    )
