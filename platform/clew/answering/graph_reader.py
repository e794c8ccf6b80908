"""A reader that is shown the question's graph and what was asked in turn, and no passages (RA-9).

    [SUBQ] q0
    Retrieved Graph Information: (S> s | P> p | O> o) [2], …
    Question: Q

Source: RAS, section 3.3, and figures 16 and 20 (appendices C.2 and E.1): the variant with a model
that is as it is, and few examples; one that was trained is asked in `trained_graph_reader.py`.
Differs from the paper: each triple has the number of the passage that states it, or of a knowledge
base its own, so that the answer cites; passages behind triples join the evidence. Where the plan
was to search for nothing, the model's own answer is given as one without evidence.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from clew.answering.language_model_reader import LanguageModelReader, quotable
from clew.answering.prompts import GRAPH_ANSWER
from clew.answering.trained_graph_reader import TrainedAnswers
from clew.answering.unsupported import unsupported_answer
from clew.errors import InvalidRequest
from clew.resources.language_models import Role
from clew.results.evidence import Answer, Evidence, ScoredChunk, Search
from clew.results.history import Fact, fact_of, history_of, history_text
from clew_cypher.searching.chunks import chunks_by_id
from clew_models.language_model import LanguageModel, Message, without_thoughts

if TYPE_CHECKING:
    from clew.resources.resources import Resources
    from clew_cypher.store import GraphStore

NAME = "graph"
ANSWERER = Role("The reader 'graph'", "graph_reader_model", "or another reader")
WITHOUT_EVIDENCE = "Without evidence, as the language model has it:"


class GraphReader:
    """Answers from the triples of a plan's rounds."""

    name = NAME

    def __init__(
        self, store: "GraphStore", model: LanguageModel | TrainedAnswers, *, max_tokens: int = 400
    ) -> None:
        self._store = store
        self._model = model
        self._max_tokens = max_tokens

    def read(self, evidence: Evidence, search: Search | None = None) -> Iterator[str | Answer]:
        """Yield the answer as it is written, and last the Answer.

        Raises as LanguageModelReader, and InvalidRequest for evidence that nobody planned.
        """
        rounds = history_of(evidence)
        if rounds is None:
            raise InvalidRequest(
                f"The reader {NAME!r} answers from a question's graph, and {evidence.strategy!r} "
                "makes none.",
                remedy="Take a strategy that searches by a plan, or another reader.",
            )
        model = self._model
        if isinstance(model, TrainedAnswers):
            yield from model.read(evidence, rounds, self._whole(evidence))
        elif rounds:
            reader = LanguageModelReader(
                model, name=NAME, max_tokens=self._max_tokens, shown=graph_messages
            )
            yield from reader.read(self._whole(evidence))
        else:
            yield from self._unsearched(model, evidence)

    def _whole(self, evidence: Evidence) -> Evidence:
        """Return the evidence with the passages behind its triples that are not in it yet."""
        known = {chunk.id for chunk in evidence.chunks}
        behind = dict.fromkeys(
            fact.chunk_id
            for one in history_of(evidence) or ()
            for fact in one.facts
            if fact.chunk_id and fact.chunk_id not in known
        )
        rows = chunks_by_id(self._store, evidence.corpus, list(behind))
        fields = ScoredChunk.model_fields
        added = tuple(
            ScoredChunk.model_validate(
                {name: value for name, value in row.items() if name in fields} | {"score": 0.0}
            )
            for row in rows
        )
        return evidence.model_copy(update={"chunks": (*evidence.chunks, *added)})

    def _unsearched(self, model: LanguageModel, evidence: Evidence) -> Iterator[str | Answer]:
        completion = model.complete(
            [Message("user", " ".join(evidence.question.split()))], max_tokens=self._max_tokens
        )
        text = f"{WITHOUT_EVIDENCE} {without_thoughts(completion.text).strip()}"
        yield text
        yield unsupported_answer(evidence, NAME, text=text).model_copy(
            update={
                "prompt_tokens": completion.prompt_tokens,
                "completion_tokens": completion.completion_tokens,
            }
        )


def graph_messages(evidence: Evidence) -> list[Message]:
    """Return the conversation that asks for the answer; triples have their passage's number, those
    of knowledge bases their own.
    """
    number: dict[str | Fact, int] = {}
    for place, one in enumerate(quotable(evidence), start=1):
        number.setdefault(one.id if isinstance(one, ScoredChunk) else fact_of(one), place)

    def mark(fact: Fact) -> str:
        place = number.get(fact.chunk_id or fact)
        return f" [{place}]" if place else ""

    return GRAPH_ANSWER.messages(
        history=history_text(history_of(evidence) or (), mark=mark),
        question=" ".join(evidence.question.split()),
    )


def graph_reader(resources: "Resources") -> GraphReader:
    """Return the reader with the model of the settings. Raises LanguageModelUnavailable."""
    settings = resources.settings
    chosen = settings.graph_reader_model
    if chosen == "trained" or (chosen == "auto" and not settings.llm_model):
        return GraphReader(resources.store, TrainedAnswers(resources, NAME))
    return GraphReader(
        resources.store, resources.language_model(ANSWERER), max_tokens=settings.llm_max_tokens
    )
