"""What Clew knows of planner before it is loaded."""

from clew.strategies.base import Ablation, StrategySpec
from clew.strategies.planner.options import PlannerOptions

SPEC = StrategySpec(
    name="planner",
    summary="In rounds: what to ask next is planned from a graph that grows with the question.",
    paper="RAS (Jiang et al., 2025)",
    prefix="planner",
    options=PlannerOptions,
    reads=("llm_model", "llm_max_tokens", "graph_token", "graph_reader_model"),
    needs=("embedder", "parser"),
    loader="clew.strategies.planner.strategy:PlannedSearch",
    training="clew.strategies.planner.training:TRAINING",
    ablations=(
        Ablation("one shot", "planning: the question is all that is asked", {"planner_rounds": 1}),
        Ablation(
            "without graph text",
            "what the graph says, beside the sub-queries",
            {"planner_graph_text": False},
            asks_model=True,
        ),
        Ablation(
            "by rules",
            "the language model that plans",
            {"planner_model": "rules"},
            asks_model=True,
        ),
        Ablation(
            "without graph token",
            "the graph as a token, beside what it says as text",
            {"graph_token": False},
            where={"planner_model": "trained"},
        ),
        # the role-swapping study (RAS, figure 3): who plans, and who answers as the reader graph
        Ablation(
            "roles swapped",
            "which of the two models plans: here the language model, and the trained one answers",
            {"planner_model": "openai", "graph_reader_model": "trained"},
            asks_model=True,
            where={"planner_model": "trained"},
        ),
        Ablation(
            "trained throughout",
            "the language model, where it answers: here the trained one plans and answers",
            {"graph_reader_model": "trained"},
            asks_model=True,
            where={"planner_model": "trained"},
        ),
        Ablation(
            "untrained throughout",
            "the training: here the language model plans and answers",
            {"planner_model": "openai", "graph_reader_model": "openai"},
            asks_model=True,
            where={"planner_model": "trained"},
        ),
    ),
    backbones=("guided-pagerank", "chain-ranking"),
    any_backbone=True,
)
