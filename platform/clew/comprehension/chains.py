"""From a nested question to its answer, one step a hop, several ways at once (beam search)."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.comprehension.annotation import AnnotatedSentence, Annotator
from clew.comprehension.asking import asking_word, begins_yes_no
from clew.comprehension.decomposition import InnerPhrase, inner_phrases
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.kinship import by_steps, told_as
from clew.comprehension.lexicon import WH
from clew.comprehension.question_form import QuestionForm, understand, with_story
from clew.comprehension.read_evidence import ReadEvidence
from clew.comprehension.scorer import Asked, Ranking, Scored, rank_candidates
from clew_ingest.parsing.entity_names import normalise_name

BEAM = 3
"""How many half-answered questions are kept after each step."""

MANY = 12
"""Answers of a question for several things that are told apart."""

_SHORTENED = re.compile(r"(?<![^\s(])([A-Z][a-z]{1,2})\.(?= [A-Z])")
SHARE = 0.2
"""The least probability of an answer that is followed, as a share of the likeliest's."""

UNRESOLVED = 2.0
"""What an inner phrase that was not resolved costs."""

HOPS = 4
"""How many inner phrases are resolved at most."""


@dataclass(frozen=True)
class Step:
    """A part of the question that was answered: what was asked, and the answer found."""

    asked: str
    found: Scored


@dataclass(frozen=True)
class Chain:
    """A way to an answer: the inner phrases that were resolved, and the question left to ask."""

    question: str
    steps: tuple[Step, ...] = ()
    answer: Scored | None = None
    form: QuestionForm | None = None
    unresolved: int = 0

    @property
    def score(self) -> float:
        """Mean score of the steps and the answer, less UNRESOLVED for each inner phrase left."""
        return self.score_with(*([] if self.answer is None else [self.answer.score]))

    def score_with(self, *answer: float) -> float:
        """Return the score of the chain with an answer of such a score."""
        scores = [*(step.found.score for step in self.steps), *answer]
        mean = float(np.mean(scores)) if scores else 0.0
        return mean - UNRESOLVED * self.unresolved

    def excluded(self, original: str) -> tuple[str, ...]:
        """Keys of what cannot be the next answer: the question's own text, what was found."""
        return normalise_name(original), *(step.found.candidate.key for step in self.steps)

    @property
    def found(self) -> list[Scored]:
        """Every candidate on the way, the answer last."""
        last = [] if self.answer is None else [self.answer]
        return [step.found for step in self.steps] + last


_Unread = list[tuple[Chain, Ranking]]


def answer_chains(question: str, read: ReadEvidence) -> list[Chain]:
    """Return ways to an answer, best first; each has an answer.

    Where a part is known, what is left to ask is searched for. Those that cannot be the best are
    not read.
    """
    waiting, unread = [Chain(text) for text in _readings(question, read)], _Unread()
    answered: list[Chain] = []
    seen = {chain.question for chain in waiting}
    for _ in range(HOPS + 1):
        parses = _questions([chain.question for chain in waiting], read.parsed)
        parts = [
            (chain, _with_story(understand(parse), chain.question, read), inner_phrases(parse))
            for chain, parse in zip(waiting, parses, strict=True)
        ]
        # the question as it was asked, and those of which no part is left
        whole = [
            (chain, form, left)
            for chain, form, left in parts
            if not left or chain == Chain(question)
        ]
        inner = [(chain, left[0]) for chain, _, left in parts if left]
        phrases = [phrase.text for _, phrase in inner]
        vectors = iter(read.embedded([*(chain.question for chain, _, _ in whole), *phrases]))
        for chain, form, left in whole:
            asked = Asked(form, next(vectors), chain.excluded(question))
            chain = replace(chain, form=form, unresolved=len(left))
            unread.append((chain, Ranking(asked, read.view)))
        asked_for = [
            Asked(_form_of(phrase, parse), next(vectors), chain.excluded(question), named=True)
            for (chain, phrase), parse in zip(inner, _questions(phrases, read.parsed), strict=True)
        ]
        ranked = rank_candidates(asked_for, read.view, BEAM)
        grown = []
        for (chain, phrase), answers in zip(inner, ranked, strict=True):
            measured = (
                understand(parsed_question(chain.question, read)) if phrase.measured else None
            )
            for answer in _likely(answers):
                if measured is not None and answer.candidate.label in measured.measures:
                    answered.append(replace(chain, answer=answer, form=measured))
                else:
                    grown.append(_resolved(chain, phrase, answer))
        grown = [chain for chain in grown if chain.question not in seen]
        waiting = sorted(grown, key=lambda chain: -chain.score)[:BEAM]
        seen.update(chain.question for chain in waiting)
        if not waiting:
            break
        likeliest = waiting[0]
        read.look_for(likeliest.question, likeliest.steps[-1].found.candidate.text)
    return sorted([*answered, *_answered(unread)], key=_by_worth)


def _readings(question: str, read: ReadEvidence) -> list[str]:
    """Return the question, and where it asks for a relative, by the steps that lead there; alone,
    where no sentence says who is whose "grandfather".
    """
    steps = [one for one in by_steps(question) if _can_be(one, read)]
    said = told_as(question)
    sentences = read.view.sentences
    if steps and not any(said.search(sentence.parse.text) for sentence in sentences):
        return steps
    return [question, *steps]


def _can_be(question: str, read: ReadEvidence) -> bool:
    """Say that a wife is asked for of no woman and a husband of no man, as far as is told."""
    key = normalise_name(question)
    for name in understand(parsed_question(question, read)).names:
        spouse = read.view.genders.spouse_of(name)
        here = re.escape(name)
        asked = re.search(rf"(wife|husband) of {here}|{here}\S* (wife|husband)", key)
        if spouse is not None and asked and spouse not in asked.groups():
            return False
    return True


