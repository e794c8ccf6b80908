"""Every strategy, once. The CLI, REST, the UI, the docs and the benchmarks read this tuple.

Each of them can be asked in steps: `iterative:NAME` wraps NAME (`iterative.py`). These names are
understood wherever a strategy is named, and made here.
"""

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from clew.errors import UnknownStrategy
from clew.settings import Settings
from clew.strategies.base import ITERATIVE_PREFIX, Strategy
from clew.strategies.context import StrategyContext
from clew.strategies.language_model import LANGUAGE_MODEL, check_language_model

ITERATIVE_SETTINGS = (
    "iterative_steps",
    "iterative_passages",
    "iterative_model",
    "llm_model",
    "llm_max_tokens",
)
"""What every `iterative:NAME` reads, beside the settings of NAME."""


@dataclass(frozen=True)
class StrategySpec:
    """A strategy's name, what it does in one line, and how to build it.

    ``paper``: where it comes from. ``settings``: the settings it reads. ``needs``: which of
    'embedder', 'parser' and 'language model' it uses. ``loader``: builds it; its module is
    imported only then. ``first``: what its first question in a process waits for, in words; ""
    where that takes no seconds.
    """

    name: str
    summary: str
    paper: str
    settings: tuple[str, ...]
    needs: tuple[str, ...]
    loader: Callable[[StrategyContext], Strategy]
    first: str = ""


def build_strategy(name: str, context: StrategyContext) -> Strategy:
    """Return the strategy ``name``; raises UnknownStrategy, which names those there are.

    For `iterative:NAME` raises LanguageModelUnavailable where no language model is set.
    """
    return spec_of(name).loader(context)


def spec_of(name: str) -> StrategySpec:
    """Return what is known of a strategy, `NAME` or `iterative:NAME`; raises UnknownStrategy."""
    plain = plain_name(name)
    for spec in STRATEGIES:
        if spec.name == plain:
            return spec if plain == name else _in_steps(spec)
    known = [spec.name for spec in STRATEGIES]
    near = difflib.get_close_matches(name, [*known, *map(in_steps, known)], n=1)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    nested = " What is asked in steps cannot be in steps itself." if _is_iterative(plain) else ""
    raise UnknownStrategy(
        f"There is no strategy {name!r}.{nested}", remedy=f"{hint}There are: {strategy_names()}."
    )


def check_strategy(name: str, settings: Settings) -> None:
    """Raise what keeps a strategy from being asked: UnknownStrategy, or what
    ``check_language_model`` raises for `iterative:NAME`. Loads nothing.
    """
    if LANGUAGE_MODEL in spec_of(name).needs:
        check_language_model(settings)


def strategy_names() -> str:
    """Return, for people, the names that can be given."""
    names = ", ".join(spec.name for spec in STRATEGIES)
    steps = f"{in_steps('NAME')} (one of these in steps, led by a language model)"
    return f"{names}, or {steps}"


def plain_name(name: str) -> str:
    """Return the name of the strategy that is asked, in steps or not; it may be unknown."""
    return name.removeprefix(ITERATIVE_PREFIX)


def in_steps(name: str) -> str:
    """Return the name by which a strategy is asked in steps."""
    return f"{ITERATIVE_PREFIX}{name}"


def _is_iterative(name: str) -> bool:
    return plain_name(name) != name


def _in_steps(inner: StrategySpec) -> StrategySpec:
    def load(context: StrategyContext) -> Strategy:
        from clew.strategies.iterative import Iterative

        return Iterative(inner.loader(context), context.language_model, context.settings)

    return StrategySpec(
        name=in_steps(inner.name),
        summary=f"In steps led by a language model: {inner.summary}",
        paper=f"IRCoT (Trivedi et al., 2023) as in KG-Translator (KT-11); {inner.paper}",
        settings=(*inner.settings, *ITERATIVE_SETTINGS),
        needs=(*inner.needs, LANGUAGE_MODEL),
        loader=load,
        first=inner.first,
    )


def _dense(context: StrategyContext) -> Strategy:
    from clew.strategies.dense import Dense

    return Dense(context)


def _lexical(context: StrategyContext) -> Strategy:
    from clew.strategies.lexical import Lexical

    return Lexical(context)


def _hybrid(context: StrategyContext) -> Strategy:
    from clew.strategies.hybrid import Hybrid

    return Hybrid(context)


def _pagerank(context: StrategyContext) -> Strategy:
    from clew.strategies.pagerank import PageRank

    return PageRank(context)


def _guided_pagerank(context: StrategyContext) -> Strategy:
    from clew.strategies.guided_pagerank import GuidedPageRank

    return GuidedPageRank(context)


def _translator(context: StrategyContext) -> Strategy:
    from clew.strategies.translator import Translator

    return Translator(context)


STRATEGIES: tuple[StrategySpec, ...] = (
    StrategySpec(
        name="guided-pagerank",
        summary="PageRank over entities and chunks along edges that fit the question; the default.",
        paper="Clew (SH-1), after HippoRAG (Jiménez Gutiérrez et al., 2024)",
        settings=(
            "guided_damping",
            "guided_temperature",
            "guided_dense_weight",
            "guided_sentence_limit",
            "seed_similarity",
        ),
        needs=("embedder", "parser"),
        loader=_guided_pagerank,
    ),
    StrategySpec(
        name="pagerank",
        summary="Personalised PageRank over entities and chunks, inside Neo4j (GDS).",
        paper="HippoRAG (Jiménez Gutiérrez et al., 2024), without its triples (SH-1)",
        settings=("pagerank_damping", "pagerank_dense_weight", "seed_similarity"),
        needs=("embedder", "parser"),
        loader=_pagerank,
    ),
    StrategySpec(
        name="hybrid",
        summary="Meaning and words together: the scores of dense and bm25, combined.",
        paper="Bruch, Gai and Ingber, An Analysis of Fusion Functions, 2023 (SH-1)",
        settings=("hybrid_pool", "hybrid_dense_weight"),
        needs=("embedder",),
        loader=_hybrid,
    ),
    StrategySpec(
        name="dense",
        summary="Chunks whose embedding is nearest to the question's.",
        paper="Karpukhin et al., Dense Passage Retrieval, 2020 (SH-1)",
        settings=(),
        needs=("embedder",),
        loader=_dense,
    ),
    StrategySpec(
        name="bm25",
        summary="Chunks that share the question's words (Lucene's BM25).",
        paper="Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009 (SH-1)",
        settings=(),
        needs=(),
        loader=_lexical,
    ),
    StrategySpec(
        name="translator",
        summary="A language model writes clues that exist in the graph; they lead to chunks.",
        paper="KG-Translator (KT-1 to KT-13)",
        settings=(
            "translator_model",
            "translator_adapter",
            "translator_precision",
            "translator_device",
            "translator_backend",
            "translator_vllm_memory",
            "translator_entities",
            "translator_relations",
            "translator_relation_tokens",
            "translator_length_penalty",
            "translator_reverse",
            "translator_directed",
            "translator_title_heads",
            "translator_hops",
            "translator_chains",
            "translator_clue_weight",
            "translator_form",
            "seed_similarity",
        ),
        needs=("embedder", "parser"),
        loader=_translator,
        first="Loading the translator's language model (first question)",
    ),
)
