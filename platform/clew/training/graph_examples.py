"""Training data of the translator from a graph alone (KT-10): questions about its triples.

One hop: what is asked of a relation, with the triple's head. Two hops: the head of one question is
described by another triple ("the director of Ed Wood"), and the answer is a chain of two clues.
Comparisons: the same is asked of two heads, and the clue is that of one of them.
Which questions fit which predicates is data: `relation_questions.toml`. A share of the questions
is made from the words of any triple's sentence instead (`statement_questions.py`).
"""

import random
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import islice

from clew.training.statement_questions import statement_question
from clew_cypher.store import GraphStore
from clew_cypher.training_triples import StatedTriple, stated_triples
from clew_models.translator.examples import Embed, Fact, TranslationExample, relation_targets

TWO_HOPS = 0.5
"""Share of questions with two hops, where the graph has as many chains."""
COMPARISONS = 0.15
"""Share of questions that name two heads."""
STATEMENTS = 0.35
"""Share of questions whose last step is asked in the words of a sentence."""
A_RELATION = 0.15
"""Largest share of the questions that are about one relation: some predicates are everywhere."""


@dataclass(frozen=True)
class RelationQuestions:
    """How people ask for a relation, and how its tail is described within another question.

    ``heads``: types of what may be asked; None for all.
    """

    predicates: frozenset[str]
    heads: frozenset[str] | None
    tails: frozenset[str]
    questions: tuple[str, ...]
    phrases: tuple[str, ...]
    comparisons: tuple[str, ...]


@dataclass(frozen=True)
class _Asked:
    """A triple that is asked for; ``other``: the head it is compared with."""

    triple: StatedTriple
    relation: RelationQuestions
    other: str | None = None


def relation_questions() -> tuple[RelationQuestions, ...]:
    """Return the relations of `relation_questions.toml`."""
    text = (files(__package__) / "relation_questions.toml").read_text(encoding="utf-8")
    return tuple(
        RelationQuestions(
            predicates=frozenset(entry["predicates"]),
            heads=frozenset(entry["heads"]),
            tails=frozenset(entry["tails"]),
            questions=tuple(entry["questions"]),
            phrases=tuple(entry["phrases"]),
            comparisons=tuple(entry.get("comparisons", ())),
        )
        for entry in tomllib.loads(text)["relation"]
    )


def graph_examples(
    store: GraphStore, corpus: str, count: int, seed: int, embed: Embed
) -> list[TranslationExample]:
    """Return up to ``count`` examples from the graph of ``corpus``, the same for a seed.

    Fewer where the graph holds fewer triples of known relations. Raises UnknownCorpus.
    """
    chance = random.Random(seed)
    relations = relation_questions()
    predicates = sorted({predicate for one in relations for predicate in one.predicates})
    asked = [
        _Asked(triple, relation)
        for triple in stated_triples(store, corpus, predicates)
        for relation in relations
        if triple.predicate in relation.predicates
        and triple.tail_type in relation.tails
        and " " in triple.head  # a name of one word may be anybody's
    ]
    chance.shuffle(asked)
    said = _statements(store, corpus, 10 * count, chance)
    from_said = round(count * STATEMENTS)
    kinds = len(relations)
    taken = _take(_chains(asked, said, chance), round(from_said * TWO_HOPS), kinds)
    taken += _take(((one,) for one in said), from_said - len(taken), kinds)
    twos = sum(len(chain) == 2 for chain in taken)
    taken += _take(_chains(asked, asked, chance), round(count * TWO_HOPS) - twos, kinds)
    taken += _take(_comparisons(asked, chance), round(count * COMPARISONS), kinds)
    taken += _take(((one,) for one in asked), count - len(taken), kinds)
    return _examples(taken, chance, embed)


def _statements(store: GraphStore, corpus: str, count: int, chance: random.Random) -> list[_Asked]:
    """Return triples of a sample of ``count`` that can be asked in their sentence's words."""
    found = []
    for triple in islice(stated_triples(store, corpus), count):
        question = statement_question(triple, chance) if " " in triple.head else None
        if question is not None:
            predicates, tails = frozenset({triple.predicate}), frozenset({triple.tail_type})
            relation = RelationQuestions(predicates, None, tails, (question,), (), ())
            found.append(_Asked(triple, relation))
    chance.shuffle(found)
    return found


def _chains(
    asked: Sequence[_Asked], following: Sequence[_Asked], chance: random.Random
) -> Iterator[tuple[_Asked, ...]]:
    """Yield pairs: a triple, and one of ``following`` whose head is its tail, in another chunk."""
    by_head: dict[str, list[_Asked]] = defaultdict(list)
    for one in following:
        by_head[one.triple.head_id].append(one)
    for first in asked:
        follows = [
            second
            for second in by_head.get(first.triple.tail_id, ())
            if second.triple.chunk_id != first.triple.chunk_id
            and second.triple.tail_id != first.triple.head_id
            and (not second.relation.heads or first.triple.tail_type in second.relation.heads)
        ]
        if first.relation.phrases and follows:
            yield first, chance.choice(follows)


def _comparisons(asked: Sequence[_Asked], chance: random.Random) -> Iterator[tuple[_Asked, ...]]:
    """Yield triples that can be compared, each with the head of another one of its relation."""
    heads: dict[RelationQuestions, list[str]] = defaultdict(list)
    for one in asked:
        if one.relation.comparisons:
            heads[one.relation].append(one.triple.head)
    for one in asked:
        other = chance.choice(heads[one.relation]) if one.relation.comparisons else None
        if other is not None and other != one.triple.head:
            yield (replace(one, other=other),)


def _take(
    chains: Iterator[tuple[_Asked, ...]], count: int, relations: int
) -> list[tuple[_Asked, ...]]:
    """Return the first ``count`` chains, none with a relation or head that was taken too often."""
    taken: list[tuple[_Asked, ...]] = []
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


def _examples(
    chains: Sequence[tuple[_Asked, ...]], chance: random.Random, embed: Embed
) -> list[TranslationExample]:
    questions = [_question(chain, chance) for chain in chains]
    facts = [
        Fact(
            _step_question(one, chance),
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


def _question(chain: Sequence[_Asked], chance: random.Random) -> str:
    head = chain[0].triple.head
    for one in chain[:-1]:
        head = chance.choice(one.relation.phrases).format(h=head)
    last = chain[-1]
    if last.other is None:
        return chance.choice(last.relation.questions).format(h=head)
    heads = [head, last.other]
    chance.shuffle(heads)
    return chance.choice(last.relation.comparisons).format(h=heads[0], i=heads[1])


def _step_question(one: _Asked, chance: random.Random) -> str:
    return chance.choice(one.relation.questions).format(h=one.triple.head)
