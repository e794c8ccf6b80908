"""Training data of the translator from a data set (KT-10): its single-hop questions as clues.

Source: KG-Translator, appendix F.1: a single-hop question, its passage, and the answer as tail;
of the spans with the tail, the one that with its head is most similar to the question.

    question ─▶ gold document ─▶ in the graph ─▶ sentences with the answer ─▶ head ─▶ relation

Differs from the paper, whose data names the heads: a head is a subject of the sentence, or what
its document is about, that the question names; where it names none, one that is like it. A
question of several steps is an example too, where the clue of each step leads to the next.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from clew.errors import InvalidRequest
from clew.results.data_set import DataSet
from clew.strategies.learning.single_hop import AskedQuestion, SingleHop, single_hop_questions
from clew.strategies.learning.stored_documents import stored_passages
from clew.strategies.translator.head_options import (
    HeadOption,
    HeadRule,
    LeftOut,
    Options,
    head_options,
    nearest_heads,
)
from clew_cypher.store import GraphStore
from clew_models.translator.examples import (
    ClueTarget,
    Embed,
    Fact,
    TranslationExample,
    best_targets,
)

BATCH = 256
"""Questions whose documents are read at a time."""


@dataclass
class QuestionUse:
    """What became of the questions of a data set.

    ``questions``: single hops that were looked at, each once; ``used``: those that are examples,
    ``named``: those of them that name their head; ``left_out``: the others, by reason.
    ``several_steps``: questions of several steps, ``chains``: those of them that are examples.
    """

    questions: int = 0
    used: int = 0
    named: int = 0
    several_steps: int = 0
    chains: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def counts(self) -> dict[str, Any]:
        """Return the counts as JSON has them, the commonest reason first."""
        return asdict(self) | {"left_out": dict(self.left_out.most_common())}


@dataclass(frozen=True)
class _Translated:
    """The clue of a single hop, and the head and sentence that it was made from."""

    clue: ClueTarget
    option: HeadOption


class DataSetExamples:
    """Makes examples of the questions of a data set whose documents are in ``corpus``."""

    def __init__(
        self, store: GraphStore, corpus: str, data_set: DataSet, rule: HeadRule, embed: Embed
    ) -> None:
        self._store = store
        self._corpus = corpus
        self._data_set = data_set
        self._documents = {document.key: document for document in data_set.documents}
        self._rule = rule
        self._embed = embed
        self._seen: set[SingleHop] = set()
        self.use = QuestionUse()

    def make(
        self, count: int, seed: int, tell: Callable[[int], None] = lambda made: None
    ) -> list[TranslationExample]:
        """Return ``count`` examples, drawn by ``seed``, or as many as there are; a few more where
        the last question has steps. `use` then says what became of the questions.

        ``tell``: called with the number of examples made, now and then.

        Raises InvalidRequest where the data set has no single-hop question, or the corpus none of
        the documents that they are about.
        """
        asked = single_hop_questions(self._data_set)
        name = self._data_set.name
        if not asked:
            raise InvalidRequest(
                f"The data set {name!r} has no single-hop questions: none has an answer and one "
                "document that proves it, nor steps.",
                remedy="Without a data set, the examples are made from the corpus' graph.",
            )
        random.Random(seed).shuffle(asked)
        examples: list[TranslationExample] = []
        for start in range(0, len(asked), BATCH):
            batch = asked[start : start + BATCH]
            clues = self._translated([hop for one in batch for hop in one.hops])
            for one in batch:
                if len(examples) < count:
                    examples += self._examples(one, [clues[hop] for hop in one.hops])
            tell(min(len(examples), count))
            if len(examples) >= count:
                break
        if self.use.left_out[LeftOut.NO_DOCUMENT] == self.use.questions:
            raise InvalidRequest(
                f"The corpus {self._corpus!r} holds none of the documents that the data set "
                f"{name!r} asks about.",
                remedy=f"Ingest them (`clew ingest FILE --corpus {self._corpus}`), or give the "
                "corpus that `clew bench` made of the data set: `clew corpora list`.",
            )
        return examples

    def _examples(
        self, asked: AskedQuestion, clues: Sequence[_Translated | LeftOut]
    ) -> Iterator[TranslationExample]:
        """Yield an example for each hop that is new, and one for the chain that they are."""
        chain: list[_Translated] = []
        for hop, found in zip(asked.hops, clues, strict=True):
            fresh = hop not in self._seen
            self._seen.add(hop)
            self.use.questions += fresh
            if isinstance(found, LeftOut):
                self.use.left_out[found] += fresh
                continue
            chain.append(found)
            if fresh:
                self.use.used += 1
                self.use.named += found.option.named
                chunk = found.option.sentence.chunk_id
                yield TranslationExample(hop.question, (found.clue,), (chunk,))
        if len(asked.hops) > 1:
            self.use.several_steps += 1
            if len(chain) == len(asked.hops) and all(map(_leads_to, chain, chain[1:])):
                self.use.chains += 1
                yield _chain(asked.question, chain)

    def _translated(self, hops: Sequence[SingleHop]) -> dict[SingleHop, _Translated | LeftOut]:
        """Return the clue of each hop, or why it has none."""
        passages = stored_passages(
            self._store, self._corpus, [self._documents[hop.gold] for hop in hops]
        )
        made: dict[SingleHop, Options] = {}
        for hop in dict.fromkeys(hops):
            passage = passages.get(hop.gold)
            made[hop] = head_options(hop, passage, self._rule) if passage else LeftOut.NO_DOCUMENT
        made = nearest_heads(made, self._embed)
        usable = {hop: options for hop, options in made.items() if not isinstance(options, LeftOut)}
        found: dict[SingleHop, _Translated | LeftOut] = {
            hop: reason for hop, reason in made.items() if isinstance(reason, LeftOut)
        }
        facts = [[_fact(hop, option) for option in options] for hop, options in usable.items()]
        targets = best_targets(facts, self._embed)
        for (hop, options), best in zip(usable.items(), targets, strict=True):
            found[hop] = _Translated(best.clue, options[best.fact]) if best else LeftOut.NO_RELATION
        return found


def _fact(hop: SingleHop, option: HeadOption) -> Fact:
    sentence = option.sentence
    return Fact(hop.question, option.written, option.tail, sentence.text, sentence.hyperrelation)


def _leads_to(first: _Translated, second: _Translated) -> bool:
    """Say whether a chain can be decoded so: from beside the first clue, to another chunk."""
    before, after = first.option, second.option
    return after.head.id in before.beside and before.sentence.chunk_id != after.sentence.chunk_id


def _chain(question: str, steps: Sequence[_Translated]) -> TranslationExample:
    """Return the example of a chain; what follows a clue goes by its entity's name."""
    first, *others = steps
    clues = [replace(step.clue, entity=step.option.head.name) for step in others]
    chunks = tuple(step.option.sentence.chunk_id for step in steps)
    return TranslationExample(question, (first.clue, *clues), chunks)
