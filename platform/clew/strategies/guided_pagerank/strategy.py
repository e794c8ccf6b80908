"""guided-pagerank (SH-1): PageRank whose edges depend on the question.

The graph and the seeds are those of `pagerank`, but an edge is as wide as the sentences that
carry it resemble the question (`clew_models.guided_pagerank.kernel` has the formula), so that the
walk follows what was asked about an entity and not everything that is known of it.
"""

from typing import TYPE_CHECKING

from clew.results.evidence import Evidence
from clew.strategies.base import Tell, untold
from clew.strategies.guided_pagerank.arrays import guided_arrays, snapshot_or_walk
from clew.strategies.guided_pagerank.options import GuidedOptions
from clew.strategies.guided_pagerank.spec import SPEC
from clew.strategies.retrieval import Retrieval
from clew.strategies.seeds import find_seeds

if TYPE_CHECKING:
    from clew.resources.resources import Resources


class GuidedPageRank:
    """Ranks chunks by a walk from the question's entities along the sentences that fit it."""

    name = SPEC.name

    def __init__(self, resources: "Resources") -> None:
        self._resources = resources

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> Evidence:
        """Return the best ``k`` chunks; `pagerank`'s, with a notice, past the sentence limit."""
        from clew_models.guided_pagerank import rank_chunks

        options = self._resources.settings.options(GuidedOptions)
        retrieval = Retrieval(self._resources, self.name, question, corpus, k, tell)
        snapshot = snapshot_or_walk(
            retrieval,
            guided_arrays(self._resources),
            lambda arrays: len(arrays.sentence_ids),
            options.sentence_limit,
        )
        if isinstance(snapshot, Evidence):
            return snapshot
        seeds = find_seeds(retrieval, options.dense_weight)
        with retrieval.step("guided pagerank") as detail:
            ranked = rank_chunks(
                snapshot.value,
                retrieval.vector,
                seeds.entities,
                seeds.chunks,
                chunk_cosines=seeds.cosines,
                damping=options.damping,
                temperature=options.temperature,
                limit=retrieval.depth,
            )
            detail["sweeps"] = ranked.sweeps
        return retrieval.evidence_by_id(ranked.ids, ranked.scores, seeds.found)
