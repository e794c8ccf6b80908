"""pagerank (SH-1): personalised PageRank over entities and chunks, in GDS inside Neo4j.

HippoRAG's idea without its triples: the graph is bipartite, an entity is joined to every chunk
that holds it with weight idf × count, and the walk begins at the question's entities (`seeds.py`).
"""

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from clew.strategies.base import Ablation, StrategySpec, Tell, untold

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew.results.evidence import Evidence
    from clew.strategies.retrieval import Retrieval
    from clew.strategies.seeds import Seeds


class PageRankOptions(BaseModel):
    """How far the walk goes, and where it begins."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    damping: float = Field(0.5, gt=0, lt=1, description="Damping of pagerank.")
    dense_weight: float = Field(
        0.5, ge=0, le=1, description="Seed mass w of pagerank on the best dense chunks."
    )


SPEC = StrategySpec(
    name="pagerank",
    summary="Personalised PageRank over entities and chunks, inside Neo4j (GDS).",
    paper="HippoRAG (Jiménez Gutiérrez et al., 2024), without its triples",
    prefix="pagerank",
    options=PageRankOptions,
    reads=("seed_similarity",),
    needs=("embedder", "parser"),
    loader=f"{__name__}:PageRank",
    ablations=(
        Ablation(
            "without the walk",
            "walking on from where it begins (d = 0.01)",
            {"pagerank_damping": 0.01},
        ),
        Ablation(
            "without dense seeds",
            "a walk that begins at the nearest chunks, too",
            {"pagerank_dense_weight": 0.0},
        ),
    ),
)


class PageRank:
    """Ranks chunks by where a walk from the question's entities arrives most often."""

    name = SPEC.name

    def __init__(self, resources: "Resources") -> None:
        self._resources = resources

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> "Evidence":
        """Return the best ``k`` chunks by personalised PageRank."""
        from clew.strategies.retrieval import Retrieval
        from clew.strategies.seeds import find_seeds

        retrieval = Retrieval(self._resources, self.name, question, corpus, k, tell)
        options = self._resources.settings.options(PageRankOptions)
        seeds = find_seeds(retrieval, options.dense_weight)
        return walk(retrieval, seeds)


def walk(retrieval: "Retrieval", seeds: "Seeds") -> "Evidence":
    """Return the evidence that the walk from ``seeds`` finds, ranked inside the database."""
    from clew_cypher.corpora import has_chunks
    from clew_cypher.searching.projections import pagerank_chunks

    resources = retrieval.resources
    if not has_chunks(resources.store, retrieval.corpus.name):
        # a knowledge base has entities to begin at, and no passage to walk to
        return retrieval.evidence([], seeds.found)
    with retrieval.step("pagerank") as detail:
        rows = pagerank_chunks(
            resources.store,
            retrieval.corpus.name,
            seeds.masses,
            damping=resources.settings.options(PageRankOptions).damping,
            limit=retrieval.depth,
        )
        detail["chunks"] = len(rows)
    return retrieval.evidence_by_id(
        [row["id"] for row in rows], [row["score"] for row in rows], seeds.found
    )
