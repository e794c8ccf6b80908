"""The questions that the encoders learn from (KA-2), made of the triples of a corpus.

One element of a triple is masked and asked for, by a language model where one is set, else in the
wordings that all trainings share; and chains of two triples and three are asked in one question,
whose relations are all elements that it names.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from clew.resources.language_models import Role
from clew.strategies.learning.gold_chunks import kept_apart
from clew.strategies.learning.masked_questions import (
    Masked,
    NamedTriple,
    chain_question,
    masked_question,
)
from clew.strategies.learning.training import Examples, Record, TrainingRun
from clew.strategies.learning.written_questions import Asked, wanted, write_questions
from clew.strategies.partial_alignment.options import AlignmentOptions
from clew.strategies.partial_alignment.prompts import MASKED
from clew_cypher.export.triple_parts import SampledTriple, sampled_triples
from clew_cypher.searching.chunks import chunks_by_id
from clew_cypher.store import GraphStore
from clew_models.partial_alignment.examples import AlignedQuestion, partial_text, partial_texts

WRITER = Role(
    "partial-alignment's training",
    "partial_alignment_model",
    "or set partial_alignment_model to none",
)
"""Who writes the questions that ask for one element."""
SAMPLED = 20
"""Triples that are read for each question, so that chains are found among them."""
MOST_SAMPLED = 200_000
HELD_OUT_SHARE = 0.1
A_RELATION = 0.15
"""Largest share of the questions that one relation may begin: some are everywhere."""
MASKS: tuple[Masked, ...] = ("tail", "tail", "head", "relation")
"""What is asked for, drawn from: people ask for the tail more often than for the others."""


def make_examples(run: TrainingRun) -> Examples:
    """Return questions with what they name; no triple is on both sides.

    Raises InvalidRequest where the corpus makes too few, LanguageModelUnavailable.
    """
    run.tell(0, run.options.examples)
    found, source = made_questions(
        run.resources.store, run.corpus, run.options.examples, run.options.chains, run.options.seed
    )
    if wanted(run, run.resources.settings.options(AlignmentOptions).model):
        source |= _write(run, found)
    for record in found:
        del record["triple"], record["answer"], record["source"]
    run.tell(len(found), run.options.examples)
    held_out = min(round(len(found) * HELD_OUT_SHARE), run.options.held_out)
    return kept_apart(run, found, held_out, source)


def made_questions(
    store: GraphStore, corpus: str, count: int, chains: float, seed: int
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return what `questions_of` makes of a sample of the triples of ``corpus``."""
    sampled = sampled_triples(store, corpus, min(SAMPLED * count, MOST_SAMPLED))
    return questions_of(sampled, count, chains, seed)


