"""The questions that the network learns from (QS-5): made of the graph, or labelled.

Questions of one hop to three over passages, worded by a language model where one is set, else in
the wordings that all trainings share. Left out and counted is a question whose answer is not
unique: the graph has another tail for what is asked of one of its heads.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clew.resources.language_models import Role
from clew.strategies.graph_network.arrays import network_arrays
from clew.strategies.graph_network.options import NetworkMethodOptions
from clew.strategies.graph_network.prompts import CHAIN
from clew.strategies.graph_network.question import question_part
from clew.strategies.graph_network.spec import SPEC
from clew.strategies.learning.gold_chunks import kept_apart, labelled_questions
from clew.strategies.learning.graph_questions import (
    AskedTriple,
    Chain,
    chain_question,
    graph_chains,
    longer_chains,
)
from clew.strategies.learning.training import Examples, Record, TrainingRun
from clew.strategies.learning.written_questions import Asked, wanted, write_questions
from clew.strategies.retrieval import Retrieval
from clew.strategies.seeds import find_seeds
from clew_cypher.export.training import StatedTriple, stated_triples
from clew_cypher.searching.chunks import chunks_by_id
from clew_cypher.store import GraphStore
from clew_models.graph_network.examples import NetworkExample

WRITER = Role(
    "graph-network's training", "graph_network_model", "or set graph_network_model to none"
)
"""Who words the questions that are made from a graph."""
HELD_OUT_SHARE = 0.05
"""Of the questions made (paper: 95/5)."""
LABELLED_SHARE = 1 / 3
"""Of labelled questions, at most: they are few."""
LEAST_HELD_OUT = 10
DRAWN = 4
"""Chains drawn for each question: of most graphs few have two hops."""
TOLD_EACH = 50


def make_examples(run: TrainingRun) -> Examples:
    """Return questions with the ids of their gold chunks; no chunk is gold on both sides.

    Raises InvalidRequest where there are too few.
    """
    run.tell(0, run.options.examples)
    source: dict[str, Any] = {}
    if run.data_set is None:
        found, not_unique = graph_questions(
            run.resources.store,
            run.corpus,
            run.options.examples,
            run.options.seed,
            run.options.two_hops,
            run.options.three_hops,
        )
        source["left_out_not_unique"] = not_unique
        if wanted(run, run.resources.settings.options(NetworkMethodOptions).model):
            source |= _write(run, found)
        for record in found:
            del record["chain"]
        held_out = round(len(found) * HELD_OUT_SHARE)
    else:
        found = labelled_questions(run, run.options.examples)
        held_out = round(len(found) * LABELLED_SHARE)
    run.tell(len(found), run.options.examples)
    apart = min(max(held_out, min(LEAST_HELD_OUT, len(found) // 4)), run.options.held_out)
    return kept_apart(run, found, apart, source)


def graph_questions(
    store: GraphStore,
    corpus: str,
    count: int,
    seed: int,
    two_hops: float,
    three_hops: float = 0.0,
) -> tuple[list[dict[str, Any]], int]:
    """Return up to ``count`` questions about the triples of ``corpus``, each with its chain of
    them, and how many were left out because their answer is not unique. Gold are the chunks that
    state the triples.

    ``two_hops``, ``three_hops``: the shares of questions with so many hops. Where the graph has
    fewer chains, there are fewer questions of one hop too, down to a quarter of ``count``.
    """
    chance = random.Random(seed)
    chains = graph_chains(store, corpus, DRAWN * count, chance)
    if three_hops:
        chains += longer_chains(store, corpus, DRAWN * count, chance)
    chance.shuffle(chains)
    heads = {one.triple.head_id for chain in chains for one in chain}
    stated: dict[str, list[StatedTriple]] = defaultdict(list)
    for triple in stated_triples(store, corpus):
        if triple.head_id in heads:
            stated[triple.head_id].append(triple)
    answered = [(chain, _gold(chain, stated)) for chain in chains]
    unique = [(chain, gold) for chain, gold in answered if gold is not None]
    longer: list[tuple[Chain, list[str]]] = []
    for hops, share in ((2, two_hops), (3, three_hops)):
        longer += [one for one in unique if len(one[0]) == hops][: round(count * share)]
    several = two_hops + three_hops
    beside = round(len(longer) * (1 - several) / several) if several else count
    plain = [one for one in unique if len(one[0]) == 1]
    chosen = [*longer, *plain[: min(max(beside, count // 4), count - len(longer))]]
    chance.shuffle(chosen)
    found = [
        {
            "question": chain_question(chain, chance),
            "gold": gold,
            "hops": len(chain),
            "chain": chain,
        }
        for chain, gold in chosen
    ]
    return found, len(chains) - len(unique)


def _write(run: TrainingRun, found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Put the language model's questions in the place of the wordings', where they can be used;
    return what it wrote, for the manifest. Comparisons, of which the graph tells one side, stay.
    """
    records = [record for record in found if record["chain"][-1].other is None]
    rows = chunks_by_id(
        run.resources.store, run.corpus, sorted({id_ for one in records for id_ in one["gold"]})
    )
    texts = {row["id"]: row["text"] for row in rows}
    records = [one for one in records if texts.keys() >= {*one["gold"]}]
    asked = []
    for record in records:
        triples = [one.triple for one in record["chain"]]
        unnamed = list(
            dict.fromkeys([one.tail for one in triples] + [one.head for one in triples[1:]])
        )
        facts = [
            f"{place}. {one.head} | {one.predicate} | {one.tail}: {' '.join(one.text.split())}"
            for place, one in enumerate(triples, 1)
        ]
        asked.append(
            Asked(
                inputs={
                    "facts": "\n".join(facts),
                    "first": triples[0].head,
                    "unnamed": "; ".join(unnamed),
                },
                named=(triples[0].head,),
                unnamed=unnamed,
                sources=[texts[id_] for id_ in record["gold"]],
            )
        )
    questions, figures = write_questions(run, WRITER, CHAIN, asked)
    for record, question in zip(records, questions, strict=True):
        record["question"] = question or record["question"]
    return figures


def _gold(chain: Chain, stated: Mapping[str, Sequence[StatedTriple]]) -> list[str] | None:
    """Return the ids of the chunks that state a chain; None where a step has another answer."""
    chunks: set[str] = set()
    for one in chain:
        same = [triple for triple in stated[one.triple.head_id] if _asked_alike(one, triple)]
        if {triple.tail_id for triple in same} != {one.triple.tail_id}:
            return None
        chunks.add(one.triple.chunk_id)
    return sorted(chunks)


def _asked_alike(one: AskedTriple, triple: StatedTriple) -> bool:
    """Whether a question for ``one`` asks for the tail of ``triple`` too."""
    relation = one.relation
    return triple.predicate in relation.predicates and triple.tail_type in relation.tails


def network_examples(run: TrainingRun, records: Sequence[Record]) -> list[NetworkExample]:
    """Return the neighbourhoods of questions, as they are made to answer them."""
    resources = run.resources
    options = resources.settings.options(NetworkMethodOptions)
    found = []
    for done, record in enumerate(records, 1):
        retrieval = Retrieval(resources, SPEC.name, record["question"], run.corpus, 1)
        arrays = network_arrays(resources).snapshot(retrieval.corpus).value
        part = question_part(retrieval, arrays, find_seeds(retrieval, 0.0), options)
        gold = np.isin(part.chunk_ids, record["gold"])
        found.append(NetworkExample(part, gold, len(record["gold"])))
        if done % TOLD_EACH == 0:
            run.tell(done, len(records))
            if run.cancelled():
                raise run.stopped()
    return found
