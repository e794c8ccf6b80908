"""The reader `graph` with a model that was trained for it (RA-9; RAS section 3.3, Eq. 7 and 8).

It reads the history and the question's graph, and writes the answer in a few words. What it writes
is cited by the passages whose triples hold it; where none does, the answer is not supported.
"""

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from clew.answering.calibration import language_model_confidence
from clew.answering.language_model_reader import cited, quotable
from clew.answering.unsupported import NOT_SAID, unsupported_answer
from clew.comprehension.normalisation import normalise_answer
from clew.resources.graph_models import graph_example, serving_graph_model, write
from clew.results.evidence import Answer, Evidence, ScoredChunk, TraceStep
from clew.results.history import Asked, Fact, fact_of
from clew.strategies.catalogue import spec_of
from clew.strategies.iterative.spec import in_one_step
from clew_models.errors import LanguageModelUnavailable

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew_models.graph_llm.model import GraphLanguageModel
    from clew_models.graph_llm.writing import Written

TOKENS = 32
"""The longest answer: it was trained to write names and dates."""
UNHELD = "{answer} (No triple that was found says so.)"


class TrainedAnswers:
    """Answers with the version of the method that planned."""

    def __init__(self, resources: "Resources", name: str) -> None:
        self._resources = resources
        self._name = name

    def read(
        self, evidence: Evidence, rounds: Sequence[Asked], whole: Evidence
    ) -> Iterator[str | Answer]:
        """Yield the answer's text, and last the Answer.

        ``whole``: the evidence with the passages behind the triples. Raises
        LanguageModelUnavailable where no version serves.
        """
        started = time.perf_counter()
        model = self._model(evidence)
        example = graph_example("answer", evidence.question, rounds)
        written = write(self._resources, model, example, max_tokens=TOKENS)
        step = TraceStep(
            name="language model",
            seconds=time.perf_counter() - started,
            detail={"model": model.name, "reply": written.text},
        )
        answer = self._answer(whole, rounds, written, step)
        yield answer.text
        yield answer.model_copy(
            update={
                "prompt_tokens": written.prompt_tokens,
                "completion_tokens": written.tokens,
            }
        )

    def _model(self, evidence: Evidence) -> "GraphLanguageModel":
        settings = self._resources.settings
        method = in_one_step(evidence.strategy).partition(":")[0]
        model = None
        if spec_of(method).training:
            base = spec_of(method).trained_by().base_model(settings)
            model = serving_graph_model(
                self._resources, method, evidence.corpus, base, settings.graph_reader_version
            )
        if model is None:
            raise LanguageModelUnavailable(
                f"The reader {self._name!r} needs a language model: none is set, and no version of "
                f"{method} serves the corpus {evidence.corpus!r}.",
                remedy=f"Set CLEW_LLM_BASE_URL and CLEW_LLM_MODEL, or `clew train {method} "
                f"--corpus {evidence.corpus}`, or reader = 'extractive'.",
                lasting=True,
            )
        return model

    def _answer(
        self, evidence: Evidence, rounds: Sequence[Asked], written: "Written", step: TraceStep
    ) -> Answer:
        short = written.text
        holding = _holding(short, rounds)
        held = [
            (number, one)
            for number, one in enumerate(quotable(evidence), start=1)
            if (one.id if isinstance(one, ScoredChunk) else fact_of(one)) in holding
        ]
        if not held:
            text = UNHELD.format(answer=short) if short else NOT_SAID
            return unsupported_answer(evidence, self._name, text=text, trace=(step,))
        marks = "".join(f"[{number}]" for number, _ in held)
        return Answer(
            question=evidence.question,
            text=f"{short} {marks}",
            short=short,
            supported=True,
            confidence=language_model_confidence(self._name, supported=True),
            citations=tuple(cited(number, one, [short]) for number, one in held),
            reader=self._name,
            evidence=evidence,
            trace=(step,),
        )


def _holding(answer: str, rounds: Sequence[Asked]) -> set[str | Fact]:
    """Return the chunks whose triples name an answer, and lines of knowledge bases that do."""
    wanted = normalise_answer(answer)
    return {
        fact.chunk_id or fact
        for one in rounds
        for fact in one.facts
        if wanted and wanted in {normalise_answer(fact.head), normalise_answer(fact.tail)}
    }
