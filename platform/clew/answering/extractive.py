"""The default reader: no language model, an answer of a few words with the sentences that carry it.

A question is taken apart (decomposition). The words of each part choose passages that a span model
reads (marks), both score the candidates of the evidence's sentences (features, scorer), and the
sentences on the way are quoted and cited.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from clew.answering.ages import age_at_death
from clew.answering.calibration import logistic
from clew.answering.citations import cite
from clew.answering.comparison import compare
from clew.answering.triple_answers import CLEAR, pieces_of, read_triples, triple_answer
from clew.answering.unsupported import NOT_SAID, unsupported_answer
from clew.comprehension.candidates import without_marks
from clew.comprehension.chains import Chain, answer_chains, parsed_question
from clew.comprehension.evidence_view import EvidenceView
from clew.comprehension.features import FEATURES
from clew.comprehension.question_form import QuestionForm, understand
from clew.comprehension.read_evidence import ReaderModels, ReadEvidence, reader_models
from clew.comprehension.stems import stem
from clew.results.evidence import Answer, Citation, Evidence, ScoredChunk, Search, TraceStep

if TYPE_CHECKING:
    from clew.resources.resources import Resources


LIKELY = 0.85
POSSIBLE = 0.35
"""From which confidence on an answer is stated plainly, or as probable; below: as possible."""


@dataclass(frozen=True)
class Finding:
    """An answer before it is put into words.

    ``kind`` and ``values`` are what the confidence is computed from (calibration), ``carriers``
    the sentences that carry the answer, the one that holds it first. ``yes_or_no``: that was asked
    for, and no phrase is either: its sentences are shown, and nothing is stated.
    """

    short: str
    kind: str
    values: dict[str, float]
    carriers: tuple[int, ...]
    steps: tuple[dict[str, Any], ...]
    yes_or_no: bool = False

    @property
    def confidence(self) -> float:
        """The measured share of right answers at such values; 0 where the evidence holds none
        of the names in the question, and for a phrase where yes or no is asked for."""
        if self.yes_or_no or self.values.get("names") == 0.0:
            return 0.0
        return logistic(self.kind, self.values)


class ExtractiveReader:
    """Answers from the evidence's own words.

    ``threshold``: below this confidence the answer is that the evidence does not say.
    """

    name = "extractive"

    def __init__(self, models: ReaderModels, *, threshold: float = 0.03) -> None:
        self.models = models
        self._threshold = threshold

    def read(self, evidence: Evidence, search: Search | None = None) -> Iterator[str | Answer]:
        """Yield the answer, then the sentences that carry it, and last the Answer."""
        if not evidence.chunks and evidence.triples:
            yield from read_triples(evidence, self.models.embedder, self.name, self._threshold)
            return
        if not evidence.chunks:
            yield NOT_SAID
            yield unsupported_answer(evidence, self.name)
            return
        started = time.perf_counter()
        read = self.opened(evidence.chunks, search)
        viewed = time.perf_counter()
        finding = self.find(evidence.question, read)
        found = time.perf_counter()
        view = read.view
        trace: tuple[TraceStep, ...] = (
            TraceStep(
                name="sentences",
                seconds=viewed - started,
                detail={"sentences": len(view.sentences), "candidates": len(view.candidates)},
            ),
            TraceStep(
                name="extraction",
                seconds=found - viewed,
                detail={
                    "steps": [] if finding is None else list(finding.steps),
                    "confidence": 0.0 if finding is None else round(finding.confidence, 3),
                },
            ),
        )
        whole = read.grown(evidence)
        unsure = finding is None or finding.confidence < max(self._threshold, POSSIBLE)
        if unsure and any(one.of_base for one in evidence.triples):
            least = max(self._threshold, CLEAR)
            stated, step = triple_answer(whole, self.models.embedder, self.name, least)
            trace = (*trace, step)
            if stated is not None:
                yield from pieces_of(stated)
                yield stated.model_copy(update={"trace": trace})
                return
        yield from self._told(whole, view, finding, trace)

    def opened(self, chunks: Sequence[ScoredChunk], search: Search | None = None) -> ReadEvidence:
        """Return the chunks as they are read; ``search``: for parts of the question."""
        return ReadEvidence(chunks, self.models, search)

    def find(self, question: str, read: ReadEvidence) -> Finding | None:
        """Return the best answer, however unsure; None where nothing can be one."""
        form = understand(parsed_question(question, read))
        if form.kind == "open":  # an age is computed, as what is to be chosen is
            computed, kind = age_at_death(question, read), "choice"
        else:
            computed, kind = compare(question, form, read), form.kind
        if computed is not None:
            return Finding(
                computed.short,
                kind,
                {"score": computed.score, "told": computed.told},
                computed.carriers,
                computed.steps,
            )
        chains = answer_chains(question, read)
        if not chains:
            return None
        found = _finding(form, chains, read.view)
        return replace(found, yes_or_no=form.kind == "yes-no")

    def _told(
        self,
        evidence: Evidence,
        view: EvidenceView,
        finding: Finding | None,
        trace: tuple[TraceStep, ...],
    ) -> Iterator[str | Answer]:
        if finding is None:
            yield NOT_SAID
            yield unsupported_answer(evidence, self.name, trace=trace)
            return
        supported = finding.confidence >= self._threshold
        citations = _citations(evidence, view, finding.carriers)
        opening = _opening(finding, supported)
        pieces = [opening, *(f"\n“{cited.quote}” [{cited.number}]" for cited in citations)]
        yield from pieces
        text = "".join(pieces)
        if not supported:
            yield unsupported_answer(
                evidence,
                self.name,
                text=text,
                confidence=finding.confidence,
                citations=citations,
                trace=trace,
            )
            return
        yield Answer(
            question=evidence.question,
            text=text,
            short=finding.short,
            supported=True,
            confidence=finding.confidence,
            citations=citations,
            reader=self.name,
            evidence=evidence,
            trace=trace,
        )


def _finding(form: QuestionForm, chains: Sequence[Chain], view: EvidenceView) -> Finding:
    best = chains[0]
    assert best.answer is not None
    carriers = [best.answer.candidate.sentence]
    carriers += [step.found.candidate.sentence for step in reversed(best.steps)]
    values = {
        **dict(zip(FEATURES, best.answer.features, strict=True)),
        "score": best.score,
        "probability": best.answer.probability,
        "least_probability": min(found.probability for found in best.found),
        "steps": float(len(best.steps)),
        "unresolved": float(best.unresolved),
        "weakest": min(found.span for found in best.found),
        "coverage": view.covered(form.words, carriers),
        "names": _names_found(form, view),
        **_told_of(best, view),
    }
    asked = [(step.asked, step.found) for step in best.steps] + [(best.question, best.answer)]
    steps = tuple({"asked": text, "found": found.candidate.text} for text, found in asked)
    return Finding(
        best.answer.candidate.text,
        "open",
        values,
        tuple(dict.fromkeys(carriers)),
        steps,
    )


def _told_of(chain: Chain, view: EvidenceView) -> dict[str, float]:
    """How much of what is asked last, beside names, the answer's sentence and its passage say."""
    assert chain.answer is not None
    assert chain.form is not None
    named = {stem(word) for name in chain.form.names for word in name.split()}
    asked = [word for word in chain.form.words if stem(word) not in named]
    here = chain.answer.candidate.sentence
    passage = view.sentences[here].chunk
    around = [i for i, sentence in enumerate(view.sentences) if sentence.chunk == passage]
    return {
        "nothing_asked": float(not asked),
        "told_here": view.covered(asked, [here]),
        "told_around": view.covered(asked, around),
    }


