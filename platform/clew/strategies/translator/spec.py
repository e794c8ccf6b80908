"""What Clew knows of translator before it is loaded."""

from clew.strategies.base import Ablation, StrategySpec
from clew.strategies.translator.options import TranslatorOptions

ABLATIONS = (
    Ablation(
        "without fine-tuning",
        "the adapter that was trained to write clues",
        {"translator_adapter": "none"},
    ),
    Ablation(
        "without reverse translation",
        "clues from what stands after the relation",
        {"translator_reverse": "never"},
    ),
    Ablation("reverse first", "the order of the directions", {"translator_reverse": "first"}),
    Ablation(
        "undirected graph",
        "that subjects lead to the rest of a sentence",
        {"translator_directed": False},
    ),
    Ablation(
        "triples as clues",
        "clues of an entity and a relation, not a whole triple",
        {"translator_form": "triple"},
    ),
    Ablation(
        "one clue a step",
        "several entities and relations (α = β = 1)",
        {"translator_entities": 1, "translator_relations": 1},
    ),
    Ablation("one hop", "clues that follow clues (ours)", {"translator_hops": 1}),
    Ablation(
        "without titles",
        "titles as subjects of their documents' sentences (ours)",
        {"translator_title_heads": False},
    ),
    Ablation(
        "without clue scores",
        "how likely its clues are, beside a chunk's cosine (ours)",
        {"translator_clue_weight": 0.0},
    ),
)

SPEC = StrategySpec(
    name="translator",
    summary="A language model writes clues that exist in the graph; they lead to chunks.",
    paper="KG-Translator",
    prefix="translator",
    options=TranslatorOptions,
    reads=("seed_similarity",),
    needs=("embedder", "parser"),
    loader="clew.strategies.translator.strategy:Translator",
    training="clew.strategies.translator.training:TRAINING",
    ablations=ABLATIONS,
)
