"""Constrained decoding (KT-4 to KT-6): a language model held, token by token, to what a graph
contains.

Three layers: indexes over token ids (`token_trie.py`, `span_index.py`), states, which say where
one beam stands (`states.py`), and what drives a model by them: beam search (`beam_search.py`) over
a tree of prefixes, scored by transformers (`prefix_tree.py`) or by an engine such as vLLM
(`engine_tree.py`), whose logits are masked (`allowed_slots.py`).
"""

from clew_models.constrained_decoding.beam_search import (
    Hypothesis,
    PrefixScorer,
    Search,
    run_searches,
)
from clew_models.constrained_decoding.span_index import Span, SpanIndex, SpanView
from clew_models.constrained_decoding.states import EntityState, RelationState, State
from clew_models.constrained_decoding.token_trie import TokenTrie

__all__ = [
    "EntityState",
    "Hypothesis",
    "PrefixScorer",
    "RelationState",
    "Search",
    "Span",
    "SpanIndex",
    "SpanView",
    "State",
    "TokenTrie",
    "run_searches",
]
