"""Questions made from a corpus' graph: one hop, and mostly two over a shared entity (QS-5).

Source: QSGNN §3.3: from (sbj i, verb i, ent) and (ent, verb j, obj j) of two documents comes the
question (sbj i, verb i, ent, verb j, ?). Differs from the paper: sentences with their entities take
the place of triples, and the question is put in words, without the shared entity's name.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import nsmallest

from clew.evaluation.data_sets.collecting import answers_of
from clew.evaluation.data_sets.masking import (
    GAP,
    STAND_IN,
    Span,
    gives_away,
    holds,
    is_apart,
    masked,
    spans_of,
    stands_alone,
)
from clew.evaluation.data_sets.wording import asked, is_subject, noun_of, one_hop, two_hop
from clew.results.data_set import BenchQuestion
from clew_cypher.export.entity_chains import (
    ChainEntity,
    ChainSentence,
    SharedEntity,
    chains_over,
    draw,
    ends,
    shared_entities,
)
from clew_cypher.store import GraphStore

ONE_HOP_SHARE = 0.2
DRAWN = 40
"""Entities drawn for each question that is wanted; most turn out not to make one."""
A_DOCUMENT = 3
"""Questions that one document may prove."""
AN_ANSWER = 2
"""Questions with one answer."""
A_BRIDGE = 2
"""Questions of each kind that one shared entity may make."""
SPARE = 4
"""Candidates kept for each question that is wanted, where one a shared entity is not enough."""
_LIST = 4
"""A sentence with more commas is most likely a list."""


@dataclass(frozen=True)
class _Sentence:
    """A sentence that stands alone, with the places of its names."""

    found: ChainSentence
    spans: list[Span]

    def names(self, id_: str) -> bool:
        """Say whether the sentence names an entity so that another word can take its place."""
        named = [span for span in self.spans if span.entity == id_]
        return bool(named) and all(is_apart(self.found.text, span) for span in named)

    def names_once(self, id_: str) -> bool:
        return self.names(id_) and sum(span.entity == id_ for span in self.spans) == 1


@dataclass(frozen=True)
class _Candidate:
    """A question that could be asked. ``order``: how well it reads, 0 best, then the draw."""

    order: tuple[int, bytes]
    question: BenchQuestion
    documents: tuple[str, ...]
    answer: str


class _Picked:
    """Questions taken so far; keeps one document or answer from being asked for too often."""

    def __init__(self) -> None:
        self.questions: list[BenchQuestion] = []
        self._uses: Counter[str] = Counter()

    def take(self, candidates: Iterable[_Candidate]) -> bool:
        """Take the first candidate that is still allowed; say whether there was one."""
        for candidate in candidates:
            if candidate.question.id in self._uses or self._uses[candidate.answer] >= AN_ANSWER:
                continue
            if any(self._uses[document] >= A_DOCUMENT for document in candidate.documents):
                continue
            self._uses.update((candidate.question.id, candidate.answer, *candidate.documents))
            self.questions.append(candidate.question)
            return True
        return False


def synthesise(store: GraphStore, corpus: str, count: int, seed: int) -> list[BenchQuestion]:
    """Return up to ``count`` questions made from the graph of ``corpus``, the same for a seed.

    Gold are ids of chunks. A shared entity makes one question where there are enough of them, and
    a document proves at most three. About a fifth have one hop, and more where the graph has too
    few chains. Fewer questions where the graph does not hold as many, [] where it holds none.
    """
    picked = _Picked()
    left = {1: round(count * ONE_HOP_SHARE)}
    left[2] = count - left[1]
    spare: list[_Candidate] = []
    for shared in shared_entities(store, corpus, DRAWN * count, seed):
        if not any(left.values()):
            break
        usable = _usable(shared)
        twos = nsmallest(A_BRIDGE, _two_hops(shared, usable, seed), key=_order)
        ones = nsmallest(A_BRIDGE, _one_hops(shared.id, usable, seed), key=_order)
        for hops, candidates in ((2, twos), (1, ones)):
            if left[hops] and picked.take(candidates):
                left[hops] -= 1
                break
        if len(spare) < SPARE * count:
            spare += [*twos, *ones]
    for candidate in sorted(spare, key=lambda one: -(one.question.hops or 0)):
        hops = candidate.question.hops or 0
        wanted = hops if left[hops] else 3 - hops  # too few of one kind: more of the other
        if left[wanted] and picked.take([candidate]):
            left[wanted] -= 1
    return picked.questions


def _order(candidate: _Candidate) -> tuple[int, bytes]:
    return candidate.order


def _usable(shared: SharedEntity) -> list[_Sentence]:
    usable = []
    for sentence in shared.sentences:
        spans = spans_of(sentence)
        if spans and stands_alone(sentence, spans) and _fit(sentence.entity(shared.id)):
            usable.append(_Sentence(sentence, spans))
    return [sentence for sentence in usable if sentence.names(shared.id)]


def _two_hops(shared: SharedEntity, usable: list[_Sentence], seed: int) -> Iterator[_Candidate]:
    by_sentence = {id(sentence.found): sentence for sentence in usable}
    plain = SharedEntity(shared.id, tuple(sentence.found for sentence in usable))
    for chain in chains_over(plain):
        first, second = by_sentence[id(chain.first)], by_sentence[id(chain.second)]
        bridge, end = chain.second.entity(shared.id), chain.end
        if not _fit(end) or not second.names_once(end.id) or not ends(chain.first, shared.id):
            continue
        if holds(chain.first.chunk_text, end):
            continue
        clue = masked(chain.first, first.spans, {shared.id: STAND_IN})
        task = masked(chain.second, second.spans, {shared.id: STAND_IN, end.id: GAP})
        question = asked(task, noun_of(end) or "")
        if question is None:
            continue
        text = two_hop(clue, question)
        if gives_away(text, bridge) or gives_away(text, end):
            continue
        stiff = (not is_subject(clue, STAND_IN)) + (not is_subject(task, GAP))
        yield _candidate(text, end, [chain.first, chain.second], stiff, seed)


def _one_hops(bridge: str, usable: list[_Sentence], seed: int) -> Iterator[_Candidate]:
    for sentence in usable:
        for end in ends(sentence.found, bridge):
            if not _fit(end) or not sentence.names_once(end.id):
                continue
            task = masked(sentence.found, sentence.spans, {end.id: GAP})
            question = asked(task, noun_of(end) or "")
            if question is not None and not gives_away(question, end):
                yield _candidate(
                    one_hop(question), end, [sentence.found], not is_subject(task, GAP), seed
                )


def _candidate(
    text: str, end: ChainEntity, proof: list[ChainSentence], stiff: int, seed: int
) -> _Candidate:
    hops = len(proof)
    mark = hashlib.sha256("\n".join((text, *(p.text for p in proof))).encode()).hexdigest()
    question = BenchQuestion(
        id=f"synthetic-{mark[:12]}",
        question=text,
        answers=answers_of(end.name, (*end.surfaces, *end.aliases)),
        gold=dict.fromkeys((sentence.chunk_id for sentence in proof), 1),
        type="synthetic two-hop" if hops == 2 else "synthetic one-hop",
        hops=hops,
    )
    documents = tuple(sentence.document_id for sentence in proof)
    stiff += sum(sentence.text.count(",") > _LIST for sentence in proof)
    return _Candidate((stiff, draw(seed, text)), question, documents, end.id)


def _fit(entity: ChainEntity) -> bool:
    """Say whether an entity can be asked about, or be X.

    A person's name of one word may be anybody's, and an organisation's is often a person's.
    """
    noun = noun_of(entity)
    if noun is None or not any(letter.isupper() for letter in entity.name):
        return False
    return noun not in ("person", "organisation") or " " in entity.key
