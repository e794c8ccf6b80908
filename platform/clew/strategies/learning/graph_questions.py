"""Questions made from a graph alone, with the triples that answer them (KT-10).

One hop: what is asked of a relation, with the triple's head. Two hops: the head of one question is
described by another triple ("the director of Ed Wood"), and the answer is a chain of two triples.
Comparisons: the same is asked of two heads, and the triple is that of one of them.
Which questions fit which predicates is data; a share of the questions is made from the words of any
triple's sentence instead (both: `wordings.py`).
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from clew.strategies.learning.wordings import (
    Head,
    RelationQuestions,
    relation_questions,
    statement_question,
)
from clew_cypher.export.training import StatedTriple, stated_triples
from clew_cypher.store import GraphStore

TWO_HOPS = 0.5
"""Share of questions with two hops, where the graph has as many chains."""
COMPARISONS = 0.15
"""Share of questions that name two heads."""
STATEMENTS = 0.35
"""Share of questions whose last step is asked in the words of a sentence."""
A_RELATION = 0.15
"""Largest share of the questions that are about one relation: some predicates are everywhere."""


@dataclass(frozen=True)
class AskedTriple:
    """A triple that is asked for; ``other``: the head it is compared with."""

    triple: StatedTriple
    relation: RelationQuestions
    other: str | None = None


Chain = tuple[AskedTriple, ...]
"""The triples that a question asks for, in the order in which they lead to its answer."""


def graph_chains(store: GraphStore, corpus: str, count: int, chance: random.Random) -> list[Chain]:
    """Return up to ``count`` chains that can be asked for, drawn by ``chance``.

    Fewer where the graph holds fewer triples of known relations. Raises UnknownCorpus.
    """
    asked = _askable(store, corpus)
    chance.shuffle(asked)
    said = _statements(store, corpus, 10 * count, chance)
    from_said = round(count * STATEMENTS)
    kinds = len(relation_questions())
    taken = _take(_chains(asked, said, chance), round(from_said * TWO_HOPS), kinds)
    taken += _take(((one,) for one in said), from_said - len(taken), kinds)
    twos = sum(len(chain) == 2 for chain in taken)
    taken += _take(_chains(asked, asked, chance), round(count * TWO_HOPS) - twos, kinds)
    taken += _take(_comparisons(asked, chance), round(count * COMPARISONS), kinds)
    taken += _take(((one,) for one in asked), count - len(taken), kinds)
    return taken


def longer_chains(store: GraphStore, corpus: str, count: int, chance: random.Random) -> list[Chain]:
    """Return up to ``count`` chains of three triples, as `graph_chains`."""
    asked = _askable(store, corpus)
    chance.shuffle(asked)
    pairs = _chains(asked, asked, chance)
    return _take(_extended(pairs, asked, chance), count, len(relation_questions()))


def _askable(store: GraphStore, corpus: str) -> list[AskedTriple]:
    """Return the triples whose relation people ask for, in the order of their ids."""
    relations = relation_questions()
    predicates = sorted({predicate for one in relations for predicate in one.predicates})
    return [
        AskedTriple(triple, relation)
        for triple in stated_triples(store, corpus, predicates)
        for relation in relations
        if triple.predicate in relation.predicates
        and triple.tail_type in relation.tails
        and " " in triple.head  # a name of one word may be anybody's
    ]


def _statements(
    store: GraphStore, corpus: str, count: int, chance: random.Random
) -> list[AskedTriple]:
    """Return triples of a sample of ``count`` that can be asked in their sentence's words."""
    found = []
    for triple in islice(stated_triples(store, corpus), count):
        question = statement_question(triple, chance) if " " in triple.head else None
        if question is not None:
            predicates, tails = frozenset({triple.predicate}), frozenset({triple.tail_type})
            relation = RelationQuestions(predicates, None, tails, (question,), (), ())
            found.append(AskedTriple(triple, relation))
    chance.shuffle(found)
    return found


def _chains(
    asked: Sequence[AskedTriple], following: Sequence[AskedTriple], chance: random.Random
) -> Iterator[Chain]:
    """Yield pairs: a triple, and one of ``following`` whose head is its tail, in another chunk."""
    return _extended(((one,) for one in asked), following, chance)


def _extended(
    chains: Iterable[Chain], following: Sequence[AskedTriple], chance: random.Random
) -> Iterator[Chain]:
    """Yield chains with one of ``following`` behind, whose head is their tail, in another chunk."""
    by_head: dict[str, list[AskedTriple]] = defaultdict(list)
    for one in following:
        by_head[one.triple.head_id].append(one)
    for chain in chains:
        last = chain[-1]
        follows = [
            one
            for one in by_head.get(last.triple.tail_id, ())
            if one.triple.chunk_id != last.triple.chunk_id
            and all(one.triple.tail_id != before.triple.head_id for before in chain)
            and (not one.relation.heads or last.triple.tail_type in one.relation.heads)
        ]
        if last.relation.phrases and follows:
            yield (*chain, chance.choice(follows))


def _comparisons(asked: Sequence[AskedTriple], chance: random.Random) -> Iterator[Chain]:
    """Yield triples that can be compared, each with the head of another one of its relation."""
    heads: dict[RelationQuestions, list[str]] = defaultdict(list)
    for one in asked:
        if one.relation.comparisons:
            heads[one.relation].append(one.triple.head)
    for one in asked:
        other = chance.choice(heads[one.relation]) if one.relation.comparisons else None
        if other is not None and other != one.triple.head:
            yield (replace(one, other=other),)


def _take(chains: Iterator[Chain], count: int, relations: int) -> list[Chain]:
    """Return the first ``count`` chains, none with a relation or head that was taken too often."""
    taken: list[Chain] = []
    uses: dict[object, int] = defaultdict(int)
    limit = max(count * A_RELATION, count / relations)
    for chain in chains:
        last = chain[-1].relation.predicates
        if len(taken) == count:
            break
        if uses[last] >= limit or uses[chain[0].triple.head_id] >= 2:
            continue
        uses[last] += 1
        uses[chain[0].triple.head_id] += 1
        taken.append(chain)
    return taken


def chain_question(chain: Sequence[AskedTriple], chance: random.Random) -> str:
    """Return a question that a chain answers, in one of its wordings."""
    head, last = described_head(chain, chance), chain[-1]
    if last.other is None:
        return head.asked(chance.choice(last.relation.questions))
    heads = [head.words, last.other]
    chance.shuffle(heads)
    return chance.choice(last.relation.comparisons).format(h=heads[0], i=heads[1])


def described_head(chain: Sequence[AskedTriple], chance: random.Random) -> Head:
    """Return the head of a chain's last triple as the triples before it describe it."""
    head = Head(chain[0].triple.head)
    for one in chain[:-1]:
        head = head.described(chance.choice(one.relation.phrases))
    return head


def step_question(one: AskedTriple, chance: random.Random) -> str:
    """Return a question for one triple alone."""
    return Head(one.triple.head).asked(chance.choice(one.relation.questions))
