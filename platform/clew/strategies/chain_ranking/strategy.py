"""chain-ranking (SH-1), the default: a passage by the best step that leads to it.

A walk as of `guided-pagerank` finds what may be evidence; then each passage is ranked by itself and
by the best single step from another good passage, and that step is its explanation.
"""

from typing import TYPE_CHECKING

from clew.results.evidence import Evidence
from clew.strategies.base import Tell, untold
from clew.strategies.chain_ranking.arrays import chain_arrays
from clew.strategies.chain_ranking.explanation import EXPLAINED, explain
from clew.strategies.chain_ranking.options import ChainOptions
from clew.strategies.chain_ranking.question import asked
from clew.strategies.chain_ranking.spec import SPEC
from clew.strategies.chain_ranking.step_reading import with_steps_read
from clew.strategies.chain_ranking.weights import weights_for
from clew.strategies.guided_pagerank.arrays import snapshot_or_walk
from clew.strategies.retrieval import SPARE, Retrieval
from clew.strategies.seeds import find_seeds
from clew_models.chain_ranking import rank_chains
from clew_models.chain_ranking.steps import ChainStep, best_steps

if TYPE_CHECKING:
    from clew.resources.resources import Resources


class ChainRankingStrategy:
    """Ranks chunks by themselves and by the best step that leads to each."""

    name = SPEC.name

    def __init__(self, resources: "Resources") -> None:
        self._resources = resources

    def retrieve(self, question: str, corpus: str, k: int, tell: Tell = untold) -> Evidence:
        """Return the best ``k`` chunks; `pagerank`'s, with a notice, past the sentence limit."""
        options = self._resources.settings.options(ChainOptions)
        retrieval = Retrieval(self._resources, self.name, question, corpus, k, tell)
        snapshot = snapshot_or_walk(
            retrieval,
            chain_arrays(self._resources),
            lambda arrays: len(arrays.graph.sentence_ids),
            options.sentence_limit,
        )
        if isinstance(snapshot, Evidence):
            return snapshot
        if not len(snapshot.value.graph.chunk_ids):
            return retrieval.evidence([])
        seeds = find_seeds(retrieval, options.dense_weight)
        weights = weights_for(self._resources, corpus)
        arrays = snapshot.value
        with retrieval.step("chain ranking") as detail:
            ranking = rank_chains(
                arrays,
                asked(retrieval, arrays, seeds, options),
                weights,
                damping=options.damping,
                temperature=options.temperature,
                pool=options.pool,
                predecessors=options.predecessors,
                limit=max(retrieval.depth, max(options.led, options.read) + SPARE),
            )
            detail["sweeps"] = ranking.features.sweeps
            detail["passages"] = len(ranking.features.pool)
        led: dict[str, ChainStep] = {}
        if options.led or options.read:
            ranking, led = with_steps_read(retrieval, arrays, ranking, options)
        ids = [str(id_) for id_ in arrays.graph.chunk_ids[ranking.rows]]
        rows = retrieval.read_chunks(ids, ranking.scores.tolist())
        if not self._resources.explains:
            return retrieval.evidence(rows, seeds.found)
        with retrieval.step("steps"):
            shown = {row["id"] for row in rows[:EXPLAINED]}
            ways = best_steps(arrays, ranking, weights, shown, led)
        return retrieval.evidence(rows, seeds.found, explain(retrieval, ways, rows, seeds.found))