def questions_of(
    sampled: Sequence[SampledTriple], count: int, chains: float, seed: int
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return up to ``count`` questions about triples, and how many of each kind.

    ``chains``: the share of questions with two relations or three, where the graph has as many.
    A question has its triples as "gold", whatever states them; of one hop also the triple with its
    mask, and who states it.
    """
    chance = random.Random(seed)
    triples = list(sampled)
    chance.shuffle(triples)
    following: dict[str, list[SampledTriple]] = defaultdict(list)
    for one in triples:
        following[one.head_id].append(one)
    longer = _taken(_chains(triples, following, chance), round(count * chains))
    single = _taken(([one] for one in triples * 3), count - len(longer))
    found = [_chain_record(chain, chance) for chain in longer]
    found += [_masked_record(one, chance) for (one,) in single]
    chance.shuffle(found)
    return found, {
        f"of {hops} triples": number
        for hops, number in sorted(Counter(len(one["gold"]) for one in found).items())
    }


def aligned(record: Record) -> AlignedQuestion:
    """Return a record as the encoders learn from it."""
    return AlignedQuestion(
        record["question"], record["unit"], tuple(record["elements"]), tuple(record["related"])
    )


def _chains(
    triples: Sequence[SampledTriple],
    following: dict[str, list[SampledTriple]],
    chance: random.Random,
) -> Iterator[list[SampledTriple]]:
    """Yield chains of two triples and of three, each tail the next head, no entity twice."""
    for first in triples:
        chain = [first]
        while len(chain) < 3:
            seen = {one.head_id for one in chain}
            onward = [t for t in following[chain[-1].tail_id] if t.tail_id not in seen]
            if not onward:
                break
            chain.append(chance.choice(onward))
            if len(chain) == 2 and chance.random() < 0.5:
                break
        if len(chain) > 1:
            yield chain


def _taken(chains: Iterator[list[SampledTriple]], count: int) -> list[list[SampledTriple]]:
    """Return the first ``count``, none that begins with a relation that was taken too often."""
    taken: list[list[SampledTriple]] = []
    spare: list[list[SampledTriple]] = []
    uses: Counter[str] = Counter()
    for chain in chains:
        if len(taken) == count:
            return taken
        relation = chain[0].relation
        if uses[relation] < max(count * A_RELATION, 1):
            uses[relation] += 1
            taken.append(chain)
        elif len(spare) < count:
            spare.append(chain)
    return [*taken, *spare][:count]


def _named(triple: SampledTriple) -> NamedTriple:
    return NamedTriple(
        head=triple.head,
        relation=triple.relation,
        tail=triple.tail,
        head_type=triple.head_type,
        tail_type=triple.tail_type,
        predicate=triple.predicate,
        of_base=triple.of_base,
    )


def _related(chain: Sequence[SampledTriple]) -> list[str]:
    """Return what is no negative of a question about a chain: parts and elements of its triples."""
    words = [(one.head, one.relation, one.tail) for one in chain]
    texts = [text for some in words for text in (*partial_texts(*some), *some)]
    return list(dict.fromkeys(texts))


def _gold(chain: Sequence[SampledTriple]) -> list[str]:
    """Return what names the triples of a chain: one that several passages state is one."""
    return [f"{one.head_id} {one.relation} {one.tail_id}" for one in chain]


def _chain_record(chain: Sequence[SampledTriple], chance: random.Random) -> dict[str, Any]:
    first = chain[0]
    return {
        "question": chain_question([_named(one) for one in chain], chance),
        "unit": partial_text(first.head, first.relation),
        "elements": [first.head, *dict.fromkeys(one.relation for one in chain)],
        "related": _related(chain),
        "gold": _gold(chain),
        "triple": None,
        "answer": None,
        "source": None,
    }


def _masked_record(triple: SampledTriple, chance: random.Random) -> dict[str, Any]:
    masked = chance.choice(MASKS)
    words = {"head": triple.head, "relation": triple.relation, "tail": triple.tail}
    said = [word for name, word in words.items() if name != masked]
    return {
        "question": masked_question(_named(triple), masked, chance),
        "unit": partial_text(*said),
        "elements": said,
        "related": _related([triple]),
        "gold": _gold([triple]),
        "triple": " | ".join("?" if name == masked else word for name, word in words.items()),
        "answer": words[masked],
        "source": triple.chunk_id or triple.id,  # a line of a knowledge base stands in no chunk
    }


def _write(run: TrainingRun, found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Put the language model's questions in the place of those of one triple, where they can be
    used; return what it wrote, for the manifest.
    """
    records = [record for record in found if record["triple"] is not None]
    stating = sorted({record["source"] for record in records})
    rows = chunks_by_id(run.resources.store, run.corpus, stating)
    texts = {row["id"]: row["text"] for row in rows}
    asked = [
        Asked(
            inputs={"triple": record["triple"], "answer": record["answer"]},
            unnamed=(record["answer"],),
            sources=(texts.get(record["source"], record["source"]),),
        )
        for record in records
    ]
    questions, figures = write_questions(run, WRITER, MASKED, asked)
    for record, question in zip(records, questions, strict=True):
        record["question"] = question or record["question"]
    return figures
