"""Training data of the translator from a graph alone (KT-10): questions with their clues.

The questions and the triples that answer them are `clew.strategies.learning.graph_questions`'; the
clues are those of the triples' sentences.
"""

import random
from collections.abc import Sequence

from clew.strategies.learning.graph_questions import (
    Chain,
    chain_question,
    graph_chains,
    step_question,
)
from clew_cypher.store import GraphStore
from clew_models.translator.examples import Embed, Fact, TranslationExample, relation_targets


def graph_examples(
    store: GraphStore, corpus: str, count: int, seed: int, embed: Embed
) -> list[TranslationExample]:
    """Return up to ``count`` examples from the graph of ``corpus``, the same for a seed.

    Fewer where the graph holds fewer triples of known relations. Raises UnknownCorpus.
    """
    chance = random.Random(seed)
    return _examples(graph_chains(store, corpus, count, chance), chance, embed)


def _examples(
    chains: Sequence[Chain], chance: random.Random, embed: Embed
) -> list[TranslationExample]:
    questions = [chain_question(chain, chance) for chain in chains]
    facts = [
        Fact(
            step_question(one, chance),
            one.triple.head,
            one.triple.tail,
            one.triple.text,
            one.triple.hyperrelation,
        )
        for chain in chains
        for one in chain
    ]
    targets = iter(relation_targets(facts, embed))
    found = []
    for question, chain in zip(questions, chains, strict=True):
        clues = tuple(next(targets) for _ in chain)
        if all(clues):
            chunks = tuple(one.triple.chunk_id for one in chain)
            kept = tuple(clue for clue in clues if clue)
            found.append(TranslationExample(question, kept, chunks))
    chance.shuffle(found)
    return found