def _names_found(form: QuestionForm, view: EvidenceView) -> float:
    """The share of the names in the question that the evidence holds at all; 1 without names."""
    text = " ".join(f"{sentence.context_key} {sentence.key}" for sentence in view.sentences)
    found = [f" {without_marks(name)} " in f" {text} " for name in form.names]
    return sum(found) / len(found) if found else 1.0


def _opening(finding: Finding, supported: bool) -> str:
    if not supported:
        return f"{NOT_SAID} The nearest it comes:"
    short = finding.short[:1].upper() + finding.short[1:]
    if finding.confidence >= LIKELY:
        return f"{short}."
    if finding.confidence >= POSSIBLE:
        return f"Probably {finding.short}."
    return f"Possibly {finding.short}; the evidence is not clear."


def _citations(
    evidence: Evidence, view: EvidenceView, carriers: Sequence[int]
) -> tuple[Citation, ...]:
    return tuple(
        cite(
            view.sentences[index].chunk + 1,
            evidence.chunks[view.sentences[index].chunk],
            view.sentences[index].parse.text,
        )
        for index in carriers
    )


def extractive_reader(resources: "Resources") -> ExtractiveReader:
    """Return the extractive reader of the settings."""
    threshold = resources.settings.answer_threshold
    return ExtractiveReader(reader_models(resources), threshold=threshold)
