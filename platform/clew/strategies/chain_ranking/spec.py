"""What Clew knows of chain-ranking before it is loaded."""

from clew.strategies.base import Ablation, StrategySpec
from clew.strategies.chain_ranking.options import ChainOptions

STEPS = "before,link,shared,part,new,back"
ABLATIONS = (
    Ablation(
        "without steps",
        "ranking a passage by another one that leads to it",
        {"chain_without": STEPS, "chain_lead_weight": 0.0, "chain_further": 0},
    ),
    Ablation(
        "without reading",
        "a model that reads the best passages with the question",
        {"chain_read": 0},
    ),
    Ablation(
        "without leads",
        "how well a passage fits with the sentence that leads to it",
        {"chain_lead_weight": 0.0, "chain_further": 0},
    ),
    Ablation(
        "without further passages",
        "a second search, for what the sentences of the best passages lead to",
        {"chain_further": 0},
    ),
    Ablation("without links", "sentences that name a passage's title", {"chain_without": "link"}),
    Ablation(
        "without shared entities", "entities that both ends name", {"chain_without": "shared"}
    ),
    Ablation(
        "without new words", "words of the question that a step adds", {"chain_without": "new"}
    ),
    Ablation(
        "without the way there",
        "how good the passage is that a step begins at",
        {"chain_without": "before"},
    ),
    Ablation("without walks", "PageRank from the question's entities", {"chain_without": "walk"}),
    Ablation(
        "without sentences",
        "the sentence nearest to the question",
        {"chain_without": "sentence,unnamed"},
    ),
    Ablation("without bm25", "the passage's own words", {"chain_without": "bm25"}),
    Ablation("without titles", "titles that the question names", {"chain_without": "titled"}),
    Ablation(
        "without named entities",
        "taking off what the walks count already",
        {"chain_without": "named"},
    ),
    Ablation(
        "without repeats",
        "what a passage loses for a better one of its title",
        {"chain_without": "repeat"},
    ),
    Ablation(
        "without dense seeds",
        "walks that begin at the nearest passages, too",
        {"chain_dense_weight": 0.0},
    ),
    Ablation(
        "without word seeds",
        "walks that begin at passages with the question's words, too",
        {"chain_word_share": 0.0},
    ),
)

SPEC = StrategySpec(
    name="chain-ranking",
    summary="Each passage by the best single step that leads to it from another good one.",
    paper="Clew, on guided-pagerank",
    prefix="chain",
    options=ChainOptions,
    reads=("seed_similarity",),
    needs=("embedder", "parser"),
    loader="clew.strategies.chain_ranking.strategy:ChainRankingStrategy",
    training="clew.strategies.chain_ranking.training:TRAINING",
    ablations=ABLATIONS,
)
