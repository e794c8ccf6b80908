"""From a nested question to its answer, one step a hop, several ways at once (beam search)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from clew.answering.annotation import AnnotatedSentence, Annotator
from clew.answering.decomposition import InnerPhrase, inner_phrases
from clew.answering.features import EvidenceView
from clew.answering.question import QuestionForm, asking_word, understand
from clew.answering.scorer import Scored, rank_candidates
from clew_ingest.entities import normalise_name
from clew_models.embedding.base import Embedder

BEAM = 3
"""How many half-answered questions are kept after each step."""

UNRESOLVED = 1.0
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
        scores = [found.score for found in self.found]
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


def answer_chains(
    question: str, view: EvidenceView, annotator: Annotator, embedder: Embedder
) -> list[Chain]:
    """Return ways to an answer, best first; each has an answer."""
    waiting, finished = [Chain(question)], []
    seen = {question}
    for _ in range(HOPS + 1):
        parses = _parse([chain.question for chain in waiting], annotator)
        inner = [inner_phrases(parse) for parse in parses]
        phrases = [found[0] if found else None for found in inner]
        texts = [chain.question for chain in waiting]
        texts += [phrase.text for phrase in phrases if phrase]
        vectors = dict(zip(texts, embedder.embed(texts), strict=True))
        grown: list[Chain] = []
        parsed_phrases = iter(_parse([phrase.text for phrase in phrases if phrase], annotator))
        for chain, parse, phrase, left in zip(waiting, parses, phrases, inner, strict=True):
            form = understand(parse)
            found = rank_candidates(
                form, vectors[chain.question], view, BEAM, without=chain.excluded(question)
            )
            finished += [
                replace(chain, answer=answer, form=form, unresolved=len(left)) for answer in found
            ]
            if phrase is not None:
                grown += _resolve(
                    chain,
                    phrase,
                    next(parsed_phrases),
                    vectors[phrase.text],
                    view,
                    chain.excluded(question),
                )
        grown = [chain for chain in grown if chain.question not in seen]
        waiting = sorted(grown, key=lambda chain: -chain.score)[:BEAM]
        seen.update(chain.question for chain in waiting)
        if not waiting:
            break
    return sorted(finished, key=lambda chain: -chain.score)


def resolve_inner(
    question: str, view: EvidenceView, annotator: Annotator, embedder: Embedder
) -> Chain:
    """Return the question with the best name in place of each inner phrase; it has no answer."""
    chain = Chain(question)
    for _ in range(HOPS):
        phrases = inner_phrases(parse_question(chain.question, annotator))
        if not phrases:
            break
        vector = embedder.embed([phrases[0].text])[0]
        parse = parse_question(phrases[0].text, annotator)
        grown = _resolve(chain, phrases[0], parse, vector, view, chain.excluded(question))
        if not grown or grown[0].question == chain.question:
            break
        chain = grown[0]
    return chain


def _resolve(
    chain: Chain,
    phrase: InnerPhrase,
    parse: AnnotatedSentence,
    vector: NDArray[np.float32],
    view: EvidenceView,
    without: tuple[str, ...],
) -> list[Chain]:
    head = next(
        (i for i, token in enumerate(parse.tokens) if token.lemma == phrase.head), parse.root
    )
    form = understand(parse, phrase_head=head)
    return [
        Chain(
            question=phrase.replaced(found.candidate.text),
            steps=(*chain.steps, Step(phrase.text, found)),
        )
        for found in rank_candidates(form, vector, view, BEAM, without=without)
    ]


def parse_question(question: str, annotator: Annotator) -> AnnotatedSentence:
    """Return the parse of a question's asking sentence."""
    return _parse([question], annotator)[0]


def _parse(texts: Sequence[str], annotator: Annotator) -> list[AnnotatedSentence]:
    """Return one parse a text: of its last sentence that asks (context may stand before)."""
    return [_asking(sentences) for sentences in annotator.annotate(texts)]


def _asking(sentences: Sequence[AnnotatedSentence]) -> AnnotatedSentence:
    for sentence in reversed(sentences):
        if len(sentence.tokens) > 2 and asking_word(sentence) is not None:
            return sentence
    return max(sentences, key=lambda sentence: len(sentence.tokens))
