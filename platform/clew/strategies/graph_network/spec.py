"""What Clew knows of graph-network before it is loaded."""

from clew.strategies.base import Ablation, StrategySpec
from clew.strategies.graph_network.options import NetworkMethodOptions

SPEC = StrategySpec(
    name="graph-network",
    summary="A graph network reads the question and ranks passages by what their neighbours say.",
    paper="QSGNN",
    prefix="graph_network",
    options=NetworkMethodOptions,
    reads=("seed_similarity",),
    needs=("embedder", "parser"),
    loader="clew.strategies.graph_network.strategy:GraphNetworkStrategy",
    training="clew.strategies.graph_network.training:TRAINING",
    ablations=(
        Ablation(
            "without entities", "the level of entities", {"graph_network_entity_level": False}
        ),
        Ablation(
            "without sentences",
            "the level of sentences (the paper's chunks)",
            {"graph_network_sentence_level": False},
        ),
        Ablation(
            "without chunks",
            "the level of chunks (the paper's documents)",
            {"graph_network_chunk_level": False},
        ),
        Ablation(
            "without question attention",
            "weighing neighbours by the question",
            {"graph_network_question_attention": False},
        ),
        Ablation(
            "without intra-level messages",
            "messages within a level",
            {"graph_network_intra": False},
        ),
        Ablation(
            "without inter-level messages",
            "messages between levels",
            {"graph_network_inter": False},
        ),
        Ablation(
            "without pre-training",
            "what was learned from questions made of graphs",
            {"graph_network_version": "untrained"},
        ),
        Ablation("without titles", "edges of titles (ours)", {"graph_network_titles": False}),
        Ablation(
            "without marks",
            "marks of what the question names (ours)",
            {"graph_network_marks": False},
        ),
    ),
)
