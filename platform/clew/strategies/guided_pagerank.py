"""guided-pagerank (SH-1), the default: PageRank whose edges depend on the question.

The graph and the seeds are those of `pagerank`, but an edge is as wide as the sentences that
carry it resemble the question (`clew_models.guided_pagerank.kernel` has the formula), so that the
walk follows what was asked about an entity and not everything that is known of it.
"""

from clew.evidence import Evidence
from clew.strategies.context import StrategyContext
from clew.strategies.guided_arrays import TooManySentences
from clew.strategies.pagerank import walk
from clew.strategies.retrieval import Retrieval
from clew.strategies.seeds import find_seeds

SPARE = 20
"""Chunks ranked beyond k, in case some are gone since the arrays were made."""


class GuidedPageRank:
    """Ranks chunks by a walk from the question's entities along the sentences that fit it."""

    name = "guided-pagerank"

    def __init__(self, context: StrategyContext) -> None:
        self._context = context

    def retrieve(self, question: str, corpus: str, k: int) -> Evidence:
        """Return the best ``k`` chunks; `pagerank`'s, with a notice, past the sentence limit."""
        from clew_models.guided_pagerank import rank_chunks

        settings = self._context.settings
        retrieval = Retrieval(self._context, self.name, question, corpus, k)
        try:
            with retrieval.step("arrays") as detail:
                snapshot = self._context.arrays.snapshot(retrieval.corpus)
                detail["revision"] = snapshot.revision
                detail["sentences"] = len(snapshot.value.sentence_ids)
        except TooManySentences as error:
            retrieval.notice(
                f"The corpus has {error.sentences:,} sentences, past the limit of "
                f"{settings.guided_sentence_limit:,} for guided-pagerank: pagerank was used."
            )
            return walk(retrieval, find_seeds(retrieval, settings.pagerank_dense_weight))
        for sentence in snapshot.notices:
            retrieval.notice(sentence)
        seeds = find_seeds(retrieval, settings.guided_dense_weight)
        with retrieval.step("guided pagerank") as detail:
            ranked = rank_chunks(
                snapshot.value,
                retrieval.vector,
                seeds.entities,
                seeds.chunks,
                chunk_cosines=seeds.cosines,
                damping=settings.guided_damping,
                temperature=settings.guided_temperature,
                limit=k + SPARE,
            )
            detail["sweeps"] = ranked.sweeps
        return retrieval.evidence_by_id(ranked.ids, ranked.scores, seeds.found)
