"""Chain ranking (SH-1): a passage is ranked by the best step that leads to it.

`arrays.py`: what is kept of a corpus. `build.py`: how it is made. `snapshots.py`: where it lies
on disk. `features.py`: the signs of passages and of steps. `weights.py`: what each counts.
`kernel.py`: the scores. `further.py`: what the best lead to past the pool. `steps.py`: the steps in
ids.
"""

from clew_models.chain_ranking.arrays import ChainArrays, opening, openings_in
from clew_models.chain_ranking.build import ChainParts, TitleParts, build_chain_arrays
from clew_models.chain_ranking.features import ChainFeatures, chain_features
from clew_models.chain_ranking.kernel import ChainRanking, rank_chains
from clew_models.chain_ranking.question import ChainQuestion
from clew_models.chain_ranking.snapshots import load_chains, save_chains
from clew_models.chain_ranking.weights import ChainWeights

__all__ = [
    "ChainArrays",
    "ChainFeatures",
    "ChainParts",
    "ChainQuestion",
    "ChainRanking",
    "ChainWeights",
    "TitleParts",
    "build_chain_arrays",
    "chain_features",
    "load_chains",
    "opening",
    "openings_in",
    "rank_chains",
    "save_chains",
]