def _answered(unread: Sequence[tuple[Chain, Ranking]]) -> list[Chain]:
    """Return the chains with answers, best first; without those that are surely not the best.

    The span model takes most of the time: what could be best is read first.
    """
    ceilings = [chain.score_with(ranking.ceiling) for chain, ranking in unread]
    finished: list[list[Chain]] = [[] for _ in unread]
    best = -math.inf
    for place in sorted(range(len(unread)), key=lambda place: -ceilings[place]):
        if ceilings[place] < best:
            break
        chain, ranking = unread[place]
        many = MANY if chain.form is not None and chain.form.several else BEAM
        finished[place] = [replace(chain, answer=answer) for answer in ranking.best(many)]
        best = max([best, *(one.score for one in finished[place])])
    return sorted((one for own in finished for one in own), key=_by_worth)


def _by_worth(chain: Chain) -> tuple[float, float]:
    """What a row tells is before what is read, and what says more of the question before less."""
    return -(chain.answer.candidate.told if chain.answer else 0.0), -chain.score


def _likely(found: Sequence[Scored]) -> list[Scored]:
    """Leave out what is much less likely than the best: each answer is another question to ask."""
    return [answer for answer in found if answer.probability >= SHARE * found[0].probability]


def resolve_inner(question: str, read: ReadEvidence) -> Chain:
    """Return the question with the best name in place of each inner phrase; it has no answer."""
    chain = Chain(question)
    for _ in range(HOPS):
        phrase = innermost_of(chain.question, read)
        if phrase is None:
            break
        found = named(phrase, read, chain.excluded(question))
        if found is None or phrase.replaced(found.candidate.text) == chain.question:
            break
        chain = _resolved(chain, phrase, found)
        read.look_for(chain.question, found.candidate.text)
    return chain


def innermost(question: str, annotator: Annotator) -> InnerPhrase | None:
    """Return the description in a question to resolve first; None where there is none left."""
    phrases = inner_phrases(parse_question(question, annotator))
    return phrases[0] if phrases else None


def innermost_of(question: str, read: ReadEvidence) -> InnerPhrase | None:
    """Return the same, the titles of the passages that are read by then in it as names."""
    return next(iter(inner_phrases(parsed_question(question, read))), None)


def named(
    phrase: InnerPhrase,
    read: ReadEvidence,
    excluded: Sequence[str] = (),
    view: EvidenceView | None = None,
) -> Scored | None:
    """Return the likeliest name of what a phrase describes, None where the passages have none.

    ``excluded``: keys of names that it cannot be; ``view``: a part of the evidence, else all.
    """
    form = _form_of(phrase, parsed_question(phrase.text, read))
    asked = Asked(form, read.embedded([phrase.text])[0], tuple(excluded), named=True)
    (found,) = rank_candidates([asked], view or read.view, 1)
    return found[0] if found else None


def _form_of(phrase: InnerPhrase, parse: AnnotatedSentence) -> QuestionForm:
    """Return what an inner phrase asks for: an instance of its noun."""
    head = next((i for i, t in enumerate(parse.tokens) if t.lemma == phrase.head), parse.root)
    return understand(parse, phrase_head=head)


def _resolved(chain: Chain, phrase: InnerPhrase, found: Scored) -> Chain:
    return Chain(
        question=phrase.replaced(found.candidate.text),
        steps=(*chain.steps, Step(phrase.text, found)),
    )


def parse_question(question: str, annotator: Annotator) -> AnnotatedSentence:
    """Return the parse of a question's last sentence that asks (context may stand before)."""
    return _questions([question], annotator.annotate_questions)[0]


def parsed_question(question: str, read: ReadEvidence) -> AnnotatedSentence:
    """Return the same, parsed once for an evidence."""
    return _questions([question], read.parsed)[0]


def understood(question: str, read: ReadEvidence) -> QuestionForm:
    """Return the form of a question, with what is told before it where it says too little."""
    return _with_story(understand(parsed_question(question, read)), question, read)


def _with_story(form: QuestionForm, question: str, read: ReadEvidence) -> QuestionForm:
    return with_story(form, read.parsed([question])[0])


def _questions(
    texts: Sequence[str], parsed: Callable[[Sequence[str]], Sequence[Sequence[AnnotatedSentence]]]
) -> list[AnnotatedSentence]:
    """Return the sentence that asks of each text. What begins with an asking word is not cut at
    what is short for a title: "Who went to Fr. Leahy's?"."""
    found = list(parsed(texts))
    cut = {
        place: _SHORTENED.sub(r"\1", text)
        for place, text in enumerate(texts)
        if len(found[place]) > 1 and text.split(" ")[0].casefold() in WH
    }
    for place, sentences in zip(cut, parsed(list(cut.values())) if cut else (), strict=True):
        found[place] = sentences
    return [_asking(sentences) for sentences in found]


def _asking(sentences: Sequence[AnnotatedSentence]) -> AnnotatedSentence:
    """Return the last sentence that asks, the longest where none does."""
    return next(
        (one for one in reversed(sentences) if len(one.tokens) > 2 and _asks(one)),
        None,
    ) or max(sentences, key=lambda one: len(one.tokens))


def _asks(sentence: AnnotatedSentence) -> bool:
    mark = sentence.text.rstrip().endswith("?")
    return mark or asking_word(sentence) is not None or begins_yes_no(sentence.tokens)
